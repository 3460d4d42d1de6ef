// Rows that belong to a customer: found by id and listed as pages, never across accounts or modes.
import type { Queryable } from '../../base/db/postgres.ts';
import { changeRows, findRow, getValue, listRows, raw, type Part } from '../../base/db/statements.ts';
import { fail } from '../../base/lib/errors.ts';
import { byCreation, readPage, type Span } from '../../base/lib/pages.ts';
import type { Secrets } from '../../base/lib/secrets.ts';
import type { Caller } from './accounts.ts';
import type { KeyMode } from './key-format.ts';

/** Whose a row is. */
export interface Owner {
  account_id: string;
  mode: KeyMode;
}

/** The tables of such rows, and their names in error messages. */
const WORDS = {
  exports: 'export',
  loans: 'loan',
  reports: 'report',
  reviews: 'review',
  shares: 'share link',
  watchlists: 'watchlist',
  webhook_deliveries: 'delivery',
  webhook_endpoints: 'webhook',
};
export type Table = keyof typeof WORDS;

export const ownerOf = ({ account, key }: Caller): Owner => ({ account_id: account.id, mode: key.mode });

export const findOwn = <Row extends Owner>(db: Queryable, table: Table | 'batches', owner: Owner, id: string) =>
  findRow<Row>(db)`
    select * from ${raw(table)} where id = ${id} and account_id = ${owner.account_id} and mode = ${owner.mode}`;

export const getOwn = async <Row extends Owner>(db: Queryable, table: Table, owner: Owner, id: string) =>
  (await findOwn<Row>(db, table, owner, id)) ?? failMissing(table, id);

const failMissing = (table: Table, id: string): never =>
  fail('resource_not_found', `No ${WORDS[table]} has the id ${id}.`);

/** Returns the noun used in the audit log. */
export async function deleteOwn(db: Queryable, table: Table, { account_id, mode }: Owner, id: string): Promise<string> {
  const deleted = await changeRows(db)`
    delete from ${raw(table)} where id = ${id} and account_id = ${account_id} and mode = ${mode}`;
  return deleted === 0 ? failMissing(table, id) : WORDS[table];
}

export const countOwn = (db: Queryable, table: Table, owner: Owner) =>
  getValue<number>(db)`
    select count(*)::int from ${raw(table)} where account_id = ${owner.account_id} and mode = ${owner.mode}`;

/** Oldest first. */
export const readOwnPage = <Row extends Owner & { id: string; created_at: Date }>(
  { control, secrets }: { control: Queryable; secrets: Secrets },
  table: Table,
  owner: Owner,
  query: { limit?: number; cursor?: string },
) =>
  readPage(
    secrets,
    [table, owner],
    query,
    ([createdAt, id]: [string, string] = ['-infinity', ''], limit) =>
      listRows<Row>(control)`select * from ${raw(table)}
        where account_id = ${owner.account_id} and mode = ${owner.mode} and (created_at, id) > (${createdAt}, ${id})
        order by created_at, id limit ${limit}`,
    byCreation,
  );

export interface NewestQuery {
  span?: Span;
  /** Position of the last row already listed. */
  before?: [createdAt: string, id: string];
  limit: number;
}

/** Newest first. */
export const listNewest = <Row extends object>(
  db: Queryable,
  from: Part,
  where: Part,
  { span, before, limit }: NewestQuery,
) =>
  listRows<Row>(db)`
    select ${from} where ${where} and (created_at, id) < (${before?.[0] ?? 'infinity'}, ${before?.[1] ?? ''})
      and created_at >= ${span?.since ?? '-infinity'} and created_at < ${span?.until ?? 'infinity'}
    order by created_at desc, id desc limit ${limit}`;
