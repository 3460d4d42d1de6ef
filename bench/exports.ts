// Exports of growing size: memory must not grow with the rows. Rows are invented as fast as the writer takes them; then one
// real export of the sandbox through DuckDB.
import { mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../src/config.ts';
import { readPresent } from '../src/changes/changes.ts';
import { COLUMNS, type ExportRow } from '../src/exports/columns.ts';
import { writeParts } from '../src/exports/parts.ts';
import { readRows } from '../src/exports/rows.ts';
import { open } from '../src/open.ts';
import { prepareSandbox } from '../src/prepare-sandbox.ts';
import { printTable } from './measure.ts';

const PAGE = 1_000;

async function* inventRows(count: number): AsyncGenerator<ExportRow[]> {
  for (let from = 0; from < count; from += PAGE) {
    yield Array.from({ length: Math.min(PAGE, count - from) }, (_, i) =>
      Object.fromEntries(
        COLUMNS.properties.map(([name, type], c) => {
          const n = (from + i) * 31 + c * 7;
          if (type === 'integer') return [name, n % 1_000_000];
          if (type === 'double') return [name, (n % 100_000) / 7];
          if (type === 'boolean') return [name, n % 3 === 0];
          if (type === 'date') return [name, '2026-03-31'];
          if (type === 'timestamp') return [name, '2026-03-31T12:00:00.000'];
          return [name, `${name} ${n % 5_000}`];
        }),
      ),
    );
  }
}

async function measureExport(pages: AsyncIterable<ExportRow[]>, folder: string) {
  globalThis.gc?.();
  const start = performance.now();
  let peak = 0;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 50);
  let rows = 0;
  let bytes = 0;
  try {
    for await (const part of writeParts(folder, 'properties', 'parquet', pages)) {
      rows += part.rows;
      bytes += part.bytes;
      await rm(part.path);
    }
  } finally {
    clearInterval(watch);
  }
  return { rows, bytes, seconds: (performance.now() - start) / 1000, peakMb: peak / 1e6 };
}

export async function run(args: string[], config: Config): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'platbook-bench-'));
  const sizes = args.includes('--full') ? [250_000, 1_000_000, 10_000_000] : [250_000, 1_000_000];
  const results = [];
  for (const size of sizes) results.push({ what: 'invented', ...(await measureExport(inventRows(size), folder)) });
  const { deps, close } = await open(config);
  await prepareSandbox(deps, undefined, config.sandboxProperties);
  const query = { dataset: 'properties', mode: 'test', filter: null, mayReadOwners: true, from: undefined } as const;
  results.push({
    what: 'sandbox',
    ...(await measureExport(readRows(deps, { ...query, to: await readPresent(deps.data) }), folder)),
  });
  await close();
  rmSync(folder, { recursive: true });
  printTable(
    'Parquet exports: memory stays flat as the rows grow',
    ['rows from', 'rows', 'seconds', 'rows/s', 'MB out', 'peak MB of the process'],
    results.map((r) => [
      r.what,
      r.rows,
      r.seconds.toFixed(1),
      Math.round(r.rows / r.seconds),
      (r.bytes / 1e6).toFixed(1),
      Math.round(r.peakMb),
    ]),
  );
  const [small, big] = [results[0], results[sizes.length - 1]];
  console.log(
    `\n${sizes.at(-1)! / sizes[0]} times the rows: ${(big.peakMb / small.peakMb).toFixed(2)} times the memory`,
  );
}
