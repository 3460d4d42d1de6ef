// Every query on markets, counties, sources, counts and coverage.
import type { Client, Queryable } from '../../base/db/postgres.ts';
import type { Stored } from '../../base/lib/schema.ts';
import { changeRows, listRows, listValues, part, raw } from '../../base/db/statements.ts';
import type { FieldCounts } from '../../supply/ingest/stated-fields.ts';
import type { Static } from 'typebox';
import type { CoverageItem, Market, Source } from './schema.ts';

export interface MarketRow extends Pick<Static<typeof Market>, 'id' | 'name' | 'state' | 'description'> {
  sandbox: boolean;
  /** The fixed current date of a frozen market; null if its calendar runs. */
  frozen_on: string | null;
  /** The last sale behind the figures by area; null if there are none. */
  last_sale_on: string | null;
}

export interface CountyRow {
  fips: number;
  name: string;
  state: string;
}

export interface CountRow {
  fips: number;
  market: string;
  property_type: string;
  property_count: number;
  /** The extent of homes with coordinates; null if there are none. */
  min_latitude: number | null;
  min_longitude: number | null;
  max_latitude: number | null;
  max_longitude: number | null;
  zips: string[];
  /** Deepest zoom with precomputed map squares for the county; null before they are computed. */
  finest_zoom: number | null;
}

type Looked = 'fips' | 'checked_at' | 'next_check_at' | 'is_stale' | 'source' | 'findings';
export interface CoverageRow extends Stored<typeof CoverageItem, Looked> {
  fips: number;
  source_id: string;
}

export const listMarkets = (db: Queryable) =>
  listRows<MarketRow>(db)`select id, name, state, sandbox, description, frozen_on,
      r.last_sale_on
    from markets m
    left join (select market, max(last_sale_on) as last_sale_on from sales_rollups group by market) r on r.market = m.id
    order by id`;

export const listCounties = (db: Queryable) =>
  listRows<CountyRow>(db)`select fips, name, state from counties order by fips`;

export const listSources = (db: Queryable) =>
  listRows<Source>(db)`select id, name, publisher, url, licence, attribution, cadence from sources order by id`;

export const listCounts = (db: Queryable) =>
  listRows<CountRow>(db)`
    select c.fips, c.market, property_type, property_count, min_latitude, min_longitude, max_latitude, max_longitude, zips,
        r.finest_zoom
      from property_counts c left join map_rollups r on r.fips = c.fips and r.market = c.market
      order by c.fips, c.market, property_type`;

export const listCoverage = (db: Queryable, markets: string[]) =>
  listRows<CoverageRow>(db, 'list_coverage')`
    select fips, market, layer, source_id, covers_from, covers_to, published_on, loaded_at, record_count, documents
    from coverage where market = any(${markets}) order by market, fips, layer, source_id`;

export const listLastLoads = (db: Queryable) =>
  listRows<{ market: string; at: Date }>(db)`select market, max(loaded_at) as at from coverage group by market`;

export const listCoveredLayers = (db: Queryable) =>
  listRows<{ market: string; layer: string }>(db)`
    select min(c.market) as market, c.layer from coverage c join markets m on m.id = c.market group by m.sandbox, c.layer`;

export const listMortgageRates = (db: Queryable) =>
  listRows<{ month: string; percent: number }>(db)`
    select to_char(month, 'YYYY-MM') as month, percent from mortgage_rates order by month`;

/** Every county that has, or has had, homes of a market. */
export const listCountiesOf = (db: Queryable, market: string) =>
  listValues<number>(db)`
    select fips from coverage where market = ${market} union select fips from property_counts where market = ${market} order by fips`;

/** Incremented in the transaction that values a market's homes or judges its sales, so derived figures can detect
    changes without reading homes. */
export const countChange = (client: Client, market: string, what: 'valued' | 'judged') =>
  changeRows(client)`
    insert into market_changes as m (market, ${raw(what)}) values (${market}, 1)
    on conflict (market) do update set ${raw(what)} = m.${raw(what)} + 1`;

export interface FieldCountsRow {
  fips: number;
  market: string;
  property_count: number;
  fields: FieldCounts;
}

interface FieldsQuery {
  market?: string;
  /** Excluded markets if none is named: few, while visible ones may be thousands. */
  hidden: string[];
  fips?: number;
}

/** By county and market, after the given pair. */
export const listFieldCounts = (
  db: Queryable,
  { market, hidden, fips, after, limit }: FieldsQuery & { after?: [number, string]; limit: number },
) =>
  listRows<FieldCountsRow>(db)`
    select fips, market, property_count, fields from field_counts
    where ${market === undefined ? part`market <> all(${hidden}::text[])` : part`market = ${market}`}
      ${fips === undefined ? raw('') : part`and fips = ${fips}`}
      ${after ? part`and (fips, market) > (${after[0]}::int, ${after[1]}::text)` : raw('')}
    order by fips, market limit ${limit}`;
