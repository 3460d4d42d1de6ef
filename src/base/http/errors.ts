// The one place where an error becomes a response: RFC 9457 members, our stable `code`, and the request id.
import type { FastifyError, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify';
import Type from 'typebox';
import { isDatabaseAway, isPoolExhausted, isStatementTimeout, isStorageFull } from '../db/postgres.ts';
import { ApiError, ERRORS, isRetryable, type ErrorCode, type ErrorMembers } from '../lib/errors.ts';
import { describeFailure } from '../lib/failures.ts';
import { isoDay, named, nullable, oneOf, text, wholeNumber } from '../lib/schema.ts';
import { nearestWord } from '../lib/suggest.ts';
import refusals from './refusals.json' with { type: 'json' };
import type { App } from './types.ts';

const RETRY_AFTER_SECONDS = 2;
const MAX_DETAIL = 1_000;
const MAX_POINTER = 500;
const MAX_INSTANCE = 2_000;
const PLACES = /^\/(body|query|params|headers)(\/|$)/;

const NearestCovered = Type.Object(
  { city: nullable(text(100)), state: text(2), zip: text(5) },
  { description: 'The covered place closest, by ZIP, to an address outside coverage.' },
);

const Candidate = Type.Object(
  {
    property_id: text(40),
    address: nullable(text(400)),
    apn: Type.Optional(text(80)),
    unit: Type.Optional(nullable(text(60))),
  },
  { description: 'A property that the request may mean; `apn` and `unit` come with parcel numbers.' },
);

export const ErrorBody = named('Error', {
  object: oneOf(['error']),
  type: text(300, { format: 'uri-reference', description: 'The page about this error.' }),
  title: text(200),
  status: wholeNumber({ minimum: 400, maximum: 599 }),
  code: oneOf(Object.keys(ERRORS), { description: 'Stable: branch on this.' }),
  detail: text(2_000, { description: 'What happened and what to do next.' }),
  instance: text(2_000, { format: 'uri-reference' }),
  request_id: text(64),
  retryable: Type.Boolean(),
  errors: Type.Optional(
    Type.Array(Type.Object({ pointer: text(500), code: text(64), detail: text(1_000) }), { maxItems: 100 }),
  ),
  candidates: Type.Optional(Type.Array(Candidate, { maxItems: 10 })),
  suggestions: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 10 })),
  successors: Type.Optional(Type.Array(text(40), { maxItems: 100 })),
  nearest_covered: Type.Optional(NearestCovered),
  reason: Type.Optional(
    text(100, { description: 'Which cause of the code it was, e.g. `no_coordinates` of `insufficient_data`.' }),
  ),
  as_of_range: Type.Optional(
    Type.Object({ from: isoDay(), to: isoDay() }, { description: 'The days that `as_of` can be.' }),
  ),
  required_scope: Type.Optional(text(40)),
  limit: Type.Optional(wholeNumber()),
});

declare module 'fastify' {
  interface FastifyInstance {
    countFailure(code: ErrorCode): void;
    /** If the web app is served: sends the app's page, which routes by URL. */
    sendPage?: (request: FastifyRequest, reply: FastifyReply, cacheControl?: string) => unknown;
    /** The `www-authenticate` header of a 401, which points to the authorization server. */
    bearerChallenge?: (request: FastifyRequest) => string;
  }
}

/** `countFailure` gets the code of every 5xx response. */
export function registerErrors(app: App, countFailure: (code: ErrorCode) => void = () => {}): void {
  app.decorate('countFailure', countFailure);
  app.setErrorHandler<FastifyError>((error, request, reply) => sendError(request, reply, translate(error, request)));
  app.setNotFoundHandler((request, reply) => {
    const allowed = allowedMethods(app, request);
    if (allowed.length > 0) {
      reply.header('allow', allowed.join(', '));
      const detail = `${request.method} is not possible here; ${allowed.join(', ')} ${allowed.length > 1 ? 'are' : 'is'}.`;
      return sendError(request, reply, new ApiError('method_not_allowed', detail));
    }
    // A person who mistyped a URL gets an HTML page; programs get the error as JSON.
    if (app.sendPage && isFromAddressBar(request)) return app.sendPage(request, reply.code(404));
    return sendError(
      request,
      reply,
      new ApiError('route_not_found', 'Nothing answers at this path. The paths are listed at /docs.'),
    );
  });
}

const isFromAddressBar = ({ method, url, headers }: FastifyRequest): boolean =>
  method === 'GET' && (headers.accept ?? '').includes('text/html') && !/^\/(api|session|hooks|mcp|oauth)\b/.test(url);

export function sendError(request: FastifyRequest, reply: FastifyReply, error: ApiError) {
  const { retryAfterSeconds, ...members } = error.members;
  if (error.status === 401)
    reply.header('www-authenticate', request.server.bearerChallenge?.(request) ?? 'Bearer realm="platbook"');
  if (error.status === 429 || error.status === 503 || retryAfterSeconds !== undefined) {
    reply.header('retry-after', Math.max(1, Math.ceil(retryAfterSeconds ?? RETRY_AFTER_SECONDS)));
  }
  if (error.status >= 500) logFailure(request, error);
  return reply
    .header('x-request-id', request.id)
    .code(error.status)
    .type('application/problem+json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(bodyOf(error.code, error.message, placed(members, request.method), request.url, request.id));
}

/** Rooms name an input member without knowing which part of the request it came from; it is resolved here. */
function placed(members: ErrorMembers, method: string): ErrorMembers {
  if (!members.errors) return members;
  const place = ['GET', 'HEAD', 'DELETE'].includes(method) ? '/query' : '/body';
  return {
    ...members,
    errors: members.errors.map((item) => ({
      ...item,
      pointer: PLACES.test(item.pointer) ? item.pointer : `${place}${item.pointer}`,
    })),
  };
}

/** Once per failed request: the code the caller got, the cause, and a fingerprint shared by equal failures. */
function logFailure(request: FastifyRequest, error: ApiError): void {
  const { method, routeOptions } = request;
  const route = `${method} ${routeOptions.url ?? 'unknown'}`;
  request.log.error({ ...describeFailure(error), request_id: request.id, route }, 'request failed');
  request.server.countFailure(error.code);
}

export function bodyOf(code: ErrorCode, detail: string, members: ErrorMembers, instance: string, requestId: string) {
  const [status, title] = ERRORS[code];
  const errors = members.errors?.map((item) => ({
    ...item,
    pointer: item.pointer.slice(0, MAX_POINTER),
    detail: shorten(item.detail),
  }));
  return {
    object: 'error',
    type: `/docs/errors/${code}`,
    title,
    status,
    code,
    detail: shorten(detail),
    instance: instance.split('?')[0].slice(0, MAX_INSTANCE),
    request_id: requestId,
    retryable: isRetryable(code),
    ...members,
    ...(errors && { errors }),
  };
}

/** A message may quote the caller's input, but only up to a limit. */
const shorten = (sentence: string): string =>
  sentence.length <= MAX_DETAIL ? sentence : `${sentence.slice(0, MAX_DETAIL - 1)}…`;

type Said = [code: ErrorCode, detail: string];

/** Fastify's own rejections. */
const REFUSED = refusals as unknown as Record<string, Said>;

const isNotJson = (error: Error) =>
  error instanceof SyntaxError && (error as { statusCode?: number }).statusCode === 400;
const isRefused = ({ statusCode = 0 }: Error & { statusCode?: number }) => statusCode >= 400 && statusCode < 500;

/** The first match decides. */
const FAILURES: [fits: (error: Error) => boolean, ...Said][] = [
  [isNotJson, 'invalid_json', 'The body must be valid JSON (UTF-8, no NaN or Infinity).'],
  [isStatementTimeout, 'timeout', 'The query took too long. Narrow the filters.'],
  [isStorageFull, 'storage_full', 'There is no room to store this. We were told; try again later.'],
  [isPoolExhausted, 'overloaded', 'More is going on than the service can do at once. Try again.'],
  [isDatabaseAway, 'unavailable', 'The database is away for a moment. Try again.'],
  [isRefused, 'invalid_request', 'The request could not be read.'],
  [() => true, 'internal_error', 'Something failed on our side. It was logged under this request id.'],
];

/** Translates anything thrown into an API error. An unknown failure is a 500 whose cause only the log sees. */
export function translate(error: FastifyError | Error, request?: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error;
  if ('validation' in error && error.validation) return translateValidation(error, request);
  const refused = REFUSED[(error as FastifyError).code];
  const [, code, detail] = FAILURES.find(([fits]) => fits(error))!;
  return new ApiError(...(refused ?? [code, detail]), {}, { cause: error });
}

function translateValidation({ validation, validationContext }: FastifyError, request?: FastifyRequest): ApiError {
  const context = validationContext ?? 'body';
  const sent = { querystring: request?.query, params: request?.params, body: request?.body, headers: undefined };
  const shape = (request?.routeOptions.schema as Shape)?.[context] as Shape;
  const inJson = shape?.content?.['application/json']?.schema as Shape;
  return refuseShape(validation ?? [], context === 'querystring' ? 'query' : context, sent[context], inJson ?? shape);
}

type Shape = Record<string, any> | undefined;

/** The error for input in `place` that does not match its schema. */
export function refuseShape(problems: FastifySchemaValidationError[], place: string, sent: unknown, shape: Shape) {
  const unknown = problems.find((problem) => problem.keyword === 'additionalProperties');
  if (unknown) {
    const name = String(unknown.params.additionalProperty);
    const known = knownNames(shape, unknown);
    const near = nearestWord(name, known);
    const detail = `\`${name}\` is not known here.${near ? ` Did you mean \`${near}\`?` : ''}`;
    return new ApiError('unknown_parameter', detail, {
      errors: [{ pointer: `/${place}${unknown.instancePath}/${name}`, code: 'unknown', detail }],
    });
  }
  const errors = problems.slice(0, 20).map((problem) => ({
    pointer: `/${place}${problem.instancePath}${problem.keyword === 'required' ? `/${problem.params.missingProperty}` : ''}`,
    code: problem.keyword,
    detail: describeProblem(problem, sentAt(sent, problem)),
  }));
  const first = errors[0];
  const end = first.detail.endsWith('?') ? '' : '.';
  const where = first.pointer.slice(1).replaceAll('/', '.');
  return new ApiError('invalid_request', `${where} ${first.detail}${end}`, { errors });
}

function describeProblem(problem: FastifySchemaValidationError, sent: unknown): string {
  if (problem.keyword === 'enum') {
    const words = (problem.params.allowedValues as unknown[]).filter((v) => v !== null).map(String);
    const near = typeof sent === 'string' ? nearestWord(sent, words) : undefined;
    return `must be one of ${words.join(', ')}${near ? `; did you mean \`${near}\`?` : ''}`;
  }
  return problem.keyword === 'required' ? 'is required' : (problem.message ?? 'is not valid');
}

/** The caller's input at the path of the problem. */
const sentAt = (part: unknown, { instancePath }: FastifySchemaValidationError): unknown =>
  instancePath
    .split('/')
    .slice(1)
    .reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], part);

function knownNames(whole: Shape, problem: FastifySchemaValidationError): string[] {
  let shape = whole;
  for (const step of problem.instancePath.split('/').slice(1)) shape = shape?.properties?.[step] ?? shape?.items;
  return Object.keys((shape?.properties as object | undefined) ?? {});
}

function allowedMethods(app: App, request: FastifyRequest): string[] {
  const path = request.url.split('?')[0];
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
  try {
    return methods.filter((method) => method !== request.method && app.findRoute({ method, url: path }) !== null);
  } catch {
    return [];
  }
}
