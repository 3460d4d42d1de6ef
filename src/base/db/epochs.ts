// Epochs of the data plane. The change feed is ordered by transaction id, whose numbering changes when a database is
// restored, promoted or moved. Each incarnation is an epoch with its ids offset past all earlier ones, which keeps a
// single order. A position from another epoch is trusted only below that epoch's watermark.
import { changeRow, changeRows, getValue, listRows, raw } from './statements.ts';
import { randomBytes } from 'node:crypto';
import { isDistributed, numberChangesHere } from './distribution.ts';
import { inTransaction, type Client, type Pool, type Queryable } from './postgres.ts';
import { lastOf } from '../lib/must.ts';

interface Epoch {
  number: number;
  id: string;
  /** Watermark: this database has every transaction of the epoch below it. */
  completeBelow: string;
  beganAtXid: string;
}

/** Change ids per epoch before they could collide with the next epoch's; 2^13 epochs fit into a number. */
const SEQUENCES_PER_EPOCH = 2 ** 40;

/** A restore gives another system identifier or timeline; a copy on the same server, another database. */
const SERVER = `(select system_identifier from pg_control_system()) || '/'
  || left(pg_walfile_name(pg_current_wal_lsn()), 8) || '/'
  || (select oid from pg_database where datname = current_database())`;

const OFFSET = '(select xid_offset from data.feed_epochs order by number desc limit 1)';

/** SQL for a transaction id of this server, as the feed counts it. */
const feedXid = (xid: string, offset: string) => `((${xid})::text::bigint + ${offset})::text::xid8`;

/** SQL: every transaction of the feed below it has ended. */
export const FINAL_BELOW = feedXid('pg_snapshot_xmin(pg_current_snapshot())', OFFSET);

/** Every epoch, the current one last. Begins the current one if necessary. */
export async function readEpochs(pool: Pool): Promise<Epoch[]> {
  const epochs = await listEpochs(pool);
  if (lastOf(epochs).isHere) return epochs;
  await beginEpoch(pool, 'unless it has begun');
  return listEpochs(pool);
}

const listEpochs = (db: Queryable) =>
  listRows<Epoch & { isHere: boolean }>(db)`
    select number, id, complete_below::text as "completeBelow", began_at_xid::text as "beganAtXid",
      coalesce(server = ${raw(SERVER)}, false) as "isHere"
    from data.feed_epochs order by number`;

/** Advances the watermark. Positions up to here survive a restore of any later backup. */
export async function markComplete(pool: Pool): Promise<void> {
  await readEpochs(pool);
  await changeRows(pool)`
    update data.feed_epochs set complete_below = ${raw(FINAL_BELOW)} where number = (select max(number) from data.feed_epochs)`;
}

/** `always` is for a database reverted in a way PostgreSQL cannot detect, such as a disk snapshot. */
export async function beginEpoch(pool: Pool, when: 'always' | 'unless it has begun'): Promise<void> {
  await inTransaction(pool, async (client) => {
    await changeRows(client)`set local statement_timeout = 0`;
    await client.query('lock table data.feed_epochs in exclusive mode');
    const last = lastOf(await listEpochs(client));
    if (when === 'unless it has begun' && last.isHere) return;
    const isNumberedOn = await isPastEveryChange(client);
    if (last.id === 'first' && isNumberedOn && (await adoptFirst(client))) return;
    if (!isNumberedOn) await shiftTransactions(client);
    await changeRows(client)`
      insert into data.feed_epochs (number, id, server, xid_offset, began_at_xid, began_at)
      select number + 1, ${randomBytes(6).toString('base64url')}, ${raw(SERVER)}, xid_offset, ${raw(FINAL_BELOW)}, now()
      from data.feed_epochs order by number desc limit 1`;
    await skipSequences(client);
  });
}

/** First contact with a database that has only been on this server: its epoch has already begun. */
const adoptFirst = (client: Client) =>
  changeRow(client)`
      update data.feed_epochs set server = ${raw(SERVER)} where id = 'first' and server is null`;

const LAST_XID = `greatest((select xid from data.changes order by xid desc limit 1), (select max(complete_below::text::bigint)::text::xid8 from data.feed_epochs))`;

const isPastEveryChange = (client: Client) =>
  getValue<boolean>(client)`
    select ${raw(LAST_XID)} < ${raw(feedXid('pg_snapshot_xmax(pg_current_snapshot())', OFFSET))} as is_past`;

/** From here on this server's transactions sort after every change in the backup. */
async function shiftTransactions(client: Client): Promise<void> {
  await client.query('lock table data.changes in access exclusive mode');
  const rows = await listRows<{ xid_offset: string }>(client)`
    update data.feed_epochs
    set xid_offset = ${raw(LAST_XID)}::text::bigint + 1 - pg_snapshot_xmin(pg_current_snapshot())::text::bigint
    where number = (select max(number) from data.feed_epochs) returning xid_offset::text`;
  const shifted = feedXid('pg_current_xact_id()', rows[0].xid_offset);
  await changeRows(client)`
    alter table data.changes alter column xid set default ${raw(shifted)}`;
  if (await isDistributed(client)) await numberChangesHere(client);
}

/** New changes must not reuse the ids of lost ones: receivers deduplicate by id. */
const skipSequences = (client: Client) =>
  changeRows(client)`
    select setval(pg_get_serial_sequence('data.changes', 'seq'),
    (coalesce((select last_value from data.changes_seq_seq), 0) / ${SEQUENCES_PER_EPOCH}::bigint + 1) * ${SEQUENCES_PER_EPOCH}::bigint)`;
