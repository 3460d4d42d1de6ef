// Presents a batch and its results, as JSON, NDJSON or CSV. Pure except for reading the pages.
import type { Deps } from '../../base/deps.ts';
import type { LayerDefinition } from '../../supply/layers/definition.ts';
import { LAYER_LIST } from '../../supply/layers/layers.ts';
import { csvCell } from '../../records/properties/formats.ts';
import { countsOf, isFinished, listItems, RESULTS_KEPT_MS } from './batches.ts';
import type { Locator } from './input.ts';
import type { BatchResult } from './schema.ts';
import { type BatchRow, type ItemRow } from './sql.ts';
import { lastOf } from '../../base/lib/must.ts';

const PAGE = 500;

export function presentBatch(batch: BatchRow, now: Date) {
  const done = batch.succeeded + batch.failed;
  const elapsedMs = batch.started_at ? Math.max(0, now.getTime() - batch.started_at.getTime()) : 0;
  const eta = done > 0 ? Math.ceil((elapsedMs / 1000 / done) * (batch.total - done)) : null;
  return {
    object: 'batch' as const,
    id: batch.id,
    type: batch.type,
    mode: batch.mode,
    status: batch.state,
    include: batch.include,
    counts: countsOf(batch),
    progress: {
      percent: Math.floor((100 * done) / batch.total),
      eta_seconds: isFinished(batch.state) ? 0 : eta,
    },
    usage: { standard: batch.used_standard, avm: batch.used_avm },
    created_at: batch.created_at.toISOString(),
    started_at: batch.started_at?.toISOString() ?? null,
    finished_at: batch.finished_at?.toISOString() ?? null,
    results_expire_at: batch.finished_at ? new Date(batch.finished_at.getTime() + RESULTS_KEPT_MS).toISOString() : null,
    results_url: `/api/v1/batches/${batch.id}/results`,
  };
}

const presentItem = (item: ItemRow): BatchResult => ({
  object: 'batch_result',
  index: item.ordinal,
  custom_id: item.custom_id,
  status: item.status as BatchResult['status'],
  ...(item.metadata && { metadata: item.metadata }),
  input: describeInput(item.input),
  property_id: null,
  ...item.result,
  error: item.error,
});

/** The locator as it was sent, on one line. */
function describeInput(input: Locator): string {
  if ('address' in input) return input.address;
  if ('property_id' in input) return input.property_id;
  if ('latitude' in input) return `${input.latitude},${input.longitude}`;
  return 'fips' in input ? `${input.fips}:${input.apn}` : `${input.apn}, ${input.county}, ${input.state}`;
}

/** In input order, up to the first unfinished item: a reader that continues from the last index misses none. */
export async function listResults(deps: Pick<Deps, 'control'>, batchId: string, after: number, limit: number) {
  const items = await listItems(deps.control, batchId, after, limit);
  const open = items.findIndex((item) => item.status === 'pending');
  return (open === -1 ? items : items.slice(0, open)).map(presentItem);
}

export async function* streamResults(
  deps: Pick<Deps, 'control' | 'catalog'>,
  batch: BatchRow,
  after: number,
  format: 'ndjson' | 'csv',
): AsyncGenerator<string> {
  const ours = [...CSV_COLUMNS, ...layerColumns((await deps.catalog.read()).layers)];
  const columns = [...ours, ...metadataColumns(batch.metadata_names, ours)];
  const toCsvLine = (result: BatchResult) => `${columns.map(([, of]) => csvCell(of(result))).join(',')}\r\n`;
  if (format === 'csv') yield `${columns.map(([name]) => csvCell(name)).join(',')}\r\n`;
  for (let last = after; ;) {
    const results = await listResults(deps, batch.id, last, PAGE);
    if (results.length === 0) return;
    yield results.map(format === 'csv' ? toCsvLine : (result) => `${JSON.stringify(result)}\n`).join('');
    last = lastOf(results).index;
  }
}

type Nested = Record<string, any> | undefined;
const property = (result: BatchResult) => result.property as Nested;
const layer = (result: BatchResult, name: string) => (result.risk as Nested)?.layers?.[name] as Nested;
const valuation = (result: BatchResult) => (result.valuation ?? undefined) as Nested;

type CsvColumn = [name: string, of: (result: BatchResult) => unknown];

const CSV_COLUMNS: CsvColumn[] = [
  ['index', (result) => result.index],
  ['custom_id', (result) => result.custom_id],
  ['status', (result) => result.status],
  ['input', (result) => result.input],
  ['error_code', (result) => result.error?.code],
  ['error_detail', (result) => result.error?.detail],
  ['candidates', (result) => result.error?.candidates?.map(({ property_id }) => property_id).join(' ')],
  ['property_id', (result) => result.property_id],
  ['matched_address', (result) => result.match?.address],
  ['match_quality', (result) => result.match?.match_quality],
  ['latitude', (result) => property(result)?.latitude],
  ['longitude', (result) => property(result)?.longitude],
  ['property_type', (result) => property(result)?.property_type],
  ['sqft', (result) => property(result)?.sqft],
  ['bedrooms', (result) => property(result)?.bedrooms],
  ['bathrooms', (result) => property(result)?.bathrooms],
  ['year_built', (result) => property(result)?.structure?.year_built],
  ['lot_sqft', (result) => property(result)?.parcel?.lot_sqft],
  ['last_sale_date', (result) => property(result)?.last_sale?.date],
  ['last_sale_price', (result) => property(result)?.last_sale?.price],
  ...LAYER_LIST.flatMap(({ name, exports, batchColumns }) =>
    batchColumns.map((column): CsvColumn => [column, (result) => layer(result, name)?.[exports[column]]]),
  ),
  ['estimated_value', (result) => valuation(result)?.estimated_value],
  ['value_low', (result) => valuation(result)?.confidence_interval?.low],
  ['value_high', (result) => valuation(result)?.confidence_interval?.high],
  ['confidence', (result) => valuation(result)?.confidence],
];

/** Of each layer by recipe, its headline and how that reads. */
const layerColumns = (layers: ReadonlyMap<string, LayerDefinition>): CsvColumn[] =>
  [...layers.values()].flatMap(({ name, headline }) =>
    [headline, 'level'].map((member): CsvColumn => [`${name}_${member}`, (result) => layer(result, name)?.[member]]),
  );

/** After ours, under the names they came with; one that we use ourselves is prefixed. */
function metadataColumns(names: string[], ours: CsvColumn[]): CsvColumn[] {
  const taken = new Set(ours.map(([name]) => name));
  return names.map((name) => [taken.has(name) ? `metadata.${name}` : name, (result) => result.metadata?.[name]]);
}
