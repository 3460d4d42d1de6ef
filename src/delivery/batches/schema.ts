// The shapes of batches, their items and their results.
import Type, { type Static } from 'typebox';
import { ErrorBody } from '../../base/http/errors.ts';
import * as shape from '../../base/lib/schema.ts';

export const PARTS = ['property', 'risk', 'valuation'] as const;
export type Part = (typeof PARTS)[number];
export const BATCH_STATES = ['queued', 'running', 'completed', 'failed', 'canceled', 'expired'] as const;
export type BatchState = (typeof BATCH_STATES)[number];
export const MAX_METADATA = { names: 50, nameLength: 100, valueLength: 500 } as const;
const ITEM_STATUSES = ['succeeded', 'failed', 'canceled', 'expired'] as const;

/** More than any plan allows; the plan's limit is checked later. */
export const MAX_ITEMS = 100_000;

export const BatchItem = Type.Object(
  {
    custom_id: Type.Optional(
      shape.text(100, {
        minLength: 1,
        description: 'Your own id, unique within the batch. Defaults to the position, starting at 0.',
      }),
    ),
    address: Type.Optional(
      shape.text(500, {
        minLength: 1,
        description: 'Street address on one line, or its street with `city`, `state` and `zip`.',
      }),
    ),
    street: Type.Optional(
      shape.text(300, { minLength: 1, description: 'Instead of `address`: house number and street.' }),
    ),
    unit: Type.Optional(shape.text(60)),
    city: Type.Optional(shape.text(100)),
    state: Type.Optional(shape.text(60)),
    zip: Type.Optional(shape.text(10, { description: 'Leading zeros that a spreadsheet dropped are put back.' })),
    property_id: Type.Optional(shape.text(120, { minLength: 1, description: '`prop_…` or `fips:apn`.' })),
    apn: Type.Optional(
      shape.text(80, { minLength: 1, description: 'Parcel number; requires `fips`, or `county` and `state`.' }),
    ),
    fips: Type.Optional(shape.text(5, { description: 'County FIPS code.' })),
    county: Type.Optional(shape.text(100, { minLength: 1, description: 'County name.' })),
    latitude: Type.Optional(shape.latitude({ description: 'Finds the parcel nearest to the point, within 60 m.' })),
    longitude: Type.Optional(shape.longitude()),
    metadata: Type.Optional(
      Type.Record(Type.String({ maxLength: MAX_METADATA.nameLength }), shape.text(MAX_METADATA.valueLength), {
        maxProperties: MAX_METADATA.names,
        description: 'Your own values, returned with the result as they are.',
      }),
    ),
  },
  {
    title: 'BatchItem',
    additionalProperties: false,
    description:
      'One property, by exactly one of: `address`; `street` with `city`, `state` and `zip`; `property_id`; `apn` with ' +
      '`fips`; `latitude` and `longitude`.',
  },
);
export type BatchItem = Static<typeof BatchItem>;

export const NDJSON_TYPES = ['application/x-ndjson', 'application/ndjson'];
/** Content types of spreadsheets; the kind is read from the bytes. */
export const SHEET_TYPES = [
  'text/csv',
  'text/tab-separated-values',
  'application/vnd.ms-excel',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
];
export const fileBody = (types: string[], description: string) =>
  Object.fromEntries(types.map((type) => [type, { schema: Type.Unsafe<Buffer>({ description }) }]));
export const NDJSON_BODY = fileBody(NDJSON_TYPES, 'One `BatchItem` per line.');
export const SHEET_BODY = fileBody(SHEET_TYPES, 'A spreadsheet, as CSV or XLSX.');

export const NewBatch = shape.namedStrict('NewBatch', {
  type: Type.Optional(shape.oneOf(['enrich'], { default: 'enrich' })),
  items: Type.Array(BatchItem, { minItems: 1, maxItems: MAX_ITEMS }),
  include: Type.Optional(
    Type.Array(shape.oneOf(PARTS), {
      minItems: 1,
      maxItems: PARTS.length,
      uniqueItems: true,
      description: 'What to return for each property. Defaults to `property`.',
    }),
  ),
});

export const Batch = shape.named('Batch', {
  object: shape.oneOf(['batch']),
  id: shape.text(40),
  type: shape.oneOf(['enrich']),
  mode: shape.oneOf(['live', 'test']),
  status: shape.oneOf(BATCH_STATES),
  include: shape.list(shape.oneOf(PARTS)),
  counts: Type.Object({
    total: shape.wholeNumber({ minimum: 0 }),
    succeeded: shape.wholeNumber({ minimum: 0 }),
    failed: shape.wholeNumber({ minimum: 0 }),
  }),
  progress: Type.Object({
    percent: shape.wholeNumber({ minimum: 0, maximum: 100 }),
    eta_seconds: shape.nullable(
      shape.wholeNumber({ minimum: 0, description: '`null` until the first items are finished.' }),
    ),
  }),
  usage: Type.Object(
    { standard: shape.wholeNumber({ minimum: 0 }), avm: shape.wholeNumber({ minimum: 0 }) },
    { description: 'Calls counted so far. A resolved item is one standard call; a valuation is one AVM call.' },
  ),
  created_at: shape.instant(),
  started_at: shape.nullable(shape.instant()),
  finished_at: shape.nullable(shape.instant()),
  results_expire_at: shape.nullable(shape.instant()),
  results_url: shape.text(200),
});

const { code, title, status, detail, reason, candidates, suggestions, successors, nearest_covered } =
  ErrorBody.properties;

export const ItemError = Type.Object(
  { code, title, status, detail, reason, candidates, suggestions, successors, nearest_covered },
  { title: 'BatchItemError', description: 'The error that a single call would have returned.' },
);
export type ItemError = Static<typeof ItemError>;

export const BatchResult = shape.named('BatchResult', {
  object: shape.oneOf(['batch_result']),
  index: shape.wholeNumber({ minimum: 0, description: 'Position in the input, starting at 0.' }),
  custom_id: shape.text(100),
  status: shape.oneOf(ITEM_STATUSES),
  metadata: Type.Optional(
    Type.Record(Type.String({ maxLength: MAX_METADATA.nameLength }), shape.text(MAX_METADATA.valueLength), {
      description: 'The item’s `metadata`, or the further columns of its row.',
    }),
  ),
  input: shape.text(700, { description: 'The address, id, parcel number or point that was sent.' }),
  property_id: shape.nullable(shape.text(40)),
  match: Type.Optional(
    shape.nullable(
      Type.Object({
        address: shape.nullable(shape.text(500)),
        match_quality: shape.nullable(shape.text(40)),
        match_score: shape.nullable(Type.Number()),
      }),
    ),
  ),
  property: Type.Optional(Type.Unknown({ description: 'The property record.' })),
  risk: Type.Optional(Type.Unknown({ description: 'The risk report.' })),
  valuation: Type.Optional(Type.Unknown({ description: 'The valuation, or null if there is none.' })),
  valuation_error: Type.Optional(ItemError),
  error: shape.nullable(ItemError),
});
export type BatchResult = Static<typeof BatchResult>;

export const BatchWithResults = shape.named('BatchWithResults', {
  ...Batch.properties,
  results: Type.Optional(
    shape.list(BatchResult, {
      maxItems: 100,
      description: 'Present if `wait` was given and the batch finished with at most 100 items.',
    }),
  ),
});

export const BatchPage = shape.page('BatchPage', Batch);
export const BatchResultPage = shape.page('BatchResultPage', BatchResult);
