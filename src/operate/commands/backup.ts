// `platbook backup`: writes a backup of the embedded database and its home, while serving or not.
import { join } from 'node:path';
import { backUp } from '../backup/backup.ts';
import { listBackups } from '../backup/sql.ts';
import { openTarget } from '../backup/targets.ts';
import type { Config } from '../../base/config.ts';
import { startEmbedded } from '../../base/db/embedded.ts';
import { openPool, type Plane } from '../../base/db/postgres.ts';
import { existsSync } from 'node:fs';
import { systemClock } from '../../base/lib/clock.ts';
import { CommandError } from '../../base/lib/command-error.ts';

const SHOWN = 20;

export async function runBackup(config: Config, [where]: string[]): Promise<void> {
  if (!where) throw new CommandError('Usage: backup <file or s3://bucket/key>, or backup list');
  if (config.databaseUrl) {
    throw new CommandError(
      'The database at DATABASE_URL is your own server: back it up with its own tools (pg_basebackup, WAL archiving or ' +
        'pg_dump), and keep PLATBOOK_SECRET or PLATBOOK_HOME/secret with it. See docs/internals/operations.md.',
    );
  }
  if (!existsSync(join(config.home, 'postgres.password')))
    throw new CommandError(`There is nothing to back up in ${config.home}. Is PLATBOOK_HOME right?`);
  // Without migrating, because backups are made before upgrades.
  const server = await startEmbedded(config.home);
  const open = (plane: Plane) => openPool(server.url, plane, { size: 2, statementTimeoutMs: 600_000 });
  const [data, control] = [open('data'), open('control')];
  try {
    if (where === 'list') {
      const backups = await listBackups(control, SHOWN);
      if (backups.length === 0) console.log('There is no backup yet.');
      for (const row of backups)
        console.log(
          `${row.started_at.toISOString()}  ${row.state.padEnd(8)}  ${row.target}  ${row.error ?? row.byte_count ?? ''}`,
        );
      return;
    }
    const target = openTarget(where, config.backup);
    const bytes = await backUp({ config, data, control, controlUrl: server.url, clock: systemClock }, target, {
      isScheduled: false,
    });
    const isOpen = config.backup.passphraseFile === undefined;
    console.log(`Backed up to ${target.name} (${(bytes / 1e6).toFixed(1)} MB${isOpen ? '' : ', encrypted'}).`);
    if (isOpen) console.log('It holds the secret and is not encrypted: set BACKUP_PASSPHRASE_FILE, or keep it safe.');
  } finally {
    await Promise.all([data.end(), control.end()]);
    await server.stop();
  }
}
