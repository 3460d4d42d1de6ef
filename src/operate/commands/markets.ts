// `platbook markets`: lists the loaded layers with their sources.
import type { Config } from '../../base/config.ts';
import { isoDate } from '../../base/lib/clock.ts';
import { asPercent } from '../../base/lib/figures.ts';
import type { Benchmark } from '../../insight/analytics/benchmark.ts';
import { findReport } from '../../insight/quality/sql.ts';
import { listFreshness, type DatasetFreshness } from '../../supply/ingest/freshness.ts';
import { formatFindings, isStop } from '../../supply/examination/finding.ts';
import { listExaminedLoads, listMarkets } from '../../supply/ingest/ingest.ts';
import { withDeps } from '../with-deps.ts';

export async function runMarkets(config: Config): Promise<void> {
  await withDeps(config, async (deps) => {
    const rows = await listMarkets(deps.data);
    if (rows.length === 0) console.log('Nothing is loaded yet. `platbook ingest` lists the sources there are.');
    const fresh = new Map((await listFreshness(deps)).map((item) => [item.sourceId, item]));
    const examined = await listExaminedLoads(deps.data);
    for (const [market, layers] of Map.groupBy(rows, (row) => row.id)) {
      console.log(`\n${market}  ${layers[0].name}  ${layers[0].properties.toLocaleString('en')} properties`);
      for (const row of layers) {
        const period =
          row.covers_from || row.covers_to ? `${row.covers_from ?? '…'} to ${row.covers_to ?? '…'}` : 'undated';
        console.log(
          `  ${row.layer.padEnd(18)} ${row.records.toLocaleString('en').padStart(10)}  ${period}  ${row.publisher}  [${row.licence}]` +
            describeFreshness(fresh.get(row.source_id)),
        );
      }
      const benchmark = (await findReport(deps.control, market))?.report.benchmark;
      if (benchmark) console.log(describeBenchmark(benchmark));
      for (const { source_id, state, findings, finished_at } of examined.filter((load) => load.market === market)) {
        const shown = state === 'failed' ? findings.filter(isStop) : findings;
        if (state === 'failed' && shown.length === 0) continue;
        const what = state === 'failed' ? 'a newer file was stopped' : 'examined';
        console.log(`  ${source_id}: ${what} on ${isoDate(finished_at)}\n${formatFindings(shown).trimEnd()}`);
      }
    }
  });
}

const describeBenchmark = ({ place, from_year, to_year, own_growth, growth, bound, is_beyond }: Benchmark): string =>
  `  price index ${from_year} to ${to_year}: ${asPercent(own_growth)} a year, FHFA (${place}) ${asPercent(growth)}` +
  (is_beyond ? `: WARNING, more than ${asPercent(bound)} apart` : '');

function describeFreshness(item: DatasetFreshness | undefined): string {
  if (!item?.checkedAt) return '';
  const day = (instant: Date) => isoDate(instant);
  const next = item.nextDueAt ? `, next ${day(item.nextDueAt)}` : '';
  const failed = item.error ? `, last look failed: ${item.error}` : '';
  return `  checked ${day(item.checkedAt)}${next}${item.isStale ? ', STALE' : ''}${failed}`;
}
