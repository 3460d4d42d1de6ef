// `platbook migrate`: brings the database to the newest schema and ends.
import type { Config } from '../config.ts';
import { open } from '../open.ts';

export async function runMigrate(config: Config): Promise<void> {
  const { close } = await open(config);
  console.log('The database is at the newest schema.');
  await close();
}
