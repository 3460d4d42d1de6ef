// Reads the rows of a dataset page by page, holding one page in memory: all rows that match, or those that changed
// between two positions of the change feed.
import { deferRejection } from '../../base/lib/defer-rejection.ts';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import { type PropertyRow } from '../../records/properties/sql.ts';
import { keepMatching, visibleMarkets } from '../changes/changes.ts';
import type { Position } from '../changes/positions.ts';
import { redactPeople } from '../../records/properties/redact.ts';
import type { Deps } from '../../base/deps.ts';
import { formatFips } from '../../base/lib/ids.ts';
import { readFilter, type Filter } from '../../records/properties/filter.ts';
import { keepMatching as keepMatchingRows } from '../../records/properties/matches.ts';
import { listPropertyRows, presentProperties } from '../../records/properties/properties.ts';
import { presentChange } from '../../records/properties/record.ts';
import { searchProperties, type Found } from '../../records/properties/search.ts';
import { readRiskReports } from '../../records/risk/risk.ts';
import { type FeedRow, listAfter, listLastChanges } from '../changes/sql.ts';
import { LAYER_LIST } from '../../supply/layers/layers.ts';
import { loadedColumnsOf, timestampOf, type Dataset, type ExportRow } from './columns.ts';

const PAGE = 1_000;

interface RowQuery {
  dataset: Dataset;
  mode: KeyMode;
  filter: Record<string, unknown> | null;
  mayReadOwners: boolean;
  /** Undefined exports everything that matches now. */
  from: Position | undefined;
  to: Position;
}

export async function* readRows(deps: Deps, query: RowQuery): AsyncGenerator<ExportRow[]> {
  if (query.dataset === 'changes') {
    for await (const changes of readChanges(deps, query)) yield changes.map(changeRow);
  } else if (query.from) {
    for await (const portion of readChanged(deps, query, query.from)) yield replaceRows(deps, query, portion);
  } else {
    for await (const rows of readAll(deps, query)) yield toRows(deps, query, rows);
  }
}

/** A delta names every changed property; a property without rows is to be deleted. */
async function replaceRows(deps: Deps, query: RowQuery, { ids, rows }: Portion): Promise<ExportRow[]> {
  const written = await toRows(deps, query, rows);
  const kept = new Set(written.map((row) => row.property_id));
  const gone = ids.filter((id) => !kept.has(id));
  return [...written, ...gone.map((property_id) => ({ _op: 'delete', property_id }))];
}

interface Portion {
  /** Every property that changed. */
  ids: string[];
  /** Those that match now. */
  rows: PropertyRow[];
}

const filterOf = (query: RowQuery): Filter => readFilter(query.filter ?? {});

/** Reads the next page while the caller writes the current one. */
async function* readAll(deps: Deps, query: RowQuery): AsyncGenerator<PropertyRow[]> {
  const filter = filterOf(query);
  const read = (cursor?: string) =>
    deferRejection(searchProperties(deps, query.mode, { filter, sort: undefined, limit: PAGE, cursor }));
  for (let next: Promise<Found> | undefined = read(); next;) {
    const { rows, nextCursor }: Found = await next;
    next = nextCursor === null ? undefined : read(nextCursor);
    if (rows.length > 0) yield rows;
  }
}

/** Each changed property once, in its current state; a retired or no longer matching one has no row. */
async function* readChanged(deps: Deps, query: RowQuery, from: Position): AsyncGenerator<Portion> {
  const filter = filterOf(query);
  const markets = await visibleMarkets(deps, query.mode);
  for (let place: Pick<Position, 'xid' | 'seq'> = from; ;) {
    const changes = await listLastChanges(deps.data, { after: place, before: query.to, markets, limit: PAGE });
    if (changes.length === 0) return;
    const ids = changes.map((change) => change.property_id);
    const rows = await listPropertyRows(deps, ids);
    yield { ids, rows: await keepMatchingRows(deps, filter, rows) };
    place = changes.at(-1)!;
  }
}

async function* readChanges(deps: Deps, query: RowQuery): AsyncGenerator<FeedRow[]> {
  const markets = await visibleMarkets(deps, query.mode);
  const filter = query.filter ? filterOf(query) : undefined;
  const end = BigInt(query.to.xid);
  for (let place: Pick<Position, 'xid' | 'seq'> = query.from ?? { xid: '0', seq: 0 }; ;) {
    const read = await listAfter(deps.data, place, markets, PAGE);
    const rows = read.filter((row) => BigInt(row.xid) < end);
    if (rows.length > 0) yield filter ? await keepMatching(deps, filter, rows) : rows;
    if (rows.length < PAGE) return;
    place = rows.at(-1)!;
  }
}

async function toRows(deps: Deps, query: RowQuery, rows: PropertyRow[]): Promise<ExportRow[]> {
  switch (query.dataset) {
    case 'transactions':
      return transactionRows(deps, query, rows);
    case 'risk':
      return riskRows(deps, rows);
    case 'valuations':
      return rows.filter((row) => row.value !== null).map((row) => propertyRow(row, query.mayReadOwners));
    default:
      return rows.map((row) => propertyRow(row, query.mayReadOwners));
  }
}

/** Extends the row itself with renamed columns: copying all ninety members was half the cost of an export. */
const propertyRow = (row: PropertyRow, mayReadOwners: boolean): ExportRow =>
  Object.assign(row as object, {
    _op: 'upsert',
    property_id: row.id,
    fips: formatFips(row.fips),
    ...(!mayReadOwners && { owner_type: null, owner_occupied: null, occupancy: null, vesting: null }),
    updated_at: timestampOf(row.updated_at),
  });

async function transactionRows(deps: Deps, query: RowQuery, rows: PropertyRow[]): Promise<ExportRow[]> {
  const view = { mode: query.mode, mayReadOwners: query.mayReadOwners };
  const shape = { includes: ['transactions'] as const, fields: undefined };
  const properties = await presentProperties(deps, view, rows, shape);
  return properties.flatMap((property) =>
    (property.transactions ?? []).map((item) => {
      const { object: _object, id, buyers, sellers, ...rest } = item;
      return {
        _op: 'upsert',
        transaction_id: id,
        ...rest,
        buyers: buyers ? JSON.stringify(buyers) : null,
        sellers: sellers ? JSON.stringify(sellers) : null,
      };
    }),
  );
}

async function riskRows(deps: Deps, rows: PropertyRow[]): Promise<ExportRow[]> {
  const [reports, { layers: loaded }] = await Promise.all([readRiskReports(deps, rows), deps.catalog.read()]);
  const columns = [...loaded.values()].map((layer) => [layer.name, loadedColumnsOf(layer)] as const);
  return reports.map(({ property_id, layers }) => {
    const row: ExportRow = { _op: 'upsert', property_id };
    for (const { name, exports } of LAYER_LIST) {
      const layer = layers[name] as Record<string, unknown>;
      row[`${name}_status`] = layer.status;
      for (const [column, member] of Object.entries(exports)) row[column] = layer[member];
    }
    for (const [name, members] of columns) {
      const layer = (layers as Record<string, Record<string, unknown> | undefined>)[name];
      for (const { column, member } of members) row[column[0]] = layer?.[member];
    }
    return row;
  });
}

/** Always leaves out people's names, because the file would outlive an owner's suppression. */
function changeRow(row: FeedRow): ExportRow {
  const change = presentChange(row);
  return {
    _op: 'upsert',
    change_id: change.id,
    property_id: change.property_id,
    market: row.market,
    kind: change.type,
    op: change.op,
    changed_fields: JSON.stringify(change.changed_fields),
    before: change.before === null ? null : JSON.stringify(redactPeople(change.before)),
    after: change.after === null ? null : JSON.stringify(redactPeople(change.after)),
    occurred_at: timestampOf(row.occurred_at),
  };
}
