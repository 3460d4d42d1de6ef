// Queries on the control plane: models, the books that open their markets, and receipts.
import { ADVISORY_LOCKS } from '../../base/db/advisory-locks.ts';
import { copyBytes } from '../../base/db/copy.ts';
import { inTransaction, type Client, type Pool, type Queryable } from '../../base/db/postgres.ts';
import { changeRows, findRow, findValue, getRow, getValue, listRows, part, raw } from '../../base/db/statements.ts';
import type { ModelCard } from '../avm/card.ts';
import { MODEL_HEADER } from '../avm/pack.ts';
import { BOOK_FORMAT } from '../avm/packed-book.ts';

export type ModelRow = {
  version: string;
  market: string;
  state: 'current' | 'earlier' | 'refused';
  trained_on: string;
  hash: string;
  created_at: Date;
  pinned: boolean;
};

export type ModelWithCard = ModelRow & { card: ModelCard };

const MODEL = raw('version, market, state, trained_on, hash, created_at, pinned');

/** Models that this version can read. A market whose model was packed by another version counts as not trained. */
const READABLE = part`substring(bytes for ${MODEL_HEADER.length}) = ${MODEL_HEADER}`;
const NEWEST_FIRST = raw('order by market, trained_on desc, created_at desc');

export const listModels = (control: Queryable) =>
  listRows<ModelRow>(control)`select ${MODEL} from models where ${READABLE} ${NEWEST_FIRST}`;

/** Changes whenever a model is published, refused or demoted. */
export const findModelsToken = (control: Queryable) =>
  getValue<string>(control)`
     select concat_ws(':', count(*), count(*) filter (where state = 'current'), count(*) filter (where state = 'refused'),
       extract(epoch from max(created_at)),
         sum(hashtext(version)) filter (where state = 'current'),
         count(*) filter (where pinned)) as token from models`;

/** The models of one market, or of all. */
export const listModelCards = (control: Queryable, market?: string) =>
  listRows<ModelWithCard>(control)`select ${MODEL}, card from models
    where ${READABLE} and (${market}::text is null or market = ${market}) ${NEWEST_FIRST}`;

export async function findModelCard(control: Queryable, version: string): Promise<ModelCard> {
  const row = await findRow<{ card: ModelCard }>(control)`select card from models where version = ${version}`;
  if (!row) throw new Error(`The model ${version} is no longer stored.`);
  return row.card;
}

export const findModelBytes = (control: Queryable, hash: string) =>
  findValue<Buffer>(control)`select bytes from models where hash = ${hash} limit 1`;

export type NewModel = Omit<ModelWithCard, 'created_at' | 'pinned'> & { bytes: Buffer; createdAt: Date };

/**
 * A new current model demotes the previous one to earlier. Models are never deleted, so that they can be pinned and
 * their receipts replayed. Inserting a version again replaces it, but a refusal does not withdraw a published
 * version.
 */
export async function insertModels(control: Pool, models: NewModel[]): Promise<void> {
  await inTransaction(control, async (client) => {
    for (const model of models) {
      if (model.state === 'current')
        await changeRows(client)`update models set state = 'earlier'
          where market = ${model.market} and state = 'current'`;
      await changeRows(client)`insert into models (version, market, state, trained_on, hash, card, bytes, created_at)
        values (${model.version}, ${model.market}, ${model.state}, ${model.trained_on}, ${model.hash},
          ${JSON.stringify(model.card)}, ${model.bytes}, ${model.createdAt})
        on conflict (version) do update
        set state = case when excluded.state = 'refused' then models.state else excluded.state end, hash = excluded.hash, card = excluded.card, bytes = excluded.bytes, created_at = excluded.created_at`;
    }
  });
}

/** The model serves from now on and is not replaced by training until unpinned. False if there is no such model. */
export const pinModel = (control: Pool, version: string) =>
  inTransaction(control, async (client) => {
    const row = await findRow<{ market: string }>(client)`
      select market from models where version = ${version} and ${READABLE}`;
    if (!row) return false;
    await changeRows(client)`update models set state = 'earlier', pinned = false
      where market = ${row.market} and state = 'current' and version <> ${version}`;
    await changeRows(client)`update models set state = 'current', pinned = true where version = ${version}`;
    return true;
  });

export const unpinModel = (control: Queryable, market: string) =>
  changeRows(control)`update models set pinned = false where market = ${market} and pinned`;

type BookKey = { hash: string; snapshot: string };
export type NewBook = BookKey & { size: number; createdAt: Date };

export const findBook = (control: Queryable, { hash, snapshot }: BookKey) =>
  findRow<{ size: number }>(control)`
    select size from model_books where hash = ${hash} and snapshot = ${snapshot} and format = ${BOOK_FORMAT}`;

/** Passes the chunks of a book to `take`, one at a time; false if the book no longer exists. */
export const readBookChunks = async (control: Pool, book: BookKey, take: (chunk: Buffer) => Promise<void>) =>
  inTransaction(control, async (client) => {
    await changeRows(client)`set transaction isolation level repeatable read, read only`;
    if (!(await findBook(client, book))) return false;
    const hash = client.escapeLiteral(book.hash);
    const chunks = `select bytes from model_book_chunks where hash = ${hash} order by number`;
    for await (const chunk of copyBytes(client, chunks)) await take(chunk);
    return true;
  });

/** Does the work in a transaction unless another process holds the same book, or has built it meanwhile. */
export async function holdingBook(control: Pool, book: BookKey, work: (client: Client) => Promise<void>) {
  await inTransaction(control, async (client) => {
    const { free } = await getRow<{ free: boolean }>(client)`
      select pg_try_advisory_xact_lock(${ADVISORY_LOCKS.book}::int, hashtext(${book.hash})) as free`;
    if (free && !(await findBook(client, book))) await work(client);
  });
}

/** A model has one book; books of deleted models are deleted as well. */
export async function replaceBook(client: Queryable, { hash, snapshot, size, createdAt }: NewBook): Promise<void> {
  await changeRows(client)`delete from model_books b where hash = ${hash}
      or (created_at < ${createdAt}::timestamptz - interval '1 day' and not exists (select from models m where m.hash = b.hash))`;
  await changeRows(client)`insert into model_books (hash, snapshot, format, size, created_at)
    values (${hash}, ${snapshot}, ${BOOK_FORMAT}, ${size}, ${createdAt})`;
}

export const insertBookChunk = (client: Queryable, hash: string, number: number, bytes: Buffer) =>
  changeRows(client)`insert into model_book_chunks (hash, number, bytes) values (${hash}, ${number}, ${bytes})`;

export const deleteBook = (control: Queryable, { hash, snapshot }: BookKey) =>
  changeRows(control)`delete from model_books where hash = ${hash} and snapshot = ${snapshot}`;

export type ReceiptRow = {
  id: string;
  account_id: string;
  mode: 'live' | 'test';
  property_id: string | null;
  market: string;
  model_version: string;
  model_hash: string;
  as_of: string;
  /** Request, inputs and result; see receipts.ts. */
  document: Buffer;
  created_at: Date;
};

const RECEIPT = 'id account_id mode property_id market model_version model_hash as_of document created_at'.split(
  ' ',
) as (keyof ReceiptRow)[];

/** Many rows in one statement, for a single disk sync. */
export async function insertReceipts(control: Queryable, rows: readonly ReceiptRow[]): Promise<void> {
  const values = rows.flatMap((row) => RECEIPT.map((name) => row[name]));
  const tuples = rows.map((_, row) => `(${RECEIPT.map((_, i) => `$${row * RECEIPT.length + i + 1}`).join(', ')})`);
  await control.query({
    name: `insert_receipts_${rows.length}`,
    text: `insert into valuations (${RECEIPT.join(', ')}) values ${tuples.join(', ')}`,
    values,
  });
}

export const findReceipt = (control: Queryable, id: string) =>
  findRow<ReceiptRow>(control)`select * from valuations where id = ${id}`;

export const listReceipts = (control: Queryable, ids: string[]) =>
  listRows<ReceiptRow>(control)`select * from valuations where id = any (${ids})`;
