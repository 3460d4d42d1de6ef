// Which fields are stated, county by county: counted as data is loaded, and shown to anyone.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { ingest } from '../../src/supply/ingest/ingest.ts';
import { parseRecipe } from '../../src/supply/ingest/recipes.ts';
import { testClient } from '../harness.ts';

const client = await testClient();
const folder = mkdtempSync(join(tmpdir(), 'platbook-fields-'));

const RECIPE = `
id: iowa-wi
market: { name: 'Iowa County, Wisconsin', state: WI, description: Test }
counties: [{ fips: 55049, name: Iowa County, state: WI }]
datasets:
  roll:
    name: Roll
    publisher: Iowa County
    license: Public domain
    published_on: 2024-02-01
    format: { type: csv }
    files: [roll.csv]
    key: { parcel: { text: PIN } }
    records:
      - into: properties
        fields: { address_line1: { upper: ADDRESS }, city: { upper: CITY }, property_type: { constant: single_family }, year_built: { year: BUILT } }
    layers: [properties]
  buildings:
    name: Buildings
    publisher: Iowa County
    license: CC0
    published_on: 2025-03-01
    format: { type: csv }
    files: [buildings.csv]
    key: { parcel: { text: PIN } }
    records:
      - into: properties
        creates: false
        fields: { sqft: { positive: SQFT } }
      - into: transactions
        required: [price]
        fields: { type: { constant: deed }, sale_date: { date: SOLD }, price: { dollars: PRICE } }
    layers: [properties, { layer: transactions, to: 2025-02-15 }]
`;

async function load(): Promise<void> {
  const source = parseRecipe(RECIPE, 'recipe');
  const deps = { data: client.deps.data, clock: client.deps.clock, cacheFolder: folder };
  await ingest(deps, [source], [source], { from: folder });
  client.deps.catalog.forget();
}

const fieldsOf = async (query: string) => {
  const { body } = await client.get(`/coverage/fields?${query}`, { key: null });
  return body as {
    data: { county: string; property_count: number; fields: Record<string, unknown>[] }[];
    pagination: { next_cursor: string | null };
  };
};

before(async () => {
  writeFileSync(
    join(folder, 'roll.csv'),
    `PIN,ADDRESS,CITY,BUILT\n${Array.from({ length: 10 }, (_, i) => `1-${i},${i + 1} Oak St,Dodgeville,${i < 8 ? 1950 + i : ''}`).join('\n')}\n`,
  );
  writeFileSync(
    join(folder, 'buildings.csv'),
    `PIN,SQFT,SOLD,PRICE\n${Array.from({ length: 4 }, (_, i) => `1-${i},${1000 + i * 100},2024-05-0${i + 1},20000${i}`).join('\n')}\n`,
  );
  await load();
});

describe('fields of a county', () => {
  it('are counted with their source, license and newest day, for anyone', async () => {
    const { data } = await fieldsOf('fips=55049');
    assert.deepEqual([data.length, data[0].county, data[0].property_count], [1, 'Iowa County', 10]);
    const of = (name: string) => {
      const { description: _, ...rest } = data[0].fields.find(({ field }) => field === name)!;
      return rest;
    };
    assert.deepEqual(of('structure.year_built'), {
      field: 'structure.year_built',
      share: 0.8,
      stated_count: 8,
      source: 'iowa-wi/roll',
      license: 'Public domain',
      newest_on: '2024-02-01',
    });
    assert.deepEqual(of('sqft'), {
      field: 'sqft',
      share: 0.4,
      stated_count: 4,
      source: 'iowa-wi/buildings',
      license: 'CC0',
      newest_on: '2025-03-01',
    });
    assert.deepEqual(of('last_sale.price'), {
      field: 'last_sale.price',
      share: 0.4,
      stated_count: 4,
      source: 'iowa-wi/buildings',
      license: 'CC0',
      newest_on: '2025-02-15',
    });
    assert.deepEqual(of('bedrooms'), {
      field: 'bedrooms',
      share: 0,
      stated_count: 0,
      source: null,
      license: null,
      newest_on: null,
    });
  });

  it('follow the next load', async () => {
    writeFileSync(
      join(folder, 'buildings.csv'),
      `PIN,SQFT,SOLD,PRICE\n${Array.from({ length: 9 }, (_, i) => `1-${i},${1000 + i * 100},2024-05-0${i + 1},20000${i}`).join('\n')}\n`,
    );
    await load();
    const { data } = await fieldsOf('market=iowa-wi');
    assert.equal(data[0].fields.find(({ field }) => field === 'sqft')?.share, 0.9);
  });

  it('show the sandbox only when it is named, and come in pages', async () => {
    const all = await fieldsOf('');
    assert.deepEqual(
      all.data.map(({ county }) => county),
      ['Iowa County'],
    );
    const first = await fieldsOf('market=sandbox&limit=1');
    assert.equal(first.data.length, 1);
    assert.ok(first.data[0].fields.some(({ share }) => Number(share) > 0.9));
    if (first.pagination.next_cursor !== null) {
      const next = await fieldsOf(`market=sandbox&limit=1&cursor=${first.pagination.next_cursor}`);
      assert.notEqual(next.data[0].county, first.data[0].county);
    }
  });
});
