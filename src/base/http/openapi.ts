// The OpenAPI 3.1 document, made from the routes themselves: the shapes that validate are the shapes documented.
// A shape with a `title` becomes a component; the errors a route declares become its responses.
import type { RouteOptions } from 'fastify';
import { mapValues } from '../lib/pick.ts';
import { ERRORS, type ErrorCode } from '../lib/errors.ts';
import { ITEMS } from '../lib/schema.ts';
import { ErrorBody } from './errors.ts';
import parts from './openapi-parts.json' with { type: 'json' };
import descriptions from './operations.json' with { type: 'json' };
import type { App } from './types.ts';

type Json = Record<string, unknown>;

/** Schemas that are described once and referenced everywhere. */
interface Components {
  schemas: Json;
  responses: Json;
}

/** Errors that any route can answer, and those of keyed and of metered routes, of routes with a body and with an id. */
const ERRORS_OF = parts.errors as Record<keyof typeof parts.errors, ErrorCode[]>;
/** By operation id; descriptions that include the program's figures are with their routes. */
const DESCRIPTIONS: Record<string, string> = descriptions;
const HEADERS: Record<string, Json> = parts.headers;
const TAGS: Record<string, string> = parts.tags;

/** The header components of every answer, and those that keyed routes add. */
const PUBLIC_HEADERS: Record<string, string> = parts.publicHeaders;
const KEYED_HEADERS: Record<string, string> = { ...PUBLIC_HEADERS, ...parts.meterHeaders };

interface Collected {
  route: RouteOptions;
  isKeyed: boolean;
}

/** Collects every route as it is registered; must run before the routes. */
export function collectRoutes(app: App): Collected[] {
  const collected: Collected[] = [];
  app.addHook('onRoute', (route) => {
    if (route.method === 'HEAD' || route.config?.isHidden || !route.schema) return;
    collected.push({ route, isKeyed: route.config?.scope !== undefined || route.config?.meter !== undefined });
  });
  return collected;
}

/** An event that is sent to customers' webhooks; `shapes` has the data of all of them under one title. */
interface Events {
  kinds: Record<string, { what: string; example: object }>;
  shapes: object;
}

/** `serverUrl` is the server of this document, so a generated client calls the same server. */
export function buildOpenApi(
  collected: Collected[],
  { version, serverUrl }: { version: string; serverUrl: string },
  events: Events,
): Json {
  const components: Components = { schemas: {}, responses: {} };
  const paths: Record<string, Json> = {};
  for (const { route, isKeyed } of collected) {
    const path = route.url.replace(/\([^)]*\)/g, '').replace(/:(\w+)/g, '{$1}');
    const operation = describeOperation(route, isKeyed, components);
    paths[path] = { ...paths[path], [String(route.method).toLowerCase()]: operation };
  }
  const tags = [...new Set(collected.flatMap(({ route }) => tagsOf(route)))].sort();
  hoist(ErrorBody, components);
  const webhooks = describeWebhooks(events, components);
  return {
    openapi: '3.1.0',
    info: { ...parts.info, version },
    servers: [{ url: serverUrl, 'x-internal': false }],
    tags: tags.map((name) => ({ name, description: TAGS[name] ?? name })),
    paths: inOrder(paths),
    webhooks,
    components: {
      schemas: inOrder(components.schemas),
      responses: inOrder(components.responses),
      headers: HEADERS,
      securitySchemes: parts.securitySchemes,
    },
  };
}

function describeWebhooks({ kinds, shapes }: Events, components: Components): Json {
  const { $ref } = hoist(shapes, components) as { $ref: string };
  const describe = ([type, { what, example }]: [string, Events['kinds'][string]]) => {
    const data = { $ref: `${$ref}/properties/${type}` };
    const own = { type: 'object', properties: { type: { const: type }, data } };
    const schema = { allOf: [{ $ref: '#/components/schemas/Event' }, own] };
    const operation = {
      operationId: `receive_${type.replace('.', '_')}`,
      summary: what,
      tags: ['webhooks'],
      // Deliveries carry a signature instead of a key.
      security: [],
      requestBody: {
        required: true,
        content: { 'application/json': { schema, example: { ...parts.event, type, data: example } } },
      },
      responses: { '2XX': { description: 'The delivery is acknowledged.' } },
    };
    return [type, { post: operation }];
  };
  return Object.fromEntries(Object.entries(kinds).map(describe));
}

const tagsOf = (route: RouteOptions): string[] => (route.schema as { tags?: string[] }).tags ?? [];

function describeOperation(route: RouteOptions, isKeyed: boolean, components: Components): Json {
  const schema = route.schema as Json & { response?: Record<string, Json> };
  const { scope, etag, mayLag } = route.config ?? {};
  const own = { ...(etag && { ETag: 'ETag' }), ...(mayLag && { 'x-data-lag-ms': 'DataLag' }) };
  const asked = { path: schema.params, query: schema.querystring, header: schema.headers };
  const parameters = Object.entries(asked).flatMap(([where, shape]) =>
    describeParameters(shape as Json | undefined, where, components),
  );
  const body = schema.body as Json | undefined;
  const said = schema.description ?? DESCRIPTIONS[schema.operationId as string];
  const description = [said, scope && `Needs the scope \`${scope}\`.`].filter(Boolean).join('\n\n');
  return {
    operationId: schema.operationId,
    summary: schema.summary,
    ...(description && { description }),
    tags: tagsOf(route),
    ...(isKeyed ? { security: [{ ApiKey: [] }, { Bearer: [] }] } : { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: describeBody(body, components) }),
    responses: {
      ...mapValues(schema.response ?? {}, (response) => describeResponse(response, isKeyed, own, components)),
      ...describeErrors(errorsOf(route, isKeyed), isKeyed, components),
    },
  };
}

export function errorsOf({ schema, config = {} }: RouteOptions, isKeyed: boolean): ErrorCode[] {
  const { meter, liveData, errors = [] } = config;
  const codes = [...ERRORS_OF.all, 'rate_limited' as const, ...errors];
  if (isKeyed) codes.push(...ERRORS_OF.keyed);
  if (liveData) codes.push(...ERRORS_OF.live);
  if (meter === 'standard' || meter === 'avm') codes.push(...ERRORS_OF.metered);
  if (schema?.body) codes.push(...ERRORS_OF.bodies);
  if (schema?.params && !errors.includes('property_not_found')) codes.push(...ERRORS_OF.ids);
  return [...new Set(codes)];
}

function describeParameters(shape: Json | undefined, where: string, components: Components): Json[] {
  if (!shape) return [];
  const required = (shape.required as string[] | undefined) ?? [];
  return Object.entries(shape.properties as Record<string, Json>).map(([name, schema]) => {
    const { description, [ITEMS]: items, ...rest } = schema;
    const examples = schema.examples as string[] | undefined;
    const asArray = {
      type: 'array',
      items,
      maxItems: 500,
      ...(examples && { examples: examples.map((each) => each.split(',')) }),
    };
    return {
      name,
      in: where,
      required: where === 'path' || required.includes(name),
      ...(description !== undefined && { description }),
      ...(items !== undefined && { style: 'form', explode: false }),
      schema: hoist(items === undefined ? rest : asArray, components),
    };
  });
}

function describeBody(body: Json, components: Components): Json {
  const { content = { 'application/json': { schema: body } } } = body as Body;
  return { required: true, content: describeContent(content, components) };
}

type Content = Record<string, { schema: Json }>;
interface Body {
  content?: Content;
}

const describeContent = (content: Content, components: Components): Json =>
  mapValues(content, ({ schema }) => ({ schema: hoist(schema, components) }));

function describeResponse(response: Json, isKeyed: boolean, own: Record<string, string>, components: Components): Json {
  const { content, description, headers: _headers, ...schema } = response as Json & Pick<Body, 'content'>;
  const isEmpty = !content && schema.type === 'null';
  const media = content ?? { 'application/json': { schema } };
  return {
    description: description ?? 'Success.',
    headers: refHeaders(isKeyed, own),
    ...(!isEmpty && { content: describeContent(media, components) }),
  };
}

function describeErrors(codes: ErrorCode[], isKeyed: boolean, components: Components): Json {
  const byStatus = Map.groupBy(codes, (code) => ERRORS[code][0]);
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, list]) => [String(status), describeStatus(status, list, isKeyed, components)]),
  );
}

/** Keyed routes share most of their errors, so each set is described once and referenced. */
function describeStatus(status: number, codes: ErrorCode[], isKeyed: boolean, components: Components): Json {
  const response = {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code][1]}.`).join(' '),
    headers: refHeaders(isKeyed, {
      ...((status === 429 || status === 503) && { 'Retry-After': 'RetryAfter' }),
      ...(status === 401 && { 'WWW-Authenticate': 'Challenge' }),
    }),
    content: { 'application/problem+json': { schema: hoist(ErrorBody, components) } },
  };
  if (!isKeyed) return response;
  const name = [status, ...codes].join('.');
  components.responses[name] ??= response;
  return { $ref: `#/components/responses/${name}` };
}

const inOrder = (members: Json): Json =>
  Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));

function refHeaders(isKeyed: boolean, own: Record<string, string>): Json {
  const headers = Object.entries({ ...(isKeyed ? KEYED_HEADERS : PUBLIC_HEADERS), ...own });
  return Object.fromEntries(headers.map(([name, component]) => [name, { $ref: `#/components/headers/${component}` }]));
}

/** A copy of a shape in which every titled object is a reference to its component. */
function hoist(value: unknown, components: Components): unknown {
  if (Array.isArray(value)) return value.map((item) => hoist(item, components));
  if (value === null || typeof value !== 'object') return value;
  const members = Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [name, hoist(member, components)]),
  );
  if (members.type === 'integer') members.format ??= 'int64';
  const title = (value as Json).title;
  if (typeof title !== 'string') return members;
  const isNullable = Array.isArray(members.type);
  const { title: _title, ...body } = members;
  components.schemas[title] ??= isNullable ? { ...body, type: (members.type as string[])[0] } : body;
  const reference = { $ref: `#/components/schemas/${title}` };
  return isNullable ? { anyOf: [reference, { type: 'null' }] } : reference;
}
