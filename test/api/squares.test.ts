// Groups of homes on the map: what loads and valuations add up is what the records say, whatever changed them, and each
// group is in one tile.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { ingest } from '../../src/supply/ingest/ingest.ts';
import { parseRecipe } from '../../src/supply/ingest/recipes.ts';
import { middleOfBand, stepOf } from '../../src/base/lib/bands.ts';
import { readFilter } from '../../src/records/properties/filter.ts';
import { conditionOf } from '../../src/records/properties/search.ts';
import { markSale } from '../../src/records/properties/verdicts.ts';
import { readGroups } from '../../src/records/tiles/groups.ts';
import { createTileCaches } from '../../src/records/tiles/tile-cache.ts';
import { valueMarket } from '../../src/insight/valuations/bulk.ts';
import { runSchedule } from '../../src/worker.ts';
import { testClient } from '../harness.ts';
import { ANYWAY } from '../anyway.ts';

const api = await testClient({ plan: 'enterprise' });
const { data } = api.deps;

const FIGURES = ['value', 'value_per_sqft', 'last_sale_price', 'growth', 'assessed_value', 'year_built', 'uncertainty'];
const DEGREES: Record<number, number> = {
  13: 0.005,
  12: 0.01,
  11: 0.02,
  10: 0.04,
  9: 0.08,
  8: 0.16,
  7: 0.16,
  6: 0.16,
  5: 0.32,
  4: 0.64,
  3: 1.28,
  0: 1.28,
};

interface Home {
  fips: number;
  market: string;
  latitude: number;
  longitude: number;
  value: number | null;
  sqft: number | null;
  last_sale_price: number | null;
  last_sale_date: string | null;
  valued_on: string | null;
  assessed_value: number | null;
  year_built: number | null;
  value_fsd: number | null;
  permit_count: number | null;
  last_permit_date: string | null;
  open_violations: number | null;
  open_tax_liens: number | null;
}

async function listHomes(market: string): Promise<Home[]> {
  const { rows } = await data.query<Home>(
    `select fips, market, latitude, longitude, value::float8, sqft, last_sale_price::float8, last_sale_date::text, valued_on::text,
       assessed_value::float8, year_built, value_fsd::float8, permit_count, last_permit_date::text, open_violations, open_tax_liens
     from properties where market = $1 and status = 'active' and latitude is not null`,
    [market],
  );
  return rows;
}

const days = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000;

function exactFigure(home: Home, figure: string): number | null {
  const { value, sqft, last_sale_price: price, last_sale_date: sold, valued_on: valued } = home;
  if (figure === 'uncertainty') return home.value_fsd;
  if (figure === 'value_per_sqft') return value === null || !sqft ? null : value / sqft;
  if (figure !== 'growth') return home[figure as 'value'];
  if (value === null || price === null || price < 10_000 || !sold || !valued || days(sold, valued) < 365) return null;
  return (value / price) ** (365.25 / days(sold, valued)) - 1;
}

const EDGES = [1, 1.5, 2, 3, 5, 7, 10];
const middle = (amount: number): number => {
  const power = 10 ** (String(amount).length - 1);
  const at = EDGES.findIndex((edge) => amount < edge * power);
  return Math.sqrt(EDGES[at - 1] * EDGES[at]) * power;
};

/** From bands and years alone, as live keys may know it. */
function roughFigure(home: Home, figure: string): number | null {
  const { value, sqft, last_sale_price: price, last_sale_date: sold, valued_on: valued } = home;
  if (figure === 'value_per_sqft') return value === null || !sqft ? null : middle(value) / middle(sqft);
  if (figure !== 'growth') return exactFigure(home, figure);
  const years = sold && valued ? Number(valued.slice(0, 4)) - Number(sold.slice(0, 4)) : 0;
  if (value === null || price === null || price < 10_000 || years <= 0) return null;
  return (middle(value) / middle(price)) ** (1 / years) - 1;
}

interface Group {
  latitude: number;
  longitude: number;
  count: number;
  average: number | null;
  median: number | null;
  permits: number | null;
  violations: number | null;
  liens: number | null;
}

function medianOf(amounts: (number | null)[]): number | null {
  const known = amounts.filter((amount) => amount !== null).toSorted((a, b) => a - b);
  if (known.length === 0) return null;
  const at = (known.length - 1) / 2;
  return (known[Math.floor(at)] + known[Math.ceil(at)]) / 2;
}

const sum = (amounts: number[]): number => amounts.reduce((total, amount) => total + amount, 0);

/** Means by the homes they stand for. */
function meanOf(parts: [amount: number | null, homes: number][]): number | null {
  const known = parts.filter((part): part is [number, number] => part[0] !== null);
  return known.length === 0 ? null : sum(known.map(([amount, homes]) => amount * homes)) / sum(known.map(([, n]) => n));
}

/** The groups of a zoom from the homes themselves: medians by county, in squares of 0.16° at most. */
function groupsOf(
  homes: Home[],
  z: number,
  figureOf: (home: Home) => number | null,
  { since, finest }: { since: string; finest: Map<number, number> },
): Group[] {
  const degrees = DEGREES[z];
  const square = ({ latitude, longitude }: Home, width: number) =>
    `${Math.floor(latitude / width)} ${Math.floor(longitude / width)}`;
  return [...Map.groupBy(homes, (home) => square(home, degrees)).values()].map((within) => {
    const values = within.flatMap(({ value }) => value ?? []);
    // Where a county does not keep its squares, those of all of them come from the homes.
    const isKept = within.every(({ fips }) => z <= finest.get(fips)!);
    const parts = Map.groupBy(within, (home) => `${isKept ? home.fips : ''} ${square(home, Math.min(0.16, degrees))}`);
    return {
      latitude: sum(within.map(({ latitude }) => latitude)) / within.length,
      longitude: sum(within.map(({ longitude }) => longitude)) / within.length,
      count: within.length,
      average: values.length === 0 ? null : sum(values) / values.length,
      median: meanOf([...parts.values()].map((part) => [medianOf(part.map(figureOf)), part.length])),
      permits: countKnown(
        within.flatMap((home) => (home.permit_count === null ? [] : (home.last_permit_date ?? '') >= since)),
      ),
      violations: countKnown(within.flatMap((home) => (home.open_violations === null ? [] : home.open_violations > 0))),
      liens: countKnown(within.flatMap((home) => (home.open_tax_liens === null ? [] : home.open_tax_liens > 0))),
    };
  });
}

/** Of no home known is not none. */
const countKnown = (flags: boolean[]) => (flags.length === 0 ? null : flags.filter(Boolean).length);

function tileOf(z: number, { latitude, longitude }: { latitude: number; longitude: number }): string {
  const sine = Math.sin((latitude * Math.PI) / 180);
  const x = Math.floor(((longitude + 180) / 360) * 2 ** z);
  const y = Math.floor((0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * 2 ** z);
  return `${z}/${x}/${y}`;
}

type Cell = Record<string, number | undefined>;

async function readCells(tile: string, query: string, key: string): Promise<Cell[]> {
  const answer = await api.app.inject({ url: `/api/v1/tiles/${tile}.mvt?${query}`, headers: { 'x-api-key': key } });
  assert.equal(answer.statusCode, 200, answer.payload);
  const layer = new VectorTile(new PbfReader(answer.rawPayload)).layers.cells;
  if (!layer) return [];
  return Array.from({ length: layer.length }, (_, index) => layer.feature(index).properties as Cell);
}

/** Every tile with a home, and those next to it, where part of its groups may lie. */
async function readZoom(homes: Home[], z: number, query: string, key: string): Promise<Map<string, Cell[]>> {
  const tiles = new Set(
    homes
      .map((home) => tileOf(z, home).split('/').map(Number))
      .flatMap(([, x, y]) =>
        [-1, 0, 1]
          .flatMap((dx) => [-1, 0, 1].map((dy) => [z, x + dx, y + dy]))
          .filter((tile) => tile.every((n) => n < 2 ** z || n === z)),
      )
      .filter(([, x, y]) => x >= 0 && y >= 0)
      .map((tile) => tile.join('/')),
  );
  const drawn = new Map<string, Cell[]>();
  for (const tile of tiles) {
    const cells = await readCells(tile, query, key);
    if (cells.length > 0) drawn.set(tile, cells);
  }
  return drawn;
}

const shorten = (amount: number) => Number(amount.toPrecision(4));
const show = (cells: Cell[]) => cells.map((cell) => JSON.stringify(Object.entries(cell).sort())).toSorted();
/** Tiles leave out what is not known. */
const known = (cell: Record<string, number | null>): Cell =>
  Object.fromEntries(Object.entries(cell).filter((entry): entry is [string, number] => entry[1] !== null));

function exactCell({ count, average, median, permits, violations, liens }: Group): Cell {
  const figures = { average_value: average && Math.round(average), median: median === null ? null : shorten(median) };
  return known({ count, permits, violations, liens, ...figures });
}

const ROUGH_STEP: Record<string, number> = { growth: 0.05, year_built: 10, uncertainty: 0.05 };
function roughly(figure: string, amount: number | null): number | null {
  if (amount === null) return null;
  const step = ROUGH_STEP[figure];
  return step ? Math.round((Math.round(amount / step) * step + 0) * 1e4) / 1e4 : middleOfBand(amount);
}

const roughCell =
  (figure: string) =>
  ({ count, average, median, permits, violations, liens }: Group): Cell =>
    known({
      count,
      permits: permits === null ? null : stepOf(permits),
      violations: violations === null ? null : stepOf(violations),
      liens: liens === null ? null : stepOf(liens),
      average_value: count < 10 ? null : roughly('value', average),
      median: count < 10 ? null : roughly(figure, median),
    });

async function assertSame(market: string, z: number, figure: string, mode: 'test' | 'live'): Promise<void> {
  const homes = await listHomes(market);
  const { rows } = await data.query<{ fips: number; zoom: number; since: string }>(
    `select fips, finest_zoom as zoom, (rolled_up_on - 730)::text as since from map_rollups where market = $1`,
    [market],
  );
  const [{ since }] = rows;
  const finest = new Map(rows.map(({ fips, zoom }) => [fips, zoom]));
  const figureOf = mode === 'live' ? roughFigure : exactFigure;
  const groups = groupsOf(homes, z, (home) => figureOf(home, figure), { since, finest });
  const key = mode === 'live' ? api.liveKey : api.testKey;
  const drawn = await readZoom(homes, z, `color=${figure}`, key);
  assert.equal(sum([...drawn.values()].flat().map(({ count }) => count!)), homes.length, `${z}: each home once`);
  const present = mode === 'live' ? roughCell(figure) : exactCell;
  const expected = Map.groupBy(groups, (group) => tileOf(z, group));
  assert.deepEqual([...drawn.keys()].toSorted(), [...expected.keys()].toSorted(), `tiles of zoom ${z}`);
  for (const [tile, cells] of drawn)
    assert.deepEqual(show(cells), show(expected.get(tile)!.map(present)), `${figure} in ${tile}`);
}

function forget(): void {
  api.deps.tiles = createTileCaches();
  api.deps.catalog.forget();
}

/** As of today, whenever the sandbox was made. */
async function rollUpNow(market: string): Promise<void> {
  await data.query(`update map_rollups set is_due = true where market = $1`, [market]);
  await runSchedule(api.deps, 'roll-up-squares');
  forget();
}

describe('groups in test mode', () => {
  before(() => rollUpNow('sandbox'));

  it('are what the records say, at every zoom and for every figure', async () => {
    for (const z of Object.keys(DEGREES).map(Number)) await assertSame('sandbox', z, 'value', 'test');
    for (const figure of FIGURES) await assertSame('sandbox', 11, figure, 'test');
    for (const figure of FIGURES) await assertSame('sandbox', 4, figure, 'test');
  });

  it('are those of some counties alone', async () => {
    const homes = await listHomes('sandbox');
    const [fips] = homes.map((home) => home.fips).toSorted();
    const own = homes.filter((home) => home.fips === fips);
    const drawn = await readZoom(homes, 10, `fips=${fips}`, api.testKey);
    assert.equal(sum([...drawn.values()].flat().map(({ count }) => count!)), own.length);
    assert.ok(own.length < homes.length);
  });

  it('follow the values', async () => {
    const [home] = await listHomes('sandbox');
    const before = await readCells(tileOf(12, home), 'color=value', api.testKey);
    await data.query(`update properties set sqft = sqft * 2 where market = 'sandbox' and sqft < 2000`);
    await valueMarket(api.deps, 'sandbox');
    forget();
    for (const figure of ['value', 'value_per_sqft', 'growth', 'uncertainty'])
      await assertSame('sandbox', 12, figure, 'test');
    assert.notDeepEqual(await readCells(tileOf(12, home), 'color=value', api.testKey), before);
  });

  it('follow a verdict on a sale with the next round of the worker', async () => {
    const { rows } = await data.query<{ id: string; sale: string }>(
      `select id, last_sale_id as sale from properties where market = 'sandbox' and last_sale_price > 0 and latitude is not null
       order by last_sale_price desc limit 1`,
    );
    await markSale(api.deps, rows[0].id, rows[0].sale, { verdict: 'family_transfer', note: null });
    await runSchedule(api.deps, 'roll-up-squares');
    forget();
    await assertSame('sandbox', 13, 'last_sale_price', 'test');
  });

  it('of a filter are of the homes that match', async () => {
    const homes = await listHomes('sandbox');
    const matching = homes.filter(({ value }) => value !== null && value >= 400_000);
    const drawn = await readZoom(homes, 11, 'min_value=400000', api.testKey);
    assert.equal(sum([...drawn.values()].flat().map(({ count }) => count!)), matching.length);
  });
});

describe('groups in live mode', () => {
  const folder = mkdtempSync(join(tmpdir(), 'platbook-squares-'));
  const [X, Y] = [-88.003, 43.0512];
  const counties = [55_079, 55_133];
  const source = parseRecipe(
    `
id: twintown
market: { name: Twintown, state: WI, description: Invented }
counties: [{ fips: 55079, name: Milwaukee County, state: WI }, { fips: 55133, name: Waukesha County, state: WI }]
datasets:
  roll:
    publisher: Twintown
    license: CC0
    published_on: 2026-01-31
    format: { type: csv }
    files: [roll.csv]
    key: { fips: { whole: FIPS }, parcel: { text: PIN } }
    records:
      - into: properties
        complete: true
        fields:
          address_line1: { upper: ADDRESS }
          latitude: { latitude: LAT }
          longitude: { longitude: LON }
          sqft: { positive: SQFT }
          year_built: { year: BUILT }
          property_type: { constant: single_family }
    layers: [properties]
`,
    'twintown.yaml',
  );

  /** Homes of two counties in the same squares; one may have moved away. */
  function writeRoll(homes: number, moved?: number, spread = 1): void {
    const lines = Array.from({ length: homes }, (_, i) => {
      const fips = counties[i % 7 < 3 ? 0 : 1];
      const [across, up] = i === moved ? [200, 200] : [(i * 37) % 101, (i * 53) % 89];
      return [
        i,
        fips,
        `${i + 1} ELM ST`,
        Y + up * spread * 0.0004,
        X + across * spread * 0.0004,
        700 + ((i * 91) % 3000),
        1900 + ((i * 17) % 120),
      ];
    });
    writeFileSync(
      join(folder, 'roll.csv'),
      `PIN,FIPS,ADDRESS,LAT,LON,SQFT,BUILT\n${lines.map((line) => line.join()).join('\n')}\n`,
    );
  }

  async function load(): Promise<void> {
    const deps = { data, clock: api.deps.clock, cacheFolder: folder };
    // Every home moves between two rolls.
    const accept = { ids: [...ANYWAY.ids, 'changed:latitude', 'changed:longitude'], by: 'test' };
    await ingest(deps, [source], [source], { from: folder, accept });
    forget();
  }

  const assertAll = async () => {
    for (const z of [0, 5, 8, 11, 13]) await assertSame('twintown', z, 'year_built', 'live');
    for (const figure of FIGURES) await assertSame('twintown', 11, figure, 'live');
  };

  it('are what a load leaves, also where counties share a square', async () => {
    writeRoll(600);
    await load();
    await assertAll();
    const { rows } = await data.query(
      `select from map_squares where fips = any($1) and zoom = 12 group by y, x having count(distinct fips) = 2`,
      [counties],
    );
    assert.ok(rows.length > 0);
  });

  it('follow a load that adds, moves and retires homes, and leave other counties as they are', async () => {
    const listRollups = async () => {
      const { rows } = await data.query<{ fips: number; xmin: string }>(
        'select fips, xmin::text from map_rollups where fips = any($1)',
        [counties],
      );
      return new Map(rows.map((row) => [row.fips, row.xmin]));
    };
    writeRoll(550);
    await load();
    await assertAll();
    const before = await listRollups();
    await load();
    assert.deepEqual(await listRollups(), before, 'nothing changed, so nothing was added up');
    writeRoll(550, 3);
    await load();
    await assertAll();
    const after = await listRollups();
    assert.notEqual(after.get(counties[1]), before.get(counties[1]));
    assert.equal(after.get(counties[0]), before.get(counties[0]));
  });

  it('are rough where they are derived from values', async () => {
    await data.query(
      `update properties set value = 200000 + 7919 * (apn::int % 97), value_fsd = 0.05 + 0.001 * (apn::int % 50),
         valued_on = '2026-06-30', last_sale_price = 90000 + 6101 * (apn::int % 31), last_sale_date = '2015-03-01'::date + apn::int,
         assessed_value = 150000 + 100 * apn::int, open_violations = apn::int % 2, open_tax_liens = (apn::int % 5) / 4
       where market = 'twintown'`,
    );
    await rollUpNow('twintown');
    await assertAll();
  });

  it('come from the homes at zooms whose squares have few homes', async () => {
    const { rows } = await data.query(`select from map_squares where market = 'twintown' and zoom = 13`);
    assert.ok(rows.length > 0);
    writeRoll(550, undefined, 20);
    await load();
    const finest = await data.query<{ zoom: number }>(
      `select finest_zoom as zoom from map_rollups where market = 'twintown'`,
    );
    assert.ok(finest.rows.every(({ zoom }) => zoom >= 8 && zoom < 13));
    for (const z of [8, 11, 12, 13]) await assertSame('twintown', z, 'year_built', 'live');
    writeRoll(550);
    await load();
    await assertAll();
  });

  it('come from the homes until a county is added up, as after an upgrade', async () => {
    const count = async () => {
      const drawn = await readZoom(await listHomes('twintown'), 11, '', api.liveKey);
      return sum([...drawn.values()].flat().map((cell) => cell.count!));
    };
    await data.query('delete from map_squares where fips = any($1)', [counties]);
    await data.query('delete from map_rollups where fips = any($1)', [counties]);
    forget();
    assert.equal(await count(), 550);
    await data.query(
      `insert into map_rollups (fips, market, finest_zoom, rolled_up_on, is_due)
       select distinct fips, market, 8, current_date, true from property_counts where fips = any($1)`,
      [counties],
    );
    await runSchedule(api.deps, 'roll-up-squares');
    forget();
    await assertAll();
  });

  it('are added up again when a week has passed', async () => {
    await data.query(`update map_rollups set rolled_up_on = rolled_up_on - 8`);
    await runSchedule(api.deps, 'roll-up-squares');
    const { rows } = await data.query(`select from map_rollups where rolled_up_on < current_date - 1`);
    assert.equal(rows.length, 0);
  });
});

describe('filtered groups of very many homes', () => {
  const box = { minLatitude: 0, maxLatitude: 85, minLongitude: -180, maxLongitude: 180 };
  const filter = readFilter({ min_value: 300_000 });
  const read = async (sampled: number) => {
    const condition = (await conditionOf(api.deps, 'test', { filter, box }))!;
    const most = { read: sampled, sampled };
    return readGroups(api.deps, { z: 0, box, filter, condition, figure: 'value', isRough: false, most });
  };

  it('are estimated from the same homes each time, and say so by how many were read', async () => {
    const exact = await read(1_000_000);
    const total = sum(exact.map(({ count }) => count));
    assert.ok(exact.every(({ count, read: counted }) => count === counted));
    const homes = (await listHomes('sandbox')).length;
    const estimated = await read(homes / 2);
    const counted = sum(estimated.map((group) => group.read));
    assert.ok(counted > total * 0.4 && counted < total * 0.6, `${counted} of ${total}`);
    const guessed = sum(estimated.map(({ count }) => count));
    assert.ok(Math.abs(guessed / total - 1) < 0.2, `${guessed} for ${total}`);
    // Shards answer in any order, and the last digit of a sum depends on it.
    const place = (group: (typeof estimated)[number]) => ({
      ...group,
      latitude: group.latitude.toFixed(9),
      longitude: group.longitude.toFixed(9),
    });
    assert.deepEqual((await read(homes / 2)).map(place), estimated.map(place));
  });
});
