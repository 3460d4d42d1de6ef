// Enriches a chunk of items: each resolves to a property or an error, then records, risk and values are read together.
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { Deps } from '../../base/deps.ts';
import { locate, type Located, type WantedProperty } from '../../records/address/locate.ts';
import { ApiError, ERRORS } from '../../base/lib/errors.ts';
import { presentProperties } from '../../records/properties/properties.ts';
import { type PropertyRow } from '../../records/properties/sql.ts';
import type { RiskReport } from '../../records/risk/schema.ts';
import type { ItemError } from './schema.ts';
import type { BatchRow, ItemOutcome, PendingItem } from './sql.ts';

/** Functions of higher rooms, passed in by the worker. */
export interface EnrichPorts {
  /** The valuation result of a property; throws an ApiError with the reason if there is none. */
  value(row: PropertyRow, asker: { mode: KeyMode; accountId: string }): Promise<unknown>;
  risk(rows: PropertyRow[]): Promise<RiskReport[]>;
  /** Throws or waits for the sandbox's magic inputs. */
  beforeItem?(addressOrId: string, mode: KeyMode): Promise<void>;
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
  const located = await Promise.all(items.map((item) => attempt(() => locateItem(deps, ports, batch.mode, item))));
  const rows = located.flatMap((place) => ('value' in place ? [place.value.row] : []));
  const wants = (part: string) => batch.include.includes(part as 'risk');
  const view = { mode: batch.mode, mayReadOwners: false };
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
    const found = { property_id: place.value.row.id, match: matchOf(place.value) };
    if (!isCalled && !isValued)
      return { ordinal: item.ordinal, status: 'failed', result: found, error: valued?.error ?? null };
    if (isCalled) standard++;
    if (isValued) avm++;
    const result = {
      ...found,
      ...(wants('property') && { property: properties[at] }),
      ...(wants('risk') && { risk: risks[at] }),
      ...(wants('valuation') && { valuation: isValued ? valued.value : null }),
      ...(valued !== undefined && !isValued && { valuation_error: valued.error }),
    };
    return { ordinal: item.ordinal, status: 'succeeded', result, error: null };
  });
  return { outcomes, standard, avm };
}

const matchOf = ({ resolution: { matched_address, match_quality, match_score } }: Located) => ({
  address: matched_address,
  match_quality,
  match_score,
});

async function locateItem(deps: Deps, ports: EnrichPorts, mode: KeyMode, { input }: PendingItem): Promise<Located> {
  const { property_id: id, ...locators } = input as WantedProperty & { property_id?: string };
  const named = id ?? locators.address ?? (locators.fips && `${locators.fips}:${locators.apn}`);
  if (named !== undefined) await ports.beforeItem?.(named, mode);
  return locate(deps, mode, { id, ...locators });
}

/** An expected error stays with its item. An unexpected one fails the chunk, which is retried in smaller chunks. */
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
