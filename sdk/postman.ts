// Generates a Postman collection from the OpenAPI document. `npx platbook openapi` writes docs/site/postman.json.
import { convert } from 'openapi-to-postmanv2';

type Json = Record<string, any>;

const DEMO_ADDRESS = '1208 Lantern Hill Dr, Port Ellowby, ZZ 00103';

/** Request bodies that work in the sandbox. Generated ones would be rejected. */
const BODIES: Record<string, object> = {
  estimate_value: { property: { address: DEMO_ADDRESS } },
  search_properties_by_body: { state: ['ZZ'], property_type: ['single_family'], min_bedrooms: 3, limit: 5 },
  create_batch: { items: [{ custom_id: 'a1', address: DEMO_ADDRESS }], include: ['property', 'risk'] },
};

export async function makePostman(document: object): Promise<object> {
  const slim = withoutResponses(document as Json);
  const collection = await withSeededRandom(() => toCollection(slim));
  const ids = namesOf(document as Json);
  walk(collection, (item) => {
    delete item.id;
    if (item.request) tidy(item, ids);
  });
  delete collection.info._postman_id;
  collection.variable = [
    { key: 'baseUrl', value: 'http://127.0.0.1:8080' },
    { key: 'apiKey', value: '', description: 'sk_test_… for the sandbox' },
  ];
  return collection;
}

function toCollection(document: Json): Promise<Json> {
  const options = { folderStrategy: 'Tags', parametersResolution: 'Example', requestNameSource: 'Fallback' } as const;
  return new Promise((resolve, reject) => {
    convert({ type: 'json', data: document }, options, (error, result) => {
      if (result?.result) resolve((result.output as { data: Json }[])[0].data);
      else reject(error ?? new Error(String(result)));
    });
  });
}

/** Response schemas would add two megabytes that Postman users don't need. */
function withoutResponses(document: Json): Json {
  const copy = structuredClone(document);
  for (const methods of Object.values(copy.paths as Record<string, Record<string, Json>>))
    for (const operation of Object.values(methods)) operation.responses = { 200: { description: 'Success.' } };
  return copy;
}

function namesOf(document: Json): Map<string, string> {
  return new Map(
    Object.entries(document.paths as Record<string, Record<string, Json>>).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]): [string, string] => [
        `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
        operationId,
      ]),
    ),
  );
}

function tidy(item: Json, ids: Map<string, string>): void {
  item.response = [];
  const { request } = item;
  for (const parameter of request.url.query ?? []) if (parameter.disabled) parameter.value = '';
  for (const variable of request.url.variable ?? []) variable.value = '';
  request.header = (request.header ?? []).filter((header: Json) => !header.disabled);
  const body = BODIES[ids.get(`${request.method} /${request.url.path.join('/')}`) ?? ''];
  if (body && request.body) request.body.raw = JSON.stringify(body, null, 2);
}

function walk(item: Json, visit: (item: Json) => void): void {
  visit(item);
  for (const child of item.item ?? []) walk(child, visit);
}

/** The converter picks examples at random. A seed makes its output reproducible. */
async function withSeededRandom<Result>(work: () => Promise<Result>): Promise<Result> {
  const original = Math.random;
  let state = 42;
  Math.random = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
  try {
    return await work();
  } finally {
    Math.random = original;
  }
}
