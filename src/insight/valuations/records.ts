// Converts database rows to valuation inputs: a home's attributes, and sales with the day they became known.
import { BUILDING_FIELDS, extrasThatFit, isOtherBuilding } from '../../supply/ingest/same-building.ts';
import { dayNumber } from '../../base/lib/clock.ts';
import { assessedOn, noAttributes, STATED, type Assessed, type Attributes, type Sale } from '../avm/attributes.ts';
import { isDemographic } from './demographics.ts';
import { VALUED_TYPES, type AttributeRow, type SaleRow } from './sql.ts';

/** The recording lag in days that a retrospective valuation must respect. */
const RECORDING_LAG_DAYS = 14;

/** Sources write 0 for "unknown" in these columns. */
const POSITIVE = new Set('sqft lot_sqft year_built effective_year_built stories units rooms'.split(' '));

export function attributesOf(row: AttributeRow): Attributes {
  const attributes: Record<string, unknown> = { ...noAttributes, extras: numbersOf(row.extras) };
  for (const [column, name] of STATED)
    attributes[name] = POSITIVE.has(column) && !(Number(row[column]) > 0) ? null : row[column];
  return attributes as Attributes;
}

/** The median log of each roll. */
export type Rolls = ReadonlyMap<string, number>;

/** Empty if the market has no roll. */
export const assessedOf = ({ assessments }: Pick<AttributeRow, 'assessments'>, rolls: Rolls): Assessed =>
  (assessments ?? []).flatMap(({ roll, known_on, value }) => {
    const level = rolls.get(roll);
    return level === undefined ? [] : { knownDay: dayNumber(known_on), ratio: Math.log(value) - level };
  });

export const isValuedType = (type: string | null): boolean =>
  (VALUED_TYPES as readonly (string | null)[]).includes(type);

function numbersOf(extras: Record<string, unknown> | null): Record<string, number> {
  const numbers: Record<string, number> = {};
  for (const [name, value] of Object.entries(extras ?? {})) {
    if (isDemographic(name)) continue;
    if (typeof value === 'number' && Number.isFinite(value)) numbers[name] = value;
    if (typeof value === 'boolean') numbers[name] = value ? 1 : 0;
  }
  return numbers;
}

/** Attributes at the time of sale take precedence over today's record, which fills in values of the same building. */
export function saleOf(row: SaleRow, rolls: Rolls): Sale {
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
    attributes: assessedOn(attributesOf(merged), assessedOf(row, rolls), soldDay),
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
