// Layers of ArcGIS servers, read from a server that behaves as badly as real ones do.
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { downloadFeatures, type LayerOptions } from '../../src/supply/ingest/fetch/arcgis.ts';
import type { Feature } from '../../src/supply/ingest/fetch/arcgis-feature.ts';
import { startArcgis, type ArcgisServer, type ServedFeature, type ServedLayer } from '../arcgis-server.ts';

const LAYER = 'arcgis/rest/services/Parcels/MapServer/0';
const FIELDS = [{ name: 'OBJECTID', type: 'esriFieldTypeOID' }, { name: 'PIN' }];
const square = (x: number, y: number, side = 0.001) => ({
  rings: [
    [
      [x, y],
      [x, y + side],
      [x + side, y + side],
      [x + side, y],
      [x, y],
    ],
  ],
});
const parcel = (id: number): ServedFeature => ({
  attributes: { OBJECTID: id, PIN: `P-${id}` },
  geometry: square(-89, 43),
});
/** Ids with holes, as after years of edits. */
const parcels = (count: number) => Array.from({ length: count }, (_, i) => parcel(1 + i * 3 + (i % 7)));
const layerOf = (layer: Partial<ServedLayer> = {}): ServedLayer => ({
  fields: FIELDS,
  features: parcels(2_500),
  ...layer,
});

const newCache = () => mkdtempSync(join(tmpdir(), 'platbook-arcgis-'));

async function readLayer(
  server: ArcgisServer,
  options: Partial<LayerOptions> = {},
  url = `${server.url}/${LAYER}`,
): Promise<{ features: Feature[]; notes: string[] }> {
  const notes: string[] = [];
  const path = await downloadFeatures(url, {
    cache: newCache(),
    waitMs: 1,
    pauseMs: 0,
    attempts: 3,
    onNote: (text) => notes.push(text),
    ...options,
  });
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return { features: lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Feature), notes };
}

const pinsOf = (features: Feature[]) => features.map(({ properties }) => properties.PIN as string).toSorted();
const wantedPins = ({ features }: ServedLayer) =>
  features.map(({ attributes }) => attributes?.PIN as string).toSorted();

async function readsAll(layer: ServedLayer, options: Partial<LayerOptions> = {}) {
  const server = await startArcgis();
  server.layers[LAYER] = layer;
  const read = await readLayer(server, options);
  assert.deepEqual(pinsOf(read.features), wantedPins(layer));
  return { ...read, server };
}

describe('every row once', () => {
  const WAYS: Record<string, Partial<ServedLayer>> = {
    'from a server without offsets': { without: ['paging'] },
    'from a page of 100': { limit: 100 },
    'where the stated limit is a lie': { limit: 37, facts: { maxRecordCount: 2_000 } },
    'where pages are cut without a word': { limit: 400, facts: { maxRecordCount: 1_000 }, without: ['limit-word'] },
    'without a list of ids': { without: ['ids', 'paging'] },
    'without a list of ids, pages cut': {
      without: ['ids', 'paging', 'limit-word'],
      limit: 90,
      facts: { maxRecordCount: 900 },
    },
    'with offsets alone': { without: ['ids', 'conditions'] },
    'without a count': { without: ['count'] },
    'from a layer that does not say what it is': { without: ['metadata'] },
    'from ids that are texts': {
      features: parcels(700).map(({ attributes, geometry }) => ({
        attributes: { ...attributes, OBJECTID: String(attributes!.OBJECTID) },
        geometry,
      })),
    },
    'from ids of another name': {
      idField: 'FID',
      fields: [{ name: 'FID', type: 'esriFieldTypeOID' }, { name: 'PIN' }],
      features: Array.from({ length: 300 }, (_, i) => ({ attributes: { FID: i, PIN: `P-${i}` }, geometry: null })),
    },
    'from ids far apart': {
      without: ['ids', 'paging'],
      features: [1, 2, 900_000, 1_999_999_999].map(parcel),
    },
    'from an empty layer': { features: [] },
    'from a layer joined to a table, with ids that come again': {
      features: [1, 2, 2, 3, 3, 3].map((id, i) => ({ attributes: { OBJECTID: id, PIN: `P-${i}` }, geometry: null })),
    },
    'where offsets are not heard of': { without: ['ids'], ignores: ['paging'], limit: 300 },
    'from a server of 2008, which knows conditions alone': {
      ignores: ['ids', 'count', 'paging'],
      without: ['limit-word'],
      limit: 300,
      facts: { maxRecordCount: undefined },
    },
    'from one that has fewer rows than a page': {
      ignores: ['ids', 'count', 'paging'],
      without: ['limit-word'],
      features: parcels(40),
      facts: { maxRecordCount: undefined },
    },
    'where rows come without their ids': { hidesIds: true },
    'where rows come without their ids, nor are these listed': { hidesIds: true, without: ['ids', 'conditions'] },
    'where rows come without their ids, but counted': { hidesIds: true, without: ['ids', 'paging'], limit: 200 },
  };
  for (const [name, layer] of Object.entries(WAYS)) it(name, async () => void (await readsAll(layerOf(layer))));

  for (const seed of [1, 2, 3, 4, 5, 6])
    it(`from a server on which a fifth of the answers go wrong (${seed})`, async () => {
      const server = await startArcgis(seed);
      const layer = layerOf({
        features: parcels(900),
        limit: 60,
        badShapes: [34, 201],
        without: seed % 2 ? [] : ['ids', 'paging'],
      });
      server.layers[LAYER] = layer;
      server.faults = 0.2;
      const { features } = await readLayer(server, { attempts: 6 });
      assert.deepEqual(pinsOf(features), wantedPins(layer));
    });

  it('or none, where rows come without their ids and conditions are all that the server knows', async () => {
    const server = await startArcgis();
    server.layers[LAYER] = layerOf({ hidesIds: true, ignores: ['ids', 'count', 'paging'] });
    await assert.rejects(readLayer(server), /answers with its first rows, whichever are asked for/);
  });

  it('and those that are added while it is read', async () => {
    const features = parcels(2_500);
    const layer = layerOf({
      features,
      onQuery: (query) => {
        if (query.get('where')?.includes('<=') && features.length < 2_510)
          features.push(parcel(100_000 + features.length));
      },
    });
    await readsAll(layer);
  });

  it('without those that are deleted while it is read, which it says', async () => {
    let isFirst = true;
    const layer = layerOf({
      onQuery: (query, self) => {
        if (!isFirst || !query.get('where')?.includes('<=')) return;
        isFirst = false;
        self.features = self.features.filter(({ attributes }) => attributes?.PIN !== 'P-7503');
      },
    });
    layer.features.push(parcel(7_503));
    const { notes } = await readsAll(layer);
    assert.match(notes.join(), /1 rows were deleted while/);
  });

  it('after a break, without asking again for what it has', async () => {
    const server = await startArcgis();
    const layer = layerOf();
    server.layers[LAYER] = layer;
    const cache = newCache();
    server.downFrom = 6;
    await assert.rejects(readLayer(server, { cache, attempts: 1 }), /cannot be reached|broke off/);
    const before = server.queries.length;
    server.downFrom = undefined;
    // The process ended in the middle of writing a page.
    const part = readdirSync(cache, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('.part'))!;
    appendFileSync(join(cache, part), `${JSON.stringify({ id: -1, properties: { PIN: 'P-torn' } })}\n{"id":-2,"prop`);
    const { features } = await readLayer(server, { cache });
    assert.deepEqual(pinsOf(features), wantedPins(layer));
    const pages = server.queries.slice(before).filter((query) => query.has('outFields'));
    assert.ok(pages.length === 1, `${pages.length} pages were asked for again`);
  });

  it('again only when the layer has been edited, where it says so', async () => {
    const server = await startArcgis();
    const layer = layerOf({ facts: { editingInfo: { lastEditDate: 1 } } });
    server.layers[LAYER] = layer;
    const cache = newCache();
    const pages = () => server.queries.filter((query) => query.has('outFields')).length;
    await readLayer(server, { cache });
    const first = pages();
    await readLayer(server, { cache });
    assert.equal(pages(), first);
    layer.facts = { editingInfo: { lastEditDate: 2 } };
    await readLayer(server, { cache });
    assert.equal(pages(), first * 2);
  });
});

describe('a row that breaks the server', () => {
  it('is kept without its shape, or as a bad row without anything', async () => {
    const server = await startArcgis();
    const layer = layerOf({ badShapes: [34], badRows: [67] });
    server.layers[LAYER] = layer;
    const { features, notes } = await readLayer(server, { attempts: 1 });
    assert.equal(features.length, layer.features.length);
    const byId = new Map(features.map((feature) => [feature.id, feature]));
    assert.deepEqual([byId.get(34)?.properties.PIN, byId.get(34)?.geometry], ['P-34', null]);
    assert.deepEqual(byId.get(67)?.properties, { OBJECTID: 67 });
    assert.match(notes.join(), /1 rows cannot be read/);
  });

  it('is not one of hundreds: then the layer is refused', async () => {
    const server = await startArcgis();
    server.layers[LAYER] = layerOf({
      features: parcels(200),
      badRows: parcels(60).map(({ attributes }) => attributes!.OBJECTID as number),
    });
    await assert.rejects(readLayer(server, { attempts: 1 }), /rows of .* cannot be read: .*Error performing query/);
  });
});

describe('what a layer is', () => {
  const described = async (layer: Partial<ServedLayer>) => {
    const server = await startArcgis();
    server.layers[LAYER] = layerOf(layer);
    return (await readLayer(server)).features;
  };

  it('gives labels for codes, also by subtype, and leaves codes that have none', async () => {
    const coded = (entries: Record<string, string>) => ({
      type: 'codedValue',
      codedValues: Object.entries(entries).map(([code, name]) => ({ code: Number(code), name })),
    });
    const layer = {
      fields: [
        ...FIELDS,
        { name: 'USE', domain: coded({ 1: 'Single family', 2: 'Condominium' }) },
        { name: 'KIND' },
        { name: 'ROOF', domain: coded({ 1: 'Tile' }) },
      ],
      facts: {
        typeIdField: 'KIND',
        types: [{ id: 5, name: 'House', domains: { ROOF: coded({ 1: 'Slate' }), USE: { type: 'inherited' } } }],
      },
      features: [
        { attributes: { OBJECTID: 1, USE: 2, KIND: 5, ROOF: 1 } },
        { attributes: { OBJECTID: 2, USE: 9, KIND: 6, ROOF: 1 } },
      ],
    };
    const rows = (await described(layer)).map(({ properties: { USE, KIND, ROOF } }) => [USE, KIND, ROOF]);
    assert.deepEqual(rows, [
      ['Condominium', 'House', 'Slate'],
      [9, 6, 'Tile'],
    ]);
    const server = await startArcgis();
    server.layers[LAYER] = layerOf(layer);
    const [kept] = (await readLayer(server, { keepsCodes: true })).features;
    assert.deepEqual([kept.properties.USE, kept.properties.KIND], [2, 5]);
  });

  it('gives days, also before 1970, and nothing for null objects and empty texts', async () => {
    const [row] = await described({
      fields: [...FIELDS, { name: 'SALE', type: 'esriFieldTypeDate' }, { name: 'AT', type: 'esriFieldTypeDate' }],
      features: [
        {
          attributes: {
            OBJECTID: 1,
            pin: '<Null>',
            SALE: Date.UTC(1954, 2, 1),
            AT: Date.UTC(1999, 11, 31, 5),
            NOTE: {},
          },
        },
      ],
    });
    assert.deepEqual(row.properties, {
      OBJECTID: 1,
      PIN: null,
      SALE: '1954-03-01',
      AT: '1999-12-31T05:00:00',
      NOTE: null,
    });
  });

  it('names columns without their table, and by their alias where the name says nothing', async () => {
    const [row] = await described({
      fields: [
        ...FIELDS,
        { name: 'GIS.ROLL.OWNER' },
        { name: 'F12', alias: 'Sale Price' },
        { name: 'A.X' },
        { name: 'B.X' },
      ],
      features: [{ attributes: { OBJECTID: 1, 'GIS.ROLL.OWNER': 'a', F12: 3, 'A.X': 1, 'B.X': 2 } }],
    });
    assert.deepEqual(row.properties, { OBJECTID: 1, OWNER: 'a', 'Sale Price': 3, 'A.X': 1, 'B.X': 2 });
  });

  it('survives rows without attributes', async () => {
    const server = await startArcgis();
    server.layers[LAYER] = layerOf({ features: [parcel(1), parcel(2)] });
    server.answer = (_, query) =>
      query.has('outFields') ? { features: [null, { attributes: null }, parcel(1), parcel(2)] } : undefined;
    assert.deepEqual(pinsOf((await readLayer(server)).features), ['P-1', 'P-2']);
  });
});

describe('a shape', () => {
  const shapeOf = async (geometry: object | null, layer: Partial<ServedLayer> = {}) => {
    const server = await startArcgis();
    server.layers[LAYER] = layerOf({ features: [{ attributes: { OBJECTID: 1 }, geometry }], ...layer });
    return (await readLayer(server)).features[0].geometry;
  };
  const ring = (x: number, y: number, side: number, isHole = false) => {
    const corners = square(x, y, side).rings[0];
    return isHole ? corners.toReversed() : corners;
  };

  it('keeps holes in their rings, and parts apart', async () => {
    const shape = await shapeOf({ rings: [ring(0, 0, 4), ring(10, 0, 4), ring(11, 1, 1, true), ring(1, 1, 1, true)] });
    assert.deepEqual(shape, {
      type: 'MultiPolygon',
      coordinates: [
        [ring(0, 0, 4), ring(1, 1, 1, true)],
        [ring(10, 0, 4), ring(11, 1, 1, true)],
      ],
    });
  });

  it('is none where it is empty', async () => {
    for (const geometry of [null, { rings: [] }, { x: 'NaN', y: 'NaN' }, { rings: [[[1, 1]]] }])
      assert.equal(await shapeOf(geometry), null);
  });

  it('of feet or Mercator meters becomes degrees', async () => {
    const near = (shape: unknown, [x, y]: number[]) => {
      const [longitude, latitude] = (shape as { coordinates: number[] }).coordinates;
      assert.ok(Math.abs(longitude - x) < 1e-4 && Math.abs(latitude - y) < 1e-4, `${longitude}, ${latitude}`);
    };
    near(
      await shapeOf({ x: -9_950_000, y: 5_310_000 }, { spatialReference: { wkid: 102100, latestWkid: 3857 } }),
      [-89.38237, 42.98704],
    );
    const feet =
      'PROJCS["NAD_1983_StatePlane_Wisconsin_South_FIPS_4803_Feet",GEOGCS["GCS_North_American_1983",DATUM["D_North_American_1983",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Lambert_Conformal_Conic"],PARAMETER["False_Easting",1968500.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",-90.0],PARAMETER["Standard_Parallel_1",42.73333333333333],PARAMETER["Standard_Parallel_2",44.06666666666667],PARAMETER["Latitude_Of_Origin",42.0],UNIT["Foot_US",0.3048006096012192]]';
    near(await shapeOf({ x: 1_968_500, y: 364_567.2 }, { spatialReference: { wkt: feet } }), [-90, 43.00027]);
  });

  it('follows its curves', async () => {
    const shape = await shapeOf({
      curveRings: [
        [
          [0, 0],
          {
            c: [
              [2, 0],
              [1, 1],
            ],
          },
          [2, -1],
          [0, -1],
          [0, 0],
        ],
      ],
    });
    const [[outer]] = (shape as { coordinates: number[][][][] }).coordinates;
    const top = Math.max(...outer.map(([, y]) => y));
    assert.ok(Math.abs(top - 1) < 1e-9, `the arc rises to ${top}`);
    assert.ok(outer.slice(1, 9).every(([x, y]) => Math.abs(Math.hypot(x - 1, y) - 1) < 1e-9));
  });

  it('of quantized differences has its coordinates back', async () => {
    const transform = { originPosition: 'upperLeft', scale: [0.5, 0.5], translate: [-90, 44] };
    const shape = await shapeOf(
      {
        rings: [
          [
            [0, 0],
            [2, 0],
            [0, 2],
            [-2, 0],
            [0, -2],
          ],
        ],
      },
      { transform },
    );
    assert.deepEqual((shape as { coordinates: unknown }).coordinates, [
      [
        [
          [-90, 44],
          [-89, 44],
          [-89, 43],
          [-90, 43],
          [-90, 44],
        ],
      ],
    ]);
  });
});

describe('which layer', () => {
  it('is the only one of a service or of a group', async () => {
    const server = await startArcgis();
    server.layers[LAYER] = layerOf({ features: parcels(5) });
    server.layers['arcgis/rest/services/Parcels/MapServer'] = {
      fields: [],
      features: [],
      facts: {
        fields: undefined,
        layers: [
          { id: 3, name: 'Land', type: 'Group Layer', subLayerIds: [0] },
          { id: 0, name: 'Parcels' },
        ],
      },
    };
    server.layers['arcgis/rest/services/Parcels/MapServer/3'] = {
      fields: [],
      features: [],
      facts: { type: 'Group Layer', subLayers: [{ id: 0, name: 'Parcels' }] },
    };
    for (const end of ['MapServer', 'MapServer/3', 'MapServer/0/query?where=1%3D1'])
      assert.equal(
        (await readLayer(server, {}, `${server.url}/arcgis/rest/services/Parcels/${end}`)).features.length,
        5,
        end,
      );
  });

  it('is asked for where there are several, and a token where one is needed', async () => {
    const server = await startArcgis();
    server.answer = (path) =>
      path.endsWith('MapServer')
        ? {
            layers: [
              { id: 0, name: 'Parcels' },
              { id: 1, name: 'Lots' },
            ],
          }
        : { error: { code: 499, message: 'Token Required', details: [] } };
    await assert.rejects(
      readLayer(server, {}, `${server.url}/a/MapServer`),
      /several layers.*\/0 \(Parcels\).*\/1 \(Lots\)/,
    );
    await assert.rejects(readLayer(server), /499: Token Required\. It asks to sign in: add &token=/);
  });

  it('keeps to the condition of its URL', async () => {
    const server = await startArcgis();
    server.layers[LAYER] = layerOf({
      features: parcels(300).map(({ attributes, geometry }, i) => ({
        attributes: { ...attributes, COUNTY: i % 3 ? 'Dane' : 'Rock' },
        geometry,
      })),
    });
    const { features } = await readLayer(
      server,
      {},
      `${server.url}/${LAYER}/query?where=${encodeURIComponent(`COUNTY='Rock'`)}`,
    );
    assert.equal(features.length, 100);
  });
});
