// Shapes of parcels, from a publisher's file to the record, the map and the parcel under a point.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { ingest } from '../../src/supply/ingest/ingest.ts';
import { parseRecipe } from '../../src/supply/ingest/recipes.ts';
import { polygonsHold, type MultiPolygon } from '../../src/base/lib/geo.ts';
import { propertyId } from '../../src/base/lib/ids.ts';
import { MAGIC_APN, sandboxId } from '../../src/supply/sandbox/fixtures.ts';
import { WENDEMERE } from '../../src/supply/sandbox/geography.ts';
import { createTileCaches } from '../../src/records/tiles/tile-cache.ts';
import { testClient } from '../harness.ts';
import { ANYWAY } from '../anyway.ts';

const api = await testClient({ plan: 'enterprise' });
const live = { key: api.liveKey };
const folder = mkdtempSync(join(tmpdir(), 'platbook-shapes-'));
const FIPS = 55_901;

const recipe = (more = '') => `
id: platville
market: { name: Platville, state: ZY, description: Invented }
counties: [{ fips: ${FIPS}, name: Plat County, state: ZY }]
datasets:
  parcels:
    publisher: Platville
    license: CC0
    published_on: 2026-01-31
    format: { type: geojson }
    files: [parcels.geojson]
    key: { parcel: { text: PIN } }
    records:
      - into: properties
        complete: true
        fields:
          address_line1: { upper: ADDRESS }
          latitude: { centroid: latitude }
          longitude: { centroid: longitude }
          property_type: { constant: single_family }
    layers: [properties]
    checks: { max_vanished_share: 1 }
${more}`;
/** The county's own survey, which outweighs the roll. */
const SURVEY = `
  survey:
    publisher: Platville
    license: CC0
    published_on: 2020-01-31
    authority: 2
    format: { type: geojson }
    files: [survey.geojson]
    key: { parcel: { text: PIN } }
    records:
      - into: parcel_shapes
        fields: { shape: { shape: true } }
`;

type Position = [number, number];
const [X, Y] = [-88, 43];
const lot = (x: number, y: number, width = 2, height = 3): Position[] =>
  (
    [
      [0, 0],
      [width, 0],
      [width, height],
      [0, height],
      [0, 0],
    ] as Position[]
  ).map(([dx, dy]) => [X + (x + dx) / 1e4, Y + (y + dy) / 1e4]);
interface Feature {
  pin: string;
  address?: string;
  rings: Position[][];
}
function write(name: string, features: Feature[]): void {
  const list = features.map(({ pin, address, rings }) => ({
    type: 'Feature',
    properties: { PIN: pin, ADDRESS: address ?? `${pin} Elm St` },
    geometry: { type: 'Polygon', coordinates: rings },
  }));
  writeFileSync(join(folder, name), JSON.stringify({ type: 'FeatureCollection', features: list }));
}
async function load(text = recipe()) {
  const source = parseRecipe(text, 'platville.yaml');
  api.deps.tiles = createTileCaches();
  const deps = { data: api.deps.data, clock: api.deps.clock, cacheFolder: folder };
  return ingest(deps, [source], [source], { from: folder, accept: ANYWAY });
}
const idOf = (pin: string) => propertyId(FIPS, pin);
const shapeOf = async (pin: string) => (await api.get(`/properties/${idOf(pin)}?include=geometry`, live)).body.geometry;
const tileAt = (longitude: number, latitude: number, z: number) => {
  const sine = Math.sin((latitude * Math.PI) / 180);
  const x = Math.floor(((longitude + 180) / 360) * 2 ** z);
  const y = Math.floor((0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * 2 ** z);
  return `/tiles/${z}/${x}/${y}.mvt`;
};
const geometryChanges = async () =>
  (
    await api.deps.data.query(
      `select property_id, op, before, after from changes where fips = $1 and changed_fields = '{geometry}' order by seq`,
      [FIPS],
    )
  ).rows;

const LOTS: Feature[] = [
  { pin: '1', rings: [lot(0, 0)] },
  { pin: '2', rings: [lot(3, 0).toReversed()] },
  // Its middle is in the courtyard, which belongs to another.
  { pin: '3', rings: [lot(10, 0, 30, 30), lot(20, 10, 10, 10)] },
  { pin: '4', rings: [lot(22, 12, 2, 2)] },
  // Two rows, one parcel.
  { pin: '5', rings: [lot(50, 0)] },
  { pin: '5', rings: [lot(55, 0)] },
  { pin: '6', rings: [lot(60, 0, 0, 3)] },
  { pin: '7', rings: [lot(0, -430_000)] },
];

describe('a file with polygons', () => {
  before(() => write('parcels.geojson', LOTS));

  it('keeps them, mends what it can, and sets aside what it cannot with the reason', async () => {
    const [report] = await load();
    assert.equal(report.targets.parcel_shapes?.inserted, 5);
    assert.deepEqual(report.quarantinedByReason, {
      shape_without_area: 1,
      shape_outside_county: 1,
    });
    assert.deepEqual(await shapeOf('1'), { type: 'Polygon', coordinates: [lot(0, 0)] });
    const second = await shapeOf('2');
    assert.deepEqual(new Set(second.coordinates[0].map(String)), new Set(lot(3, 0).map(String)));
    assert.deepEqual([(await shapeOf('3')).coordinates.length, (await shapeOf('5')).type], [2, 'MultiPolygon']);
    // The parcel itself is loaded, only its shape is not.
    assert.deepEqual([(await api.get(`/properties/${idOf('6')}`, live)).status, await shapeOf('6')], [200, null]);
  });

  it('makes no news on the first load and none when loaded again', async () => {
    const [report] = await load();
    const { inserted, updated, unchanged } = report.targets.parcel_shapes!;
    assert.deepEqual([inserted, updated, unchanged, await geometryChanges()], [0, 0, 5, []]);
  });

  it('is compared: a line that moved is one change, without the corners', async () => {
    write('parcels.geojson', [{ pin: '1', rings: [lot(0, 0, 2.5)] }, ...LOTS.slice(1)]);
    const [report] = await load();
    assert.equal(report.targets.parcel_shapes?.updated, 1);
    const changes = await geometryChanges();
    assert.deepEqual(
      changes.map((row) => [row.property_id, row.op]),
      [[idOf('1'), 'update']],
    );
    const [{ before: was, after: is }] = changes;
    assert.ok(is.geometry.area_sqft > was.geometry.area_sqft);
    assert.deepEqual(Object.keys(is.geometry), ['area_sqft']);
    const { body } = await api.get(`/properties/${idOf('1')}/changes`, live);
    assert.ok(body.data.some((change: { changed_fields: string[] }) => change.changed_fields.includes('geometry')));
  });

  it('gives way to a source of more weight, and does not come back', async () => {
    write('survey.geojson', [{ pin: '2', rings: [lot(3, 0, 1.5)] }]);
    await load(recipe(SURVEY));
    assert.deepEqual((await shapeOf('2')).coordinates, [lot(3, 0, 1.5)]);
    write('parcels.geojson', [LOTS[0], { pin: '2', rings: [lot(3, 0, 1.7)] }, ...LOTS.slice(2)]);
    await load(recipe(SURVEY));
    assert.deepEqual((await shapeOf('2')).coordinates, [lot(3, 0, 1.5)]);
  });
});

describe('a point', () => {
  const cases: [what: string, x: number, y: number, pin: string | undefined][] = [
    ['in a lot', 1, 1, '1'],
    ['at the far end of a large one', 38, 28, '3'],
    ['in its courtyard', 23, 13, '4'],
    ['in the second part of one', 56, 1, '5'],
    ['in the street, nearer to one than to others', 2.2, 1.5, '1'],
  ];
  for (const [what, x, y, pin] of cases) {
    it(`${what} finds the parcel`, async () => {
      const at = `latitude=${Y + y / 1e4}&longitude=${X + x / 1e4}`;
      const { status, body } = await api.get(`/properties/lookup?${at}`, live);
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.id, idOf(pin!));
      const isInside = what !== cases[4][0];
      assert.deepEqual(
        [body.resolution.match_quality, body.resolution.distance_meters === 0],
        isInside ? ['exact', true] : ['nearest_parcel', false],
      );
      const nearest = await api.get(`/properties/search?${at}&radius_miles=1&sort=distance&limit=3`, live);
      assert.equal(nearest.body.data[0].id, idOf(pin!));
      if (isInside) assert.equal(nearest.body.data[0].distance_miles, 0);
    });
  }

  it('pages through a search by distance without losing or repeating any', async () => {
    const found: string[] = [];
    let cursor = '';
    do {
      const path = `/properties/search?latitude=${Y + 28e-4}&longitude=${X + 38e-4}&radius_miles=5&sort=distance&limit=1`;
      const { body } = await api.get(`${path}${cursor && `&cursor=${cursor}`}`, live);
      found.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.pagination.next_cursor ?? '';
    } while (cursor);
    assert.equal(found[0], idOf('3'));
    assert.deepEqual(found.toSorted(), ['1', '2', '3', '4', '5', '6'].map(idOf).toSorted());
  });

  it('belongs to live or sandbox records, never to both', async () => {
    const { status } = await api.get(`/properties/lookup?latitude=${Y + 1e-4}&longitude=${X + 1e-4}`);
    assert.equal(status, 422);
  });
});

describe('shapes in responses', () => {
  it('come when asked for, in every format of a search', async () => {
    const search = `/properties/search?fips=${FIPS}`;
    assert.ok(!('geometry' in (await api.get(search, live)).body.data[0]));
    const { body } = await api.get(`${search}&include=geometry`, live);
    assert.equal(body.data.filter(({ geometry }: { geometry: unknown }) => geometry !== null).length, 5);
    const drawn = JSON.parse((await api.get(`${search}&include=geometry&format=geojson`, live)).text);
    const kinds = drawn.features.map((feature: { geometry: { type: string } }) => feature.geometry.type);
    assert.deepEqual(kinds.toSorted(), ['MultiPolygon', 'Point', 'Point', 'Polygon', 'Polygon', 'Polygon', 'Polygon']);
    assert.ok(drawn.features.every((feature: { properties: object }) => !('geometry' in feature.properties)));
    const csv = (await api.get(`${search}&include=geometry&format=csv`, live)).text;
    assert.match(csv.split('\r\n')[0], /geometry\.coordinates/);
  });

  it('are part of tiles from zoom 15 on', async () => {
    const layers = async (z: number, options?: object) => (await api.get(tileAt(X + 1e-4, Y + 1e-4, z), options)).text;
    assert.match(await layers(15, live), /parcels/);
    assert.match(await layers(18, live), /parcels/);
    assert.doesNotMatch(await layers(14, live), /parcels/);
    assert.doesNotMatch(await layers(15), /parcels[^]*prop_/);
    const { body } = await api.get('/tiles', live);
    const layer = body.vector_layers.find(({ id }: { id: string }) => id === 'parcels');
    assert.deepEqual(
      [layer.minzoom, Object.keys(layer.fields)],
      [15, ['id', 'property_type', 'value', 'figure', 'count']],
    );
  });
});

describe('parcels that are split and merged', () => {
  it('keep their last shape, which their successors show', async () => {
    const parts = [lot(0, 0, 1), lot(1, 0, 1)].map((ring, i) => ({
      pin: `1-${i}`,
      address: '1 Elm St',
      rings: [ring],
    }));
    write('parcels.geojson', [...parts, ...LOTS.slice(1)]);
    await load();
    const superseded = await api.get(`/properties/${idOf('1')}`, live);
    assert.equal(superseded.status, 410);
    const { body } = await api.get(`/properties/${idOf('1-0')}?include=lineage,geometry`, live);
    assert.deepEqual(body.lineage.successors, []);
    const [{ id, kind, geometry }] = body.lineage.predecessors;
    assert.deepEqual([id, kind, geometry.coordinates], [idOf('1'), 'split', [lot(0, 0)]]);
    assert.deepEqual(body.geometry.coordinates, [lot(0, 0, 1)]);
    const plain = await api.get(`/properties/${idOf('1-0')}?include=lineage`, live);
    assert.ok(!('geometry' in plain.body.lineage.predecessors[0]));
    const { body: found } = await api.get(`/properties/lookup?latitude=${Y + 1e-4}&longitude=${X + 0.4e-4}`, live);
    assert.equal(found.id, idOf('1-0'));
  });
});

describe('the sandbox', () => {
  it('has a lot for every home, with the home in it and about as large as the roll says', async () => {
    const { rows } = await api.deps.data.query(
      `select count(*)::int as homes, count(s.property_id)::int as lots,
         percentile_cont(0.5) within group (order by s.area_sqft / p.lot_sqft) as ratio
       from properties p left join parcel_shapes s on s.fips = p.fips and s.property_id = p.id where p.market = 'sandbox'`,
    );
    assert.equal(rows[0].homes, rows[0].lots);
    assert.ok(rows[0].ratio > 0.5 && rows[0].ratio <= 1.02, rows[0].ratio);
    const { body } = await api.get('/properties/search?market=sandbox&include=geometry&limit=100');
    for (const { latitude, longitude, geometry } of body.data) {
      assert.ok(polygonsHold([geometry.coordinates] as MultiPolygon, { latitude, longitude }));
    }
  });

  it('shows what its split and merged parcels were', async () => {
    const one = await api.get(`/properties/${sandboxId(WENDEMERE, MAGIC_APN.splitFirst)}?include=lineage,geometry`);
    assert.equal(one.body.lineage.predecessors[0].kind, 'split');
    assert.equal(one.body.lineage.predecessors[0].geometry.type, 'Polygon');
  });
});
