// The catalog of counties: what is listed for each, and how a county is found by what people type.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { ownLayers, readCatalog, SHIPPED_LAYERS } from '../../src/supply/catalog/catalog.ts';
import { findCounties } from '../../src/supply/catalog/find.ts';
import { formatLayers, readLayers } from '../../src/supply/catalog/layers.ts';
import { makeLayers } from '../../src/operate/counties/update-catalog.ts';
import { zip } from '../archives.ts';

const home = mkdtempSync(join(tmpdir(), 'platbook-catalog-'));
const catalog = readCatalog(home);

describe('the catalog', () => {
  it('has every county of the country, and layers for most of them', () => {
    const today = [...catalog.counties.keys()].filter((fips) => fips < 9_001 || fips > 9_015);
    assert.equal(today.length, 3_144);
    const having = (kind: string) =>
      today.filter((fips) => catalog.entriesOf(fips).some((entry) => entry.kind === kind)).length;
    assert.ok(having('parcels') > 1_500, `parcels for ${having('parcels')}`);
    assert.ok(having('addresses') > 2_500, `addresses for ${having('addresses')}`);
  });

  it('is a few hundred kilobytes of facts, each with an address', () => {
    assert.ok(statSync(SHIPPED_LAYERS).size < 400_000);
    const { layers, day } = readLayers(readFileSync(SHIPPED_LAYERS, 'utf8'));
    assert.match(day, /^2026-/);
    for (const { url, area, kind } of layers) {
      assert.ok(URL.canParse(url), url);
      assert.ok(['parcels', 'addresses', 'buildings'].includes(kind));
      assert.ok(area.length === 2 || catalog.counties.has(Number(area)), area);
    }
  });

  it('puts the layer of the county before that of its state, and that of a city last', () => {
    const first = catalog.entriesOf(55025).find(({ kind }) => kind === 'parcels');
    assert.equal(first?.area, '55025');
    const king = catalog.entriesOf(53033).filter(({ kind }) => kind === 'parcels');
    assert.ok(king.some(({ area }) => area === '53'));
  });

  it('keeps what it writes', () => {
    const { layers } = readLayers(readFileSync(SHIPPED_LAYERS, 'utf8'));
    const again = readLayers(formatLayers({ day: '2026-08-22', layers }, 'A note.'));
    assert.deepEqual(again.layers, layers);
  });
});

describe('a county', () => {
  const NAMED: Record<string, number> = {
    'dane wi': 55025,
    'Dane County, WI': 55025,
    '55025': 55025,
    dane: 55025,
    'St. Louis city, MO': 29510,
    'Saint Louis County, Missouri': 29189,
    'fairfax county va': 51059,
    'orleans la': 22071,
    'miami dade': 12086,
    'Washington, DC': 11001,
    'baltimore city md': 24510,
    'la salle il': 17099,
    'dekalb ga': 13089,
    'Hartford CT': 9003,
    "o'brien ia": 19141,
    'anchorage ak': 2020,
  };
  for (const [text, fips] of Object.entries(NAMED))
    it(`is ${text}`, () => assert.equal(findCounties(catalog, text).county?.fips, fips));

  it('is asked for where several are called so', () => {
    const names = (text: string) =>
      findCounties(catalog, text).candidates.map(({ name, state }) => `${name}, ${state}`);
    assert.deepEqual(names('Fairfax, VA'), ['Fairfax County, VA', 'Fairfax city, VA']);
    assert.deepEqual(names('king'), ['King County, TX', 'King County, WA']);
    for (const text of ['Fairfax, VA', 'king']) assert.equal(findCounties(catalog, text).county, undefined);
  });

  it('is proposed where its name is misspelled, begun, or that of a city in it', () => {
    const proposes = (text: string, fips: number) => {
      const { county, candidates } = findCounties(catalog, text);
      assert.equal(county, undefined, text);
      assert.ok(
        candidates.map((item) => item.fips).includes(fips),
        `${text}: ${candidates.map(({ name }) => name).join()}`,
      );
    };
    proposes('dain wi', 55025);
    proposes('milwakee wi', 55079);
    proposes('prince george md', 24033);
    proposes('cuyahga oh', 39035);
    proposes('seattle wa', 53033);
    assert.deepEqual(findCounties(catalog, 'zzzzzz').candidates, []);
    assert.deepEqual(findCounties(catalog, 'WI').candidates, []);
  });
});

describe('a copy of OpenAddresses', () => {
  const layer = (data: string, more: object = {}) => ({
    name: 'county',
    data,
    protocol: 'ESRI',
    conform: { format: 'geojson' },
    ...more,
  });
  const FILES = {
    'sources/us/wi/dane.json': {
      coverage: { 'US Census': { geoid: '55025' }, state: 'wi' },
      layers: {
        parcels: [
          layer('https://gis.example/arcgis/rest/services/P/MapServer/1', {
            conform: { format: 'geojson', pid: 'PARCELNO' },
            license: { text: 'CC BY 4.0' },
          }),
        ],
        addresses: [
          layer('https://gis.example/x', { skip: true }),
          layer('ftp://gis.example/x.zip', { protocol: 'ftp' }),
        ],
      },
    },
    'sources/us/wi/city_of_madison.json': {
      coverage: { state: 'wi', city: 'Madison', geometry: { type: 'Point', coordinates: [-89.4, 43.07] } },
      layers: {
        buildings: [layer('https://gis.example/b.zip', { protocol: 'http', conform: { format: 'shapefile' } })],
      },
    },
    'sources/us/oh/statewide.json': {
      coverage: { 'US Census': { geoid: '39' }, state: 'oh' },
      layers: {
        parcels: [layer('https://gis.example/trumbull')],
        addresses: [layer('https://gis.example/oh', { name: 'state' })],
      },
    },
    'sources/ca/on/toronto.json': { coverage: {}, layers: { parcels: [layer('https://gis.example/t')] } },
  };
  const WANTED = [
    ['39', 'addresses', '', 'arcgis', '', '', 'https://gis.example/oh'],
    ['55025', 'buildings', 'madison', 'shapefile', '', '', 'https://gis.example/b.zip'],
    [
      '55025',
      'parcels',
      '',
      'arcgis',
      'PARCELNO',
      'CC BY 4.0',
      'https://gis.example/arcgis/rest/services/P/MapServer/1',
    ],
  ];
  const rowsOf = (text: string) =>
    readLayers(text).layers.map(({ area, kind, name, format, parcelField, license, url }) => [
      area,
      kind,
      name,
      format,
      parcelField,
      license,
      url,
    ]);

  it('gives its facts from a folder and from an archive, and a newer list takes the place of ours', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'platbook-oa-'));
    for (const [path, content] of Object.entries(FILES)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), JSON.stringify(content));
    }
    assert.deepEqual(rowsOf(await makeLayers(folder, '2027-01-01')), WANTED);
    const archive = join(folder, 'oa.zip');
    writeFileSync(
      archive,
      zip(
        Object.fromEntries(
          Object.entries(FILES).map(([path, content]) => [
            `openaddresses-main/${path}`,
            Buffer.from(JSON.stringify(content)),
          ]),
        ),
      ),
    );
    const text = await makeLayers(archive, '2027-01-01');
    assert.deepEqual(rowsOf(text), WANTED);
    const own = mkdtempSync(join(tmpdir(), 'platbook-catalog-'));
    mkdirSync(dirname(ownLayers(own)), { recursive: true });
    writeFileSync(ownLayers(own), text);
    const renewed = readCatalog(own);
    assert.equal(renewed.day, '2027-01-01');
    assert.deepEqual(
      renewed.entriesOf(55025).map(({ kind }) => kind),
      ['parcels', 'buildings'],
    );
    await assert.rejects(makeLayers(own, '2027-01-01'), /is not a copy of OpenAddresses/);
  });
});
