// Converts database rows to what the valuation reads: a home's attributes, and sales with the day they became known.
import { BUILDING_FIELDS, extrasThatFit, isOtherBuilding } from '../../supply/ingest/same-building.ts';
import { dayNumber } from '../../base/lib/clock.ts';
import type { Attributes, Sale } from '../avm/attributes.ts';
import { isDemographic } from './demographics.ts';
import { VALUED_TYPES, type AttributeRow, type SaleRow } from './sql.ts';

/** Days between a sale and its recording that a valuation of the past must respect. */
const RECORDING_LAG_DAYS = 14;

export const attributesOf = (row: AttributeRow): Attributes => ({
  propertyType: row.property_type,
  latitude: row.latitude,
  longitude: row.longitude,
  sqft: positive(row.sqft),
  lotSqft: positive(row.lot_sqft),
  bedrooms: row.bedrooms,
  bathrooms: row.bathrooms,
  bathsFull: row.baths_full,
  bathsHalf: row.baths_half,
  yearBuilt: positive(row.year_built),
  effectiveYearBuilt: positive(row.effective_year_built),
  stories: positive(row.stories),
  units: positive(row.units),
  rooms: positive(row.rooms),
  garageSpaces: row.garage_spaces,
  condition: row.condition,
  quality: row.quality,
  style: row.style,
  exterior: row.exterior,
  zip: row.zip,
  city: row.city,
  neighborhood: row.neighborhood,
  subdivision: row.subdivision,
  censusTract: row.census_tract,
  extras: numbersOf(row.extras),
});

export const isValuedType = (type: string | null): boolean =>
  (VALUED_TYPES as readonly (string | null)[]).includes(type);

/** Sources write 0 for "unknown" in these columns. */
const positive = (value: number | null): number | null => (value !== null && value > 0 ? value : null);

function numbersOf(extras: Record<string, unknown> | null): Record<string, number> {
  const numbers: Record<string, number> = {};
  for (const [name, value] of Object.entries(extras ?? {})) {
    if (isDemographic(name)) continue;
    if (typeof value === 'number' && Number.isFinite(value)) numbers[name] = value;
    if (typeof value === 'boolean') numbers[name] = value ? 1 : 0;
  }
  return numbers;
}

/** Attributes as they stood at the sale take precedence over today's record, which fills in what is of the same building. */
export function saleOf(row: SaleRow): Sale {
  const { attributes, extras, ...today } = row;
  const then = attributes ?? {};
  const fitting = extrasThatFit(extras, today, then);
  const merged = { ...today, extras: { ...fitting, ...(then.extras as object | undefined) } } as AttributeRow;
  if (isOtherBuilding(today, then))
    for (const name of BUILDING_FIELDS) if (name in today) (merged as Record<string, unknown>)[name] = null;
  for (const [name, value] of Object.entries(then)) {
    if (name in today && name !== 'property_id' && value !== null) (merged as Record<string, unknown>)[name] = value;
  }
  const { soldDay, closedDay } = saleDays(row.sale_date, row.date_precision);
  return {
    id: row.sale_id,
    propertyId: row.property_id,
    soldDay,
    knownDay: Math.max(closedDay + RECORDING_LAG_DAYS, dayNumber(row.known_on)),
    priceUsd: row.price,
    attributes: attributesOf(merged),
    ...(row.vouched_by && { vouchedBy: row.vouched_by }),
    address: [row.address_line1, row.address_unit].filter(Boolean).join(' ') || null,
  };
}

/** A sale dated only by month counts as mid-month, and as unknown until the month is over. */
function saleDays(date: string, precision: 'day' | 'month'): { soldDay: number; closedDay: number } {
  if (precision === 'day') return { soldDay: dayNumber(date), closedDay: dayNumber(date) };
  const [year, month] = date.split('-').map(Number);
  const next = month === 12 ? `${year + 1}-01-01` : `${year}-${String(month + 1).padStart(2, '0')}-01`;
  return { soldDay: dayNumber(`${date.slice(0, 7)}-15`), closedDay: dayNumber(next) };
}
