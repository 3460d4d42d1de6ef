// Queries for the polygons that properties are stamped from, and for the stamps.
import { copyRows } from '../../../base/db/copy.ts';
import { createStageTable } from '../../../base/db/distribution.ts';
import type { Client, Queryable } from '../../../base/db/postgres.ts';
import type { LoadContext } from '../load-context.ts';
import type { Area, FloodZone } from '../map/stamp.ts';

export async function listAreas(client: Queryable, counties: number[]): Promise<Area[]> {
  const { rows } = await client.query(
    `select fips, kind, id, vintage, name, min_longitude, min_latitude, max_longitude, max_latitude, attributes, rings,
       source_id
     from areas where fips = any($1)`,
    [counties],
  );
  return rows.map((row) => ({
    fips: row.fips,
    kind: row.kind,
    id: row.id,
    vintage: row.vintage,
    name: row.name,
    box: [row.min_longitude, row.min_latitude, row.max_longitude, row.max_latitude],
    attributes: row.attributes,
    rings: row.rings,
    sourceId: row.source_id,
  }));
}

export async function listOpportunityZones(client: Queryable, counties: number[]): Promise<Set<string> | undefined> {
  const loaded = await client.query('select 1 from opportunity_zones limit 1');
  if (loaded.rowCount === 0) return undefined;
  const { rows } = await client.query<{ tract_geoid: string }>(
    'select tract_geoid from opportunity_zones where fips = any($1)',
    [counties],
  );
  return new Set(rows.map((row) => row.tract_geoid));
}

export async function listFloodCounties(client: Queryable, counties: number[]): Promise<Set<number>> {
  const { rows } = await client.query<{ fips: number }>(
    `select distinct fips from areas where fips = any($1) and kind = 'flood'`,
    [counties],
  );
  return new Set(rows.map((row) => row.fips));
}

export interface StampedProperty {
  fips: number;
  id: string;
  latitude: number;
  longitude: number;
  neighborhood: string | null;
  census_tract: string | null;
  census_tract_vintage: number | null;
  census_tract_2010: string | null;
  flood_zone: string | null;
  flood_sfha: boolean | null;
  opportunity_zone: boolean | null;
}

/** Which properties to stamp. */
export interface StampScope {
  counties: number[];
  /** Only what this load touched; null for every property in the counties. */
  loadId: number | null;
}

export async function* readLocated(client: Client, scope: StampScope): AsyncGenerator<StampedProperty[]> {
  await client.query(
    `declare located no scroll cursor for
     select fips, id, latitude, longitude, neighborhood, census_tract, census_tract_vintage, census_tract_2010, flood_zone,
       flood_sfha, opportunity_zone
     from properties
     where fips = any('{${scope.counties.map(Number).join(',')}}') and latitude is not null
       ${scope.loadId === null ? '' : `and load_id = ${Number(scope.loadId)}`}`,
  );
  for (;;) {
    const { rows } = await client.query<StampedProperty>('fetch 5000 from located');
    if (rows.length === 0) break;
    yield rows;
  }
  await client.query('close located');
}

export async function createRestamped(client: Client): Promise<void> {
  await createStageTable(
    client,
    'restamped',
    `select fips, id as property_id, neighborhood, census_tract, census_tract_vintage,
       census_tract_2010, flood_zone, flood_sfha, opportunity_zone from properties with no data`,
  );
  await createStageTable(
    client,
    'stage_floods',
    'select fips, property_id, zone, zone_subtype, sfha, base_flood_elevation_ft, firm_panel, effective_date, zones, source_id from flood_stamps with no data',
  );
}

const RESTAMPED = [
  'neighborhood',
  'census_tract',
  'census_tract_vintage',
  'census_tract_2010',
  'flood_zone',
  'flood_sfha',
  'opportunity_zone',
] as const;

export function copyRestamped(client: Client, rows: StampedProperty[]): Promise<number> {
  return copyRows(
    client,
    'restamped',
    ['fips', 'property_id', ...RESTAMPED],
    rows.map((row) => [row.fips, row.id, ...RESTAMPED.map((name) => row[name])]),
  );
}

export function copyFloods(client: Client, rows: { fips: number; id: string; zones: FloodZone[] }[]): Promise<number> {
  return copyRows(
    client,
    'stage_floods',
    [
      'fips',
      'property_id',
      'zone',
      'zone_subtype',
      'sfha',
      'base_flood_elevation_ft',
      'firm_panel',
      'effective_date',
      'zones',
      'source_id',
    ],
    rows.map(({ fips, id, zones: [worst, ...others] }) => [
      fips,
      id,
      worst.zone,
      worst.subtype,
      worst.sfha,
      worst.baseFloodElevationFt,
      worst.firmPanel,
      worst.effectiveDate,
      [worst, ...others].map((zone) => ({ zone: zone.zone, zone_subtype: zone.subtype, sfha: zone.sfha })),
      worst.sourceId,
    ]),
  );
}

/** Writes stamps that differ; a changed flood zone on an active property is an event. */
export async function applyRestamped({ client, loadId, at }: LoadContext, isFirstFlood: boolean): Promise<number> {
  if (!isFirstFlood) {
    await client.query(
      `insert into changes (fips, property_id, market, kind, op, changed_fields, before, after, load_id, occurred_at)
       select p.fips, p.id, p.market, 'property.flood_zone_changed', 'update', '{flood_zone,flood_sfha}',
         jsonb_build_object('flood_zone', p.flood_zone, 'flood_sfha', p.flood_sfha),
         jsonb_build_object('flood_zone', r.flood_zone, 'flood_sfha', r.flood_sfha), $1, $2
       from restamped r join properties p on p.fips = r.fips and p.id = r.property_id
       where p.status = 'active' and (p.flood_zone, p.flood_sfha) is distinct from (r.flood_zone, r.flood_sfha)`,
      [loadId, at],
    );
  }
  const { rowCount } = await client.query(
    `update properties p set ${RESTAMPED.map((name) => `${name} = r.${name}`).join(', ')}, updated_at = $1
     from restamped r where p.fips = r.fips and p.id = r.property_id`,
    [at],
  );
  return rowCount ?? 0;
}

/** Writes, corrects or removes the flood stamps of the properties in scope. */
export async function applyFloods(load: LoadContext, scope: StampScope): Promise<void> {
  const { client, loadId, at } = load;
  const columns = [
    'zone',
    'zone_subtype',
    'sfha',
    'base_flood_elevation_ft',
    'firm_panel',
    'effective_date',
    'zones',
    'source_id',
  ];
  await client.query(
    `insert into flood_stamps (fips, property_id, ${columns.join(', ')}, load_id, loaded_at)
     select fips, property_id, ${columns.join(', ')}, $1, $2 from stage_floods
     on conflict (fips, property_id) do update set ${columns.map((name) => `${name} = excluded.${name}`).join(', ')},
       load_id = excluded.load_id, loaded_at = excluded.loaded_at
     where (${columns.map((name) => `flood_stamps.${name}`).join(', ')}) is distinct from (${columns.map((name) => `excluded.${name}`).join(', ')})`,
    [loadId, at],
  );
  await client.query(
    `delete from flood_stamps f using properties p
     where p.fips = f.fips and p.id = f.property_id and f.fips = any($1) and ($2::bigint is null or p.load_id = $2)
       and not exists (select 1 from stage_floods s where s.fips = f.fips and s.property_id = f.property_id)`,
    [scope.counties, scope.loadId],
  );
}
