// `npm run bench -- analytics [market …]`: how well price indexes carry a home's price to its next sale, and how well
// they are forecast.
import type { Config } from '../src/config.ts';
import { measureResales } from './analytics-resales.ts';
import { hasRecords } from './markets.ts';

export async function run(args: string[], config: Config): Promise<void> {
  if (!hasRecords(config)) return console.log(`No records in ${config.recordsFolder}; nothing to measure.`);
  await measureResales(args, config);
}
