// Turns stored rows into the JSON of a property and its records. Pure.
import { dayNumber } from '../../base/lib/clock.ts';
import { formatFips } from '../../base/lib/ids.ts';
import { mapValues, pick } from '../../base/lib/pick.ts';
import { LAYER_COLUMNS, type LayerColumns } from '../../supply/layers/layers.ts';
import type { Catalog } from '../markets/catalog.ts';
import { OWNER_FACTS } from './tenure-filters.ts';
import { marketPriceOf } from './market-price.ts';
import { Equity, Parcel, Structure, type Include, type Property } from './schema.ts';
import type {
  AssessmentRow,
  ChangeRow,
  OwnerRow,
  PropertyRow,
  StoredProvenance,
  TaxRow,
  TransactionRow,
} from './sql.ts';

export const SQFT_PER_ACRE = 43_560;
const PARCEL_COLUMNS = (Object.keys(Parcel.properties) as (keyof Parcel)[]).filter((name) => name !== 'lot_acres');
const STRUCTURE_COLUMNS = Object.keys(Structure.properties) as (keyof Structure)[];
const LAYER_COLUMN_NAMES = Object.keys(LAYER_COLUMNS) as (keyof LayerColumns)[];

const EQUITY_COLUMNS = (Object.keys(Equity.properties) as (keyof Equity)[]).filter((name) => name !== 'reason');

/** Parts that a request can add to the row. */
export interface Attached {
  mayReadOwners?: boolean;
  /** Today in the market. */
  asOf?: string;
  owner?: Property['owner'];
  assessments?: AssessmentRow[];
  taxes?: TaxRow[];
  transactions?: Property['transactions'];
  risk?: unknown;
  provenance?: boolean;
  geometry?: Property['geometry'];
  lineage?: Property['lineage'];
}

export const presentProperty = (
  row: PropertyRow & { distance_miles?: number },
  catalog: Catalog,
  attached: Attached = {},
): Property => ({
  object: 'property',
  id: row.id,
  identifiers: {
    apn: row.apn,
    apn_unformatted: row.apn_normalized,
    fips: formatFips(row.fips),
    county: catalog.counties.get(row.fips)?.name ?? null,
    state: row.state,
    market: row.market,
  },
  address: presentAddress(row),
  latitude: row.latitude,
  longitude: row.longitude,
  geo_precision: row.geo_precision,
  property_type: row.property_type as Property['property_type'],
  sqft: row.sqft,
  bedrooms: row.bedrooms,
  bathrooms: row.bathrooms,
  parcel: {
    ...pick(row, PARCEL_COLUMNS),
    lot_acres: row.lot_sqft === null ? null : Math.round((row.lot_sqft / SQFT_PER_ACRE) * 1000) / 1000,
  },
  structure: pick(row, STRUCTURE_COLUMNS),
  ...(attached.owner !== undefined && { owner: attached.owner }),
  ...(attached.assessments && { assessments: attached.assessments.map(presentAssessment) }),
  ...(attached.taxes && { taxes: attached.taxes.map((tax, at) => presentTax(tax, at === 0 ? row.value : null)) }),
  ...(attached.transactions && { transactions: attached.transactions }),
  last_sale:
    row.last_sale_date === null
      ? null
      : { date: row.last_sale_date, price: row.last_sale_price, transaction_id: row.last_sale_id },
  valuation:
    row.value === null
      ? null
      : {
          estimated_value: row.value,
          low: row.value_low,
          high: row.value_high,
          fsd: row.value_fsd,
          model_version: row.value_model,
          valued_on: row.valued_on,
        },
  tenure: presentTenure(row, attached),
  equity: { ...pick(row, EQUITY_COLUMNS), reason: row.equity_reason },
  risk_summary: pick(row, LAYER_COLUMN_NAMES),
  ...(attached.risk !== undefined && { risk: attached.risk }),
  ...(attached.provenance && { provenance: presentProvenance(row, catalog) }),
  ...(attached.geometry !== undefined && { geometry: attached.geometry }),
  ...(attached.lineage && { lineage: attached.lineage }),
  ...(row.distance_miles !== undefined && { distance_miles: Math.round(row.distance_miles * 10_000) / 10_000 }),
  status: row.status,
  updated_at: row.updated_at.toISOString(),
});

const DAYS_PER_YEAR = 365.25;

function presentTenure(row: PropertyRow, { mayReadOwners, asOf }: Attached): Property['tenure'] {
  const { owned_since: since } = row;
  const days = since === null || asOf === undefined ? null : Math.max(0, dayNumber(asOf) - dayNumber(since));
  return {
    owned_since: since,
    years_owned: days === null ? null : Math.round((days / DAYS_PER_YEAR) * 10) / 10,
    ...(mayReadOwners && pick(row, OWNER_FACTS)),
    ...pick(row, ['foreclosure_stage', 'foreclosure_on', 'foreclosure_ended_on', 'tax_delinquency']),
  };
}

type AddressColumns = Pick<PropertyRow, 'address_line1' | 'address_unit' | 'city' | 'state' | 'zip' | 'zip4'>;

export function presentAddress(row: AddressColumns) {
  const [line1, unit] = splitDoor(row);
  return { line1, unit, ...pick(row, ['city', 'state', 'zip', 'zip4']), formatted: formatAddress(row) };
}

/** Some files write the unit at the end of the street line: `12 MAIN ST, UNIT 3`. */
const UNIT_IN_LINE = /^(\S+ \S.*?),? +(?:(?:UNIT|APT|APARTMENT|STE|SUITE) +#?|# *)([A-Z0-9-]{1,8})$/i;

function splitDoor({ address_line1: line1, address_unit: unit }: AddressColumns): [string | null, string | null] {
  const found = unit === null && line1 !== null ? UNIT_IN_LINE.exec(line1) : null;
  return found ? [found[1], found[2]] : [line1, unit];
}

/** `12 Main St Unit 3, Town, ZZ 00501`; null if not even the street is known. */
function formatAddress(row: AddressColumns): string | null {
  if (!row.address_line1) return null;
  const street = [row.address_line1, row.address_unit].filter(Boolean).join(' ');
  const stateZip = [row.state, row.zip].filter(Boolean).join(' ');
  return [street, row.city, stateZip].filter(Boolean).join(', ');
}

export const presentOwner = (row: OwnerRow, isSuppressed: boolean): Property['owner'] => ({
  names: isSuppressed ? [] : row.names,
  type: row.type as NonNullable<Property['owner']>['type'],
  owner_occupied: row.owner_occupied,
  mailing_address: isSuppressed ? null : row.mailing_address,
  since: row.owned_since,
  suppressed: isSuppressed,
});

export const presentAssessment = ({ property_id: _property, source_id: source, ...figures }: AssessmentRow) => ({
  ...figures,
  source,
});

const presentTax = (row: TaxRow, value: number | null) => ({
  year: row.year,
  amount: row.amount_cents === null ? null : row.amount_cents / 100,
  rate: row.amount_cents === null || !value ? null : Math.round((row.amount_cents / value) * 100) / 10_000,
  exemptions: row.exemptions,
  status: row.status,
  source: row.source_id,
});

/** The parties of a document are personal: shown only to keys that may see owners, and never where suppressed. */
export function presentTransaction(row: TransactionRow, parties: 'shown' | 'suppressed' | 'absent') {
  const {
    fips: _fips,
    known_on: _known,
    verdict: _verdict,
    joined_by: _joined,
    source_id,
    buyers,
    sellers,
    ...rest
  } = row;
  return {
    object: 'transaction' as const,
    ...rest,
    ...marketPriceOf(row),
    ...(parties !== 'absent' && {
      buyers: parties === 'shown' ? buyers : [],
      sellers: parties === 'shown' ? sellers : [],
    }),
    source: source_id,
  };
}

export const presentChange = (row: ChangeRow) => ({
  object: 'change' as const,
  id: `chg_${row.fips}_${row.seq}`,
  property_id: row.property_id,
  type: row.kind,
  op: row.op,
  changed_fields: row.changed_fields,
  before: row.before,
  after: row.after,
  occurred_at: row.occurred_at.toISOString(),
});

function presentProvenance(row: PropertyRow, catalog: Catalog): NonNullable<Property['provenance']> {
  const stored: StoredProvenance = row.provenance;
  const fields = mapValues(stored.fields ?? {}, ({ source, known_on = null, others = [] }) => ({
    source,
    known_on,
    others,
  }));
  const named = new Set([
    stored.default,
    ...Object.values(fields).flatMap((field) => [field.source, ...field.others.map((o) => o.source)]),
  ]);
  const sources = [...named].flatMap((id) => {
    const source = id === undefined ? undefined : catalog.sources.get(id);
    return source ? [[source.id, pick(source, ['name', 'url', 'licence', 'attribution'])] as const] : [];
  });
  return {
    default_source: stored.default ?? null,
    loaded_at: row.updated_at.toISOString(),
    fields,
    sources: Object.fromEntries(sources),
  };
}

/** `fields=sqft,address` keeps the named members; `object` and `id` always stay. */
export function pickFields(
  property: Property,
  fields: readonly (keyof Property)[] | undefined,
  includes: readonly Include[],
): Property {
  if (!fields) return property;
  const kept = new Set<string>(['object', 'id', ...fields, ...includes]);
  return Object.fromEntries(Object.entries(property).filter(([name]) => kept.has(name))) as Property;
}
