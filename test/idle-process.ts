// A process with open pools but no connections, as during model fitting: prints `idle`, and answers each line with a
// query.
import { createInterface } from 'node:readline';
import { readConfig } from '../src/base/config.ts';
import { open } from '../src/operate/open.ts';
import { until } from './until.ts';

const { deps, close } = await open(readConfig());
const pools = [deps.data, deps.control];
for (const pool of pools) {
  pool.options.idleTimeoutMillis = 20;
  const clients = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()));
  for (const client of clients) client.release();
}
await until(() => pools.every(({ totalCount }) => totalCount === 0));
console.log('idle');
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'end') break;
  const { rows } = await deps.control.query('select pg_postmaster_start_time()::text as started');
  console.log(rows[0].started);
}
await close();
