// Queries of the loads themselves: the lock, the journal, the quarantine, coverage, counts, and the polygons to stamp from.
import { copyRows } from '../db/copy.ts';
import type { Client, Pool, Queryable } from '../db/postgres.ts';
import type { LoadStamp } from './claims-sql.ts';
import type { Source, Dataset } from './source.ts';
import type { Area, FloodZone } from './stamp.ts';

const LOCK = 7_526_003;

/** A connection for one load: no time limit, and the lock that lets one load run at a time. */
export async function openLoadClient(pool: Pool, onWait: () => void): Promise<Client> {
  const client = await pool.connect();
  await client.query('set statement_timeout = 0');
  // When this process is killed, the server notices within a second instead of at the end of the statement.
  await client.query(`set client_connection_check_interval = '1s'`);
  // Sorting a million staged rows is done once per load, by one connection.
  await client.query(`set work_mem = '128MB'`);
  const { rows } = await client.query<{ free: boolean }>('select pg_try_advisory_lock($1) as free', [LOCK]);
  if (!rows[0].free) {
    onWait();
    await client.query('select pg_advisory_lock($1)', [LOCK]);
  }
  return client;
}

/** Closes the connection for good: with it go the temporary tables, the settings and the lock. */
export function closeLoadClient(client: Client): void {
  client.release(true);
}

export async function insertSource(client: Client, dataset: Dataset, definition: object): Promise<void> {
  await client.query(
    `insert into sources (id, name, publisher, url, licence, attribution, cadence, definition)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (id) do update set name = excluded.name, publisher = excluded.publisher, url = excluded.url,
       licence = excluded.licence, attribution = excluded.attribution, cadence = excluded.cadence,
       definition = excluded.definition`,
    [
      dataset.id,
      dataset.name,
      dataset.publisher,
      dataset.landingPage,
      dataset.licence,
      dataset.attribution,
      dataset.cadence,
      definition,
    ],
  );
}

export async function insertMarket(client: Client, source: Source): Promise<void> {
  if (source.market) {
    await client.query(
      `insert into markets (id, name, state, sandbox, description) values ($1, $2, $3, false, $4)
       on conflict (id) do update set name = excluded.name, state = excluded.state, description = excluded.description`,
      [source.market.id, source.market.name, source.market.state, source.market.description],
    );
  }
  for (const { fips, name, state } of source.counties) {
    await client.query(
      `insert into counties (fips, name, state) values ($1, $2, $3)
       on conflict (fips) do update set name = excluded.name, state = excluded.state`,
      [fips, name, state],
    );
  }
}

export interface LoadedFile {
  path: string;
  bytes: number;
  sha256: string;
}

/** Opens the journal of a load. One that was left running has lost its process: the lock is ours. */
export async function insertLoad(client: Client, sourceId: string, market: string | null, at: Date): Promise<number> {
  await client.query(
    `update loads set state = 'failed', finished_at = $2, error = 'interrupted' where state = 'running' and source_id = $1`,
    [sourceId, at],
  );
  const { rows } = await client.query<{ id: number }>(
    `insert into loads (source_id, market, state, started_at) values ($1, $2, 'running', $3) returning id`,
    [sourceId, market, at],
  );
  return rows[0].id;
}

export async function findLastLoad(client: Queryable, sourceId: string) {
  const { rows } = await client.query<{ id: number; files: LoadedFile[]; counts: Record<string, unknown> }>(
    `select id, files, counts from loads where source_id = $1 and state = 'completed' order by id desc limit 1`,
    [sourceId],
  );
  return rows[0] as (typeof rows)[0] | undefined;
}

export async function completeLoad(
  client: Client,
  stamp: LoadStamp,
  publishedOn: string,
  files: LoadedFile[],
  counts: object,
  at: Date,
) {
  await client.query(
    `update loads set state = 'completed', finished_at = $2, published_on = $3, files = $4, counts = $5 where id = $1`,
    [stamp.loadId, at, publishedOn, JSON.stringify(files), JSON.stringify(counts)],
  );
}

export async function failLoad(client: Queryable, loadId: number, error: string, at: Date): Promise<void> {
  await client.query(`update loads set state = 'failed', finished_at = $2, error = $3 where id = $1`, [
    loadId,
    at,
    error,
  ]);
}

export interface QuarantinedRow {
  file: string;
  line: number;
  reason: string;
  row: Record<string, string>;
}

export async function createQuarantineStage(client: Client): Promise<void> {
  await client.query('drop table if exists stage_quarantine');
  await client.query('create temp table stage_quarantine (file text, line bigint, reason text, row_data jsonb)');
}

export function copyQuarantined(client: Client, rows: QuarantinedRow[]): Promise<number> {
  return copyRows(
    client,
    'stage_quarantine',
    ['file', 'line', 'reason', 'row_data'],
    rows.map((row) => [row.file, row.line, row.reason, row.row]),
  );
}

/** The quarantine holds what the last load could not take: rows that are still bad keep their number. */
export async function writeQuarantine(client: Client, stamp: LoadStamp, isReplay: boolean): Promise<void> {
  const same = `q.file = s.file and q.line = s.line and q.reason = s.reason and q.row_data = s.row_data`;
  if (!isReplay) {
    await client.query(
      `delete from quarantine q where q.source_id = $1 and q.replayed_at is null
         and not exists (select 1 from stage_quarantine s where ${same})`,
      [stamp.sourceId],
    );
  }
  await client.query(
    `insert into quarantine (load_id, source_id, file, line, reason, row_data)
     select $2, $1, s.file, s.line, s.reason, s.row_data from stage_quarantine s
     where not exists (select 1 from quarantine q where q.source_id = $1 and q.replayed_at is null and ${same})
     order by s.file, s.line`,
    [stamp.sourceId, stamp.loadId],
  );
}

export interface QuarantineGroup {
  source_id: string;
  reason: string;
  rows: number;
  example_file: string;
  example_line: number;
}

export async function listQuarantine(pool: Queryable, sourceId?: string): Promise<QuarantineGroup[]> {
  const { rows } = await pool.query<QuarantineGroup>(
    `select source_id, reason, count(*) as rows, min(file) as example_file,
       (array_agg(line order by file, line))[1] as example_line
     from quarantine where replayed_at is null and ($1::text is null or source_id = $1)
     group by source_id, reason order by source_id, rows desc`,
    [sourceId ?? null],
  );
  return rows;
}

export async function listQuarantinedRows(client: Queryable, sourceId: string) {
  const { rows } = await client.query<{ id: number; file: string; line: number; row_data: Record<string, string> }>(
    `select min(id) as id, file, line, row_data from quarantine where source_id = $1 and replayed_at is null
     group by file, line, row_data order by min(id)`,
    [sourceId],
  );
  return rows;
}

export async function markReplayed(client: Client, sourceId: string, at: Date): Promise<number> {
  const { rowCount } = await client.query(
    `update quarantine q set replayed_at = $2 where source_id = $1 and replayed_at is null
       and not exists (select 1 from stage_quarantine s where s.file = q.file and s.line = q.line and s.reason = q.reason)`,
    [sourceId, at],
  );
  return rowCount ?? 0;
}

export async function listLayersCovered(
  client: Queryable,
  counties: number[],
  market: string,
  sourceId: string,
): Promise<Set<string>> {
  const { rows } = await client.query<{ layer: string }>(
    'select layer from coverage where fips = any($1) and market = $2 and source_id = $3',
    [counties, market, sourceId],
  );
  return new Set(rows.map((row) => row.layer));
}

export interface CoverageRow {
  fips: number;
  market: string;
  layer: string;
  from: string | null;
  to: string | null;
  publishedOn: string;
  /** The table to count the records in, and of which kind. */
  recordCount: number;
}

export async function upsertCoverage(client: Client, stamp: LoadStamp, row: CoverageRow): Promise<void> {
  await client.query(
    `insert into coverage (fips, market, layer, source_id, covers_from, covers_to, published_on, loaded_at, record_count)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (fips, market, layer, source_id) do update set covers_from = excluded.covers_from,
       covers_to = excluded.covers_to, published_on = excluded.published_on, loaded_at = excluded.loaded_at,
       record_count = excluded.record_count`,
    [row.fips, row.market, row.layer, stamp.sourceId, row.from, row.to, row.publishedOn, stamp.at, row.recordCount],
  );
}

const COUNTED: Record<string, string> = {
  properties: 'property_claims',
  owners: 'owners',
  assessments: 'assessments',
  taxes: 'taxes',
  transactions: 'transactions',
  tax_liens: 'tax_liens',
  permits: 'permits',
  code_violations: 'code_violations',
};

export async function countRecords(client: Client, layer: string, fips: number, sourceId: string): Promise<number> {
  const table = COUNTED[layer];
  if (!table) return 0;
  const { rows } = await client.query<{ count: number }>(
    `select count(*) as count from ${table} where fips = $1 and source_id = $2`,
    [fips, sourceId],
  );
  return rows[0].count;
}

/** Places that a nationwide source covers: where there are properties. */
export async function listMarketCounties(client: Queryable): Promise<{ fips: number; market: string }[]> {
  const { rows } = await client.query<{ fips: number; market: string }>(
    `select distinct c.fips, c.market from property_counts c join markets m on m.id = c.market
     where not m.sandbox order by c.fips, c.market`,
  );
  return rows;
}

/** Nationwide layers reach a place when its properties have a tract to look them up by. */
export async function coverByNation(client: Client, market: string): Promise<void> {
  await client.query(
    `insert into coverage (fips, market, layer, source_id, covers_from, covers_to, published_on, loaded_at, record_count)
     select p.fips, $1, l.layer->>'layer', s.id, (l.layer->>'from')::date, (l.layer->>'to')::date, n.published_on, n.finished_at, 0
     from sources s
     cross join lateral jsonb_array_elements(s.definition->'layers') as l(layer)
     join lateral (
       select published_on, finished_at from loads
       where source_id = s.id and market is null and state = 'completed' order by id desc limit 1
     ) n on true
     cross join (select distinct fips from properties where market = $1 and census_tract is not null) p
     where jsonb_typeof(s.definition->'layers') = 'array' and l.layer->>'layer' <> 'flood'
     on conflict (fips, market, layer, source_id) do update set covers_from = excluded.covers_from,
       covers_to = excluded.covers_to, published_on = excluded.published_on, loaded_at = excluded.loaded_at`,
    [market],
  );
}

export async function refreshCounts(client: Client, market: string): Promise<void> {
  await client.query('delete from property_counts where market = $1', [market]);
  await client.query(
    `insert into property_counts (fips, market, property_type, property_count)
     select fips, market, property_type, count(*) from properties where market = $1 and status = 'active'
     group by fips, market, property_type`,
    [market],
  );
}

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

export async function listFloodCounties(client: Queryable): Promise<Set<number>> {
  const { rows } = await client.query<{ fips: number }>(`select distinct fips from areas where kind = 'flood'`);
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

/** Located properties of some counties, or of those only what this load has touched. */
export async function* readLocated(
  client: Client,
  counties: number[],
  loadId: number | null,
): AsyncGenerator<StampedProperty[]> {
  await client.query(
    `declare located no scroll cursor for
     select fips, id, latitude, longitude, neighborhood, census_tract, census_tract_vintage, census_tract_2010, flood_zone,
       flood_sfha, opportunity_zone
     from properties
     where fips = any('{${counties.map(Number).join(',')}}') and latitude is not null
       ${loadId === null ? '' : `and load_id = ${Number(loadId)}`}`,
  );
  for (;;) {
    const { rows } = await client.query<StampedProperty>('fetch 5000 from located');
    if (rows.length === 0) break;
    yield rows;
  }
  await client.query('close located');
}

export async function createRestamped(client: Client): Promise<void> {
  await client.query('drop table if exists restamped, stage_floods');
  await client.query(
    `create temp table restamped as select fips, id as property_id, neighborhood, census_tract, census_tract_vintage,
       census_tract_2010, flood_zone, flood_sfha, opportunity_zone from properties with no data`,
  );
  await client.query(
    'create temp table stage_floods as select fips, property_id, zone, zone_subtype, sfha, base_flood_elevation_ft, firm_panel, effective_date, zones, source_id from flood_stamps with no data',
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

/** Writes stamps that differ; a changed flood zone of a property that had one is an event. */
export async function applyRestamped(client: Client, stamp: LoadStamp, isFirstFlood: boolean): Promise<number> {
  if (!isFirstFlood) {
    await client.query(
      `insert into changes (fips, property_id, market, kind, op, changed_fields, before, after, load_id, occurred_at)
       select p.fips, p.id, p.market, 'property.flood_zone_changed', 'update', '{flood_zone,flood_sfha}',
         jsonb_build_object('flood_zone', p.flood_zone, 'flood_sfha', p.flood_sfha),
         jsonb_build_object('flood_zone', r.flood_zone, 'flood_sfha', r.flood_sfha), $1, $2
       from restamped r join properties p on p.fips = r.fips and p.id = r.property_id
       where (p.flood_zone, p.flood_sfha) is distinct from (r.flood_zone, r.flood_sfha)`,
      [stamp.loadId, stamp.at],
    );
  }
  const { rowCount } = await client.query(
    `update properties p set ${RESTAMPED.map((name) => `${name} = r.${name}`).join(', ')}, updated_at = $1
     from restamped r where p.fips = r.fips and p.id = r.property_id`,
    [stamp.at],
  );
  return rowCount ?? 0;
}

/** The flood stamps of the properties that were looked at: written, corrected, or taken away. */
export async function applyFloods(
  client: Client,
  stamp: LoadStamp,
  counties: number[],
  loadId: number | null,
): Promise<void> {
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
    [stamp.loadId, stamp.at],
  );
  await client.query(
    `delete from flood_stamps f using properties p
     where p.fips = f.fips and p.id = f.property_id and f.fips = any($1) and ($2::bigint is null or p.load_id = $2)
       and not exists (select 1 from stage_floods s where s.fips = f.fips and s.property_id = f.property_id)`,
    [counties, loadId],
  );
}

/** Ids of properties that a load has changed in any way: for indexes and valuations that follow. */
export async function listChangedIds(client: Queryable, loadIds: number[]): Promise<string[]> {
  const { rows } = await client.query<{ property_id: string }>(
    'select distinct property_id from changes where load_id = any($1)',
    [loadIds],
  );
  return rows.map((row) => row.property_id);
}

export async function analyzeTables(client: Client, tables: string[]): Promise<void> {
  await client.query(`analyze ${tables.join(', ')}`);
}

export interface MarketRow {
  id: string;
  name: string;
  state: string;
  properties: number;
  layer: string;
  source_id: string;
  publisher: string;
  licence: string;
  records: number;
  covers_from: string | null;
  covers_to: string | null;
  published_on: string | null;
  loaded_at: Date;
}

export async function listMarketRows(pool: Queryable): Promise<MarketRow[]> {
  const { rows } = await pool.query<MarketRow>(
    `select m.id, m.name, m.state, coalesce(n.properties, 0)::bigint as properties, c.layer, c.source_id, s.publisher,
       s.licence, sum(c.record_count)::bigint as records, min(c.covers_from) as covers_from,
       max(c.covers_to) as covers_to, max(c.published_on) as published_on, max(c.loaded_at) as loaded_at
     from markets m
     left join (select market, sum(property_count) as properties from property_counts group by market) n on n.market = m.id
     left join coverage c on c.market = m.id
     left join sources s on s.id = c.source_id
     group by m.id, m.name, m.state, n.properties, c.layer, c.source_id, s.publisher, s.licence
     order by m.id, c.layer, c.source_id`,
  );
  return rows;
}
