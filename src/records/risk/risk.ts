// The six layers of a property. Coverage decides between "no lien" and "no lien data here", which never look alike.
import { isStatementTimeout } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { todayIn, type Catalog } from '../markets/catalog.ts';
import { type PropertyRow } from '../properties/sql.ts';
import type { LayerName, RiskReport } from './schema.ts';
import * as sql from './sql.ts';

type Layers = RiskReport['layers'];
type Status = 'found' | 'none_found' | 'not_covered' | 'temporarily_unavailable';
type RiskDeps = Pick<Deps, 'data' | 'clock' | 'catalog'>;

/** Reads a layer for many properties at once and returns it property by property. */
type LayerReader<Name extends LayerName> = (
  deps: RiskDeps,
  rows: PropertyRow[],
) => Promise<
  (row: PropertyRow, isCovered: boolean) => { status: Status } & Omit<NonNullable<Layers[Name]>, 'status' | 'source'>
>;

export async function readRiskReports(
  deps: RiskDeps,
  rows: PropertyRow[],
  layers: readonly LayerName[],
  isUnavailable: (propertyId: string, layer: LayerName) => boolean = () => false,
): Promise<RiskReport[]> {
  const catalog = await deps.catalog.read();
  const read = await Promise.all(layers.map((name) => readLayer(deps, name, rows)));
  return rows.map((row) => ({
    object: 'risk_report',
    property_id: row.id,
    as_of: todayIn(catalog, row.market, deps.clock),
    layers: Object.fromEntries(
      layers.map((name, i) => {
        const source = sourceOf(catalog, row, name);
        const present = isUnavailable(row.id, name) ? undefined : read[i];
        const body = present
          ? present(row, source !== null)
          : { ...EMPTY[name], status: 'temporarily_unavailable' as const };
        return [name, { ...body, source }];
      }),
    ),
  }));
}

/** One slow layer does not hold up the others. */
async function readLayer(deps: RiskDeps, name: LayerName, rows: PropertyRow[]) {
  try {
    return await READERS[name](deps, rows);
  } catch (error) {
    if (isStatementTimeout(error)) return undefined;
    throw error;
  }
}

/** The newest source that covers this layer at the property; null if none does. */
function sourceOf(catalog: Catalog, row: PropertyRow, layer: LayerName) {
  const covering = catalog.coverage
    .filter((item) => item.layer === layer && item.fips === row.fips && item.market === row.market)
    .sort((a, b) => b.loaded_at.getTime() - a.loaded_at.getTime())[0];
  const source = covering && catalog.sources.get(covering.source_id);
  if (!source) return null;
  return {
    id: source.id,
    name: source.name,
    url: source.url,
    licence: source.licence,
    attribution: source.attribution,
    published_at: covering.published_on,
    loaded_at: covering.loaded_at.toISOString(),
    covers_from: covering.covers_from,
    covers_to: covering.covers_to,
  };
}

const EMPTY = {
  flood: {
    zone: null,
    zone_subtype: null,
    sfha: null,
    base_flood_elevation_ft: null,
    firm_panel: null,
    effective_date: null,
    zones: [],
  },
  tax_liens: { open_count: null, open_amount: null, items: [] },
  permits: { count: null, total_job_value: null, items: [] },
  code_violations: { open_count: null, items: [] },
  census: {
    tract_geoid: null,
    block_group_geoid: null,
    vintage: null,
    population: null,
    median_household_income: null,
    per_capita_income: null,
    median_home_value: null,
    owner_occupied_rate: null,
    vacancy_rate: null,
    poverty_rate: null,
    unemployment_rate: null,
    housing_units: null,
    internet_rate: null,
  },
  opportunity_zone: {
    is_opportunity_zone: null,
    is_zone_from_2027: null,
    tract_geoid: null,
    tract_vintage: null,
    tract_type: null,
    designated_on: null,
  },
} satisfies { [Name in LayerName]: Omit<NonNullable<Layers[Name]>, 'status' | 'source'> };

const readFlood: LayerReader<'flood'> = async (deps, rows) => {
  const stamps = new Map(
    (await sql.listFloods(deps.data, rows)).map(({ property_id, zones, ...stamp }) => [
      property_id,
      // The stamp's other zone data is internal and not returned.
      { ...stamp, zones: zones.map(({ zone, zone_subtype, sfha }) => ({ zone, zone_subtype, sfha })) },
    ]),
  );
  return (row, isCovered) => {
    const stamp = stamps.get(row.id);
    if (stamp) return { status: 'found', ...stamp };
    return isCovered
      ? { status: 'none_found', ...EMPTY.flood, sfha: false }
      : { status: 'not_covered', ...EMPTY.flood };
  };
};

const readLiens: LayerReader<'tax_liens'> = async (deps, rows) => {
  const liens = groupByProperty(await sql.listLiens(deps.data, rows));
  return (row, isCovered) => {
    if (!isCovered) return { status: 'not_covered', ...EMPTY.tax_liens };
    const items = liens.get(row.id) ?? [];
    const open = items.filter((item) => item.status === 'open');
    return {
      status: statusOf(items),
      open_count: open.length,
      open_amount: sum(open.map((item) => item.amount)),
      items,
    };
  };
};

const readPermits: LayerReader<'permits'> = async (deps, rows) => {
  const permits = groupByProperty(await sql.listPermits(deps.data, rows));
  return (row, isCovered) => {
    if (!isCovered) return { status: 'not_covered', ...EMPTY.permits };
    const items = permits.get(row.id) ?? [];
    return {
      status: statusOf(items),
      count: items.length,
      total_job_value: sum(items.map((item) => item.job_value)),
      items,
    };
  };
};

const readViolations: LayerReader<'code_violations'> = async (deps, rows) => {
  const violations = groupByProperty(await sql.listViolations(deps.data, rows));
  return (row, isCovered) => {
    if (!isCovered) return { status: 'not_covered', ...EMPTY.code_violations };
    const items = violations.get(row.id) ?? [];
    return { status: statusOf(items), open_count: items.filter((item) => item.status === 'open').length, items };
  };
};

const readCensus: LayerReader<'census'> = async (deps, rows) => {
  const wanted = rows.flatMap((row) => (row.census_tract ? [{ fips: row.fips, geoid: row.census_tract }] : []));
  const tracts = new Map((await sql.listTracts(deps.data, wanted)).map(({ geoid, ...figures }) => [geoid, figures]));
  return (row, isCovered) => {
    const figures = row.census_tract === null ? undefined : tracts.get(row.census_tract);
    const place = { tract_geoid: row.census_tract, block_group_geoid: row.block_group };
    if (figures) return { status: 'found', ...place, ...figures };
    return { status: isCovered && row.census_tract !== null ? 'none_found' : 'not_covered', ...EMPTY.census, ...place };
  };
};

/** The property's tract by the numbers of the 2020 census. */
function newTractOf(row: Pick<PropertyRow, 'fips' | 'census_tract' | 'census_tract_vintage'>) {
  if (row.census_tract === null || (row.census_tract_vintage ?? 0) < 2020) return undefined;
  return { fips: row.fips, geoid: row.census_tract };
}

const readOpportunityZone: LayerReader<'opportunity_zone'> = async (deps, rows) => {
  const wanted = rows.flatMap((row) =>
    row.census_tract_2010 ? [{ fips: row.fips, geoid: row.census_tract_2010 }] : [],
  );
  const zones = new Map((await sql.listZones(deps.data, wanted)).map((zone) => [zone.tract_geoid, zone]));
  const newTracts = rows.flatMap((row) => newTractOf(row) ?? []);
  const zonesOf2027 = await sql.listZonesOf2027(deps.data, newTracts);
  return (row, isCovered) => {
    const zone = row.census_tract_2010 === null ? undefined : zones.get(row.census_tract_2010);
    const newTract = newTractOf(row);
    const next = { is_zone_from_2027: newTract && zonesOf2027 ? zonesOf2027.has(newTract.geoid) : null };
    if (zone) return { status: 'found', is_opportunity_zone: true, ...zone, ...next };
    if (!isCovered || row.census_tract_2010 === null)
      return { status: 'not_covered', ...EMPTY.opportunity_zone, ...next };
    return {
      status: 'none_found',
      ...EMPTY.opportunity_zone,
      ...next,
      is_opportunity_zone: false,
      tract_geoid: row.census_tract_2010,
      tract_vintage: 2010,
    };
  };
};

const READERS: { [Name in LayerName]: LayerReader<Name> } = {
  flood: readFlood,
  tax_liens: readLiens,
  permits: readPermits,
  code_violations: readViolations,
  census: readCensus,
  opportunity_zone: readOpportunityZone,
};

function groupByProperty<Row extends { property_id: string }>(rows: Row[]): Map<string, Omit<Row, 'property_id'>[]> {
  const groups = new Map<string, Omit<Row, 'property_id'>[]>();
  for (const { property_id, ...item } of rows) {
    const group = groups.get(property_id);
    if (group) group.push(item);
    else groups.set(property_id, [item]);
  }
  return groups;
}

function statusOf(items: unknown[]): 'found' | 'none_found' {
  return items.length > 0 ? 'found' : 'none_found';
}

function sum(amounts: (number | null)[]): number {
  return amounts.reduce<number>((total, amount) => total + (amount ?? 0), 0);
}
