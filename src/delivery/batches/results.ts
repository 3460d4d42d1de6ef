// Presents a batch and its results, as JSON, NDJSON or CSV. Pure except for reading the pages.
import type { Deps } from '../../base/deps.ts';
import type { LayerDefinition } from '../../supply/layers/definition.ts';
import { LAYER_LIST } from '../../supply/layers/layers.ts';
import { csvCell } from '../../records/properties/formats.ts';
import { countsOf, isFinished, RESULTS_KEPT_MS } from './batches.ts';
import type { Locator } from './input.ts';
import written from './csv-columns.json' with { type: 'json' };
import { theirNames, type ProviderId } from './providers.ts';
import { Batch, type BatchResult } from './schema.ts';
import { listItems, type BatchRow, type ItemRow } from './sql.ts';
import { presentRow } from '../../base/lib/schema.ts';
import { lastOf } from '../../base/lib/must.ts';

const PAGE = 500;

export function presentBatch(batch: BatchRow, now: Date) {
  const done = batch.succeeded + batch.failed;
  const elapsedMs = batch.started_at ? Math.max(0, now.getTime() - batch.started_at.getTime()) : 0;
  const eta = done > 0 ? Math.ceil((elapsedMs / 1000 / done) * (batch.total - done)) : null;
  return {
    object: 'batch' as const,
    ...presentRow(Batch, batch),
    status: batch.state,
    counts: countsOf(batch),
    progress: { percent: Math.floor((100 * done) / batch.total), eta_seconds: isFinished(batch.state) ? 0 : eta },
    usage: { standard: batch.used_standard, avm: batch.used_avm },
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

/** Results in input order, up to the first unfinished item, so that a reader can continue from the last index. */
export async function listResults(deps: Pick<Deps, 'control'>, batchId: string, after: number, limit: number) {
  const items = await listItems(deps.control, batchId, after, limit);
  const open = items.findIndex((item) => item.status === 'pending');
  return (open === -1 ? items : items.slice(0, open)).map(presentItem);
}

export async function* streamResults(
  deps: Pick<Deps, 'control' | 'catalog'>,
  batch: BatchRow,
  after: number,
  { format, names }: { format: 'ndjson' | 'csv'; names?: ProviderId },
): AsyncGenerator<string> {
  const all = [...CSV_COLUMNS, ...layerColumns((await deps.catalog.read()).layers)];
  const theirs = names && theirNames(names);
  const ours = all.map(([name, of, path]): CsvColumn => [theirs?.get(path ?? '') ?? name, of]);
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
const layer = (result: BatchResult, name: string) => (result.risk as Nested)?.layers?.[name] as Nested;

/** `path` is the value's path in the result, for which a provider may have another name. */
type CsvColumn = [name: string, of: (result: BatchResult) => unknown, path?: string];

function at([name, path]: string[]): CsvColumn {
  const read = (result: BatchResult) => path.split('.').reduce((value: Nested, member) => value?.[member], result);
  // The ids of an ambiguous address's candidates.
  const shown = (value: Nested) => (Array.isArray(value) ? value.map((each) => each.property_id).join(' ') : value);
  return [name, (result) => shown(read(result)), path];
}

const CSV_COLUMNS: CsvColumn[] = [
  ...written.before_layers.map(at),
  ...LAYER_LIST.flatMap(({ name, exports, batchColumns }) =>
    batchColumns.map((column): CsvColumn => [column, (result) => layer(result, name)?.[exports[column]]]),
  ),
  ...written.after_layers.map(at),
];

/** The headline and level of each loaded layer. */
const layerColumns = (layers: ReadonlyMap<string, LayerDefinition>): CsvColumn[] =>
  [...layers.values()].flatMap(({ name, headline }) =>
    [headline, 'level'].map((member): CsvColumn => [`${name}_${member}`, (result) => layer(result, name)?.[member]]),
  );

/** Appended under their original names; names that collide with ours are prefixed. */
function metadataColumns(names: string[], ours: CsvColumn[]): CsvColumn[] {
  const taken = new Set(ours.map(([name]) => name));
  return names.map((name) => [taken.has(name) ? `metadata.${name}` : name, (result) => result.metadata?.[name]]);
}
