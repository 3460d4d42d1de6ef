// HTTP routes for property records: search, count, single records and their history.
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Deps } from '../../base/deps.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { presentPage } from '../../base/lib/pages.ts';
import { cursorParameter, limitParameter, namedStrict, oneOf, pageOf, Paging, strict } from '../../base/lib/schema.ts';
import { FilterBody, FilterParameters } from './filter.ts';
import { CONTENT_TYPES, FORMATS, toCsv, toGeoJson, toNdjson } from './formats.ts';
import { fieldsParameter, includeParameter, readFields, readIncludes } from './parameters.ts';
import { redactPeople } from './redact.ts';
import { isOwnerSuppressed, listChanges, listTransactions, presentProperties, type RiskReader } from './properties.ts';
import { listAssessments } from './sql.ts';
import { answerAbout, filterOf, MOVED, PropertyParams, RECORD_ERRORS, viewOf } from './request.ts';
import { presentAssessment, presentChange } from './record.ts';
import { AssessmentPage, ChangePage, Property, PropertyCount, PropertyPage, TransactionPage } from './schema.ts';
import { countProperties, countRoughly } from './count.ts';
import { searchProperties } from './search.ts';
import { SORTS } from './sorts.ts';

const operation = operationsOf('properties');

const paging = {
  sort: Type.Optional(
    oneOf(SORTS, {
      description: 'Sort order; `-` for descending. Properties without the value come last. Default: by id.',
    }),
  ),
  limit: limitParameter(),
  cursor: cursorParameter,
  include_total: Type.Optional(
    Type.Boolean({ description: 'Also return the total number of matches.', default: false }),
  ),
};

const SearchQuery = strict({
  ...FilterParameters,
  ...paging,
  fields: fieldsParameter,
  include: includeParameter,
  format: Type.Optional(oneOf(FORMATS, { description: 'Default: json.', default: 'json' })),
});
const SearchBody = namedStrict('PropertySearch', {
  ...FilterBody,
  ...paging,
  fields: fieldsParameter,
  include: includeParameter,
  format: Type.Optional(oneOf(FORMATS, { default: 'json' })),
});

const GeoJson = Type.Object(
  {},
  { title: 'PropertyFeatureCollection', additionalProperties: true, description: 'A GeoJSON FeatureCollection.' },
);
const searchResponse = {
  200: {
    description: 'The matching properties; an empty list if none match.',
    content: {
      'application/json': { schema: PropertyPage },
      'application/geo+json': { schema: GeoJson },
      'application/x-ndjson': { schema: Type.String({ maxLength: 50_000_000 }) },
      'text/csv': { schema: Type.String({ maxLength: 50_000_000 }) },
    },
  },
};

export function propertyRoutes(app: App, deps: Deps, readRisk: RiskReader): void {
  const reads = operationsOf('properties', { scope: 'properties:read', meter: 'standard' });
  const searchErrors = {
    errors: ['invalid_cursor', 'cursor_mismatch', 'geometry_invalid', 'geometry_too_large'],
  } as const;

  async function search(
    request: FastifyRequest,
    reply: FastifyReply,
    query: Static<typeof SearchQuery> | Static<typeof SearchBody>,
  ) {
    const filter = filterOf(request.caller, query);
    const shape = { includes: readIncludes(query.include), fields: readFields(query.fields), readRisk };
    const limit = query.limit ?? 50;
    const view = viewOf(request);
    const found = await searchProperties(deps, view.mode, { filter, sort: query.sort, limit, cursor: query.cursor });
    const properties = await presentProperties(deps, view, found.rows, shape);
    const format = query.format ?? 'json';
    void reply.type(CONTENT_TYPES[format]);
    if (format === 'json') {
      const total = query.include_total ? await countProperties(deps, view.mode, filter) : null;
      return pageOf(properties, limit, found.nextCursor, total);
    }
    if (found.nextCursor !== null) void reply.header('x-next-cursor', found.nextCursor);
    if (format === 'geojson') return toGeoJson(properties, found.rows, found.nextCursor);
    return format === 'csv' ? toCsv(properties, shape) : toNdjson(properties);
  }

  app.get(
    '/properties/search',
    reads('search_properties', 'Search properties', {
      ...searchErrors,
      mayLag: true,
      querystring: SearchQuery,
      response: searchResponse,
    }),
    (request, reply) => search(request, reply, request.query),
  );

  app.post(
    '/properties/search',
    reads('search_properties_by_body', 'Search properties with a geometry', {
      ...searchErrors,
      openToGuests: true,
      mayLag: true,
      body: SearchBody,
      response: searchResponse,
    }),
    (request, reply) => search(request, reply, request.body),
  );

  app.get(
    '/properties/count',
    operation('count_properties', 'Count the properties that match a search', {
      scope: 'properties:read',
      meter: 'none',
      liveData: true,
      budget: 'freeReads',
      openToGuests: true,
      mayLag: true,
      querystring: strict(FilterParameters),
      response: { 200: PropertyCount },
    }),
    async (request) => {
      const filter = filterOf(request.caller, request.query);
      const { mode } = request.caller.key;
      if (mode === 'live') return { object: 'count' as const, ...(await countRoughly(deps, filter)) };
      const count = await countProperties(deps, mode, filter);
      return { object: 'count' as const, count, is_exact: true, widened: [] };
    },
  );

  const recordErrors = { errors: RECORD_ERRORS };

  app.get(
    '/properties/:id',
    reads('get_property', 'Get one property', {
      ...recordErrors,
      etag: true,
      openToGuests: true,
      params: PropertyParams,
      querystring: strict({ include: includeParameter, fields: fieldsParameter }),
      response: { 200: Property, ...MOVED },
    }),
    (request, reply) =>
      answerAbout(deps, request, reply, async (row) => {
        const fields = readFields(request.query.fields);
        const includes = [...readIncludes(request.query.include), ...(fields ? [] : (['provenance'] as const))];
        const [property] = await presentProperties(deps, viewOf(request), [row], { includes, fields, readRisk });
        return property;
      }),
  );

  app.get(
    '/properties/:id/transactions',
    operation('list_transactions', 'List deeds, mortgages and releases, newest first', {
      ...recordErrors,
      scope: 'transactions:read',
      meter: 'standard',
      params: PropertyParams,
      querystring: strict({
        type: Type.Optional(oneOf(['deed', 'mortgage', 'release', 'foreclosure', 'other'])),
        limit: limitParameter(),
        cursor: cursorParameter,
      }),
      response: { 200: TransactionPage, ...MOVED },
    }),
    (request, reply) =>
      answerAbout(deps, request, reply, (row) => listTransactions(deps, viewOf(request), row, request.query)),
  );

  app.get(
    '/properties/:id/assessments',
    reads('list_assessments', 'List assessments by year, newest first', {
      ...recordErrors,
      params: PropertyParams,
      querystring: strict({}),
      response: { 200: AssessmentPage, ...MOVED },
    }),
    (request, reply) =>
      answerAbout(deps, request, reply, async (row) =>
        pageOf((await listAssessments(deps.data, [row])).map(presentAssessment), 500, null),
      ),
  );

  app.get(
    '/properties/:id/changes',
    reads('list_property_changes', 'List changes to a record, newest first', {
      ...recordErrors,
      params: PropertyParams,
      querystring: Paging,
      response: { 200: ChangePage, ...MOVED },
    }),
    (request, reply) =>
      answerAbout(deps, request, reply, async (row) => {
        const mayShow = viewOf(request).mayReadOwners && !(await isOwnerSuppressed(deps, row.id));
        const show = mayShow ? <Side>(side: Side) => side : redactPeople;
        return presentPage(await listChanges(deps, row, request.query), (change) =>
          presentChange({ ...change, before: show(change.before), after: show(change.after) }),
        );
      }),
  );
}
