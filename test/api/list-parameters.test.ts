// Query parameters of several values: commas or repeats, described as arrays, refused with the values that are allowed.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { testClient } from '../harness.ts';

const api = await testClient();

interface Parameter {
  name: string;
  explode?: boolean;
  schema: { type: string; items?: { enum?: string[] } };
}

const document = api.openApi() as {
  servers: { url: string }[];
  paths: Record<string, { get?: { parameters?: Parameter[] } }>;
};
const parametersOf = (path: string) => document.paths[`/api/v1${path}`].get!.parameters!;

describe('a parameter of several values', () => {
  test('takes commas and repeats alike', async () => {
    const count = async (query: string) => (await api.get(`/properties/count?${query}`)).body.count as number;
    const both = await count('property_type=condo,townhouse&zip=00103,00101');
    assert.ok(both > 0);
    assert.equal(await count('property_type=condo&property_type=townhouse&zip=00103&zip=00101'), both);
    const { body } = await api.get('/properties/search?state=ZZ&limit=1&fields=address&fields=sqft');
    assert.deepEqual(Object.keys(body.data[0]).sort(), ['address', 'id', 'object', 'sqft']);
    const changes = await api.get('/changes?type=property.created&type=property.sale_recorded&limit=1');
    assert.equal(changes.status, 200);
  });

  test('is an array with its words in the description of the API, wherever it is taken', () => {
    for (const [path, name, word] of [
      ['/properties/search', 'property_type', 'condo'],
      ['/properties/search', 'include', 'owner'],
      ['/properties/search', 'fields', 'address'],
      ['/properties/{id}/risk', 'layers', 'flood'],
      ['/avm/estimate', 'include', 'comparables'],
      ['/changes', 'type', 'property.sale_recorded'],
      ['/events', 'type', 'batch.completed'],
    ] as const) {
      const { schema, explode } = parametersOf(path).find((each) => each.name === name)!;
      assert.deepEqual([schema.type, explode], ['array', false], `${path} ${name}`);
      assert.ok(schema.items?.enum?.includes(word), `${path} ${name}`);
    }
    for (const name of ['state', 'market', 'fips', 'city', 'zip', 'census_tract'])
      assert.equal(parametersOf('/properties/search').find((each) => each.name === name)!.schema.type, 'array', name);
  });

  test('with a word that is none is refused with those that are', async () => {
    for (const [path, words] of [
      ['/properties/search?property_type=duplex', /single_family, condo, townhouse/],
      ['/properties/search?include=owners', /owner, /],
      ['/properties/search?fields=adress', /did you mean `address`/],
      ['/changes?type=property.sold', /property\.sale_recorded/],
    ] as const) {
      const { status, body } = await api.get(path);
      assert.equal(status, 400, path);
      assert.match(body.detail, words);
    }
  });

  test('that takes one value is refused when it is repeated', async () => {
    assert.equal((await api.get('/properties/search?limit=1&limit=2')).status, 400);
  });
});

describe('clients made from the description', () => {
  test('call the server that it came from', () => {
    assert.deepEqual(
      document.servers.map(({ url }) => url),
      [api.deps.config.baseUrl],
    );
  });

  test('may send every method from a browser', async () => {
    const { headers } = await api.call('OPTIONS', '/reports/rules', { key: null });
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
      assert.ok(headers['access-control-allow-methods']!.includes(method), method);
  });
});

describe('homes by their number of units', () => {
  test('are found, counted and refused like any range', async () => {
    const { body } = await api.get('/properties/search?state=ZZ&min_units=2&max_units=2&limit=50');
    assert.ok(body.data.length > 0);
    for (const home of body.data) assert.equal(home.structure.units, 2);
    const two = (await api.get('/properties/count?state=ZZ&min_units=2&max_units=2')).body.count;
    const more = (await api.get('/properties/count?state=ZZ&min_units=2')).body.count;
    assert.ok(two > 0 && more >= two);
    assert.equal((await api.get('/properties/search?min_units=3&max_units=2')).status, 400);
  });
});
