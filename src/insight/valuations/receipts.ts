// Receipts of valuations: written before the response is sent, read back, and replayed from their contents.
import { setImmediate } from 'node:timers/promises';
import { zstdDecompressSync } from 'node:zlib';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import { SANDBOX_RETENTION } from '../../customers/accounts/plans.ts';
import { forgetOldDocuments } from '../../customers/accounts/retention-sql.ts';
import { type Pool, type Queryable, isDatabaseAway } from '../../base/db/postgres.ts';
import type { Connections, Deps } from '../../base/deps.ts';
import { canonicalJson, leafOf } from '../../base/math/hashes.ts';
import { createCompressor } from '../../base/lib/compressor.ts';
import { fail } from '../../base/lib/errors.ts';
import { gather } from '../../base/lib/gather.ts';
import { compose, type Inputs } from './compose.ts';
import type { Model } from '../avm/model.ts';
import { hashOf, unpack } from '../avm/pack.ts';
import type { EstimateRequest, Valuation } from './schema.ts';
import * as sql from './model-sql.ts';

type ReceiptDeps = Pick<Deps, 'control'>;

/** The request, all inputs of the result, and the result. */
type Document = { request: EstimateRequest; inputs: Inputs; result: Valuation };

/** `resultJson` is the text of the response: serialized once, for the caller and for the receipt. */
function joinDocument(request: EstimateRequest, inputs: Inputs, resultJson: Buffer): Buffer {
  const before = `{"request":${JSON.stringify(request)},"inputs":${JSON.stringify(inputs)},"result":`;
  return Buffer.concat([Buffer.from(before), resultJson, Buffer.from('}')]);
}

const unpackDocument = (bytes: Buffer): Document => JSON.parse(zstdDecompressSync(bytes).toString('utf8')) as Document;

type NewReceipt = Omit<sql.ReceiptRow, 'document'> & Pick<Document, 'request' | 'inputs'> & { resultJson: Buffer };

const MAX_BATCH = 50;

interface ReceiptWriter {
  write(receipt: NewReceipt): Promise<void>;
}

declare module '../../base/deps.ts' {
  interface Deps {
    receipts: ReceiptWriter;
  }
}

/** Writes receipts due at the same moment together; one that fails does not affect the others. */
export function createReceiptWriter({ control }: Pick<Connections, 'control'>): ReceiptWriter {
  const compress = createCompressor();
  const write = gather((rows: sql.ReceiptRow[]) => tryToWrite(control, rows), MAX_BATCH);
  return {
    async write({ request, inputs, resultJson, ...row }) {
      const document = await compress(joinDocument(request, inputs, resultJson));
      const problem = await write({ ...row, document });
      if (problem) throw problem;
    },
  };
}

async function tryToWrite(control: Pool, rows: sql.ReceiptRow[]): Promise<unknown[]> {
  try {
    await sql.insertReceipts(control, rows);
    return rows.map(() => undefined);
  } catch (error) {
    if (rows.length === 1 || isDatabaseAway(error)) return rows.map(() => error);
    return (await Promise.all(rows.map((row) => tryToWrite(control, [row])))).flat();
  }
}

/** A receipt of the caller's own account; another account's looks like a missing one. */
export async function getReceipt(deps: ReceiptDeps, asker: { accountId: string; mode: KeyMode }, id: string) {
  const row = await sql.findReceipt(deps.control, id);
  if (!row || row.account_id !== asker.accountId || row.mode !== asker.mode)
    fail('resource_not_found', `No valuation has the id \`${id}\`.`);
  return presentReceipt(row);
}

function presentReceipt(row: sql.ReceiptRow) {
  const { request, inputs, result } = unpackDocument(row.document);
  return {
    object: 'valuation_receipt' as const,
    id: row.id,
    created_at: row.created_at.toISOString(),
    request,
    model_version: row.model_version,
    model_hash: row.model_hash,
    data_snapshot: inputs.snapshot,
    inputs,
    result,
  };
}

const HASHED_AT_A_TIME = 200;

/** The hash of each receipt as served, in the order of the ids; undefined for unknown ids. */
export async function hashReceipts(control: Queryable, ids: string[]): Promise<(Buffer | undefined)[]> {
  const hashes = new Map<string, Buffer>();
  for (let first = 0; first < ids.length; first += HASHED_AT_A_TIME) {
    const rows = await sql.listReceipts(control, ids.slice(first, first + HASHED_AT_A_TIME));
    for (const row of rows) hashes.set(row.id, leafOf(canonicalJson(presentReceipt(row))));
    // Yields, because unpacking takes as long as a small request.
    await setImmediate();
  }
  return ids.map((id) => hashes.get(id));
}

type Replay = { id: string; isSame: boolean; stored: Valuation; replayed: Valuation };

/** Recomputes values from the stored inputs and the stored model, and compares member by member. */
/** Sequential. A model takes far longer to unpack than to apply, so it is unpacked once for all its receipts. */
export async function* replayReceipts(deps: ReceiptDeps, ids: string[]): AsyncGenerator<Replay, undefined> {
  const models = new Map<string, Model>();
  for (const id of ids) {
    const row = await sql.findReceipt(deps.control, id);
    if (!row) fail('resource_not_found', `No valuation has the id \`${id}\`.`);
    const { inputs, result: stored } = unpackDocument(row.document);
    const model = models.get(row.model_hash) ?? (await readModel(deps, row));
    models.set(row.model_hash, model);
    const replayed = compose({ ...model, version: row.model_version }, inputs);
    yield { id, isSame: canonicalJson(stored) === canonicalJson(replayed), stored, replayed };
  }
}

async function readModel(deps: ReceiptDeps, { model_hash, model_version }: sql.ReceiptRow): Promise<Model> {
  const bytes = await sql.findModelBytes(deps.control, model_hash);
  if (!bytes || hashOf(bytes) !== model_hash)
    throw new Error(`The bytes of model ${model_version} are missing or damaged.`);
  return unpack<Model>(bytes);
}

/** The plan sets the retention of receipts; the sandbox keeps the newest few of each account. */
export const forgetOldReceipts = (deps: Pick<Deps, 'control' | 'clock'>): Promise<void> =>
  forgetOldDocuments(deps, { table: 'valuations', sandboxMost: SANDBOX_RETENTION.receipts!, limit: 10_000 });
