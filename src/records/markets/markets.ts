// Markets with their counts, and coverage by place, layer, period and source.
import type { Static } from 'typebox';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { Deps } from '../../base/deps.ts';
import { freshnessOf } from '../../supply/ingest/cadence.ts';
import { fail } from '../../base/lib/errors.ts';
import { formatFips } from '../../base/lib/ids.ts';
import { isVisibleMarket, type CoveredCatalog } from './catalog.ts';
import type { Coverage, Market } from './schema.ts';
import type { MarketRow } from './sql.ts';

type CatalogDeps = Pick<Deps, 'catalog'>;

export async function listMarkets(deps: CatalogDeps, mode: KeyMode): Promise<Static<typeof Market>[]> {
  const { marketIds } = await deps.catalog.read();
  return presentMarkets(deps, marketIds[mode]);
}

export async function getMarket(deps: CatalogDeps, mode: KeyMode, id: string): Promise<Static<typeof Market>> {
  const catalog = await deps.catalog.read();
  if (!isVisibleMarket(catalog, id, mode)) fail('resource_not_found', `No market \`${id}\` is visible to this key.`);
  return (await presentMarkets(deps, [id]))[0];
}

async function presentMarkets({ catalog: { readCovered } }: CatalogDeps, ids: string[]) {
  const catalog = await readCovered(ids.map((market) => ({ market })));
  return ids.flatMap((id) => catalog.markets.get(id) ?? []).map((row) => presentMarket(row, catalog));
}

function presentMarket(row: MarketRow, catalog: CoveredCatalog): Static<typeof Market> {
  const counts = catalog.countsByMarket.get(row.id) ?? [];
  const fips = [...new Set(counts.map((count) => count.fips))];
  const covered = catalog.coverage.ofMarket(row.id);
  const byType = Map.groupBy(counts, (count) => count.property_type);
  return {
    object: 'market',
    id: row.id,
    name: row.name,
    state: row.state,
    description: row.description,
    counties: fips.map((code) => ({ fips: formatFips(code), name: catalog.counties.get(code)?.name ?? '' })),
    property_count: sum(counts),
    counts_by_type: Object.fromEntries([...byType].map(([type, list]) => [type, sum(list)])),
    layers: [...new Set(covered.map((item) => item.layer))],
    // Counted before extents were recorded: assume it is mapped.
    is_mapped: counts.some(({ min_latitude }) => min_latitude !== null),
    sales_through: lastDayOf(covered.filter((item) => item.layer === 'transactions')) ?? row.last_sale_on,
  };
}

/** Null if no source says. */
const lastDayOf = (items: { covers_to: string | null }[]): string | null =>
  items.reduce<string | null>((last, { covers_to: to }) => (to && (!last || to > last) ? to : last), null);

const UNKNOWN = { publisher: '', url: null, licence: '', attribution: '', cadence: null };

export async function describeCoverage(
  deps: CatalogDeps & Pick<Deps, 'clock'>,
  mode: KeyMode,
  market?: string,
): Promise<Static<typeof Coverage>> {
  const { marketIds, countsByMarket, sources, ...catalog } = await deps.catalog.read();
  const wanted = market?.toLowerCase();
  const ids = marketIds[mode].filter((id) => wanted === undefined || id === wanted);
  const { coverage } = await deps.catalog.readCovered(ids.map((id) => ({ market: id })));
  const { looks, findings } = await catalog.readLooks();
  const data = ids.flatMap(coverage.ofMarket).map(({ fips, source_id, loaded_at, ...item }) => {
    const source = sources.get(source_id);
    const look = looks.get(source_id);
    const fresh = look && freshnessOf(look, deps.clock());
    return {
      ...item,
      fips: formatFips(fips),
      loaded_at: loaded_at.toISOString(),
      checked_at: fresh?.checkedAt?.toISOString() ?? null,
      next_check_at: fresh?.nextDueAt?.toISOString() ?? null,
      is_stale: fresh?.isStale ?? false,
      findings: findings.get(source_id) ?? null,
      source: source ?? { ...UNKNOWN, id: source_id, name: source_id },
    };
  });
  const counts = ids.flatMap((id) => countsByMarket.get(id) ?? []);
  return { object: 'coverage', property_count: sum(counts), data };
}

const sum = (counts: { property_count: number }[]): number =>
  counts.reduce((total, count) => total + count.property_count, 0);
