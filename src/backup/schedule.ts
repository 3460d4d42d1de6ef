// Backups by the clock: made when the last good one is old enough, the oldest deleted beyond the number to keep. A failure
// is logged, listed and counted in a metric, and tried again at the next tick.
import { Gauge, type Registry } from 'prom-client';
import type { Deps } from '../deps.ts';
import { backUp } from './backup.ts';
import * as sql from './sql.ts';
import { openShelf, scheduledName, type Shelf } from './targets.ts';

const HOUR_MS = 3_600_000;

export async function backUpIfDue(deps: Deps): Promise<void> {
  const { backup } = deps.config;
  if (backup.to === undefined) return;
  const last = await sql.findLast(deps.control, 'finished');
  const now = deps.clock();
  if (last && now.getTime() - last.started_at.getTime() < backup.everyHours * HOUR_MS) return;
  const shelf = openShelf(backup.to, backup);
  try {
    await backUp(deps, shelf.target(scheduledName(now)), { isScheduled: true, prepare: () => shelf.tidy() });
    await removeOldest(shelf, backup.keep);
  } catch (error) {
    deps.log.error({ err: error, to: backup.to }, 'the scheduled backup failed');
  }
}

/** Only after a new one is whole. */
async function removeOldest(shelf: Shelf, keep: number): Promise<void> {
  const names = await shelf.list();
  for (const name of names.slice(0, Math.max(0, names.length - keep))) await shelf.remove(name);
}

/** Any process can serve them: they are read from the list of backups. */
export function registerBackupMetrics(registry: Registry, deps: Pick<Deps, 'control'>): void {
  const lastSuccess: Gauge = new Gauge({
    name: 'backup_last_success_timestamp_seconds',
    help: 'When the last backup was finished; 0 if none was.',
    registers: [],
    collect: async (): Promise<void> =>
      lastSuccess.set(((await sql.findLastSuccess(deps.control))?.getTime() ?? 0) / 1000),
  });
  const failed: Gauge = new Gauge({
    name: 'backup_failures_since_success',
    help: 'Backups that failed since the last one that did not.',
    registers: [],
    collect: async (): Promise<void> => failed.set(await sql.countFailedSinceSuccess(deps.control)),
  });
  registry.registerMetric(lastSuccess);
  registry.registerMetric(failed);
}

export { listBackups, type BackupRow } from './sql.ts';
