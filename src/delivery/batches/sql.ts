// Queries of batches.
import { insertRow } from '../../base/db/rows.ts';
import { listNewest, type NewestQuery, type Owner } from '../../customers/accounts/own-sql.ts';
import type { Client, Queryable } from '../../base/db/postgres.ts';
import { changeRows, findRow, getRow, hasRow, listRows, part, raw } from '../../base/db/statements.ts';
import type { Stored } from '../../base/lib/schema.ts';
import type { Locator, ReadItem } from './input.ts';
import type { Batch, BatchState, ItemError } from './schema.ts';

/** Members of a batch that are derived from the row. */
type Reckoned = 'status' | 'counts' | 'progress' | 'usage' | 'results_expire_at' | 'results_url';

export interface BatchRow extends Owner, Stored<typeof Batch, Reckoned> {
  key_id: string;
  state: BatchState;
  total: number;
  succeeded: number;
  failed: number;
  used_standard: number;
  used_avm: number;
  hold_id: string | null;
  metadata_names: string[];
  results_deleted_at: Date | null;
}

export interface PendingItem {
  ordinal: number;
  input: Locator;
}

export interface ItemOutcome {
  ordinal: number;
  status: 'succeeded' | 'failed';
  result: Record<string, unknown> | null;
  error: ItemError | null;
}

export interface ItemRow extends PendingItem, Pick<ItemOutcome, 'result' | 'error'> {
  custom_id: string;
  status: 'pending' | 'succeeded' | 'failed' | 'canceled' | 'expired';
  metadata: Record<string, string> | null;
}

export async function insertBatch(client: Client, batch: BatchRow, items: ReadItem[]): Promise<void> {
  await insertRow(client, 'batches', batch);
  await changeRows(client)`insert into batch_items (batch_id, ordinal, custom_id, input, metadata)
    select ${batch.id}, t.place - 1, t.item ->> 'custom_id', t.item -> 'input', t.item -> 'metadata'
    from jsonb_array_elements(${JSON.stringify(items)}::jsonb) with ordinality as t (item, place)`;
}

export function listBatches(
  db: Queryable,
  { account_id, mode }: Owner,
  state: BatchState | undefined,
  page: NewestQuery,
) {
  const own = part`account_id = ${account_id} and mode = ${mode} and (${state}::text is null or state = ${state})`;
  return listNewest<BatchRow>(db, raw('* from batches'), own, page);
}

/** An open batch, with its consecutive chunk failures; a successful chunk decrements the count. */
export interface OpenBatchRow extends BatchRow {
  trouble: number;
}

/** One open batch per account, starting with the account served longest ago. */
export const listNextBatches = (db: Queryable, limit: number) =>
  listRows<OpenBatchRow>(db)`select * from (
      select b.*, t.served_at, row_number() over (partition by b.account_id order by b.created_at, b.id) as place
      from batches b left join batch_turns t on t.account_id = b.account_id
      where b.state in ('queued', 'running')
    ) b
    order by place, served_at nulls first, created_at limit ${limit}`;

export const recordTurn = (db: Queryable, accountId: string) =>
  changeRows(db)`insert into batch_turns (account_id, served_at) values (${accountId}, clock_timestamp())
    on conflict (account_id) do update set served_at = excluded.served_at`;

/**
 * Locks the items until the transaction ends: if a worker dies, its connection closes and they are free again at once.
 */
export const claimItems = (client: Client, batchId: string, limit: number) =>
  listRows<PendingItem>(client)`select ordinal, input from batch_items
    where batch_id = ${batchId} and status = 'pending' order by ordinal limit ${limit} for update skip locked`;

export const claimItem = (client: Client, batchId: string, ordinal: number) =>
  hasRow(client)`
    select 1 from batch_items where batch_id = ${batchId} and ordinal = ${ordinal} and status = 'pending' for update skip locked`;

export const finishItems = (client: Client, batchId: string, outcomes: ItemOutcome[], now: Date) =>
  changeRows(client)`
    update batch_items i set status = o.status, result = o.result, error = o.error, finished_at = ${now}
    from jsonb_to_recordset(${JSON.stringify(outcomes)}::jsonb) as o (ordinal integer, status text, result jsonb, error jsonb)
    where i.batch_id = ${batchId} and i.ordinal = o.ordinal and i.status = 'pending'`;

type Progress = Record<'succeeded' | 'failed' | 'standard' | 'avm', number>;

/** Counts the items of a chunk; the batch row stays locked until the transaction ends. */
export const addProgress = (client: Client, batchId: string, add: Progress, now: Date) =>
  getRow<BatchRow>(client)`
    update batches set succeeded = succeeded + ${add.succeeded}, failed = failed + ${add.failed}, used_standard = used_standard + ${add.standard},
      used_avm = used_avm + ${add.avm}, started_at = coalesce(started_at, ${now}), trouble = greatest(0, trouble - 1),
      state = case when state = 'queued' then 'running' else state end
    where id = ${batchId} returning *`;

export const startBatch = (db: Queryable, batchId: string, now: Date) =>
  changeRows(db)`update batches set state = 'running', started_at = ${now} where id = ${batchId} and state = 'queued'`;

/** Closes unfinished items, except those in progress, which their worker ends. */
export const closePendingItems = (
  client: Client,
  batchId: string,
  { status, error, now }: { status: 'canceled' | 'expired' | 'failed'; error: ItemError | null; now: Date },
) =>
  changeRows(client)`
     update batch_items set status = ${status}, error = ${error === null ? null : JSON.stringify(error)},
       finished_at = ${now}
     where batch_id = ${batchId} and ordinal in (
       select ordinal from batch_items where batch_id = ${batchId} and status = 'pending' for update skip locked)`;

export const hasPendingItems = (client: Client, batchId: string) =>
  hasRow(client)`
    select 1 from batch_items where batch_id = ${batchId} and status = 'pending' limit 1`;

/** Batches that ended with items in progress at a worker that died. */
export const listLeftovers = (db: Queryable, finishedBefore: Date) =>
  listRows<BatchRow>(db)`select b.* from batches b
    where b.state in ('canceled', 'failed', 'expired') and b.finished_at < ${finishedBefore} and b.results_deleted_at is null
      and exists (select 1 from batch_items i where i.batch_id = b.id and i.status = 'pending')
    limit 100`;

export const finishBatch = (client: Client, batchId: string, state: BatchState, now: Date) =>
  findRow<BatchRow>(client)`
    update batches set state = ${state}, finished_at = ${now} where id = ${batchId} and state in ('queued', 'running') returning *`;

export const countTrouble = (db: Queryable, batchId: string) =>
  changeRows(db)`update batches set trouble = trouble + 1 where id = ${batchId}`;

export const listItems = (db: Queryable, batchId: string, after: number, limit: number) =>
  listRows<ItemRow>(db)`select ordinal, custom_id, status, result, error, metadata, input from batch_items
    where batch_id = ${batchId} and ordinal > ${after} order by ordinal limit ${limit}`;

export const deleteBatch = (db: Queryable, batchId: string) =>
  changeRows(db)`delete from batches where id = ${batchId}`;

export const listOverdue = (db: Queryable, createdBefore: Date) =>
  listRows<BatchRow>(db)`
    select * from batches where state in ('queued', 'running') and created_at < ${createdBefore} order by created_at limit 100`;

export async function deleteOldResults(db: Queryable, finishedBefore: Date, now: Date): Promise<void> {
  const rows = await listRows<{ id: string }>(db)`update batches set results_deleted_at = ${now}
    where finished_at < ${finishedBefore} and results_deleted_at is null returning id`;
  await changeRows(db)`delete from batch_items where batch_id = any(${rows.map((row) => row.id)})`;
}

/** Keeps only the results of an account's newest batches, up to its plan's limit. */
export const deleteResultsBeyond = (
  db: Queryable,
  { plans, modes, most }: { plans: string[]; modes: string[]; most: number[] },
  now: Date,
) =>
  changeRows(db)`with beyond as (
      update batches set results_deleted_at = ${now} where id in (
        select n.id from (
          select b.id, b.mode, a.plan, row_number() over (partition by b.account_id, b.mode order by b.created_at desc) as place
          from batches b join accounts a on a.id = b.account_id
          where b.finished_at is not null and b.results_deleted_at is null) n
        join unnest(${plans}::text[], ${modes}::text[], ${most}::int[]) as k (plan, mode, most) on k.plan = n.plan and k.mode = n.mode
        where n.place > k.most)
      returning id)
    delete from batch_items where batch_id in (select id from beyond)`;

export const deleteBatchesBefore = (db: Queryable, finishedBefore: Date) =>
  changeRows(db)`delete from batches where finished_at < ${finishedBefore} and results_deleted_at is not null`;
