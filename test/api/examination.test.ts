// A load proves itself before it is served: what is doubtful stops it or is told, and is kept with the load.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { addresses } from '../../src/records/address/filing.ts';
import { LoadStopped } from '../../src/supply/examination/finding.ts';
import { examineFile } from '../../src/supply/ingest/examine.ts';
import { ingest, listExaminedLoads, type IngestOptions } from '../../src/supply/ingest/ingest.ts';
import { parseRecipe } from '../../src/supply/ingest/recipes.ts';
import { testClient } from '../harness.ts';

const client = await testClient({ plan: 'enterprise' });
const { deps } = client;
const folder = mkdtempSync(join(tmpdir(), 'platbook-examination-'));
const COUNT = 120;

interface Home {
  pin: string;
  address: string;
  unit: string;
  sqft: number | string;
  built: number | string;
  price: number;
  sold: string;
}

const home = (i: number, changes: Partial<Home> = {}): Home => ({
  pin: `07-${1000 + i}`,
  address: `${100 + 2 * i} ELM ST`,
  unit: '',
  sqft: 1100 + ((i * 37) % 1400),
  built: 1920 + ((i * 53) % 90),
  price: 150_000 + ((i * 37) % 1400) * 120 + (i % 7) * 1000,
  sold: `2023-0${1 + (i % 9)}-${10 + (i % 18)}`,
  ...changes,
});
const homes = (change: (i: number) => Partial<Home> = () => ({})) =>
  Array.from({ length: COUNT }, (_, i) => home(i, change(i)));

const recipeOf = (key = '{ parcel: { text: pin } }') => `
id: provetown
market: { name: Provetown, state: WI, description: Invented }
counties: [{ fips: 55999, name: Prove County, state: WI }]
datasets:
  roll:
    publisher: Provetown
    license: CC0
    published_on: 2024-01-31
    format: { type: csv }
    files: [roll.csv]
    key: ${key}
    records:
      - into: properties
        fields:
          address_line1: { upper: address }
          address_unit: { upper: unit }
          city: { constant: PROVETOWN }
          property_type: { constant: single_family }
          sqft: { positive: sqft }
          year_built: { year: built }
      - into: transactions
        fields: { sale_date: { date: sold }, price: { dollars: price } }
    layers: [properties, transactions]
`;

function write(rows: Home[]): string {
  const names = Object.keys(rows[0]) as (keyof Home)[];
  const lines = [names.join(','), ...rows.map((row) => names.map((name) => row[name]).join(','))];
  const path = join(folder, 'roll.csv');
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

async function load(rows: Home[], options: Partial<IngestOptions> = {}, recipe = recipeOf()) {
  write(rows);
  const source = parseRecipe(recipe, 'provetown.yaml');
  const [report] = await ingest(
    { data: deps.data, clock: deps.clock, cacheFolder: folder, addresses },
    [source],
    [source],
    {
      from: folder,
      ...options,
    },
  );
  return report;
}

const stopsOf = (error: unknown) =>
  (error as LoadStopped).findings.filter(({ severity }) => severity === 'stop').map(({ id }) => id);
const query = async (text: string) => (await deps.data.query(text)).rows as Record<string, unknown>[];
const activeHomes = async () =>
  (await query(`select count(*)::int as homes from properties where fips = 55999 and status = 'active'`))[0].homes;
const salesOf = (pin: string) =>
  query(`select t.price, t.sale_date from transactions t join properties p on p.fips = t.fips and p.id = t.property_id
    where p.fips = 55999 and p.apn = '${pin}' and t.retired_at is null and p.status = 'active' order by t.price`);

describe('a file that contradicts itself', () => {
  async function told(rows: Home[], recipe = recipeOf()) {
    const source = parseRecipe(recipe, 'provetown.yaml');
    const findings = await examineFile(source, source.datasets[0], write(rows));
    return findings.map(({ id, count }) => `${id} ${count}`).filter((text) => !text.startsWith('one-type'));
  }

  it('has one price for several parcels', async () => {
    assert.deepEqual(await told(homes()), []);
    const groups = homes((i) => ({
      price: 600_000 + Math.floor(i / 5) * 9000,
      sold: `2023-0${1 + (Math.floor(i / 5) % 9)}-${10 + (Math.floor(i / 5) % 18)}`,
    }));
    assert.deepEqual(await told(groups), ['one-price-for-several 96']);
  });

  it('has prices of the row above, which a file that is sorted by its prices may have', async () => {
    const ofPairs = (i: number) => 200_000 + ((Math.floor(i / 2) * 37) % 60) * 1000;
    const pairs = homes((i) => ({ price: ofPairs(i), sqft: Math.floor(ofPairs(i) / (130 + (i % 40))) }));
    assert.deepEqual(await told(pairs), ['same-as-above:price 60']);
    assert.deepEqual(await told(pairs.toSorted((a, b) => a.price - b.price)), []);
  });

  it('has prices that slipped by a row in a part of it', async () => {
    const areaOf = (i: number) => 1100 + ((i * 611) % 1397);
    const all = homes((i) => ({ sqft: areaOf(i), price: areaOf(i) * 130 + (i % 7) * 1000 }));
    assert.deepEqual(await told(all), []);
    const slipped = all.map((row, i) => (i > 0 && i < 100 ? { ...row, price: all[i - 1].price } : row));
    assert.deepEqual(await told(slipped), ['shifted:price 99', 'unrelated:price 100']);
  });

  it('has area, lot and year of the row above', async () => {
    const recipe = recipeOf().replace('year_built:', 'lot_sqft: { constant: 6000 }\n          year_built:');
    assert.deepEqual(await told(homes(), recipe), []);
    const copied = homes((i) => (i % 5 === 4 ? { sqft: home(i - 1).sqft, built: home(i - 1).built } : {}));
    assert.deepEqual(await told(copied, recipe), ['same-as-above:house 24']);
  });

  it('has days with an hour of the evening', async () => {
    const at = (hour: string) => told(homes((i) => ({ sold: `${home(i).sold}T${hour}:00:00` })));
    assert.deepEqual(await at('09'), []);
    assert.deepEqual(await at('19'), ['evening-hours:sold 120']);
  });

  it('has years and house numbers that count up from row to row, which the same ones in another order do not', async () => {
    const counted = (at: (i: number) => number) =>
      told(homes((i) => ({ built: 1900 + at(i), address: `${100 + at(i)} ELM ST` })));
    const found = ['counted-up:address_line1 119', 'counted-up:year_built 119'];
    assert.deepEqual(await counted((i) => i), found);
    assert.deepEqual(await counted((i) => (i * 53) % COUNT), []);
  });

  it('has cells that were counted up, rounded, masked or written for none', async () => {
    const soldOn = (i: number) => `2023-0${1 + (i % 9)}-${10 + (i % 18)}`;
    for (const [found, change] of [
      ['counted-up:sale_date 119', (i) => ({ sold: new Date(Date.UTC(2023, 0, 1 + i)).toISOString().slice(0, 10) })],
      ['counted-up:price 119', (i) => ({ price: 245_000 + i })],
      ['first-days 72', (i) => ({ sold: i % 5 < 3 ? `${soldOn(i).slice(0, 7)}-01` : soldOn(i) })],
      ['row-numbers 120', (i) => ({ pin: String(i + 1) })],
      ['rounded-areas 120', (i) => ({ sqft: 1100 + ((i * 37) % 14) * 100 })],
      ['rounded-years 120', (i) => ({ built: 1920 + ((i * 53) % 9) * 10 })],
      ['masked-number 120', (i) => ({ address: `${1 + i}XX ELM ST` })],
      ['block-number 120', (i) => ({ address: `${1 + i}00 ELM ST` })],
      ['parcel-has-marks 120', (i) => ({ pin: `{1C9E6679-7425-40DE-944B-E07FC1F9${1000 + i}}` })],
      ['letters-for-digits 10', (i) => ({ pin: i % 12 === 0 ? `07-1S${100 + i}` : `07-1${1000 + i}` })],
      ['program-marks:address 120', (i) => ({ address: `'${100 + 2 * i} ELM ST'` })],
      ['broken-letters:address 120', (i) => ({ address: `${100 + 2 * i} ЕLM ST` })],
    ] as [string, (i: number) => Partial<Home>][]) {
      const others = (await told(homes(change))).filter((id) => id !== found);
      assert.ok((await told(homes(change))).includes(found), `${found}: ${others.join()}`);
    }
  });

  /** Homes with more columns, which the recipe reads as the fields say. */
  const toldOf = (fields: string, more: (i: number) => Record<string, string | number>) =>
    told(
      Array.from({ length: COUNT }, (_, i) => ({ ...home(i), ...more(i) })),
      recipeOf().replace('sqft:', `${fields}\n          sqft:`),
    );
  const POINT = 'latitude: { latitude: lat }\n          longitude: { longitude: lon }';
  const along = (i: number) => ({ lat: 43.912345, lon: -89.812345 + i * 0.0002 });

  it('has homes far from the next doors of their street', async () => {
    assert.deepEqual(await toldOf(POINT, along), []);
    const moved = (i: number) => ({ lat: 43.912345 + (((i * 7) % 21) - 10) / 1000, lon: -89.812345 + i * 0.0002 });
    assert.deepEqual(await toldOf(POINT, moved), ['doors-apart 119']);
  });

  it('has ZIP codes of homes elsewhere, which those at a border do not', async () => {
    const fields = `zip: { zip: zip }\n          ${POINT}`;
    const zipOf = (i: number) => (i < 60 ? 53934 : 53910);
    assert.deepEqual(await toldOf(fields, (i) => ({ ...along(i), zip: zipOf(i) })), []);
    const wrong = (i: number) => ({ ...along(i), zip: zipOf(i % 12 === 5 ? 119 - i : i) });
    assert.deepEqual(await toldOf(fields, wrong), ['among-others:zip 10']);
  });

  it('takes one city for homes whose owners get mail in another', async () => {
    const mail = (city: string) => (i: number) => ({
      own_street: home(i).address,
      own_city: i % 9 > 0 ? city : 'ELSEWHERE',
    });
    assert.deepEqual(await toldOf('', mail('PROVETOWN')), ['mail-elsewhere:city 14']);
    assert.deepEqual(await toldOf('', (i) => ({ ...mail('NEARBY')(i), own_street: '1 OAK ST' })), []);
  });

  it('has no amount beyond a power of ten, though many come near it', async () => {
    const prices = (most: number) => (i: number) => ({
      price: i % 8 === 0 ? 40_000 + i : Math.min(most, 503_000 + i * 4600),
    });
    const areas = (i: number) => ({ sqft: 3200 + ((i * 37) % 700) });
    const found = async (most: number) =>
      (await told(homes((i) => ({ ...areas(i), ...prices(most)(i) })))).filter((text) =>
        text.startsWith('cut-numbers'),
      );
    assert.deepEqual(await found(990_000), ['cut-numbers:price 105']);
    assert.deepEqual(await found(1_100_000), []);
  });

  it('has parcel numbers that went through a number of four bytes', async () => {
    const found = async (pinOf: (i: number) => string) => told(homes((i) => ({ pin: pinOf(i) })));
    assert.deepEqual(await found((i) => String(7_129_300_520 + i * 1021)), []);
    assert.deepEqual(await found((i) => String(Math.fround(7_129_300_520 + i * 1021))), ['rounded-parcels 120']);
  });

  it('has no slip in a poor street that is sorted by areas, or among what is no home', async () => {
    const priceOf = (i: number, sqft: number, perFoot: number) =>
      Math.round(sqft * perFoot * (0.92 + ((i * 17) % 31) / 200));
    const street = Array.from({ length: 999 }, (_, i) => {
      const isPoor = i >= 400 && i < 500;
      const sqft = isPoor ? 3400 - (i - 400) * 26 : 900 + ((i * 611) % 2500);
      return home(i, { sqft, price: priceOf(i, sqft, isPoor ? 60 : 150) });
    });
    assert.deepEqual(await told(street), []);
    const areaOf = (i: number) => 900 + ((i * 611) % 2500);
    const slipped = Array.from({ length: 600 }, (_, i) => {
      const isMoved = i >= 100 && i < 200;
      const price = priceOf(i, areaOf(isMoved ? i - 1 : i), 150);
      return home(i, { unit: isMoved ? 'B' : 'C', sqft: areaOf(i), price });
    });
    const isTold = async (type: string) => {
      const types = `property_type: { code: unit, table: { B: ${type}, C: condo } }`;
      const recipe = recipeOf().replace('property_type: { constant: single_family }', types);
      return (await told(slipped, recipe.replace('address_unit: { upper: unit }', ''))).includes('shifted:price 100');
    };
    assert.deepEqual([await isTold('condo'), await isTold('other')], [true, false]);
  });

  it('says nothing of nominal prices of several parcels, of shops, or of two sales in a month', async () => {
    const nominal = homes((i) => (i < 9 ? { price: 1, sold: '2023-03-14' } : {}));
    assert.deepEqual(await told(nominal), []);
    const shops = Array.from({ length: 180 }, (_, i) => home(i, i % 10 ? {} : { price: 9_000_000 + i * 7000 }));
    const isFar = async (recipe?: string) => (await told(shops, recipe)).includes('far-prices:price 18');
    assert.ok(await isFar());
    assert.ok(!(await isFar(recipeOf().replace('constant: single_family', 'constant: commercial'))));
    const again = [...homes(), ...homes((i) => ({ price: home(i).price + 90_000 })).slice(0, 20)];
    assert.deepEqual(await told(again), ['rows-disagree 20']);
    const monthly = (rows: Home[]) => rows.map((row) => ({ ...row, sold: row.sold.slice(0, 7) }));
    const recipe = recipeOf().replace('price: { dollars', 'date_precision: { precision: sold }, price: { dollars');
    assert.deepEqual(await told(monthly(again), recipe), []);
    const ranked = recipeOf().replace('sqft:', 'rank: { constant: 1 }\n          sqft:');
    assert.deepEqual(await told(again, ranked), []);
  });

  it('has a home that an older row below describes otherwise, which a newer one may', async () => {
    const recipe = recipeOf().replace(
      '      - into: transactions',
      `      - into: assessments
        fields: { year: { whole: unit }, total: { constant: 200000 } }
      - into: transactions`,
    );
    const years = (...list: number[]) =>
      list.flatMap((year) => homes((i) => ({ unit: String(year), sqft: 1000 + i + (year - 2020) * 100 })));
    const isTold = async (rows: Home[]) => (await told(rows, recipe)).filter((id) => id.startsWith('older-below'));
    assert.deepEqual(await isTold(years(2024, 2022)), ['older-below 120']);
    assert.deepEqual(await isTold(years(2022, 2024)), []);
  });

  it('has an assessed share for some values, or none of land, building or baths', async () => {
    const recipe = recipeOf().replace(
      '      - into: transactions',
      `      - into: assessments
        fields: { year: { constant: 2024 }, land: { whole: land }, improvements: { whole: building }, total: { whole: total } }
      - into: transactions`,
    );
    const values = (change: (i: number) => object) =>
      told(
        Array.from({ length: 300 }, (_, i) => ({
          ...home(i),
          land: 40_000 + i,
          building: 100_000 + i,
          total: Math.round(home(i).price * (0.9 + (i % 5) / 20)),
          ...change(i),
        })),
        recipe.replace('year_built:', 'bathrooms: { decimal: unit }\n          year_built:'),
      );
    const ids = async (change: (i: number) => object) => (await values(change)).join();
    assert.match(await ids((i) => (i % 3 ? {} : { total: Math.round(home(i).price * 0.4) })), /two-ratios:total 100/);
    assert.doesNotMatch(await ids(() => ({})), /two-ratios/);
    assert.match(await ids((i) => (i % 3 ? {} : { land: 0 })), /no-land-value 100/);
    assert.match(await ids((i) => (i % 3 ? {} : { building: 0 })), /no-building-value 100/);
    assert.match(await ids((i) => ({ unit: i % 3 ? '2' : '0' })), /no-bathrooms 100/);
    assert.doesNotMatch(await ids(() => ({ unit: '2' })), /no-(?:land|building|bath)/);
  });

  it('ends where a program stops, has a second table beside the first, or rows that are marked as deleted', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => home(i));
    assert.ok((await told(many(1000))).includes('round-count 1000'));
    assert.ok(!(await told(many(1001))).includes('round-count 1001'));
    const rest = { PIN: '08-1', ADDRESS: '1 OAK ST', Unit: '', Sqft: 900, Built: 1950, Price: 1, Sold: '2023-01-02' };
    assert.ok((await told(homes().map((row) => ({ ...row, ...rest })))).includes('names-again 7'));
    const marked = (mark: string) => told(homes().map((row, i) => ({ ...row, REC_STATUS: i % 10 ? 'A' : mark })));
    assert.deepEqual(await marked('RETIRED'), ['deleted-rows:rec_status 12']);
    assert.deepEqual(await marked('NEW'), []);
  });

  it('has homes that were built after their sale', async () => {
    const builtIn = (year: number) =>
      homes((i) => ({ built: i % 3 === 0 ? year : 1960 + ((i * 53) % 50), sold: soldIn(i) }));
    const soldIn = (i: number) => `2015-0${1 + (i % 9)}-${10 + (i % 18)}`;
    assert.deepEqual(await told(builtIn(2014)), []);
    assert.deepEqual(await told(builtIn(2015)), ['built-when-sold 40']);
    assert.deepEqual(await told(builtIn(2017)), ['built-soon-after-sale 40']);
    assert.deepEqual(await told(builtIn(2018)), ['built-after-sale 40']);
  });

  it('has the state in the column of the city', async () => {
    const recipe = recipeOf().replace('city: { constant: PROVETOWN }', 'city: { upper: unit }');
    const cityIs = (unit: string) =>
      told(
        homes(() => ({ unit })),
        recipe.replace('address_unit: { upper: unit }', ''),
      );
    assert.deepEqual(await cityIs('PROVETOWN'), []);
    assert.deepEqual(await cityIs('PROVETOWN WI'), ['city-is-no-city 120']);
  });
});

describe('a first load', () => {
  it('is stopped by exchanged columns, and nothing of it is served', async () => {
    const swapped = homes((i) => ({ sqft: 1920 + (i % 90), built: 1100 + ((i * 37) % 1400) }));
    await assert.rejects(load(swapped), (error) => {
      assert.ok(error instanceof LoadStopped);
      assert.ok(stopsOf(error).includes('area-is-year'), stopsOf(error).join());
      assert.match(error.message, /120 of 120, 100%.*--accept area-is-year/s);
      return true;
    });
    assert.equal(await activeHomes(), 0);
    const failed = (await listExaminedLoads(deps.data)).find(({ source_id }) => source_id === 'provetown/roll')!;
    assert.equal(failed.state, 'failed');
    assert.ok(failed.findings.some(({ id }) => id === 'area-is-year'));
  });

  it('of a right file warns only of what it cannot know, and says how its rows ended', async () => {
    const report = await load([...homes(), home(0)]);
    assert.deepEqual(
      report.findings!.map(({ id, severity }) => `${severity} ${id}`),
      ['warn one-type:single-family'],
    );
    const { rowsRead, rowsUsed, rowsSkipped, rowsRefused, rowsUnused } = report;
    assert.deepEqual([rowsRead, rowsUsed + rowsSkipped + rowsRefused + rowsUnused], [121, 121]);
    assert.equal(await activeHomes(), COUNT);
    client.deps.catalog.forget();
    const { body } = await client.get('/coverage?market=provetown', { key: client.liveKey });
    const [{ findings }] = body.data;
    assert.deepEqual(
      findings.map(({ id, severity, count, total }: Record<string, unknown>) => [id, severity, count, total]),
      [['one-type:single-family', 'warn', 121, 121]],
    );
    assert.equal('examples' in findings[0], false);
  });
});

describe('the addresses of a load', () => {
  const lookup = (address: string) =>
    client.get(`/properties/lookup?address=${encodeURIComponent(address)}`, { key: client.liveKey });

  it('are found as soon as its homes are', async () => {
    deps.places.forget();
    assert.equal((await lookup('110 Elm St, Provetown, WI')).body.identifiers.apn, '07-1005');
    assert.equal((await lookup('900 Elm St, Provetown, WI')).body.reason, 'number_not_found');
  });

  it('are asked for, and a load whose homes are not found by them is stopped with nothing filed', async () => {
    const filed = () => query('select count(*)::int as filed from addresses where fips = 55999');
    const before = await filed();
    const moved = homes((i) => ({ pin: `44-${i}`, address: `${100 + i} OAK ST EASTHAM 54321` }));
    await assert.rejects(load(moved, { accept: { ids: ['strangers'], by: 'test' } }), (error) => {
      const finding = (error as LoadStopped).findings.find(({ id }) => id === 'not-found-again')!;
      assert.deepEqual([finding.severity, finding.count, finding.total], ['stop', COUNT, COUNT]);
      assert.match(finding.examples[0], /^[12]\d\d Oak St, Provetown, WI: street_not_found$/);
      return true;
    });
    assert.deepEqual(await filed(), before);
  });

  it('that several homes share are told', async () => {
    const flats = homes((i) => ({ pin: `45-${i}`, address: `${10 + (i % 4)} PIER ST` }));
    const report = await load(flats, { accept: { ids: ['strangers'], by: 'test' } });
    const finding = report.findings!.find(({ id }) => id === 'shared-address')!;
    assert.deepEqual([finding.severity, finding.count, finding.total], ['warn', COUNT, COUNT]);
    await query(`delete from properties where fips = 55999 and apn like '45-%'`);
    await load(homes(), { accept: { ids: ['strangers', 'unchanged'], by: 'test' } });
  });

  it('name cities that may have their ZIP codes', () => {
    const may = (city: string, zip: string) => addresses.mayHaveZip(city, zip);
    assert.deepEqual(
      [
        may('Milwaukee', '53202'),
        may('GLENDALE', '53209'),
        may('QUEENSBRIDGE TOWERS', '53202'),
        may('GREEN BAY', '53202'),
      ],
      [true, true, true, false],
    );
  });
});

describe('the next load', () => {
  it('is stopped where a column is empty or holds something else', async () => {
    for (const [change, id] of [
      [() => ({ built: '' }), 'filled-less:year_built'],
      [(i: number) => ({ sqft: 140 + (i % 60) }), 'moved:sqft'],
      [(i: number) => ({ price: 300 + i }), 'moved:price'],
      [(i: number) => ({ address: `${100 + 2 * i} ELM ST`, sqft: 1100 + ((i * 53) % 1400) }), 'changed:sqft'],
      [(i: number) => ({ sold: `2023-0${1 + (i % 9)}-${11 + (i % 18)}` }), 'sales-moved'],
      [(i: number) => ({ pin: `99-${i}` }), 'strangers'],
    ] as const)
      await assert.rejects(load(homes(change)), (error) => {
        assert.ok(error instanceof LoadStopped && stopsOf(error).includes(id), `${id} in ${(error as Error).message}`);
        return true;
      });
    assert.equal(await activeHomes(), COUNT);
    assert.deepEqual(await salesOf('07-1000'), [{ price: 150_000, sale_date: '2023-01-10' }]);
  });

  it('is told of where a part of the homes has other values than before', async () => {
    const recipe = recipeOf()
      .replaceAll('provetown', 'valuetown')
      .replaceAll('55999', '55997')
      .replace(
        '      - into: transactions',
        '      - into: assessments\n        fields: { year: { constant: 2023 }, total: { whole: total } }\n      - into: transactions',
      );
    const valued = (by: (i: number) => number) =>
      Array.from({ length: COUNT }, (_, i) => ({
        ...home(i),
        pin: `08-${1000 + i}`,
        total: Math.round(home(i).price * by(i)),
      }));
    await load(
      valued(() => 0.8),
      {},
      recipe,
    );
    const idsOf = async (by: (i: number) => number) =>
      (await load(valued(by), {}, recipe)).findings!.map(({ id }) => id);
    assert.ok((await idsOf((i) => (i < 40 ? 1.2 : 0.8))).includes('revalued-in-part'));
    assert.ok(!(await idsOf((i) => (i < 40 ? 1.3 : 0.9))).includes('revalued-in-part'));
  });

  it('replaces a price that the source corrected', async () => {
    const corrected = homes((i) => (i < 5 ? { price: home(i).price + 1000 } : {}));
    const report = await load(corrected);
    assert.deepEqual([report.targets.transactions?.updated, report.targets.transactions?.inserted], [5, 0]);
    assert.deepEqual(await salesOf('07-1000'), [{ price: 151_000, sale_date: '2023-01-10' }]);
  });

  it('takes an accepted finding on, with who and when, and does not ask again', async () => {
    const moved = homes((i) => ({ sqft: 3000 + ((i * 37) % 1400) }));
    const accept = { ids: ['moved:sqft', 'changed:sqft'], by: 'ada@example.com' };
    const report = await load(moved, { accept });
    const finding = report.findings!.find(({ id }) => id === 'moved:sqft')!;
    const [{ started_at }] = await query(`select started_at from loads where id = ${report.loadId}`);
    assert.deepEqual(
      [finding.accepted_by, finding.accepted_at],
      ['ada@example.com', (started_at as Date).toISOString()],
    );
    const again = homes((i) => ({ sqft: 1100 + ((i * 37) % 1400) }));
    const back = await load(again);
    assert.equal(back.findings!.find(({ id }) => id === 'moved:sqft')?.accepted_by, 'ada@example.com');
  });

  it('that lost records is accepted once, and asked about when the next one loses as many', async () => {
    const ids = ['fewer:properties', 'fewer:transactions'];
    const few = homes().slice(0, 90);
    await assert.rejects(load(few), (error) => {
      assert.deepEqual(stopsOf(error), ids);
      return true;
    });
    const { findings } = await load(few, { accept: { ids, by: 'ada@example.com' } });
    assert.deepEqual(findings!.find(({ id }) => id === 'fewer:properties')?.examples, ['120 before, 90 now']);
    await assert.rejects(load(homes().slice(0, 68)), (error) => {
      assert.deepEqual(stopsOf(error), ids);
      return true;
    });
    await load(homes());
  });

  it('of the same file is read again only if that is accepted', async () => {
    assert.equal((await load(homes())).outcome, 'unchanged');
    assert.equal((await load(homes(), { accept: { ids: ['unchanged'], by: 'test' } })).outcome, 'completed');
  });

  it('says in words why rows are set aside', async () => {
    const report = await load(homes((i) => (i < 3 ? { sold: 'soon' } : {})));
    const finding = report.findings!.find(({ id }) => id.startsWith('refused'))!;
    assert.deepEqual(
      [finding.id, finding.title],
      ['refused:not_a_date-sold', 'rows are set aside: not a date in sold'],
    );
    await load(homes());
  });
});

describe('one parcel number for several homes', () => {
  const condos = (pin: (i: number) => string) =>
    homes((i) => ({ pin: pin(i), address: `${10 + (i >> 3)} LAKE DR`, unit: `${1 + (i % 8)}` }));

  it('stops the load and names the column that tells them apart', async () => {
    await assert.rejects(load(condos((i) => `55-${i >> 3}`)), (error) => {
      const finding = (error as LoadStopped).findings.find(({ id }) => id === 'same-number')!;
      assert.deepEqual(
        [finding.severity, finding.count, finding.mend],
        ['stop', 105, 'key: { unit: { upper: unit } }'],
      );
      return true;
    });
  });

  it('is mended by the key, which retires the homes that only the old key made', async () => {
    const accept = { ids: ['same-number', 'strangers', 'changed:address_line1', 'changed:sqft'], by: 'test' };
    const rows = condos((i) => `55-${i >> 3}`);
    await load(rows, { accept });
    const before = await activeHomes();
    const report = await load(rows, {}, recipeOf('{ parcel: { text: pin }, unit: { upper: unit } }'));
    assert.deepEqual([report.targets.properties?.inserted, report.targets.properties?.retired], [120, 15]);
    assert.equal(await activeHomes(), Number(before) - 15 + 120);
    assert.equal((await salesOf('55-0')).length, 8, 'each sale counts once');
  });
});
