// Enriches a chunk of items: each resolves to a property or an error, then records, risk and values are read together.
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { Deps } from '../../base/deps.ts';
import { type Explained, requireMatch } from '../../records/address/address.ts';
import { lookUpProperty } from '../../records/address/lookup.ts';
import { ApiError, ERRORS } from '../../base/lib/errors.ts';
import { formatFips } from '../../base/lib/ids.ts';
import { visibleCounts } from '../../records/markets/catalog.ts';
import { getProperty, presentProperties } from '../../records/properties/properties.ts';
import { presentAddress } from '../../records/properties/record.ts';
import { type PropertyRow } from '../../records/properties/sql.ts';
import type { RiskReport } from '../../records/risk/schema.ts';
import type { Locator } from './input.ts';
import type { ItemError } from './schema.ts';
import type { BatchRow, ItemOutcome, PendingItem } from './sql.ts';

/** What other rooms do for a batch, passed in by whoever starts the worker. */
export interface EnrichPorts {
  resolve(text: string, mode: KeyMode): Promise<Explained>;
  /** The valuation result of a property; throws an ApiError that says why there is none. */
  value(row: PropertyRow, asker: { mode: KeyMode; accountId: string }): Promise<unknown>;
  risk(rows: PropertyRow[]): Promise<RiskReport[]>;
  /** Throws or waits for the sandbox's magic inputs. */
  beforeItem?(addressOrId: string, mode: KeyMode): Promise<void>;
}

interface Located {
  row: PropertyRow;
  match: { address: string | null; match_quality: string | null; match_score: number | null };
}

export interface Enriched {
  outcomes: ItemOutcome[];
  standard: number;
  avm: number;
}

export async function enrichItems(
  deps: Deps,
  ports: EnrichPorts,
  batch: BatchRow,
  items: PendingItem[],
): Promise<Enriched> {
  const located = await Promise.all(items.map((item) => attempt(() => locate(deps, ports, batch.mode, item))));
  const rows = located.flatMap((place) => ('value' in place ? [place.value.row] : []));
  const wants = (part: string) => batch.include.includes(part as 'risk');
  const view = { mode: batch.mode, mayReadOwners: batch.may_read_owners };
  const shape = { includes: [], fields: undefined };
  const [properties, risks, values] = await Promise.all([
    wants('property') ? presentProperties(deps, view, rows, shape) : [],
    wants('risk') ? ports.risk(rows) : [],
    wants('valuation')
      ? Promise.all(
          rows.map((row) => attempt(() => ports.value(row, { mode: batch.mode, accountId: batch.account_id }))),
        )
      : [],
  ]);

  let next = 0;
  let standard = 0;
  let avm = 0;
  const outcomes = items.map((item, i): ItemOutcome => {
    const place = located[i];
    if ('error' in place) return { ordinal: item.ordinal, status: 'failed', result: null, error: place.error };
    const at = next++;
    const valued = values[at];
    const isValued = valued !== undefined && 'value' in valued;
    const isCalled = wants('property') || wants('risk');
    if (!isCalled && !isValued)
      return { ordinal: item.ordinal, status: 'failed', result: null, error: valued?.error ?? null };
    if (isCalled) standard++;
    if (isValued) avm++;
    const result = {
      property_id: place.value.row.id,
      match: place.value.match,
      ...(wants('property') && { property: properties[at] }),
      ...(wants('risk') && { risk: risks[at] }),
      ...(wants('valuation') && { valuation: isValued ? valued.value : null }),
      ...(valued !== undefined && !isValued && { valuation_error: valued.error }),
    };
    return { ordinal: item.ordinal, status: 'succeeded', result, error: null };
  });
  return { outcomes, standard, avm };
}

async function locate(deps: Deps, ports: EnrichPorts, mode: KeyMode, { input }: PendingItem): Promise<Located> {
  if ('latitude' in input) {
    const { row, resolution } = await lookUpProperty(deps, mode, input);
    return { row, match: { address: presentAddress(row).formatted, ...qualityOf(resolution) } };
  }
  if ('address' in input) {
    await ports.beforeItem?.(input.address, mode);
    const found = requireMatch(await ports.resolve(input.address, mode));
    const row = await follow(deps, mode, found.property_id);
    return { row, match: { address: found.address ?? presentAddress(row).formatted, ...qualityOf(found) } };
  }
  const reference = 'property_id' in input ? input.property_id : await parcelOf(deps, mode, input);
  await ports.beforeItem?.(reference, mode);
  const row = await follow(deps, mode, reference);
  return { row, match: { address: presentAddress(row).formatted, match_quality: null, match_score: null } };
}

function qualityOf({ match_quality, match_score }: { match_quality: string; match_score: number }) {
  return { match_quality, match_score };
}

/** `fips:apn`, with the county found by its name if need be. */
async function parcelOf(deps: Deps, mode: KeyMode, input: Extract<Locator, { apn: string }>): Promise<string> {
  if ('fips' in input) return `${input.fips}:${input.apn}`;
  const catalog = await deps.catalog.read();
  const plain = (name: string) =>
    name
      .toLowerCase()
      .replace(/ (county|parish|borough)$/, '')
      .trim();
  const [state, county] = [input.state.toUpperCase(), plain(input.county)];
  const loaded = new Set(visibleCounts(catalog, mode).map(({ fips }) => fips));
  const found = [...catalog.counties.values()].find(
    (row) => loaded.has(row.fips) && row.state === state && plain(row.name) === county,
  );
  if (!found)
    throw new ApiError('out_of_coverage', `No county named ${input.county} is loaded in ${state}. See /coverage.`);
  return `${formatFips(found.fips)}:${input.apn}`;
}

/** The property, or the one it was merged into. */
async function follow(deps: Deps, mode: KeyMode, reference: string): Promise<PropertyRow> {
  const { row, movedTo } = await getProperty(deps, mode, reference);
  return movedTo === undefined ? row : (await getProperty(deps, mode, movedTo)).row;
}

/** An item's own answer stays with the item. Anything unexpected fails the chunk, which is retried in smaller ones. */
async function attempt<Value>(work: () => Promise<Value>): Promise<{ value: Value } | { error: ItemError }> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof ApiError) return { error: describeError(error) };
    throw error;
  }
}

export function describeError(error: ApiError): ItemError {
  const [status, title] = ERRORS[error.code];
  const { candidates, suggestions, successors, reason, nearest_covered } = error.members;
  return {
    code: error.code,
    title,
    status,
    detail: error.message,
    ...(reason && { reason }),
    ...(candidates && { candidates }),
    ...(suggestions && { suggestions }),
    ...(successors && { successors }),
    ...(nearest_covered && { nearest_covered }),
  };
}
