// Loads Testville in a process that can be killed at any time: `testville-load.ts <database url> <folder>`.
import { openPool } from '../src/base/db/postgres.ts';
import { ingest } from '../src/supply/ingest/ingest.ts';
import { testville } from './testville.ts';
import { ANYWAY } from './anyway.ts';

const [url, folder] = process.argv.slice(2);
const data = openPool(url, 'data', { size: 2, statementTimeoutMs: 60_000 });
process.stdout.write('begin\n');
await ingest({ data, clock: () => new Date(), cacheFolder: folder }, [testville], [testville], {
  from: folder,
  datasets: ['roll'],
  accept: { ids: [...ANYWAY.ids, 'one-value:sqft', 'changed:sqft'], by: 'test' },
});
process.stdout.write('done\n');
await data.end();
