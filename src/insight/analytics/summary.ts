// Reads the summary of an area: one row, with the sources and dates of each part.
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { CoverageRow } from '../../records/markets/sql.ts';
import * as analytics from './analytics.ts';
import type { AreaSummary } from './area-schema.ts';
import { isSegment, RESIDENTIAL } from './segments.ts';
import { classesOf, shareOfMillionths, type Layer, type Stock } from './stock.ts';
import * as sql from './sql.ts';

type SummaryQuery = Omit<analytics.AreaQuery, 'property_type'>;

export async function readSummary(deps: analytics.ReadDeps, mode: KeyMode, query: SummaryQuery): Promise<AreaSummary> {
  const { kind } = query;
  const catalog = await deps.catalog.read();
  const markets = analytics.visibleMarkets(catalog, mode, query.market);
  const area = analytics.areaIdOf(query);
  const found = await sql.findSummaries(deps.dataReplica, { kind, area }, markets);
  const market = analytics.oneMarket(found, kind, area) ?? (await analytics.failForArea(deps, query, markets, 'homes'));
  const [{ summary, is_roll, rolled_up_at }] = found;
  const { coverage } = await deps.catalog.readCovered([{ market }]);
  const evidence = (...layers: string[]) => evidenceOf(coverage.ofMarket(market), layers);
  const parts = {
    stock: { ...presentStock(summary), is_complete: is_roll, ...evidence('properties') },
    values: presentValues(summary),
    tax_rate: presentTaxRate(summary.taxRate, evidence('taxes')),
    permits: presentLayer(summary.permits, evidence('permits')),
    violations: presentLayer(summary.violations, evidence('code_violations')),
    liens: presentLayer(summary.liens, evidence('tax_liens')),
  };
  const { values: _, ...traced } = parts;
  const sources = Object.values(traced).flatMap((part) => part?.sources ?? []);
  return {
    object: 'area_summary',
    area: {
      kind,
      id: area,
      name: analytics.nameOf(catalog, kind, area),
      market,
      center: presentCenter(summary.center),
    },
    bbox: summary.box,
    updated_at: rolled_up_at.toISOString(),
    ...parts,
    sources: [...new Set(sources)].sort().map((id) => analytics.describeSource(catalog, id)),
  };
}

export const presentCenter = (center: Stock['center']) => center && { latitude: center[0], longitude: center[1] };

interface Evidence {
  as_of: string | null;
  sources: string[];
}

/** The sources and periods of a market's layer. */
function evidenceOf(coverage: CoverageRow[], layers: string[]): Evidence {
  const rows = coverage.filter((row) => layers.includes(row.layer));
  const days = rows.flatMap((row) => row.covers_to ?? row.published_on ?? []);
  return { as_of: days.sort().at(-1) ?? null, sources: [...new Set(rows.map((row) => row.source_id))].sort() };
}

function presentStock({ properties, homes, yearBuilt, sqft, owners }: Stock) {
  const { bedrooms, sizes, eras } = classesOf(homes);
  const listed = (classes: typeof bedrooms) => classes.map(([segment, n]) => ({ segment, n }));
  const types = Object.entries(homes).filter(([group]) => group !== RESIDENTIAL && !isSegment(group));
  return {
    properties,
    homes: homes[RESIDENTIAL] ?? 0,
    by_type: types.toSorted((a, b) => b[1] - a[1]).map(([property_type, n]) => ({ property_type, n })),
    bedrooms: listed(bedrooms),
    sizes: listed(sizes),
    eras: listed(eras),
    year_built: yearBuilt,
    sqft,
    owner_occupied: owners,
  };
}

const presentValues = ({ values: { histogram, valuedOn, ...rest } }: Stock): AreaSummary['values'] => ({
  ...rest,
  histogram: histogram.map(([from, to, n]) => ({ from, to, n })),
  as_of: valuedOn,
});

/** Null if no bill is known. */
function presentTaxRate(spread: Stock['taxRate'], evidence: Evidence): AreaSummary['tax_rate'] {
  if (!spread || spread.n === 0) return null;
  const [p25, median, p75] = [spread.p25, spread.median, spread.p75].map(shareOfMillionths);
  return { n: spread.n, p25, median, p75, ...evidence };
}

function presentLayer(layer: Layer | null, evidence: Evidence): AreaSummary['permits'] {
  if (!layer) return null;
  const { byYear, homesUnknown, ...rest } = layer;
  return { ...rest, homes_unknown: homesUnknown, by_year: byYear.map(([year, n]) => ({ year, n })), ...evidence };
}
