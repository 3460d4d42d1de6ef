// `platbook worker`: the background work without the API.
import type { Config } from '../../base/config.ts';
import { open } from '../open.ts';
import { startWorker } from '../../worker.ts';

export async function runWorker(config: Config): Promise<void> {
  const { deps, database, close } = await open(config);
  database.watch((message) => deps.log.error(message));
  const worker = await startWorker(deps, config.statusUrl ?? config.baseUrl);
  console.log('Platbook worker is ready.');
  await new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
  await worker.stop();
  await close();
}
