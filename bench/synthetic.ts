// N invented properties for benchmarks: 200 counties in a fictional state, each a few towns that grow denser with N.
import type { SitusAddress } from '../src/records/address/parse/canonical.ts';
import { indexAddresses } from '../src/records/address/store/index-addresses.ts';
import { copyRows, type CopyValue } from '../src/base/db/copy.ts';
import { inTransaction, type Pool } from '../src/base/db/postgres.ts';
import { cellOf, COARSE_DEGREES, FINE_DEGREES } from '../src/base/lib/geo.ts';
import { rollUpMarketAfter } from '../src/supply/map-aggregates/squares.ts';

export const BENCH_MARKET = 'bench';
export const BENCH_STATE = 'ZY';
const COUNTIES = 200;
const HOMES_PER_STREET = 120;
const FIRST_FIPS = 98_001;
const TYPES = [
  'single_family',
  'single_family',
  'single_family',
  'condo',
  'condo',
  'townhouse',
  'multi_family',
  'land',
  'commercial',
];
const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz';

const COLUMNS = [
  'fips',
  'id',
  'market',
  'state',
  'apn',
  'apn_normalized',
  'address_line1',
  'city',
  'zip',
  'latitude',
  'longitude',
  'geo_precision',
  'cell_fine',
  'cell_coarse',
  'property_type',
  'sqft',
  'bedrooms',
  'bathrooms',
  'lot_sqft',
  'census_tract',
  'census_tract_2010',
  'year_built',
  'owner_occupied',
  'assessed_value',
  'last_sale_date',
  'last_sale_price',
  'value',
  'value_low',
  'value_high',
  'valued_on',
  'flood_zone',
  'flood_sfha',
  'opportunity_zone',
  'open_tax_liens',
  'open_violations',
  'permit_count',
  'provenance',
  'load_id',
  'created_at',
  'updated_at',
];

/** Mulberry32: small, fast, and the same on every machine. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One change for so many properties, the order of what a county publishes in a month. */
const PROPERTIES_PER_CHANGE = 50;

/** Fills the feed. */
export async function fillChanges(data: Pool, properties: number): Promise<void> {
  const { rows } = await data.query<{ n: number }>('select count(*) as n from changes');
  if (rows[0].n > 0) return;
  const percent = 100 / PROPERTIES_PER_CHANGE;
  await data.query(
    `insert into changes (fips, property_id, market, kind, op, changed_fields, before, after, occurred_at)
     select fips, id, market, 'valuation.changed', 'update', '{value}', jsonb_build_object('value', value),
       jsonb_build_object('value', value + 1000), now() - interval '1 day'
     from properties tablesample bernoulli (${percent}) repeatable (1) limit ${properties}`,
  );
  await data.query('vacuum analyze changes');
}

/** Files the address of every property, county by county, as a load does. */
export async function fillAddresses(data: Pool): Promise<void> {
  const { rows } = await data.query<{ fips: number }>(
    'select fips from counties where fips not in (select fips from address_loads) order by fips',
  );
  for (const { fips } of rows) {
    const { rows: addresses } = await data.query<SitusAddress>(
      `select id as "propertyId", fips, address_line1 as line1, city, state, zip from properties where fips = $1 order by id`,
      [fips],
    );
    await inTransaction(data, async (client) => {
      await client.query('set local statement_timeout = 0');
      await indexAddresses(client, fips, addresses, { isEmpty: true });
    });
  }
  if (rows.length > 0)
    await data.query('vacuum analyze addresses, streets, street_spellings, street_words, localities');
}

/** Fills an empty data plane; indexes are dropped for the copy and rebuilt after it, as an operator would for a first
    load. What it took is kept beside the data. */
export async function fillSynthetic(data: Pool, count: number): Promise<void> {
  const { rows } = await data.query<{ n: number }>(`select coalesce(sum(property_count), 0) as n from property_counts`);
  if (rows[0].n !== count) await copySynthetic(data, count);
  // What a load leaves for the map.
  await rollUpMarketAfter({ data, clock: () => new Date() }, BENCH_MARKET, async () => {});
  await data.query('vacuum analyze map_squares');
}

async function copySynthetic(data: Pool, count: number): Promise<void> {
  const { rows: indexes } = await data.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes where schemaname = 'data' and tablename = 'properties' and indexname <> 'properties_pkey'`,
  );
  await data.query(
    `set statement_timeout = 0; truncate properties, property_counts, map_squares, map_rollups, markets, counties, sources, addresses, streets,
       street_spellings, street_words, localities, address_loads`,
  );
  for (const { name } of indexes) await data.query(`drop index ${name}`);
  const startedAt = performance.now();
  await inTransaction(data, async (client) => {
    await client.query('set local statement_timeout = 0');
    await copyRows(client, 'properties', COLUMNS, inventRows(count));
  });
  const copiedAt = performance.now();
  const client = await data.connect();
  await client.query('set statement_timeout = 0');
  await client.query(`set maintenance_work_mem = '1GB'`);
  for (const { definition } of indexes) await client.query(definition);
  await client.query(`insert into markets (id, name, state) values ('${BENCH_MARKET}', 'Bench', '${BENCH_STATE}')`);
  await client.query(
    `insert into counties (fips, name, state) select distinct fips, 'County ' || fips, '${BENCH_STATE}' from properties`,
  );
  await client.query(
    `insert into property_counts
     select fips, market, property_type, count(*), min(latitude), min(longitude), max(latitude), max(longitude),
       array_agg(distinct zip) from properties group by 1, 2, 3`,
  );
  await client.query('vacuum analyze properties');
  await client.query('create table if not exists bench_fill (copy_seconds float8, index_seconds float8)');
  await client.query('insert into bench_fill values ($1, $2)', [
    (copiedAt - startedAt) / 1000,
    (performance.now() - copiedAt) / 1000,
  ]);
  client.release(true);
}

function* inventRows(count: number): Generator<CopyValue[]> {
  const random = seededRandom(7);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const now = new Date('2026-06-30T00:00:00Z');
  const perCounty = Math.ceil(count / COUNTIES);
  for (let made = 0; made < count; made++) {
    const county = Math.floor(made / perCounty);
    const inCounty = made % perCounty;
    const fips = FIRST_FIPS + county;
    const center = { latitude: 30 + (county % 14) * 1.1, longitude: -120 + Math.floor(county / 14) * 2.5 };
    const point = { latitude: center.latitude + normal() * 0.12, longitude: center.longitude + normal() * 0.15 };
    const type = TYPES[Math.floor(random() * TYPES.length)];
    const sqft = type === 'land' ? null : Math.round(900 + Math.abs(normal()) * 900);
    const value = Math.round((sqft ?? 800) * (120 + 80 * random()) * Math.exp(normal() * 0.2));
    const tract = `${fips}${String(Math.floor(random() * 300)).padStart(6, '0')}`;
    const soldOn =
      random() < 0.6 ? new Date(now.getTime() - random() * 15 * 31_557_600_000).toISOString().slice(0, 10) : null;
    yield [
      fips,
      inventId(fips, random),
      BENCH_MARKET,
      BENCH_STATE,
      `${made}`,
      `${made}`,
      `${100 + 2 * (inCounty % HOMES_PER_STREET)} N ${Math.floor(inCounty / HOMES_PER_STREET)}th St`,
      `Town ${county}`,
      String(10_000 + county * 20 + Math.floor(random() * 20)),
      point.latitude,
      point.longitude,
      'parcel',
      cellOf(point, FINE_DEGREES),
      cellOf(point, COARSE_DEGREES),
      type,
      sqft,
      1 + Math.floor(random() * 5),
      1 + Math.floor(random() * 6) / 2,
      Math.round(2_000 + random() * 20_000),
      tract,
      tract,
      1900 + Math.floor(random() * 125),
      random() < 0.6,
      Math.round(value * 0.9),
      soldOn,
      soldOn ? Math.round(value * 0.7) : null,
      value,
      Math.round(value * 0.85),
      Math.round(value * 1.15),
      '2026-06-30',
      'X',
      random() < 0.06,
      random() < 0.1,
      random() < 0.02 ? 1 : 0,
      random() < 0.03 ? 1 : 0,
      0,
      {},
      1,
      now,
      now,
    ];
  }
}

/** The county in its 17 bits, as in lib/ids.ts; the rest from the generator instead of a hash. */
function inventId(fips: number, random: () => number): string {
  const head = fips * 8 + Math.floor(random() * 8);
  let id = 'prop_';
  for (let shift = 15; shift >= 0; shift -= 5) id += BASE32[(head >> shift) & 31];
  while (id.length < 25) id += BASE32[Math.floor(random() * 32)];
  return id;
}
