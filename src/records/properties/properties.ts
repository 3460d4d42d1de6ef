// Property records: one by its reference or many by a search, each with the requested extras.
// One room because search, count, feed, exports and tiles share one filter and one record.
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import { inTransaction, type Pool } from '../../base/db/postgres.ts';
import type { Connections, Deps } from '../../base/deps.ts';
import { presentPage, readPage } from '../../base/lib/pages.ts';
import { fail } from '../../base/lib/errors.ts';
import { gather } from '../../base/lib/gather.ts';
import { compactApn, fipsOfPropertyId, isPropertyId } from '../../base/lib/ids.ts';
import { isVisibleMarket, todayIn } from '../markets/catalog.ts';
import { closestNumbers, compactSpellings } from './parcel-number.ts';
import {
  pickFields,
  presentAddress,
  presentOwner,
  presentProperty,
  presentTransaction,
  type Attached,
} from './record.ts';
import type { Include, Property } from './schema.ts';
import { readGeometries, readLineages } from './shapes.ts';
import * as sql from './sql.ts';

type ReadDeps = Pick<Deps, 'data' | 'secrets' | 'catalog' | 'clock'>;

/** The caller's view: sandbox or live records, with or without people's names. */
export interface View {
  mode: KeyMode;
  mayReadOwners: boolean;
}

/** Risk layers are above this room, so the code that registers the routes passes the reader in. */
export type RiskReader = (rows: sql.PropertyRow[]) => Promise<unknown[]>;

interface Shape {
  includes: readonly Include[];
  fields: readonly (keyof Property)[] | undefined;
  /** Needed for `include=risk` only. */
  readRisk?: RiskReader;
}

/** The property for `prop_…` or `fips:apn`. A merged property returns its successor under `movedTo`; a split one is
    gone, and the error lists its successors. */
export async function getProperty(
  deps: Pick<Deps, 'data' | 'catalog' | 'records'>,
  mode: KeyMode,
  reference: string,
): Promise<{ row: sql.PropertyRow; movedTo?: string }> {
  const catalog = await deps.catalog.read();
  const row = await findByReference(deps, reference);
  if (!row || !isVisibleMarket(catalog, row.market, mode)) noSuchProperty(reference);
  if (row.status === 'active') return { row };
  const successors = await sql.listSuccessors(deps.data, row.fips, row.id);
  if (successors.length === 1 && successors[0].kind !== 'split') return { row, movedTo: successors[0].successor_id };
  if (successors.length > 0) {
    fail('property_superseded', 'This property was split. Read its successors instead.', {
      successors: successors.map((successor) => successor.successor_id),
    });
  }
  return { row };
}

/** The property for `prop_…` or `fips:apn` as it is today: a merged one is read as its successor. */
export async function getCurrentProperty(
  deps: Pick<Deps, 'data' | 'catalog' | 'records'>,
  mode: KeyMode,
  reference: string,
): Promise<sql.PropertyRow> {
  const passed = new Set<string>();
  for (let next = reference; ;) {
    const { row, movedTo } = await getProperty(deps, mode, next);
    passed.add(row.id);
    if (movedTo === undefined || passed.has(movedTo)) return row;
    next = movedTo;
  }
}

async function findByReference(
  deps: Pick<Deps, 'data' | 'records'>,
  reference: string,
): Promise<sql.PropertyRow | undefined> {
  if (isPropertyId(reference)) return deps.records.find(reference);
  const parcel = /^(\d{5}):(.{1,80})$/.exec(reference);
  if (!parcel) return undefined;
  return findByParcelNumber(deps.data, Number(parcel[1]), parcel[2]);
}

/** Accepts any usual spelling of a number; one that fits several parcels is refused with all of them. */
async function findByParcelNumber(data: Pool, fips: number, wanted: string): Promise<sql.PropertyRow | undefined> {
  if (compactApn(wanted) === '') return undefined;
  let numbers = await sql.listParcelNumbers(data, fips, [compactApn(wanted)]);
  if (numbers.length === 0) {
    const samples = await sql.sampleParcelNumbers(data, fips);
    numbers = await sql.listParcelNumbers(data, fips, compactSpellings(wanted, samples));
  }
  const rows = await sql.listByApn(data, fips, closestNumbers(wanted, numbers));
  const wholes = rows.filter((row) => row.unit_key === '');
  const isVague = new Set(rows.map((row) => row.apn)).size > 1 || wholes.length > 1;
  if (isVague || (rows.length > 1 && wholes.length === 0)) {
    const detail = isVague
      ? 'Several parcels fit this number. Write it as the county does, or use the id of one of them.'
      : 'Several units share this parcel number; use the id of one of them.';
    const candidates = rows.slice(0, 10).map((row) => ({
      property_id: row.id,
      address: presentAddress(row).formatted,
      apn: row.apn,
      unit: row.address_unit,
    }));
    fail('address_ambiguous', detail, { reason: 'several_properties', candidates });
  }
  return wholes[0] ?? rows[0];
}

const MOST_AT_ONCE = 50;

/** Finds records by id; requests made at the same moment are read together. */
interface RecordReader {
  find(id: string): Promise<sql.PropertyRow | undefined>;
}

declare module '../../base/deps.ts' {
  interface Deps {
    records: RecordReader;
  }
}

export const createRecordReader = ({ data }: Pick<Connections, 'data'>): RecordReader => ({
  find: gather((ids: string[]) => findByIds(data, ids), MOST_AT_ONCE),
});

async function findByIds(data: Pool, ids: string[]): Promise<(sql.PropertyRow | undefined)[]> {
  const keys = ids.map((id) => ({ fips: fipsOfPropertyId(id), id }));
  if (keys.length === 1) return [await sql.findProperty(data, keys[0].fips, keys[0].id)];
  const rows = new Map((await sql.listProperties(data, keys)).map((row) => [row.id, row]));
  return ids.map((id) => rows.get(id));
}

/** The owner asked not to be shown: the names are removed now, and no load brings them back. */
export async function suppressOwner(
  deps: Pick<Deps, 'data' | 'clock' | 'records'>,
  reference: string,
  reason: string,
): Promise<sql.PropertyRow> {
  const row = (await findByReference(deps, reference)) ?? noSuchProperty(reference);
  await inTransaction(deps.data, (client) => sql.suppressOwner(client, row, reason, deps.clock()));
  return row;
}

export async function showOwner(deps: Pick<Deps, 'data' | 'records'>, reference: string): Promise<sql.PropertyRow> {
  const row = (await findByReference(deps, reference)) ?? noSuchProperty(reference);
  await sql.endSuppression(deps.data, row);
  return row;
}

export async function presentProperties(
  deps: ReadDeps,
  view: View,
  rows: sql.PropertyRow[],
  shape: Shape,
): Promise<Property[]> {
  const catalog = await deps.catalog.read();
  const attached = await attach(deps, view, rows, shape);
  return rows.map((row, i) => {
    const asOf = todayIn(catalog, row.market, deps.clock);
    const property = presentProperty(row, catalog, { ...attached[i], mayReadOwners: view.mayReadOwners, asOf });
    return pickFields(property, shape.fields, shape.includes);
  });
}

async function attach(
  deps: ReadDeps,
  view: View,
  rows: sql.PropertyRow[],
  { includes, readRisk }: Shape,
): Promise<Attached[]> {
  if (includes.length === 0 || rows.length === 0) return rows.map(() => ({}));
  const wants = (include: Include) => includes.includes(include);
  if (wants('owner') && !view.mayReadOwners) {
    fail('insufficient_scope', 'include=owner requires the `owners:read` scope.', { required_scope: 'owners:read' });
  }
  const showsPeople = wants('owner') || wants('transactions');
  const [owners, suppressed, assessments, taxes, transactions, risks, geometries, lineages] = await Promise.all([
    wants('owner') ? sql.listOwners(deps.data, rows) : [],
    showsPeople ? sql.listSuppressed(deps.data, rows) : [],
    wants('assessments') ? sql.listAssessments(deps.data, rows) : [],
    wants('taxes') ? sql.listTaxes(deps.data, rows) : [],
    wants('transactions') ? sql.listTransactions(deps.data, rows) : [],
    wants('risk') && readRisk ? readRisk(rows) : [],
    wants('geometry') ? readGeometries(deps, rows) : undefined,
    wants('lineage') ? readLineages(deps, rows, wants('geometry')) : undefined,
  ]);
  const hidden = new Set(suppressed);
  const of = <Row extends { property_id: string }>(list: Row[], row: sql.PropertyRow) =>
    list.filter((item) => item.property_id === row.id);
  return rows.map((row, i): Attached => {
    const owner = of(owners, row)[0];
    return {
      ...(wants('owner') && { owner: owner ? presentOwner(owner, hidden.has(row.id)) : null }),
      ...(wants('assessments') && { assessments: of(assessments, row) }),
      ...(wants('taxes') && { taxes: of(taxes, row) }),
      ...(wants('transactions') && {
        transactions: of(transactions, row).map((item) =>
          presentTransaction(item, partiesFor(view, hidden.has(row.id))),
        ),
      }),
      ...(wants('risk') && { risk: risks[i] }),
      ...(wants('provenance') && { provenance: true }),
      ...(geometries && { geometry: geometries.get(row.id) ?? null }),
      ...(lineages && { lineage: lineages.get(row.id) }),
    };
  });
}

function partiesFor(view: View, isSuppressed: boolean): 'shown' | 'suppressed' | 'absent' {
  if (!view.mayReadOwners) return 'absent';
  return isSuppressed ? 'suppressed' : 'shown';
}

export async function listTransactions(
  deps: ReadDeps,
  view: View,
  row: sql.PropertyRow,
  query: { type?: string; limit?: number; cursor?: string },
) {
  const list = (after: [string, string] | undefined, limit: number) =>
    sql.listTransactionPage(deps.data, row, { type: query.type, after, limit });
  const [page, suppressed] = await Promise.all([
    readPage(deps.secrets, ['transactions', row.id, query.type ?? null], query, list, (item): [string, string] => [
      item.sale_date ?? item.recording_date ?? item.known_on,
      item.id,
    ]),
    sql.listSuppressed(deps.data, [row]),
  ]);
  const parties = partiesFor(view, suppressed.length > 0);
  return presentPage(page, (item) => presentTransaction(item, parties));
}

/** Every document of a property and its current owner, as stored; the caller decides what to show. */
export async function readDocuments(deps: Pick<Deps, 'data'>, row: sql.PropertyRow) {
  const [transactions, owners, suppressed] = await Promise.all([
    sql.listTransactions(deps.data, [row]),
    sql.listOwners(deps.data, [row]),
    sql.listSuppressed(deps.data, [row]),
  ]);
  return { transactions, owner: owners.at(0), isSuppressed: suppressed.length > 0 };
}

/** Those of the properties whose owners asked not to be shown. */
export const suppressedAmong = async ({ data }: Pick<Deps, 'data'>, ids: Iterable<string>): Promise<Set<string>> =>
  new Set(
    await sql.listSuppressed(
      data,
      [...new Set(ids)].map((id) => ({ fips: fipsOfPropertyId(id), id })),
    ),
  );

export const isOwnerSuppressed = async (deps: Pick<Deps, 'data'>, id: string): Promise<boolean> =>
  (await suppressedAmong(deps, [id])).size > 0;

export async function listChanges(deps: ReadDeps, row: sql.PropertyRow, query: { limit?: number; cursor?: string }) {
  const list = (before: [number] | undefined, limit: number) => sql.listChanges(deps.data, row, before?.[0], limit);
  return readPage(deps.secrets, ['changes', row.id], query, list, (change): [number] => [change.seq]);
}

/** The records with these ids, in any order; unknown ids are left out. */
export async function listPropertyRows(deps: Pick<Deps, 'data'>, ids: string[]): Promise<sql.PropertyRow[]> {
  const known = ids.filter(isPropertyId);
  return sql.listProperties(
    deps.data,
    known.map((id) => ({ fips: fipsOfPropertyId(id), id })),
  );
}

/** Records of the other key mode look exactly like missing ones. */
function noSuchProperty(reference: string): never {
  return fail('property_not_found', `No property \`${reference.slice(0, 100)}\` is visible to this key.`);
}
