// Queries of backups: PostgreSQL's online backup, and the record of attempts.
import { ADVISORY_LOCKS } from '../../base/db/advisory-locks.ts';
import type pg from 'pg';
import type { Queryable } from '../../base/db/postgres.ts';
import { changeRows, findRow, getRow, getValue, listRows } from '../../base/db/statements.ts';
import { insertRow, updateRow } from '../../base/db/rows.ts';

/** False while another backup of this database runs. Held until the connection ends. */
export const takeBackupLock = (client: pg.Client) =>
  getValue<boolean>(client)`select pg_try_advisory_lock(${ADVISORY_LOCKS.backup})`;

export interface Started {
  folder: string;
  firstSegment: string;
  segmentBytes: number;
  postgres: number;
}

/** The replication slot retains the log from here on. It ends with the connection, as does the backup. */
export async function startBackup(client: pg.Client): Promise<Started> {
  await changeRows(client)`
    select pg_create_physical_replication_slot('platbook_backup', true, true)`;
  return getRow<Started>(client)`
    select pg_walfile_name(pg_backup_start('platbook', true)) as "firstSegment",
      current_setting('data_directory') as folder,
      (select setting::int from pg_settings where name = 'wal_segment_size') as "segmentBytes",
      current_setting('server_version_num')::int / 10000 as postgres`;
}

export interface Stopped {
  lastSegment: string;
  label: string;
  tablespaces: string;
}

export const stopBackup = (client: pg.Client) =>
  getRow<Stopped>(client)`
    select pg_walfile_name(lsn) as "lastSegment", labelfile as label, spcmapfile as tablespaces from pg_backup_stop(false)`;

export interface BackupRow {
  id: string;
  target: string;
  is_scheduled: boolean;
  state: 'running' | 'finished' | 'failed';
  started_at: Date;
  finished_at: Date | null;
  byte_count: number | null;
  error: string | null;
}

export const insertBackup = (db: Queryable, row: Pick<BackupRow, 'id' | 'target' | 'is_scheduled' | 'started_at'>) =>
  insertRow(db, 'backups', { ...row, state: 'running' });

export const finishBackup = (
  db: Queryable,
  row: Pick<BackupRow, 'id' | 'state' | 'finished_at' | 'byte_count' | 'error'>,
) => updateRow(db, 'backups', 'id', row);

/** Call under the lock, which guarantees that no other backup runs. */
export const failInterrupted = (db: Queryable, now: Date) =>
  changeRows(db)`
    update backups set state = 'failed', finished_at = ${now}, error = 'the process ended before the backup did' where state = 'running'`;

export const findLast = (db: Queryable, state: BackupRow['state']) =>
  findRow<BackupRow>(db)`
    select * from backups where state = ${state} and is_scheduled order by started_at desc limit 1`;

export const listBackups = (db: Queryable, limit: number) =>
  listRows<BackupRow>(db)`select * from backups order by started_at desc limit ${limit}`;

export const countFailedSinceSuccess = (db: Queryable) =>
  getValue<number>(db)`select count(*) from backups where state = 'failed'
    and started_at > coalesce((select max(started_at) from backups where state = 'finished'), '-infinity')`;

/** Null before the first. */
export const findLastSuccess = (db: Queryable) =>
  getValue<Date | null>(db)`select max(finished_at) from backups where state = 'finished'`;
