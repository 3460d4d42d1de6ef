// Rows about homes that are not loaded.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ingest } from '../../src/supply/ingest/ingest.ts';
import { parseRecipe } from '../../src/supply/ingest/recipes.ts';
import { testClient } from '../harness.ts';

const client = await testClient();
const folder = mkdtempSync(join(tmpdir(), 'platbook-unjoined-'));
const dataset = (id: string, key: string, records: string) => `  ${id}:
    name: ${id}
    publisher: Iowa County
    license: CC0
    published_on: 2024-02-01
    format: { type: csv }
    files: [${id}.csv]
    key: ${key}
    records:
${records}
    layers: [properties]
`;
const RECIPE = `id: iowa-wi
market: { name: Iowa County, state: WI, description: Iowa County }
counties: [{ fips: 55049, name: Iowa County, state: WI }]
datasets:
${dataset(
  'roll',
  '{ parcel: { text: PIN } }',
  `      - into: properties
        fields: { address_line1: { upper: ADDRESS } }
      - into: property_keys
        fields: { kind: { constant: address }, key: { upper: ADDRESS } }`,
)}${dataset(
  'points',
  '{ by: { kind: address, key: { upper: ADDRESS } } }',
  `      - into: properties
        creates: false
        fields: { latitude: { latitude: Y }, longitude: { longitude: X } }`,
)}`;

describe('points of addresses, of which few are of homes that are loaded', () => {
  it('are each set aside, counted and never taken for copies of each other', async () => {
    writeFileSync(join(folder, 'roll.csv'), 'PIN,ADDRESS\n1,1 Oak St\n2,2 Oak St\n');
    const points = Array.from({ length: 10 }, (_, i) => `${i + 1} Oak St,42.9${i},-90.1`);
    writeFileSync(join(folder, 'points.csv'), `ADDRESS,Y,X\n${points.join('\n')}\n`);
    const source = parseRecipe(RECIPE, 'recipe');
    const deps = { data: client.deps.data, clock: client.deps.clock, cacheFolder: folder };
    const reports = await ingest(deps, [source], [source], { from: folder });
    const { targets, joinRate } = reports.at(-1)!;
    const { duplicates, unjoined, updated } = targets.properties!;
    assert.deepEqual(
      { duplicates, unjoined, updated, joinRate },
      { duplicates: 0, unjoined: 8, updated: 2, joinRate: 0.2 },
    );
  });
});
