// Every query on backups: PostgreSQL's online backup, and the record of attempts.
import { ADVISORY_LOCKS } from '../../base/db/advisory-locks.ts';
import type pg from 'pg';
import type { Queryable } from '../../base/db/postgres.ts';

const LOCK = ADVISORY_LOCKS.backup;

/** False while another backup of this database runs. Held until the connection ends. */
export async function takeBackupLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [LOCK]);
  return rows[0].locked;
}

export interface Started {
  folder: string;
  firstSegment: string;
  segmentBytes: number;
  postgres: number;
}

/** The replication slot retains the log from here on. It ends with the connection, as does the backup. */
export async function startBackup(client: pg.Client): Promise<Started> {
  await client.query(`select pg_create_physical_replication_slot('platbook_backup', true, true)`);
  const { rows } = await client.query<Started>(
    `select pg_walfile_name(pg_backup_start('platbook', true)) as "firstSegment",
       current_setting('data_directory') as folder,
       (select setting::int from pg_settings where name = 'wal_segment_size') as "segmentBytes",
       current_setting('server_version_num')::int / 10000 as postgres`,
  );
  return rows[0];
}

export interface Stopped {
  lastSegment: string;
  label: string;
  tablespaces: string;
}

export async function stopBackup(client: pg.Client): Promise<Stopped> {
  const { rows } = await client.query<Stopped>(
    `select pg_walfile_name(lsn) as "lastSegment", labelfile as label, spcmapfile as tablespaces from pg_backup_stop(false)`,
  );
  return rows[0];
}

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

export async function insertBackup(
  db: Queryable,
  row: Pick<BackupRow, 'id' | 'target' | 'is_scheduled' | 'started_at'>,
) {
  await db.query(
    `insert into backups (id, target, is_scheduled, state, started_at) values ($1, $2, $3, 'running', $4)`,
    [row.id, row.target, row.is_scheduled, row.started_at],
  );
}

export async function finishBackup(
  db: Queryable,
  row: Pick<BackupRow, 'id' | 'state' | 'finished_at' | 'byte_count' | 'error'>,
): Promise<void> {
  await db.query('update backups set state = $2, finished_at = $3, byte_count = $4, error = $5 where id = $1', [
    row.id,
    row.state,
    row.finished_at,
    row.byte_count,
    row.error,
  ]);
}

/** Call under the lock, which guarantees that no other backup runs. */
export async function failInterrupted(db: Queryable, now: Date): Promise<void> {
  await db.query(
    `update backups set state = 'failed', finished_at = $1, error = 'the process ended before the backup did' where state = 'running'`,
    [now],
  );
}

export async function findLast(db: Queryable, state: BackupRow['state']): Promise<BackupRow | undefined> {
  const { rows } = await db.query<BackupRow>(
    'select * from backups where state = $1 and is_scheduled order by started_at desc limit 1',
    [state],
  );
  return rows[0];
}

export async function listBackups(db: Queryable, limit: number): Promise<BackupRow[]> {
  const { rows } = await db.query<BackupRow>('select * from backups order by started_at desc limit $1', [limit]);
  return rows;
}

export async function countFailedSinceSuccess(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ failed: number }>(
    `select count(*) as failed from backups where state = 'failed'
       and started_at > coalesce((select max(started_at) from backups where state = 'finished'), '-infinity')`,
  );
  return rows[0].failed;
}

export async function findLastSuccess(db: Queryable): Promise<Date | undefined> {
  const { rows } = await db.query<{ at: Date | null }>(
    `select max(finished_at) as at from backups where state = 'finished'`,
  );
  return rows[0].at ?? undefined;
}
