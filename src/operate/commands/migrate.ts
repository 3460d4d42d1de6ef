// `platbook migrate`: brings the database to the newest schema. `--restored` is for a data plane reverted in a way
// PostgreSQL cannot detect, such as a disk snapshot.
import { parseArgs } from 'node:util';
import type { Config } from '../../base/config.ts';
import { beginEpoch } from '../../base/db/epochs.ts';
import { open } from '../open.ts';

export async function runMigrate(config: Config, args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { restored: { type: 'boolean' } } });
  const { deps, close } = await open({ ...config, migratesOnStart: true });
  try {
    console.log('The database is at the newest schema.');
    if (values.restored) {
      await beginEpoch(deps.data, 'always');
      console.log('The change feed refuses cursors from after the moment that was restored.');
    }
  } finally {
    await close();
  }
}
