// What OGC's abstract tests ask of the classes that we declare: Core, GeoJSON, OpenAPI 3.0, CRS, queryables and filters. Each
// test here names the requirement that it tries.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { testClient } from '../harness.ts';

const BASE = 'http://localhost:8080';
const ROOT = `${BASE}/api/v1/ogc`;
const CRS84 = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84';
const api = await testClient({ settings: { BASE_URL: BASE } });
type Json = Record<string, any>;

const read = (path: string, query: Record<string, string> = {}) =>
  api.get(`/ogc${path}${Object.keys(query).length > 0 ? `?${new URLSearchParams(query)}` : ''}`);
const follow = (href: string) => api.get(href.slice(`${BASE}/api/v1`.length));
const linkOf = (body: Json, rel: string): Json => {
  const link = body.links.find((each: Json) => each.rel === rel);
  assert.ok(link, `no link ${rel}`);
  assert.equal(typeof link.type, 'string');
  return link;
};

const { body: home } = await read('');
const { body: definition, headers: definitionHeaders } = await follow(linkOf(home, 'service-desc').href);
const { body: list } = await read('/collections');
const collections = list.collections as Json[];
const ids = collections.map(({ id }) => id as string);

type Position = [number, number];
const positionsOf = (part: any): Position[] => (typeof part[0] === 'number' ? [part] : part.flatMap(positionsOf));

/** Whether a geometry has anything in a box: by its corners, or the box's corners in it. */
function meets({ coordinates }: Json, [west, south, east, north]: number[]): boolean {
  const points = positionsOf(coordinates);
  const within = ([x, y]: Position) => x >= west && x <= east && y >= south && y <= north;
  return points.some(within) || points.length > 1;
}

describe('core', () => {
  it('root-success, conformance-success: the landing page leads to all the rest', async () => {
    for (const rel of ['self', 'service-desc', 'service-doc', 'conformance', 'data']) linkOf(home, rel);
    const { status, body } = await follow(linkOf(home, 'conformance').href);
    assert.equal(status, 200);
    assert.ok(body.conformsTo.includes('http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core'));
    assert.ok(body.conformsTo.every((each: unknown) => typeof each === 'string'));
  });

  it('fc-md-success, sfc-md-success: each collection tells its items, extent and coordinate systems', async () => {
    linkOf(list, 'self');
    for (const collection of collections) {
      linkOf(collection, 'self');
      assert.equal(linkOf(collection, 'items').type, 'application/geo+json');
      assert.equal(collection.crs[0], CRS84);
      assert.equal(collection.extent.spatial.bbox[0].length, 4);
      assert.deepEqual((await read(`/collections/${collection.id}`)).body, collection);
    }
    assert.equal((await read('/collections/nothing')).status, 404);
  });

  for (const id of ids) {
    it(`fc-response, fc-links: ${id}`, async () => {
      const before = api.deps.clock().getTime();
      const { status, headers, body } = await read(`/collections/${id}/items`, { limit: '7' });
      assert.equal(status, 200);
      assert.match(String(headers['content-type']), /^application\/geo\+json/);
      assert.equal(body.type, 'FeatureCollection');
      assert.equal(linkOf(body, 'self').href, `${ROOT}/collections/${id}/items?limit=7`);
      assert.deepEqual([body.numberReturned, body.features.length], [7, 7]);
      assert.ok(Math.abs(Date.parse(body.timeStamp) - before) < 600_000);
      const next = await follow(linkOf(body, 'next').href);
      assert.equal(next.status, 200);
      assert.notEqual(next.body.features[0].id, body.features[0].id);
      for (const { geometry } of body.features)
        for (const [x, y] of positionsOf(geometry.coordinates)) assert.ok(Math.abs(x) <= 180 && Math.abs(y) <= 90);
    });

    it(`f-success, f-links: ${id}`, async () => {
      const { body } = await read(`/collections/${id}/items`, { limit: '1' });
      const [feature] = body.features;
      const one = await read(`/collections/${id}/items/${feature.id}`);
      assert.equal(one.status, 200);
      assert.deepEqual([one.body.type, one.body.id, one.body.geometry], ['Feature', feature.id, feature.geometry]);
      assert.equal(linkOf(one.body, 'self').href, `${ROOT}/collections/${id}/items/${feature.id}`);
      assert.equal(linkOf(one.body, 'collection').href, `${ROOT}/collections/${id}`);
      assert.equal((await read(`/collections/${id}/items/99001.tract.2020.none`)).status, 404);
    });

    it(`query-param-invalid, query-param-unknown, fc-limit: ${id}`, async () => {
      const wrong: Record<string, string>[] = [
        { limit: '-1' },
        { limit: '0' },
        { limit: 'many' },
        { unknownQueryParameter: '1' },
        { bbox: '1,2,3' },
        { bbox: '1,2,3,four' },
        { bbox: '0,10,1,9' },
        { bbox: '-181,0,0,1' },
        { datetime: '2026-02-30' },
        { datetime: 'yesterday' },
        { datetime: '2026-01-01/2026-01-02/2026-01-03' },
        { crs: 'http://www.opengis.net/def/crs/EPSG/0/2285' },
        { bbox: '0,0,1,1', 'bbox-crs': 'http://www.opengis.net/def/crs/EPSG/0/2285' },
        { filter: 'nothing = 1' },
        { filter: `fips = '99001'`, 'filter-lang': 'sql' },
      ];
      for (const query of wrong)
        assert.equal((await read(`/collections/${id}/items`, query)).status, 400, JSON.stringify(query));
      const { body } = await read(`/collections/${id}/items`, { limit: '10000' });
      assert.ok(body.features.length <= 500);
    });

    it(`fc-bbox-response: ${id}`, async () => {
      const { extent } = collections.find((each) => each.id === id)!;
      const [west, south, east, north] = extent.spatial.bbox[0];
      const middle = [west + (east - west) / 3, south + (north - south) / 3, (west + east) / 2, (south + north) / 2];
      const inside = await read(`/collections/${id}/items`, { bbox: middle.join(','), limit: '500' });
      assert.ok(inside.body.features.length > 0);
      for (const { geometry } of inside.body.features) assert.ok(meets(geometry, middle));
      const flat = await read(`/collections/${id}/items`, {
        bbox: [middle[0], middle[1], 0, middle[2], middle[3], 100].join(','),
        limit: '500',
      });
      assert.deepEqual(flat.body.features, inside.body.features, 'heights are left aside');
      // The meridian, the equator, the antimeridian and the poles.
      for (const box of ['-1.5,50,1.5,53', '-80,-5,-70,5', '177,65,-177,70', '-180,85,180,90', '-180,-90,180,-85']) {
        const { status, body } = await read(`/collections/${id}/items`, { bbox: box });
        assert.deepEqual([status, body.features], [200, []], box);
      }
      // Around the world the other way, everything but a strip in which nothing lies.
      const around = await read(`/collections/${id}/items`, { bbox: '-10,-90,-20,90', limit: '500' });
      const all = await read(`/collections/${id}/items`, { limit: '500' });
      assert.deepEqual(around.body.features, all.body.features);
    });

    it(`fc-time-response: what has no date of its own is in every span: ${id}`, async () => {
      for (const datetime of ['2026-01-01', '2026-01-01T00:00:00Z/..', '../2026-01-01t00:00:00z', '/2026-01-01']) {
        const { status, body } = await read(`/collections/${id}/items`, { datetime, limit: '3' });
        assert.equal(status, 200, datetime);
        if (id !== 'sales') assert.equal(body.features.length, 3);
      }
    });

    it(`crs-action, fc-bbox-crs-action: ${id}`, async () => {
      const { crs, extent } = collections.find((each) => each.id === id)!;
      const plain = await read(`/collections/${id}/items`, { limit: '5' });
      assert.equal(plain.headers['content-crs'], `<${CRS84}>`);
      const [west, south, east, north] = extent.spatial.bbox[0];
      const meters = (degrees: number) => degrees * 111_319.490_793_273_57;
      const northing = (degrees: number) =>
        meters((Math.log(Math.tan(Math.PI / 4 + (degrees * Math.PI) / 360)) * 180) / Math.PI);
      const boxes: Record<string, number[]> = {
        [CRS84]: [west, south, east, north],
        'http://www.opengis.net/def/crs/EPSG/0/4326': [south, west, north, east],
        'http://www.opengis.net/def/crs/EPSG/0/3857': [meters(west), northing(south), meters(east), northing(north)],
      };
      assert.deepEqual([...crs].sort(), Object.keys(boxes).sort());
      const whole = await read(`/collections/${id}/items`, { bbox: boxes[CRS84].join(','), limit: '20' });
      for (const system of crs as string[]) {
        const answer = await read(`/collections/${id}/items`, { limit: '5', crs: system });
        assert.equal(answer.headers['content-crs'], `<${system}>`);
        const first = positionsOf(answer.body.features[0].geometry.coordinates)[0];
        const [x, y] = positionsOf(plain.body.features[0].geometry.coordinates)[0];
        const expected = system === CRS84 ? [x, y] : system.endsWith('4326') ? [y, x] : [meters(x), northing(y)];
        assert.ok(Math.hypot(first[0] - expected[0], first[1] - expected[1]) < 1e-3, `${first} is not ${expected}`);
        const boxed = { bbox: boxes[system].join(','), 'bbox-crs': system, limit: '20' };
        assert.deepEqual((await read(`/collections/${id}/items`, boxed)).body.features, whole.body.features, system);
      }
      const world = { bbox: '-20037508.342789244,-20048966.1,20037508.342789244,20048966.1', limit: '5' };
      const web = { ...world, 'bbox-crs': 'http://www.opengis.net/def/crs/EPSG/0/3857' };
      assert.deepEqual((await read(`/collections/${id}/items`, web)).body.features, plain.body.features);
    });

    it(`queryables, filter: each queryable of ${id} can be filtered by, with a box as well`, async () => {
      const collection = collections.find((each) => each.id === id)!;
      const { headers, body } = await follow(
        linkOf(collection, 'http://www.opengis.net/def/rel/ogc/1.0/queryables').href,
      );
      assert.match(String(headers['content-type']), /^application\/schema\+json/);
      assert.equal(body.$id, `${ROOT}/collections/${id}/queryables`);
      for (const [name, { format }] of Object.entries<Json>(body.properties)) {
        const filter = format === 'geometry-any' ? `S_INTERSECTS(${name}, BBOX(-10,-10,-9,-9))` : `${name} IS NULL`;
        const answer = await read(`/collections/${id}/items`, { filter, bbox: '-11,-11,-8,-8', limit: '2' });
        assert.deepEqual([answer.status, answer.body.features], [200, []], JSON.stringify(answer.body));
      }
      assert.equal(
        (await read(`/collections/${id}/items`, { filter: `fips = '99001'`, 'filter-lang': 'cql2-text' })).status,
        200,
      );
    });
  }
});

describe('OpenAPI 3.0', () => {
  it('oas-definition: the description names each resource, and the parameters as the standard has them', async () => {
    assert.equal(definitionHeaders['content-type'], 'application/vnd.oai.openapi+json;version=3.0');
    assert.match(definition.openapi, /^3\.0\./);
    assert.deepEqual(definition.servers, [{ url: ROOT }]);
    const items = definition.paths['/collections/{collectionId}/items'].get;
    const parameters = items.parameters.map(
      ({ $ref }: Json) => definition.components.parameters[$ref.split('/').at(-1)],
    );
    const named = (name: string) => parameters.find((each: Json) => each.name === name);
    assert.deepEqual(named('bbox').schema, { type: 'array', minItems: 4, maxItems: 6, items: { type: 'number' } });
    for (const name of ['bbox', 'datetime', 'limit'])
      assert.deepEqual(
        [named(name).in, named(name).required, named(name).style, named(name).explode],
        ['query', false, 'form', false],
      );
    assert.deepEqual(named('limit').schema, { type: 'integer', minimum: 1, maximum: 500, default: 100 });
    const taken = (api.openApi() as Json).paths['/api/v1/ogc/collections/{collection}/items'].get.parameters;
    assert.deepEqual(
      parameters.map(({ name }: Json) => name).sort(),
      taken
        .filter((each: Json) => each.in === 'query' && each.name !== 'f')
        .map(({ name }: Json) => name)
        .sort(),
    );
    assert.deepEqual(definition.components.parameters.collectionId.schema.enum, ids);
  });
});
