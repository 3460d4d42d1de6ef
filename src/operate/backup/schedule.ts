// Scheduled backups: makes one when the last good one is old enough, and deletes the oldest ones beyond the retention
// count. A failure is logged, recorded and counted, and retried at the next run of the schedule.
import type { Deps } from '../../base/deps.ts';
import { HOUR_MS } from '../../base/lib/clock.ts';
import { measurement, type Measurement } from '../../base/measures/measures.ts';
import { backUp } from './backup.ts';
import * as sql from './sql.ts';
import { openBackupStore, scheduledName, type BackupStore } from './targets.ts';

export async function backUpIfDue(deps: Deps): Promise<void> {
  const { backup } = deps.config;
  if (backup.to === undefined) return;
  const last = await sql.findLast(deps.control, 'finished');
  const now = deps.clock();
  if (last && now.getTime() - last.started_at.getTime() < backup.everyHours * HOUR_MS) return;
  const store = openBackupStore(backup.to, backup);
  try {
    await backUp(deps, store.target(scheduledName(now)), { isScheduled: true, prepare: () => store.tidy() });
    await removeOldest(store, backup.keep);
  } catch (error) {
    deps.log.error({ err: error, to: backup.to }, 'the scheduled backup failed');
  }
}

/** Only after a new one is complete. */
async function removeOldest(store: BackupStore, keep: number): Promise<void> {
  const names = await store.list();
  for (const name of names.slice(0, Math.max(0, names.length - keep))) await store.remove(name);
}

export async function measureBackups({ control }: Pick<Deps, 'control'>): Promise<Measurement[]> {
  const last = await sql.findLastSuccess(control);
  return [
    measurement('platbook_backup_failures', await sql.countFailedSinceSuccess(control)),
    ...(last ? [measurement('platbook_backup_last_success_timestamp_seconds', last.getTime() / 1000)] : []),
  ];
}
