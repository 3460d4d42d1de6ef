// Requests are checked against their shapes before any room sees them: query text is coerced to numbers and flags, a
// body must already have the right types, and unknown members are rejected.
import { Ajv, type ValidateFunction } from 'ajv';
import stringifierOf, { type Schema } from 'fast-json-stringify';
import type { preValidationHookHandler } from 'fastify';
import type { FastifyValidationResult } from 'fastify/types/schema.js';
import type { Static, TSchema } from 'typebox';
import { writeJson } from '../lib/written-once.ts';
import { fail } from '../lib/errors.ts';
import { ITEMS } from '../lib/schema.ts';
import type { App } from './types.ts';

export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true;

/** RFC 3339 with its offset, at an instant that exists. */
export const isInstant = (text: string): boolean =>
  /^[^t ]+[t ]\d\d:\d\d:\d\d(\.\d+)?(z|[+-]\d\d:?\d\d)$/i.test(text) &&
  isDay(text.slice(0, 10)) &&
  !Number.isNaN(Date.parse(text));

const isUri = (text: string): boolean =>
  /^[a-z][a-z\d+.-]*:[\w\-.~:/?#[\]@!$&'()*+,;=%]*$/i.test(text) && URL.canParse(text);

const OPTIONS = {
  useDefaults: true,
  removeAdditional: false,
  allErrors: false,
  strict: false,
  // Integers are checked by their type, and have bounds of their own.
  formats: { date: isDay, 'date-time': isInstant, uri: isUri, int64: true, binary: true },
} as const;

export function registerValidation(app: App): void {
  // No route accepts plain text. Without this the framework passes it as a string, bypassing schemas by content type.
  app.removeContentTypeParser('text/plain');
  const reader = new Ajv({ ...OPTIONS, coerceTypes: true });
  const strict = readerOfBodies();
  app.setValidatorCompiler(({ schema, httpPart }) =>
    compileOnUse(httpPart === 'body' ? strict : reader, schema as object),
  );
  app.setSerializerCompiler(({ schema }) => {
    let stringify: ((answer: unknown) => string) | undefined;
    return (answer) => writeJson(() => (stringify ??= stringifierOf(schema as Schema))(answer));
  });
  // A route of the API that names no query parameters takes none: a parameter that does nothing is a mistake to report.
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/api/v1/') || !route.schema) return;
    route.schema.querystring ??= { type: 'object', properties: {}, additionalProperties: false };
    const { properties } = route.schema.querystring as { properties: Record<string, object> };
    const lists = Object.keys(properties).filter((name) => ITEMS in properties[name]);
    if (lists.length > 0) route.preValidation = [joinRepeated(lists), ...[route.preValidation ?? []].flat()];
  });
  // PostgreSQL cannot store NUL, and no field needs it. Depth is bounded for code that walks a body later.
  app.addHook('preValidation', (request, _reply, done) => {
    refuseNul(request.url.includes('%00') ? '\0' : request.body);
    done();
  });
}

/** `zip=98101&zip=98102` is equivalent to `zip=98101,98102`. */
const joinRepeated =
  (names: string[]): preValidationHookHandler =>
  (request, _reply, done) => {
    const query = request.query as Record<string, unknown>;
    for (const name of names) if (Array.isArray(query[name])) query[name] = query[name].join(',');
    done();
  };

/** A body must already have the right types. */
export const readerOfBodies = (): Ajv => new Ajv({ ...OPTIONS, coerceTypes: false });

/** Validates a file's content as if it were a body of this shape. */
export function checkerOf<Shape extends TSchema>(shape: Shape, name: string): (item: unknown) => Static<Shape> {
  let validator: { ajv: Ajv; check: ValidateFunction } | undefined;
  return (item) => {
    if (!validator) {
      const ajv = readerOfBodies();
      validator = { ajv, check: ajv.compile(shape) };
    }
    if (validator.check(item)) return item as Static<Shape>;
    return fail('invalid_request', `${validator.ajv.errorsText(validator.check.errors, { dataVar: name })}.`);
  };
}

/** Compiling every schema takes a third of startup time, and most processes use few of them. */
function compileOnUse(ajv: Ajv, schema: object): FastifyValidationResult {
  let compiled: ValidateFunction | undefined;
  const validate: FastifyValidationResult = (value) => {
    compiled ??= ajv.compile(schema);
    const isValid = compiled(value);
    validate.errors = compiled.errors as FastifyValidationResult['errors'];
    return isValid;
  };
  return validate;
}

const MAX_DEPTH = 32;

export function refuseNul(body: unknown): void {
  if (holdsNul(body, 0)) fail('invalid_request', 'The request contains a NUL character.');
}

function holdsNul(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (value === null || typeof value !== 'object' || Buffer.isBuffer(value)) return false;
  if (depth > MAX_DEPTH) fail('invalid_request', `The body is nested more than ${MAX_DEPTH} levels deep.`);
  // A polygon has thousands of pairs; their list positions are not worth reporting.
  if (Array.isArray(value)) return value.some((member) => holdsNul(member, depth + 1));
  return Object.entries(value).some(([name, member]) => name.includes('\0') || holdsNul(member, depth + 1));
}
