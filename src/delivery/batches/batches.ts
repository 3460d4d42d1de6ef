// Batches from submission to result. Submitting stores the items and holds their units in one transaction. Any worker
// processes small chunks, each answered and charged in one transaction. The last chunk records the completion event.
import { announceWork } from '../../base/events/sql.ts';
import { HOUR_MS } from '../../base/lib/clock.ts';
import { recordAct, SYSTEM, type Actor, type Caller } from '../../customers/accounts/accounts.ts';
import { batchesByPlan } from '../../customers/accounts/plans.ts';
import { inTransaction, isDatabaseAway, ping, type Client, type Queryable } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { recordEvent } from '../../base/events/events.ts';
import { translate } from '../../base/http/errors.ts';
import { ApiError, fail } from '../../base/lib/errors.ts';
import { randomId } from '../../base/lib/ids.ts';
import { findOwn, ownerOf, type Owner } from '../../customers/accounts/own-sql.ts';
import { holdUnits, releaseUnits, settleUnits } from '../../customers/usage/usage.ts';
import { describeError, enrichItems, type EnrichPorts, type Enriched } from './enrich.ts';
import type { BatchState } from './schema.ts';
import * as sql from './sql.ts';
import type { Submission } from './submission.ts';

// Small, so that a killed worker repeats little and accounts alternate quickly.
const CHUNK = 25;
/** Number of failures after which a chunk has already been a single item once. */
const LONE_FAILURE = Math.ceil(Math.log2(CHUNK));
const MAX_AGE_MS = 24 * HOUR_MS;
/** A chunk takes seconds; items claimed for longer than this were lost with their worker. */
const LEFTOVER_MS = HOUR_MS / 4;
export const RESULTS_KEPT_MS = 7 * 24 * HOUR_MS;
const BATCHES_LISTED_MS = 90 * 24 * HOUR_MS;

interface Submitted extends Submission {
  /** From the idempotency key. The batch id is derived from it, so a retry after a crash finds the existing batch. */
  claimId: string | undefined;
}

export async function submitBatch(deps: Deps, caller: Caller, submitted: Submitted): Promise<sql.BatchRow> {
  const { items, include, metadataNames, claimId } = submitted;
  const now = deps.clock();
  const id = claimId === undefined ? randomId('batch') : claimId.replace('claim', 'batch');
  return inTransaction(deps.control, async (client) => {
    const earlier = claimId && (await findOwn<sql.BatchRow>(client, 'batches', ownerOf(caller), id));
    if (earlier) return earlier;
    const isCalled = include.includes('property') || include.includes('risk');
    const most = { standard: isCalled ? items.length : 0, avm: include.includes('valuation') ? items.length : 0 };
    const batch: sql.BatchRow = {
      id,
      ...ownerOf(caller),
      key_id: caller.key.id,
      type: 'enrich',
      include,
      state: 'queued',
      total: items.length,
      succeeded: 0,
      failed: 0,
      used_standard: 0,
      used_avm: 0,
      hold_id: await holdUnits(client, caller, most, now),
      metadata_names: metadataNames,
      created_at: now,
      started_at: null,
      finished_at: null,
      results_deleted_at: null,
    };
    await sql.insertBatch(client, batch, items);
    await announceWork(client, 'batches');
    return batch;
  });
}

export const getBatch = async ({ control }: { control: Queryable }, owner: Owner, id: string) =>
  (await findOwn<sql.BatchRow>(control, 'batches', owner, id)) ??
  fail('resource_not_found', `No batch has the id \`${id}\`.`);

export const isFinished = (state: BatchState): boolean => state !== 'queued' && state !== 'running';

/** Polls until the batch is finished or the time is up. */
export async function waitForBatch(deps: Deps, batch: sql.BatchRow, seconds: number): Promise<sql.BatchRow> {
  const deadline = performance.now() + Math.min(seconds, deps.config.longestWaitSeconds) * 1000;
  let latest = batch;
  for (
    let pauseMs = 20;
    !isFinished(latest.state) && performance.now() < deadline;
    pauseMs = Math.min(250, pauseMs * 1.5)
  ) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    latest = await getBatch(deps, batch, batch.id);
  }
  return latest;
}

/** Processes one chunk of one batch; false if there was nothing to do. Safe to run in any number of processes. */
export async function workOnBatches(deps: Deps, ports: EnrichPorts): Promise<boolean> {
  for (const batch of await sql.listNextBatches(deps.control, 50)) {
    if (batch.state === 'queued') await sql.startBatch(deps.control, batch.id, deps.clock());
    // Each failure halves the next chunk, which eventually isolates a bad item.
    const claim: Claim = { size: Math.max(1, Math.floor(CHUNK / 2 ** batch.trouble)), items: [] };
    try {
      if (await inTransaction(deps.control, (client) => workOnChunk(deps, client, { ports, batch, claim })))
        return true;
    } catch (error) {
      // Waits out an outage or a full disk. A connection lost while the databases are up counts as a failure.
      if (translate(error as Error).code === 'storage_full') throw error;
      if (isDatabaseAway(error)) await Promise.all([ping(deps.data), ping(deps.control)]);
      deps.log.error({ err: error, batch: batch.id, items: claim.items.length }, 'batch chunk failed');
      const [item, ...others] = claim.items;
      if (!item) throw error;
      if (others.length === 0 && batch.trouble >= LONE_FAILURE) await failItem(deps, batch, item, error as Error);
      else await sql.countTrouble(deps.control, batch.id);
      return true;
    }
  }
  return false;
}

/** The items a chunk claimed, kept outside its transaction in case it fails. */
interface Claim {
  size: number;
  items: sql.PendingItem[];
}

async function workOnChunk(
  deps: Deps,
  client: Client,
  { ports, batch, claim }: { ports: EnrichPorts; batch: sql.BatchRow; claim: Claim },
): Promise<boolean> {
  const items = (claim.items = await sql.claimItems(client, batch.id, claim.size));
  if (items.length === 0) return false;
  await deps.telemetry.span('batch chunk', { facts: { 'platbook.items': items.length } }, async () => {
    // Outside the transaction, so other workers immediately see which account was served.
    await sql.recordTurn(deps.control, batch.account_id);
    await finishChunk(deps, client, batch, await enrichItems(deps, ports, batch, items));
  });
  return true;
}

/** An item that failed alone twice ends with its error. The rest of the batch continues. */
async function failItem(deps: Deps, batch: sql.BatchRow, { ordinal }: sql.PendingItem, error: Error): Promise<void> {
  const known = translate(error);
  const unknown = new ApiError('internal_error', 'Something went wrong on our side. This item was not charged.');
  const problem = describeError(known.code === 'internal_error' ? unknown : known);
  const outcomes = [{ ordinal, status: 'failed' as const, result: null, error: problem }];
  await inTransaction(deps.control, async (client) => {
    // Another worker may have taken it up in the meantime.
    if (await sql.claimItem(client, batch.id, ordinal))
      await finishChunk(deps, client, batch, { outcomes, standard: 0, avm: 0 });
  });
}

async function finishChunk(deps: Deps, client: Client, batch: sql.BatchRow, { outcomes, standard, avm }: Enriched) {
  const now = deps.clock();
  await sql.finishItems(client, batch.id, outcomes, now);
  const succeeded = outcomes.filter((outcome) => outcome.status === 'succeeded').length;
  const progress = { succeeded, failed: outcomes.length - succeeded, standard, avm };
  const counted = await sql.addProgress(client, batch.id, progress, now);
  if (batch.hold_id !== null) {
    const what = { requestId: batch.id, route: 'POST /api/v1/batches', now };
    await settleUnits(client, batch.hold_id, { standard, avm }, what);
  }
  if (isFinished(counted.state)) await releaseWhenDone(client, counted);
  else if (counted.succeeded + counted.failed === counted.total) await completeBatch(client, counted, now);
}

async function completeBatch(client: Client, batch: sql.BatchRow, now: Date): Promise<void> {
  const finished = await sql.finishBatch(client, batch.id, 'completed', now);
  if (!finished) return;
  if (finished.hold_id !== null) await releaseUnits(client, finished.hold_id);
  const data = { batch_id: batch.id, counts: countsOf(batch) };
  await recordEvent(client, { ...endOf(batch, now), type: 'batch.completed', data });
}

const endOf = ({ id, account_id: accountId, mode }: sql.BatchRow, occurredAt: Date) => ({
  accountId,
  mode,
  sourceKey: `batch:${id}`,
  occurredAt,
});

/** A batch that ended with items in progress keeps their allowance until the last one is done. */
async function releaseWhenDone(client: Client, batch: sql.BatchRow): Promise<void> {
  if (batch.hold_id !== null && !(await sql.hasPendingItems(client, batch.id)))
    await releaseUnits(client, batch.hold_id);
}

/** Takes effect immediately: finished items stay charged, items in progress finish, and the rest are dropped. */
export async function cancelBatch(deps: Deps, batch: sql.BatchRow, by: Actor): Promise<sql.BatchRow> {
  if (isFinished(batch.state)) fail('invalid_state', `The batch is already ${batch.state} and cannot be canceled.`);
  return closeBatch(deps, batch, 'canceled', by);
}

const closeBatch = async (
  deps: Deps,
  batch: sql.BatchRow,
  state: 'canceled' | 'expired',
  by: Actor = SYSTEM,
): Promise<sql.BatchRow> =>
  inTransaction(deps.control, async (client) => {
    const now = deps.clock();
    // The batch row first, so that no worker takes another chunk. Items locked by workers are not waited for.
    const finished = await sql.finishBatch(client, batch.id, state, now);
    if (!finished) return getBatch({ control: client }, batch, batch.id);
    await sql.closePendingItems(client, batch.id, { status: state, error: null, now });
    await releaseWhenDone(client, finished);
    if (state === 'canceled') await recordAct(deps, client, by, 'batch.canceled', batch);
    else {
      const data = { batch_id: batch.id, reason: state, counts: countsOf(finished) };
      await recordEvent(client, { ...endOf(batch, now), type: 'batch.failed', data });
    }
    return finished;
  });

export async function deleteBatch(deps: Deps, batch: sql.BatchRow, by: Actor): Promise<void> {
  if (!isFinished(batch.state)) fail('invalid_state', 'The batch is still running. Cancel it first.');
  await inTransaction(deps.control, async (client) => {
    await sql.deleteBatch(client, batch.id);
    await recordAct(deps, client, by, 'batch.deleted', batch);
  });
}

async function closeLeftovers(deps: Deps, batch: sql.BatchRow): Promise<void> {
  await inTransaction(deps.control, async (client) => {
    const status = batch.state === 'canceled' ? 'canceled' : batch.state === 'expired' ? 'expired' : 'failed';
    await sql.closePendingItems(client, batch.id, { status, error: null, now: deps.clock() });
    await releaseWhenDone(client, batch);
  });
}

/** Batches not finished within a day expire; results older than a week are deleted. */
export async function tidyBatches(deps: Deps): Promise<void> {
  const now = deps.clock();
  const ago = (ms: number) => new Date(now.getTime() - ms);
  for (const batch of await sql.listOverdue(deps.control, ago(MAX_AGE_MS))) await closeBatch(deps, batch, 'expired');
  for (const batch of await sql.listLeftovers(deps.control, ago(LEFTOVER_MS))) await closeLeftovers(deps, batch);
  await sql.deleteOldResults(deps.control, ago(RESULTS_KEPT_MS), now);
  await sql.deleteResultsBeyond(deps.control, batchesByPlan(), now);
  await sql.deleteBatchesBefore(deps.control, ago(BATCHES_LISTED_MS));
}

export const countsOf = ({ total, succeeded, failed }: sql.BatchRow) => ({ total, succeeded, failed });
