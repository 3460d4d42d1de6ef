// Queries on coverage by layer, counts by type, and the list of markets.
import type { Client, Queryable } from '../../../base/db/postgres.ts';
import { changeRows, getValue, listRows, listValues, part, raw } from '../../../base/db/statements.ts';
import { replaceRow } from '../../../base/db/rows.ts';
import { EVENT_LAYERS, LAYER_LIST, POLYGON_LAYERS } from '../../layers/layers.ts';
import type { Finding } from '../../examination/finding.ts';
import type { LoadContext } from '../load-context.ts';
import type { Target } from '../source.ts';
import { stageOf } from './stage-sql.ts';
import { must } from '../../../base/lib/must.ts';

/** The layers this dataset already covers in its market. */
export const listLayersCovered = ({ client, counties, market, dataset }: LoadContext) =>
  listValues<string>(client)`
    select layer from coverage where fips = any(${counties}) and market = ${must(market, 'market').id} and source_id = ${dataset.id}`;

interface CoverageRow {
  fips: number;
  market: string;
  layer: string;
  source_id: string;
  covers_from: string | null;
  covers_to: string | null;
  published_on: string | null;
  loaded_at: Date;
  record_count: number;
}

export const upsertCoverage = (client: Client, row: CoverageRow) =>
  replaceRow(client, 'coverage', 'fips, market, layer, source_id', row);

const COUNTED: Record<string, string> = {
  properties: 'property_claims',
  owners: 'owners',
  assessments: 'assessments',
  taxes: 'taxes',
  transactions: 'transactions',
  ...Object.fromEntries(EVENT_LAYERS.map(({ name }) => [name, name])),
  ...Object.fromEntries(LAYER_LIST.flatMap(({ name, countedIn }) => (countedIn ? [[name, countedIn]] : []))),
};
const POLYGON_NAMES: string[] = POLYGON_LAYERS.map(({ name }) => name);
const COUNT_IN_COUNTY = LAYER_LIST.flatMap(({ name, countedIn }) =>
  countedIn ? [`when '${name}' then (select count(*) from ${countedIn} t where t.fips = p.fips)`] : [],
).join(' ');

export async function countRecords(client: Client, layer: string, fips: number, sourceId: string): Promise<number> {
  const isPolygons = POLYGON_NAMES.includes(layer);
  const isMortgages = layer === 'mortgages';
  const table = isPolygons ? 'areas' : isMortgages ? 'transactions' : COUNTED[layer];
  if (!table) return 0;
  const more = isPolygons ? part`and kind = ${layer}` : raw(isMortgages ? `and type = 'mortgage'` : '');
  return getValue<number>(client)`
    select count(*) from ${raw(table)} where fips = ${fips} and source_id = ${sourceId} ${more}`;
}

/** Records the staged documents without a parcel. */
export async function keepUntied({ client, market, dataset, counties }: LoadContext): Promise<void> {
  if (!market) return;
  await changeRows(client)`delete from untied_documents u using stage_transactions s
    where u.fips = any(${counties}) and u.source_id = ${dataset.id} and s.fips = u.fips and s.id = u.id`;
  await changeRows(client)`insert into untied_documents (fips, market, source_id, id, type)
    select distinct s.fips, ${market.id}, ${dataset.id}, s.id, s.type from stage_transactions s
    where s.property_id is null and s.id is not null and s.fips = any(${counties}) on conflict do nothing`;
}

/** Writes how many deeds and mortgages of a market are tied to a parcel, by whichever source. Sources that always name the
    parcel do not count. */
export async function countTies({ client, market, counties }: LoadContext): Promise<void> {
  if (!market) return;
  const here = part`fips = any(${counties}) and market = ${market.id}`;
  await changeRows(client)`
    with known as (
      select u.fips, u.type, u.id, t.id is not null as is_tied from (select * from untied_documents where ${here}) u
      left join transactions t on t.fips = u.fips and t.id = u.id and t.retired_at is null
      union all
      select t.fips, t.type, t.id, true
      from transactions t join (select distinct fips, source_id from untied_documents where ${here}) u using (fips, source_id)
      where t.${here} and t.retired_at is null
    ), counted as (
      select fips, type, jsonb_build_object('recorded', count(distinct id),
        'tied', count(distinct id) filter (where is_tied)) as documents from known group by fips, type
    )
    update coverage c set documents = (select k.documents from counted k where k.fips = c.fips and k.type = d.type)
    from (values ('transactions', 'deed'), ('mortgages', 'mortgage')) as d (layer, type)
    where c.layer = d.layer and c.${here} and c.fips in (select fips from counted)`;
}

/** Counties that a nationwide source applies to: those with properties, and for a layer only those in it. */
export async function listMarketCounties(
  client: Queryable,
  layer: Target | undefined,
): Promise<{ fips: number; market: string }[]> {
  const rows = await listRows<{ fips: number; market: string }>(client)`
    select distinct c.fips, c.market from property_counts c join markets m on m.id = c.market
    where not m.sandbox order by c.fips, c.market`;
  if (!layer) return rows;
  const inLayer = new Set(await listValues<number>(client)`select distinct fips from ${raw(stageOf(layer))}`);
  return rows.filter(({ fips }) => inLayer.has(fips));
}

/** Nationwide layers, including the one being loaded, cover a market once its properties have a tract for the lookup. */
export async function coverByNation(load: LoadContext, market: string, counties: number[]): Promise<void> {
  const { client, loadId, dataset, at } = load;
  const located = await listValues<number>(client)`
    select distinct fips from properties where fips = any(${counties}) and market = ${market} and census_tract is not null`;
  await changeRows(client)`
    insert into coverage (fips, market, layer, source_id, covers_from, covers_to, published_on, loaded_at, record_count)
    select p.fips, ${market}, l.layer->>'layer', s.id, (l.layer->>'from')::date, (l.layer->>'to')::date, n.published_on, n.finished_at,
      case l.layer->>'layer' ${raw(COUNT_IN_COUNTY)} else 0 end
    from sources s
    cross join lateral jsonb_array_elements(s.definition->'layers') as l(layer)
    join lateral (
      select coalesce(published_on, ${dataset.publishedOn}) as published_on, coalesce(finished_at, ${at}) as finished_at from loads
      where source_id = s.id and market is null and (state = 'completed' or id = ${loadId}) order by id desc limit 1
    ) n on true
    cross join unnest(${located}::int[]) as p (fips)
    where jsonb_typeof(s.definition->'layers') = 'array' and l.layer->>'layer' <> all(${POLYGON_NAMES}::text[])
      and not exists (select 1 from layer_definitions d where d.name = l.layer->>'layer')
    on conflict (fips, market, layer, source_id) do update set covers_from = excluded.covers_from,
      covers_to = excluded.covers_to, published_on = excluded.published_on, loaded_at = excluded.loaded_at,
      record_count = excluded.record_count`;
}

/** Counts a market's homes, and records their extent, so a search queries only relevant counties. */
export async function refreshCounts(client: Client, market: string, counties: number[]): Promise<void> {
  await changeRows(client)`delete from property_counts where market = ${market}`;
  await changeRows(client)`
    insert into property_counts (fips, market, property_type, property_count, min_latitude, min_longitude, max_latitude,
      max_longitude, zips)
    select fips, market, property_type, count(*), min(latitude), min(longitude), max(latitude), max(longitude),
      coalesce(array_agg(distinct zip) filter (where zip is not null), '{}')
    from properties where fips = any(${counties}) and market = ${market} and status = 'active' group by fips, market, property_type`;
}

/** Counties with homes written or affected by the load. */
export const listChangedCounties = ({ client, counties, loadId }: LoadContext) =>
  listValues<number>(client)`
    select fips from touched union select fips from properties where fips = any(${counties}) and load_id = ${loadId}`;

export const listCountiesOf = (client: Client, market: string) =>
  listValues<number>(client)`select distinct fips from coverage where market = ${market}`;

export interface ExaminedLoad {
  source_id: string;
  market: string | null;
  /** Of a stopped load that came after the last complete one, or of that one. */
  state: 'completed' | 'failed';
  finished_at: Date;
  findings: Finding[];
}

/** The examination findings of each dataset's newest load; unexamined loads are omitted. */
export const listExaminedLoads = (db: Queryable) =>
  listRows<ExaminedLoad>(db)`
    select distinct on (source_id, state) source_id, market, state, finished_at, counts->'findings' as findings
    from loads l
    where state in ('completed', 'failed') and jsonb_typeof(counts->'findings') = 'array'
      and (state = 'completed' or not exists (
        select 1 from loads n where n.source_id = l.source_id and n.id > l.id and n.state = 'completed'))
    order by source_id, state, id desc`;

export interface MarketRow extends Omit<CoverageRow, 'fips' | 'market' | 'record_count'> {
  id: string;
  name: string;
  state: string;
  properties: number;
  publisher: string;
  licence: string;
  records: number;
}

/** The loaded datasets of each market: freshness, publisher and license. */
export const listMarketRows = (pool: Queryable) =>
  listRows<MarketRow>(pool)`
    select m.id, m.name, m.state, coalesce(n.properties, 0)::bigint as properties, c.layer, c.source_id, s.publisher,
      s.licence, sum(c.record_count)::bigint as records, min(c.covers_from) as covers_from,
      max(c.covers_to) as covers_to, max(c.published_on) as published_on, max(c.loaded_at) as loaded_at
    from markets m
    left join (select market, sum(property_count) as properties from property_counts group by market) n on n.market = m.id
    left join coverage c on c.market = m.id
    left join sources s on s.id = c.source_id
    group by m.id, m.name, m.state, n.properties, c.layer, c.source_id, s.publisher, s.licence
    order by m.id, c.layer, c.source_id`;
