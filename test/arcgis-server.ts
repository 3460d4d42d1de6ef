// A realistic ArcGIS server: it may not list ids, truncates pages, returns errors with status 200, sends HTML, fails on
// one row, and changes while it is read.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

export interface ServedFeature {
  attributes: Record<string, unknown> | null;
  geometry?: object | null;
}

export interface ServedLayer {
  /** The layer's metadata besides its fields. */
  facts?: Record<string, unknown>;
  fields: { name: string; type?: string; alias?: string; domain?: object }[];
  features: ServedFeature[];
  idField?: string;
  /** The actual page size, whatever `maxRecordCount` says. */
  limit?: number;
  without?: ('ids' | 'count' | 'paging' | 'conditions' | 'metadata' | 'limit-word')[];
  /** Unsupported parameters, for which it returns its first rows. */
  ignores?: ('ids' | 'count' | 'paging')[];
  /** Rows omit their ids. */
  hidesIds?: boolean;
  /** Ids that make the server fail: only with their shape, or always. */
  badShapes?: number[];
  badRows?: number[];
  spatialReference?: object;
  transform?: object;
  /** Called before every answer, for a layer that changes. */
  onQuery?: (query: URLSearchParams, layer: ServedLayer) => void;
}

export interface ArcgisServer {
  url: string;
  /** `?where=…` of everything that was asked. */
  queries: URLSearchParams[];
  layers: Record<string, ServedLayer>;
  /** The share of faulty answers, each in a different way. */
  faults: number;
  /** From this answer on the server is down. */
  downFrom?: number;
  answer?: (path: string, query: URLSearchParams) => object | undefined;
}

/** A seeded generator, so a failing run can be repeated. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

export async function startArcgis(seed = 1): Promise<ArcgisServer> {
  const random = randomFrom(seed);
  const served: ArcgisServer = { url: '', queries: [], layers: {}, faults: 0 };
  const server = createServer((request, response) => {
    const { pathname, searchParams: query } = new URL(request.url!, 'http://arcgis');
    served.queries.push(query);
    if (served.queries.length >= (served.downFrom ?? Infinity)) return void response.destroy();
    if (random() < served.faults) return goWrong(response, random);
    const path = pathname.replace(/^\//, '');
    const found = served.answer?.(path, query) ?? answerOf(served.layers, path, query);
    const { status = 200, ...body } = found as { status?: number };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  served.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return served;
}

function goWrong(response: ServerResponse, random: () => number): void {
  const way = Math.floor(random() * 6);
  if (way === 0) return void response.writeHead(500).end('Error');
  if (way === 1) return void response.writeHead(503, { 'retry-after': '0' }).end();
  if (way === 2) return void response.destroy();
  if (way === 3) return void response.end('<html><body>Service unavailable</body></html>');
  if (way === 4)
    return void response.end(
      JSON.stringify({ error: { code: 500, message: 'Error performing query operation', details: [] } }),
    );
  response.writeHead(200, { 'content-length': 5_000 });
  response.write('{"features":[{"attributes":{"OBJECTID":');
  return void response.destroy();
}

const error = (code: number, message: string) => ({ error: { code, message, details: [] } });

function answerOf(layers: Record<string, ServedLayer>, path: string, query: URLSearchParams): object {
  const layer = layers[path.replace(/\/query$/, '')];
  if (!layer) return { status: 404 };
  if (!path.endsWith('/query'))
    return layer.without?.includes('metadata')
      ? error(400, 'Invalid URL')
      : { maxRecordCount: layer.limit ?? 1000, type: 'Feature Layer', fields: layer.fields, ...layer.facts };
  layer.onQuery?.(query, layer);
  return answerQuery(layer, query);
}

function answerQuery(layer: ServedLayer, query: URLSearchParams): object {
  const { idField = 'OBJECTID', without = [], ignores = [], limit = 1000 } = layer;
  const idOf = ({ attributes }: ServedFeature) => Number(attributes?.[idField]);
  if (without.includes('conditions') && query.get('where') !== '1=1')
    return error(400, 'Unable to complete operation.');
  const wanted = query.get('objectIds')?.split(',').map(Number);
  const found = layer.features.filter(
    (feature) => fits(feature, query.get('where') ?? '1=1') && (!wanted || wanted.includes(idOf(feature))),
  );
  if (query.get('returnCountOnly') === 'true' && !ignores.includes('count'))
    return without.includes('count') ? error(400, 'Unable to complete operation.') : { count: found.length };
  if (query.get('returnIdsOnly') === 'true' && !ignores.includes('ids'))
    return without.includes('ids')
      ? error(400, 'Invalid or missing input parameters.')
      : { objectIdFieldName: idField, objectIds: found.map((feature) => feature.attributes![idField]) };
  if (query.get('returnDistinctValues') === 'true') {
    const name = query.get('outFields')!;
    const values = [...new Set(found.map(({ attributes }) => attributes?.[name]))];
    return { features: values.slice(0, limit).map((value) => ({ attributes: { [name]: value } })) };
  }
  const offset = ignores.includes('paging') ? null : query.get('resultOffset');
  if (offset !== null && without.includes('paging')) return error(400, 'Pagination is not supported.');
  const start = Number(offset ?? 0);
  const asked = Number((!ignores.includes('paging') && query.get('resultRecordCount')) || Infinity);
  const page = found.slice(start, start + Math.min(asked, limit));
  const isBroken = page.some(
    (feature) =>
      layer.badRows?.includes(idOf(feature)) ||
      (query.get('returnGeometry') !== 'false' && layer.badShapes?.includes(idOf(feature))),
  );
  if (isBroken) return error(500, 'Error performing query operation');
  const isCut = start + page.length < found.length && !without.includes('limit-word');
  return {
    spatialReference: layer.spatialReference ?? { wkid: 4326, latestWkid: 4326 },
    ...(layer.transform && { transform: layer.transform }),
    features: page.map(({ attributes, geometry }) => ({
      attributes: layer.hidesIds ? { ...attributes, [idField]: undefined } : attributes,
      ...(query.get('returnGeometry') !== 'false' && { geometry }),
    })),
    ...(isCut && { exceededTransferLimit: true }),
  };
}

/** Comparisons of one column with a number or a text, joined by AND. */
function fits({ attributes }: ServedFeature, where: string): boolean {
  return where.split(/ AND /i).every((part) => {
    const bare = part.replaceAll(/^[(\s]+|[)\s]+$/g, '');
    if (bare === '1=1') return true;
    const [, column, sign, text] = /^(\S+)\s*(>=|<=|=)\s*(.+)$/.exec(bare)!;
    const cell = attributes?.[column];
    const value = text.startsWith("'") ? text.slice(1, -1) : Number(text);
    if (sign === '=') return cell === value || Number(cell) === value;
    return sign === '>=' ? Number(cell) >= Number(value) : Number(cell) <= Number(value);
  });
}
