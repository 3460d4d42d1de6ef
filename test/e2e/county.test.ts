// A county by its name on the command line: from the catalog over a server that fails to records that answer.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ownLayers } from '../../src/supply/catalog/catalog.ts';
import { formatLayers } from '../../src/supply/catalog/layers.ts';
import { startArcgis } from '../arcgis-server.ts';
import { COUNTY_FIELDS, parcelOf } from '../county-layer.ts';
import { copyGoldenHome } from '../golden-home.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'platbook-county-'));
const STATE = 'arcgis/rest/services/State/FeatureServer';
const COUNTY = 'arcgis/rest/services/Land/MapServer';
const server = await startArcgis(11);

function run(...words: string[]): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const { DATABASE_URL: _, DATA_DATABASE_URL: __, ...env } = process.env;
  const child = spawn(process.execPath, [MAIN, ...words], { cwd: home, env: { ...env, PLATBOOK_HOME: home } });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (text: Buffer) => (stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
  return new Promise((done) => child.on('close', (status) => done({ status, stdout, stderr })));
}

before(async () => {
  copyGoldenHome(home);
  const features = Array.from({ length: 600 }, (_, i) => parcelOf(i));
  server.layers[`${STATE}/0`] = { fields: COUNTY_FIELDS, features, limit: 90, facts: { maxRecordCount: 2_000 } };
  server.layers[`${COUNTY}/2`] = {
    fields: COUNTY_FIELDS,
    features: features.filter(({ attributes }) => attributes!.COUNTY === 'SAUK'),
    limit: 100,
  };
  server.layers[COUNTY] = {
    fields: [],
    features: [],
    facts: { fields: undefined, layers: [{ id: 2, name: 'Parcels' }], tables: [{ id: 7, name: 'Sales' }] },
  };
  server.layers[`${COUNTY}/7`] = {
    fields: [
      { name: 'OBJECTID', type: 'esriFieldTypeOID' },
      { name: 'PARCELNO' },
      { name: 'SALE_DATE', type: 'esriFieldTypeDate' },
      { name: 'SALE_PRICE' },
    ],
    features: Array.from({ length: 120 }, (_, i) => ({
      attributes: {
        OBJECTID: i,
        PARCELNO: features[i * 2].attributes!.PARCELNO,
        SALE_DATE: Date.UTC(2015 + (i % 9), i % 12, 3),
        SALE_PRICE: 150_000 + i * 1_000,
      },
    })),
  };
  const layers = [
    {
      area: '55',
      kind: 'parcels' as const,
      name: '',
      format: 'arcgis',
      parcelField: 'parcelno',
      license: 'CC0',
      url: `${server.url}/${STATE}/0`,
    },
    {
      area: '55111',
      kind: 'parcels' as const,
      name: '',
      format: 'arcgis',
      parcelField: 'PARCELNO',
      license: '',
      url: `${server.url}/${COUNTY}/2`,
    },
  ];
  mkdirSync(dirname(ownLayers(home)), { recursive: true });
  writeFileSync(ownLayers(home), formatLayers({ day: '2099-01-01', layers }, ''));
});

describe('platbook county', () => {
  it('finds what is listed, and answers a name that fits several with them', async () => {
    const found = await run('county', 'find', 'sauk', 'wi');
    assert.equal(found.status, 0, found.stderr);
    assert.match(
      found.stdout,
      /^Sauk County, WI {2}55111 {2}not loaded\n {2}parcels {3}the county: shapes; arcgis, listed, no license stated/,
    );
    const asked = await run('county', 'add', 'king');
    assert.equal(asked.status, 1);
    assert.match(asked.stderr, /Which county is king\?\n {2}King County, TX {2}\(48269\)\n {2}King County, WA/);
  });

  it('loads a county from the layer of its state, of which it takes only its own rows, on a server that fails', async () => {
    server.faults = 0.1;
    const added = await run('county', 'add', 'Richland County, WI');
    server.faults = 0;
    assert.equal(added.status, 0, added.stderr);
    assert.match(added.stderr, /COUNTY = 'RICHLAND'/);
    assert.match(added.stdout, /It would be 300 properties/);
    assert.match(added.stdout, /Not in these files: .*sale price/);
    const recipe = readFileSync(join(home, 'counties/richland-county-wi/richland-county-wi.yaml'), 'utf8');
    assert.match(recipe, /paging: arcgis/);
    assert.match(recipe, /license: CC0/);
    const now = await run('county', 'find', 'richland wi');
    assert.match(now.stdout, /loaded, 300 properties/);
    assert.match(now.stdout, /the state: shapes, addresses, attributes; arcgis, read on \d{4}-\d{2}-\d{2}, CC0/);
  });

  it('takes the tables beside a layer, and says why it is not trained', async () => {
    const added = await run('county', 'add', 'sauk', 'wi');
    assert.equal(added.status, 0, added.stderr);
    assert.match(added.stderr, /Reading the table Sales/);
    assert.match(added.stdout, /transactions +staged 120, inserted 120/);
    assert.match(added.stdout, /Not trained: .*a model needs 400/);
    assert.match((await run('markets')).stdout, /sauk-county-wi {2}Sauk County, Wisconsin {2}300 properties/);
  });
});
