// `npm run bench -- polygons`: sales of drawn areas in Milwaukee, from squares kept ready and from rows, beside a search of
// the same area in the same run.
import type { Config } from '../src/base/config.ts';
import type { MultiPolygon } from '../src/base/lib/geo.ts';
import { rollUpMarket } from '../src/insight/analytics/analytics.ts';
import { readCustomSeries, readFromSquares, readRows } from '../src/insight/analytics/custom.ts';
import { HOME_TYPES, RESIDENTIAL } from '../src/insight/analytics/segments.ts';
import { readFilter } from '../src/records/properties/filter.ts';
import { searchProperties } from '../src/records/properties/search.ts';
import { hasRecords, withMarket } from './markets.ts';
import { measureInTurns, ms, printTable } from './measure.ts';

const [LATITUDE, LONGITUDE, CORNERS] = [43.06, -87.96, 40];
/** Longitude for the same way on the ground. */
const STRETCH = 1.37;
const CALLS = 20;

/** Corners nearer to the middle and farther from it in turn, so that no edge follows a square. */
function drawArea(degrees: number): MultiPolygon {
  const ring = Array.from({ length: CORNERS }, (_, i): [number, number] => {
    const [angle, reach] = [(i / CORNERS) * 2 * Math.PI, degrees * (i % 2 === 0 ? 1 : 0.85)];
    return [LONGITUDE + reach * STRETCH * Math.cos(angle), LATITUDE + reach * Math.sin(angle)];
  });
  return [[[...ring, ring[0]]]];
}

export async function run(args: string[], config: Config): Promise<void> {
  if (!hasRecords(config)) return console.log(`No records in ${config.recordsFolder}; nothing to measure.`);
  const reaches = args.length > 0 ? args.map(Number) : [0.012, 0.02, 0.032];
  const rows: (string | number)[][] = [];
  await withMarket(config, 'milwaukee', async ({ deps, market }) => {
    await rollUpMarket(deps, market);
    for (const degrees of reaches) {
      const filter = readFilter({ geometry: { type: 'MultiPolygon', coordinates: drawArea(degrees) } });
      const ofHomes = { ...filter, types: [...HOME_TYPES] };
      const ask = () => readCustomSeries(deps, 'live', { filter, interval: 'month', property_type: RESIDENTIAL });
      const { homes, n } = await ask();
      const works: Record<string, () => Promise<unknown>> = {
        search: () =>
          searchProperties(deps, 'live', { filter: ofHomes, sort: undefined, limit: 100, cursor: undefined }),
        series: ask,
        'from squares': () => readFromSquares(deps, 'live', ofHomes),
      };
      const fromRows = () => readRows(deps, 'live', ofHomes);
      // Whole cells of a coarser grid are looked at, which may be too many.
      if (await fromRows().then(Boolean, () => false)) works['from rows'] = fromRows;
      const samples = await measureInTurns(Object.values(works), CALLS);
      for (const [at, name] of Object.keys(works).entries()) {
        const { p50Ms, p99Ms } = samples[at];
        rows.push([homes ?? '', n, name, ms(p50Ms), ms(p99Ms), (p50Ms / samples[0].p50Ms).toFixed(1)]);
      }
    }
  });
  printTable('Drawn areas', ['homes', 'sales', 'what', 'p50 ms', 'p99 ms', '÷ search'], rows);
}
