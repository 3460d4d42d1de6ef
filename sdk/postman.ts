// Generates a Postman collection from the OpenAPI document. `npx platbook openapi` writes docs/site/postman.json. Every
// request answers as it is: with inputs that exist in every sandbox, or with the id that an earlier request has stored.
import { convert } from 'openapi-to-postmanv2';

type Json = Record<string, any>;

const ADDRESS = '1208 Lantern Hill Dr, Port Ellowby, ZZ 00103';
const PROPERTY = 'prop_r5ebv95m3tdzj4wkwbq2';

/** Bodies that work in the sandbox. Generated ones would be rejected. */
const BODIES: Record<string, object> = {
  search_owners: { name: 'Ormander, Thessaly' },
  estimate_value: { property: { address: ADDRESS } },
  get_outlook: { property: { address: ADDRESS }, after: { condition: 'excellent', cost: 35_000 } },
  estimate_rent: {
    property: { address: ADDRESS },
    expenses: { insurance: 1_800 },
    loan: { amount: 400_000, rate: 0.065 },
  },
  search_properties_by_body: { state: ['ZZ'], property_type: ['single_family'], min_bedrooms: 3, limit: 5 },
  create_batch: { items: [{ custom_id: 'a1', address: ADDRESS }], include: ['property', 'risk'] },
  create_key: { name: 'From Postman', mode: 'test', scopes: ['properties:read'] },
  update_key: { name: 'From Postman, renamed' },
  rotate_key: { overlap_hours: 1 },
  create_webhook: { url: 'https://example.com/platbook', events: ['*'] },
  update_webhook: { description: 'From Postman' },
  rotate_webhook_secret: { overlap_hours: 1 },
  redeliver_failed: { since: '2026-01-01T00:00:00Z' },
  trigger_sandbox_event: { type: 'batch.completed' },
  create_watchlist: { name: 'From Postman', property_ids: [PROPERTY] },
  update_watchlist: { name: 'From Postman, renamed' },
  change_watchlist_properties: { add: [PROPERTY] },
  create_export: { name: 'From Postman', dataset: 'properties', format: 'ndjson', destination: { type: 'folder' } },
  update_export: { name: 'From Postman, renamed' },
  get_sales_series_of_search: { zip: ['00103'], interval: 'year' },
  create_report: { property: { address: ADDRESS }, loan: { amount: 400_000 } },
  set_report_rules: { rules: [] },
  set_branding: { name: 'From Postman' },
  create_share: { property_id: PROPERTY, expires_in_days: 7 },
  create_test_clock: { name: 'From Postman', now: '2026-01-31T00:00:00Z', plan: 'builder' },
  update_test_clock: { plan: 'pro' },
  advance_test_clock: { to: '2026-03-15T00:00:00Z' },
  register_loan: { property: { id: PROPERTY }, amount: 400_000, closed_on: '2025-03-14', max_ltv: 0.8 },
  register_loans: { items: [{ property: { id: PROPERTY }, amount: 250_000, closed_on: '2025-03-14' }] },
  create_review: {
    property: { id: PROPERTY },
    appraisal: {
      value: 900_000,
      effective_date: '2026-06-15',
      comparables: [
        { address: '552 Lilac Dr, Port Ellowby, ZZ 00103', sale_price: 1_004_200, sale_date: '2026-03-05' },
      ],
    },
  },
};

/** Query parameters to send; all others are there, switched off. */
const QUERIES: Record<string, Record<string, string>> = {
  estimate_value_by_query: { address: ADDRESS },
  estimate_rent_by_query: { address: ADDRESS },
  search_properties: { state: 'ZZ', property_type: 'single_family', limit: '5' },
  count_properties: { state: 'ZZ', property_type: 'condo' },
  lookup_property: { address: ADDRESS },
  get_sales_series: { kind: 'market', area: 'sandbox', interval: 'quarter' },
  get_price_index: { kind: 'market', area: 'sandbox' },
  get_price_forecast: { kind: 'market', area: 'sandbox' },
  get_area_summary: { kind: 'market', area: 'sandbox' },
  rank_areas: { kind: 'zip', figure: 'median_price' },
  get_quality: { market: 'sandbox' },
  find_places: { q: '00103' },
  autocomplete_address: { q: '1208 Lantern' },
  list_changes: { type: 'property.sale_recorded', limit: '5' },
};

/** What `:id` and other path variables are, by the path before them. */
const PATH_VALUES: [path: string, values: Record<string, string>][] = [
  ['/properties/', { id: PROPERTY }],
  ['/avm/valuations/', { id: '{{valuation_id}}' }],
  ['/markets/', { id: 'sandbox' }],
  ['/reports/', { id: '{{report_id}}' }],
  ['/reviews/', { id: '{{review_id}}' }],
  ['/owners/', { id: '{{owner_id}}' }],
  ['/loans/', { id: '{{loan_id}}' }],
  ['/shares/', { id: '{{share_id}}' }],
  ['/test-clocks/', { id: '{{test_clock_id}}' }],
  ['/tiles/', { z: '14', x: '4998', y: '6213' }],
  ['/keys/', { id: '{{key_id}}' }],
  ['/webhooks/', { id: '{{webhook_id}}' }],
  ['/deliveries/', { id: '{{delivery_id}}' }],
  ['/events/', { id: '{{event_id}}' }],
  ['/watchlists/', { id: '{{watchlist_id}}' }],
  ['/exports/', { id: '{{export_id}}', run_id: '{{run_id}}', name: '_manifest.json' }],
  ['/batches/', { id: '{{batch_id}}' }],
  ['/requests/', { request_id: '{{request_id}}' }],
  ['/ogc/collections/', { collection: 'properties', id: PROPERTY }],
];

/** What a response has that later requests need: a script that stores it as a variable. */
const STORES: Record<string, Record<string, string>> = {
  estimate_value: { valuation_id: 'body.id' },
  create_key: { key_id: 'body.id' },
  create_report: { report_id: 'body.id' },
  create_review: { review_id: 'body.id' },
  create_share: { share_id: 'body.id' },
  register_loan: { loan_id: 'body.id' },
  search_owners: { owner_id: 'body.data[0].owner_id' },
  create_test_clock: { test_clock_id: 'body.id' },
  create_webhook: { webhook_id: 'body.id' },
  test_webhook: { delivery_id: 'body.id' },
  trigger_sandbox_event: { event_id: 'body.id' },
  create_watchlist: { watchlist_id: 'body.id' },
  create_export: { export_id: 'body.id' },
  list_export_runs: { run_id: 'body.data[0].id' },
  create_batch: { batch_id: 'body.id' },
  list_requests: { request_id: 'body.data[0].request_id' },
};

/** An invoice exists only after a month of a paid plan. */
const OMITTED = new Set(['get_invoice']);

/** A batch to cancel must still be running: one with the sandbox's slow address is, for two seconds. */
const CANCELABLE = `pm.sendRequest({
  url: pm.variables.replaceIn('{{baseUrl}}/api/v1/batches'),
  method: 'POST',
  header: { 'content-type': 'application/json', 'x-api-key': pm.variables.get('apiKey') },
  body: { mode: 'raw', raw: JSON.stringify({ items: [{ address: '2000 Sandbox Way, Port Ellowby, ZZ 00101' }] }) },
}, (error, response) => pm.collectionVariables.set('batch_id', response.json().id));`;

/** Files can be read once the run is over: a collection run asks again until then. */
const UNTIL_DELIVERED = `if (['queued', 'running'].includes(body.data[0].status)) pm.execution.setNextRequest(pm.info.requestId);`;

/** What creates comes first, what deletes comes last. */
const ORDER: RegExp[] = [
  /^(create|register|trigger|estimate|test)_/,
  /^(list|search|count)_/,
  /^(get|describe|lookup)_/,
  /^(update|change)_/,
];
/** The server that sends the collection puts its own address in its place. */
const PLACEHOLDER_URL = 'http://127.0.0.1:8080';
const LAST: RegExp[] = [/^(rotate|redeliver)/, /^(cancel|revoke)_/, /^delete_/];

export async function makePostman(document: object): Promise<object> {
  const slim = withoutResponses(document);
  const collection = await withSeededRandom(() => toCollection(slim));
  const ids = namesOf(document);
  walk(collection, (item) => {
    delete item.id;
    if (item.request) tidy(item, ids);
    if (item.item)
      item.item = item.item.filter((each: Json) => !each.request || !OMITTED.has(operationOf(each.request, ids)));
    if (item.item) item.item.sort((a: Json, b: Json) => rankOf(a, ids) - rankOf(b, ids));
  });
  delete collection.info._postman_id;
  collection.variable = [
    { key: 'baseUrl', value: PLACEHOLDER_URL },
    { key: 'apiKey', value: '', description: 'sk_test_… for the sandbox' },
    ...[...new Set(Object.values(STORES).flatMap(Object.keys))].map((key) => ({
      key,
      value: '',
      description: 'Set by the request that creates or lists it.',
    })),
  ];
  return collection;
}

function rankOf(item: Json, ids: Map<string, string>): number {
  if (!item.request) return 0;
  const id = operationOf(item.request, ids);
  const early = ORDER.findIndex((pattern) => pattern.test(id));
  const late = LAST.findIndex((pattern) => pattern.test(id));
  return late >= 0 ? 100 + late : early >= 0 ? early : ORDER.length;
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

function operationOf(request: Json, ids: Map<string, string>): string {
  return ids.get(`${request.method} /${request.url.path.join('/')}`) ?? '';
}

function tidy(item: Json, ids: Map<string, string>): void {
  item.response = [];
  const { request } = item;
  const id = operationOf(request, ids);
  const wanted = QUERIES[id] ?? {};
  for (const parameter of request.url.query ?? []) {
    parameter.disabled = !(parameter.key in wanted);
    parameter.value = wanted[parameter.key] ?? '';
  }
  const path = `/${request.url.path.slice(2).join('/')}`;
  const values = PATH_VALUES.find(([start]) => path.startsWith(start))?.[1] ?? {};
  for (const variable of request.url.variable ?? []) variable.value = values[variable.key] ?? '';
  request.url.path = request.url.path.map((step: string) => step.replace('{{y}}', values.y ?? ''));
  request.header = (request.header ?? []).filter(
    (header: Json) => !header.disabled && header.key.toLowerCase() !== 'idempotency-key',
  );
  if (request.method === 'POST') request.header.push({ key: 'idempotency-key', value: '{{$guid}}' });
  if (BODIES[id] && request.body) request.body.raw = JSON.stringify(BODIES[id], null, 2);
  const stores = Object.entries(STORES[id] ?? {});
  delete item.event;
  if (id === 'cancel_batch')
    item.event = [{ listen: 'prerequest', script: { type: 'text/javascript', exec: CANCELABLE.split('\n') } }];
  if (stores.length > 0) {
    const lines = stores.map(([name, from]) => `pm.collectionVariables.set('${name}', ${from});`);
    const exec = [
      'const body = pm.response.json();',
      ...lines,
      ...(id === 'list_export_runs' ? [UNTIL_DELIVERED] : []),
    ];
    item.event = [{ listen: 'test', script: { type: 'text/javascript', exec } }];
  }
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
