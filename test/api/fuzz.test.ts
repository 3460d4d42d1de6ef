// Every route of the OpenAPI document, called with inputs made from its own shapes and with garbage: never a 5xx, always
// a body that fits the document, always a known code.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc, { SEED } from '../properties.ts';
import { generate } from 'json-schema-faker';
import { ERRORS } from '../../src/base/lib/errors.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { testClient } from '../harness.ts';

type Json = Record<string, any>;

const api = await testClient({ plan: 'enterprise', settings: { LONGEST_WAIT_SECONDS: '0' } });
const document = JSON.parse(JSON.stringify(api.openApi())) as Json;
const ajv = new Ajv2020({ strict: false, allErrors: false });
formats.default(ajv);
ajv.addSchema({ $id: 'api', components: document.components });

const RUNS = 12;

interface Operation {
  method: string;
  path: string;
  details: Json;
}

const operations: Operation[] = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
  Object.entries<Json>(methods).map(([method, details]) => ({ method: method.toUpperCase(), path, details })),
);

const garbage = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    '-1',
    '0',
    '1e309',
    'NaN',
    'null',
    '../../etc/passwd',
    "' or 1=1 --",
    '%',
    '\u0000',
    '\r\nx: y',
    '🏠',
    'a'.repeat(3_000),
  ),
  fc.integer().map(String),
);

describe('the OpenAPI document', () => {
  it('names every route once, with an operation id of its own', () => {
    const ids = operations.map(({ details }) => details.operationId);
    assert.equal(new Set(ids).size, ids.length);
    assert.ok(ids.length > 15);
  });
});

describe('inputs made from the shapes themselves', () => {
  for (const operation of operations) {
    it(`${operation.method} ${operation.path}`, async () => {
      passAnHour();
      for (let run = 0; run < RUNS; run++) await callAndCheck(operation, await inventRequest(operation, SEED + run));
    });
  }
});

describe('garbage', () => {
  for (const operation of operations) {
    it(`${operation.method} ${operation.path}`, async () => {
      passAnHour();
      await fc.assert(
        fc.asyncProperty(
          fc.dictionary(fc.constantFrom(...parameterNames(operation), 'unknown'), garbage, { maxKeys: 4 }),
          garbage,
          fc.jsonValue(),
          async (query, id, body) => {
            const path = operation.path.replace(/\{\w+\}/g, () => encodeURIComponent(id || 'x'));
            const search = new URLSearchParams(query).toString();
            await callAndCheck(operation, {
              url: `${path}?${search}`,
              body: operation.details.requestBody ? JSON.stringify(body) : undefined,
            });
          },
        ),
        { numRuns: RUNS },
      );
    });
  }
});

/** Each route gets a fresh hour: a 429 would hide whatever stands behind the limit. */
let hours = 0;
function passAnHour(): void {
  hours++;
  api.deps.travel(new Date(Date.UTC(2026, 6, 1) + hours * 3_600_000).toISOString());
}

function parameterNames({ details }: Operation): string[] {
  return (details.parameters ?? [])
    .filter((parameter: Json) => parameter.in === 'query')
    .map((parameter: Json) => parameter.name);
}

interface Invented {
  url: string;
  body: string | undefined;
}

async function inventRequest({ path, details }: Operation, seed: number): Promise<Invented> {
  let url = path;
  const query = new URLSearchParams();
  for (const [index, parameter] of (details.parameters ?? []).entries()) {
    if (parameter.in === 'header') continue;
    const value = await invent(parameter.schema, seed * 31 + index);
    if (parameter.in === 'path')
      url = url.replace(
        `{${parameter.name}}`,
        // Nothing at all is another route: the list.
        encodeURIComponent(parameter.name === 'id' && seed % 2 ? DEMO.property_id : String(value) || 'x'),
      );
    else if ((seed + index) % 3 === 0) query.set(parameter.name, String(value));
  }
  const schema = details.requestBody?.content['application/json']?.schema;
  const body = schema ? JSON.stringify(await invent(schema, seed)) : undefined;
  return { url: `${url}?${query}`, body };
}

async function invent(schema: Json, seed: number): Promise<unknown> {
  const whole = { ...schema, components: document.components };
  return generate(whole, { seed, maxItems: 20 });
}

async function callAndCheck(operation: Operation, { url, body }: Invented): Promise<void> {
  const isKeyed = operation.details.security.length > 0;
  const answer = await api.app.inject({
    method: operation.method as 'GET',
    url,
    headers: {
      ...(isKeyed && { 'x-api-key': api.testKey }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { payload: body }),
  });
  const what = `${operation.method} ${url.slice(0, 300)} ${body?.slice(0, 300) ?? ''} -> ${answer.statusCode} ${answer.payload.slice(0, 300)}`;
  assert.ok(answer.statusCode < 500 && answer.statusCode !== 429, what);
  const described = follow(operation.details.responses[answer.statusCode]);
  if (answer.statusCode === 304) return;
  assert.ok(described, `status not in the document: ${what}`);
  const type = String(answer.headers['content-type'] ?? '').split(';')[0];
  if (!described.content) return;
  const media = described.content[type];
  assert.ok(media, `content type ${type} not in the document: ${what}`);
  if (!type.includes('json') || type.includes('ndjson')) return;
  const parsed = answer.json();
  const validate = validatorFor(operation.details.operationId, answer.statusCode, type, media.schema);
  assert.ok(validate(parsed), `${what}\n${JSON.stringify(validate.errors?.slice(0, 3))}`);
  if (answer.statusCode >= 400) assert.ok(parsed.code in ERRORS, what);

  for (const header of Object.keys(described.headers ?? {})) {
    if (['x-request-id', 'ETag', 'Retry-After', 'WWW-Authenticate'].includes(header))
      assert.ok(answer.headers[header.toLowerCase()], `${header} missing: ${what}`);
  }
}

function follow(response: Json | undefined): Json | undefined {
  return response?.$ref ? document.components.responses[response.$ref.split('/').at(-1)!] : response;
}

const validators = new Map<string, any>();

function validatorFor(operationId: string, status: number, type: string, schema: Json) {
  const name = `${operationId} ${status} ${type}`;
  let validate = validators.get(name);
  if (!validate) {
    const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"api#/components'));
    validators.set(name, (validate = ajv.compile(local)));
  }
  return validate;
}
