// OGC API – Features: properties, parcels, sales and areas as layers of QGIS, GDAL and other GIS programs.
import Type from 'typebox';
import type { FastifyRequest } from 'fastify';
import type { Deps } from '../../base/deps.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { oneOf, strict, text, wholeNumber } from '../../base/lib/schema.ts';
import api from './api.json' with { type: 'json' };
import { COLLECTIONS, collectionNamed, daysOf } from './collections.ts';
import { boxesInDegrees, crsNamed, CRS_URIS, projectGeometry, STORAGE_CRS } from './crs.ts';

const PARTS = 'http://www.opengis.net/spec/';
const CONFORMANCE = [
  ...['core', 'geojson', 'oas30'].map((name) => `${PARTS}ogcapi-features-1/1.0/conf/${name}`),
  `${PARTS}ogcapi-features-2/1.0/conf/crs`,
  ...['queryables', 'filter', 'features-filter'].map((name) => `${PARTS}ogcapi-features-3/1.0/conf/${name}`),
  ...['cql2-text', 'basic-cql2', 'advanced-comparison-operators'].map((name) => `${PARTS}cql2/1.0/conf/${name}`),
];
/** The standard's newest version. Programs compare the type as text, so it is sent as bytes, without a charset. */
const OPENAPI_TYPE = 'application/vnd.oai.openapi+json;version=3.0';
/** Programs that want everything request larger pages; per the standard the server caps them. */
const { maximum: MAX_PAGE, default: DEFAULT_PAGE } = api.components.parameters.limit.schema;

const Document = Type.Object({}, { additionalProperties: true });
const GeoJson = { 200: { description: 'GeoJSON.', content: { 'application/geo+json': { schema: Document } } } };
const format = { f: Type.Optional(oneOf(['json'], { description: 'JSON is the only format.' })) };
const plain = { querystring: strict(format), response: { 200: Document } };
const crsParameter = Type.Optional(text(200, { description: `One of ${CRS_URIS.join(', ')}.` }));
const CollectionParams = Type.Object({
  collection: text(40, { description: Object.keys(COLLECTIONS).join(', ') }),
});

export function ogcRoutes(app: App, deps: Deps): void {
  const free = operationsOf('gis', { scope: 'properties:read', meter: 'none' });
  const reads = operationsOf('gis', { scope: 'properties:read', meter: 'standard', liveData: true });
  const root = `${deps.config.baseUrl}/api/v1/ogc`;
  const link = (rel: string, href: string, type = 'application/json') => ({ rel, href, type });

  app.get('/ogc', free('ogc_landing_page', 'OGC API – Features: landing page', plain), async () => ({
    title: 'Platbook',
    description: 'Properties, parcels, sales and areas as layers for GIS programs.',
    links: [
      link('self', root),
      link('service-desc', `${root}/api`, OPENAPI_TYPE),
      link('service-doc', `${deps.config.baseUrl}/docs/gis`, 'text/html'),
      link('conformance', `${root}/conformance`),
      link('data', `${root}/collections`),
    ],
  }));

  app.get(
    '/ogc/api',
    { config: { isHidden: true, scope: 'properties:read', meter: 'none' }, schema: { querystring: strict({}) } },
    async (_request, reply) =>
      reply
        .header('content-type', OPENAPI_TYPE)
        .send(Buffer.from(JSON.stringify({ ...api, servers: [{ url: root }] }))),
  );

  app.get('/ogc/conformance', free('ogc_conformance', 'OGC API – Features: what is implemented', plain), async () => ({
    conformsTo: CONFORMANCE,
  }));

  async function describe(id: string, request: FastifyRequest) {
    const { title, description } = collectionNamed(id);
    const self = `${root}/collections/${id}`;
    return {
      id,
      title,
      description,
      itemType: 'feature',
      extent: await extentOf(deps, request),
      crs: CRS_URIS,
      storageCrs: STORAGE_CRS,
      links: [
        link('self', self),
        link('items', `${self}/items`, 'application/geo+json'),
        link('http://www.opengis.net/def/rel/ogc/1.0/queryables', `${self}/queryables`, 'application/schema+json'),
      ],
    };
  }

  app.get('/ogc/collections', free('ogc_collections', 'OGC API – Features: the layers', plain), async (request) => ({
    links: [link('self', `${root}/collections`)],
    collections: await Promise.all(Object.keys(COLLECTIONS).map((id) => describe(id, request))),
  }));

  app.get(
    '/ogc/collections/:collection',
    free('ogc_collection', 'OGC API – Features: one layer', { ...plain, params: CollectionParams }),
    async (request) => describe(request.params.collection, request),
  );

  app.get(
    '/ogc/collections/:collection/queryables',
    free('ogc_queryables', 'OGC API – Features: what a filter can name', {
      params: CollectionParams,
      querystring: strict(format),
      response: { 200: { description: 'JSON Schema.', content: { 'application/schema+json': { schema: Document } } } },
    }),
    async ({ params, caller }, reply) => {
      const { title, queryables } = collectionNamed(params.collection);
      void reply.type('application/schema+json; charset=utf-8');
      return {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: `${root}/collections/${params.collection}/queryables`,
        type: 'object',
        title,
        properties: queryables(caller.key.scopes),
        additionalProperties: false,
      };
    },
  );

  app.get(
    '/ogc/collections/:collection/items',
    reads('ogc_items', 'OGC API – Features: the features of a layer, page by page', {
      mayLag: true,
      params: CollectionParams,
      querystring: strict({
        ...format,
        limit: Type.Optional(
          wholeNumber({ minimum: 1, maximum: 1_000_000, description: `At most ${MAX_PAGE} are given.` }),
        ),
        cursor: Type.Optional(text(2_000, { minLength: 1, description: 'From the `next` link.' })),
        bbox: Type.Optional(text(200, { description: 'minLng,minLat,maxLng,maxLat, or in `bbox-crs`.' })),
        'bbox-crs': crsParameter,
        datetime: Type.Optional(text(80, { description: 'A day or a span; for sales, when they were made.' })),
        crs: crsParameter,
        filter: Type.Optional(text(4_000, { minLength: 1, description: 'CQL2 text over the queryables.' })),
        'filter-lang': Type.Optional(oneOf(['cql2-text'])),
        'filter-crs': Type.Optional(oneOf([STORAGE_CRS])),
      }),
      response: GeoJson,
      errors: ['invalid_cursor', 'cursor_mismatch', 'geometry_invalid', 'geometry_too_large'],
    }),
    async (request, reply) => {
      const { params, query } = request;
      const crs = crsNamed('crs', query.crs);
      const { bbox, filter, datetime, cursor, limit = DEFAULT_PAGE } = query;
      const boxCrs = crsNamed('bbox-crs', query['bbox-crs']);
      const page = await collectionNamed(params.collection).list(deps, request.caller, {
        boxes: bbox === undefined ? undefined : boxesInDegrees(bbox, boxCrs),
        filter,
        days: datetime === undefined ? undefined : daysOf(datetime),
        cursor,
        limit: Math.min(limit, MAX_PAGE),
      });
      void reply.type('application/geo+json; charset=utf-8').header('content-crs', `<${crs.uri}>`);
      const here = new URL(`${root}/collections/${params.collection}/items`);
      for (const [name, value] of Object.entries(query)) here.searchParams.set(name, String(value));
      const self = here.href;
      if (page.next !== null) here.searchParams.set('cursor', page.next);
      return {
        type: 'FeatureCollection',
        features: page.features.map((feature) => ({ ...feature, geometry: projectGeometry(feature.geometry, crs) })),
        numberReturned: page.features.length,
        timeStamp: deps.clock().toISOString(),
        links: [
          link('self', self, 'application/geo+json'),
          link('collection', `${root}/collections/${params.collection}`),
          ...(page.next === null ? [] : [link('next', here.href, 'application/geo+json')]),
        ],
      };
    },
  );

  app.get(
    '/ogc/collections/:collection/items/:id',
    reads('ogc_item', 'OGC API – Features: one feature', {
      params: Type.Object({ ...CollectionParams.properties, id: text(120, { minLength: 1 }) }),
      querystring: strict({ ...format, crs: crsParameter }),
      response: GeoJson,
      errors: ['resource_not_found', 'property_not_found', 'property_superseded', 'address_ambiguous'],
    }),
    async ({ params, query, caller }, reply) => {
      const crs = crsNamed('crs', query.crs);
      const feature = await collectionNamed(params.collection).find(deps, caller, params.id);
      void reply.type('application/geo+json; charset=utf-8').header('content-crs', `<${crs.uri}>`);
      const collection = `${root}/collections/${params.collection}`;
      return {
        ...feature,
        geometry: projectGeometry(feature.geometry, crs),
        links: [
          link('self', `${collection}/items/${feature.id}`, 'application/geo+json'),
          link('collection', collection),
        ],
      };
    },
  );
}

/** The box of every county visible in the caller's mode. */
async function extentOf(deps: Pick<Deps, 'catalog'>, { caller }: FastifyRequest) {
  const boxes = (await deps.catalog.read()).visible[caller.key.mode].filter((row) => row.min_longitude !== null);
  const bbox = [
    Math.min(...boxes.map((row) => row.min_longitude!)),
    Math.min(...boxes.map((row) => row.min_latitude!)),
    Math.max(...boxes.map((row) => row.max_longitude!)),
    Math.max(...boxes.map((row) => row.max_latitude!)),
  ];
  return boxes.length === 0 ? undefined : { spatial: { bbox: [bbox], crs: STORAGE_CRS } };
}
