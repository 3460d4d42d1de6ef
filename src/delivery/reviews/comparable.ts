// Checks one comparable of an appraisal against the records: the home, its sale, its facts and its adjustments.
import { rounded } from '../../base/lib/figures.ts';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { Deps } from '../../base/deps.ts';
import { addDays, dayNumber } from '../../base/lib/clock.ts';
import { ApiError } from '../../base/lib/errors.ts';
import { distanceMiles, type Point } from '../../base/lib/geo.ts';
import { locate } from '../../records/address/locate.ts';
import { listCoverage, type CoveredCatalog } from '../../records/markets/catalog.ts';
import { marketPriceOf } from '../../records/properties/market-price.ts';
import { readDocuments } from '../../records/properties/properties.ts';
import { presentAddress } from '../../records/properties/record.ts';
import type { PropertyRow, TransactionRow } from '../../records/properties/sql.ts';
import type { Valuation } from '../../insight/valuations/schema.ts';
import type { PriceIndex } from '../../insight/analytics/index-schema.ts';
import type { ReviewedComparable, ReviewRequest } from './schema.ts';

type Comparable = NonNullable<Valuation['comparables']>[number];
type Stated = ReviewRequest['appraisal']['comparables'][number];
type Adjustment = ReviewedComparable['adjustments'][number];

/** Contract, closing and recording dates are weeks apart, and appraisers state any of the three. */
const SAME_SALE_DAYS = 45;
const SAME_PRICE = 0.005;
/** Assessors and appraisers measure the same house a few percent apart. */
const SAME_AREA = 0.03;
const LEAST_RATES = 3;
/** Rates of our grid follow curves: half the lowest to twice the highest is the range of honest disagreement. */
const RANGE_FACTOR = 2;
/** A resale within this period is worth a question. */
const RESALE_DAYS = 365;

interface Context {
  mode: KeyMode;
  match: ReviewRequest['match'];
  subject: PropertyRow;
  effectiveDate: string;
  grid: Comparable[];
  index: PriceIndex | null;
}

type CheckDeps = Pick<Deps, 'data' | 'catalog' | 'records' | 'places'>;

export async function checkComparable(
  deps: CheckDeps,
  context: Context,
  stated: Stated,
  number: number,
): Promise<ReviewedComparable> {
  const { subject, effectiveDate, grid } = context;
  const found = await find(deps, context, stated);
  const row = 'row' in found ? found.row : undefined;
  const catalog = await deps.catalog.readCovered(row ? [row] : []);
  const deeds = row ? (await readDocuments(deps, row)).transactions.filter(({ type }) => type === 'deed') : [];
  const adjustments = stated.adjustments ?? [];
  const sum = adjustments.reduce((total, { amount }) => total + amount, 0);
  const gross = adjustments.reduce((total, { amount }) => total + Math.abs(amount), 0);
  const rate = (amount: number) => (adjustments.length === 0 ? null : rounded(amount / stated.sale_price));
  const ours = row && grid.find((each) => each.property_id === row.id && isNear(each.sale_date, stated.sale_date));
  return {
    number,
    stated_address: stated.address ?? null,
    stated_price: stated.sale_price,
    stated_date: stated.sale_date,
    property_id: row?.id ?? null,
    matched_address: row ? presentAddress(row).formatted : null,
    not_found_reason: 'reason' in found ? found.reason : null,
    sale: saleOf(deeds, stated, row && coversDay(catalog, row, stated.sale_date)),
    differences: row ? differencesOf(stated, row) : [],
    distance_miles: row ? milesBetween(subject, row) : null,
    days_before: dayNumber(effectiveDate) - dayNumber(stated.sale_date),
    net_adjustment_rate: rate(sum),
    gross_adjustment_rate: rate(gross),
    adds_up: stated.adjusted_price === undefined ? null : stated.sale_price + sum === stated.adjusted_price,
    adjustments: adjustments.map((each) => checkAdjustment(each, { stated, row, ours, context })),
    index_change: indexChange(context.index, stated.sale_date, effectiveDate),
    in_our_grid: ours !== undefined,
  };
}

async function find(
  deps: CheckDeps,
  { mode, match }: Context,
  { sqft: _s, lot_sqft: _l, bedrooms: _b, bathrooms: _t, year_built: _y, ...stated }: Stated,
): Promise<{ row: PropertyRow } | { reason: string }> {
  const { sale_price: _p, sale_date: _d, adjusted_price: _a, adjustments: _j, ...wanted } = stated;
  try {
    return { row: (await locate(deps, mode, wanted, { match })).row };
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return { reason: error.message };
    throw error;
  }
}

const dateOf = ({ sale_date, recording_date }: TransactionRow) => sale_date ?? recording_date;
const isNear = (a: string, b: string) => Math.abs(dayNumber(a) - dayNumber(b)) <= SAME_SALE_DAYS;
const isSamePrice = (a: number, b: number) => Math.abs(a - b) <= SAME_PRICE * b;

/** The deed that matches the stated sale best. */
function saleOf(deeds: TransactionRow[], stated: Stated, isCovered: boolean | undefined): ReviewedComparable['sale'] {
  const dated = deeds.flatMap((deed) => {
    const date = dateOf(deed);
    return date === null ? [] : [{ deed, date, days: Math.abs(dayNumber(date) - dayNumber(stated.sale_date)) }];
  });
  const near = dated.filter(({ days }) => days <= SAME_SALE_DAYS).sort((a, b) => a.days - b.days);
  const atPrice = (each: (typeof dated)[number]) =>
    each.deed.price !== null && isSamePrice(each.deed.price, stated.sale_price);
  const priced = near.filter(({ deed }) => deed.price !== null && deed.price > 0);
  const elsewhere = dated.filter(atPrice).sort((a, b) => a.days - b.days)[0];
  const [match, status] = near.some(atPrice)
    ? [near.find(atPrice), 'confirmed' as const]
    : elsewhere
      ? [elsewhere, 'date_differs' as const]
      : priced.length > 0
        ? [priced[0], 'price_differs' as const]
        : near.length > 0
          ? [near[0], 'price_not_recorded' as const]
          : [undefined, isCovered ? ('no_such_sale' as const) : ('not_covered' as const)];
  const judged = match && marketPriceOf(match.deed);
  return {
    status,
    transaction_id: match?.deed.id ?? null,
    recorded_price: match?.deed.price ?? null,
    recorded_date: match?.date ?? null,
    market_price: judged?.market_price ?? null,
    market_price_reason: judged?.market_price_reason ?? null,
    earlier_sale: match?.deed.price ? earlierSale(dated, match.date, match.deed.price) : null,
  };
}

function earlierSale(
  dated: { deed: TransactionRow; date: string }[],
  soldOn: string,
  price: number,
): ReviewedComparable['sale']['earlier_sale'] {
  const earliest = addDays(soldOn, -RESALE_DAYS);
  const before = dated
    .filter(
      ({ deed, date }) => date < soldOn && date >= earliest && deed.price !== null && marketPriceOf(deed).market_price,
    )
    .sort((a, b) => (a.date < b.date ? 1 : -1))[0];
  return before
    ? { date: before.date, price: before.deed.price!, change: rounded(price / before.deed.price! - 1) }
    : null;
}

/** Whether some source of sales or deeds covers the day. */
const coversDay = (catalog: CoveredCatalog, row: PropertyRow, day: string): boolean =>
  listCoverage(catalog, row, ({ layer }) => layer === 'transactions').some(
    ({ covers_from: from, covers_to: to }) => (from === null || from <= day) && (to === null || to >= day),
  );

type Facts = Pick<ReviewRequest['property'], 'sqft' | 'lot_sqft' | 'bedrooms' | 'bathrooms' | 'year_built'>;

export function differencesOf(stated: Facts, row: PropertyRow): ReviewedComparable['differences'] {
  const areas = ['sqft', 'lot_sqft'] as const;
  const counts = ['bedrooms', 'bathrooms', 'year_built'] as const;
  return [...areas, ...counts].flatMap((field) => {
    const [said, recorded] = [stated[field], row[field]];
    if (said === undefined || recorded === null) return [];
    const isArea = (areas as readonly string[]).includes(field);
    const isSame = isArea ? Math.abs(said - recorded) <= SAME_AREA * recorded : said === recorded;
    return isSame ? [] : [{ field, stated: said, recorded }];
  });
}

/** The fact and unit of an adjustment. */
const UNITS: Record<string, { field: keyof Facts; per: string }> = {
  living_area: { field: 'sqft', per: 'square foot' },
  lot_size: { field: 'lot_sqft', per: 'square foot of lot' },
  bedrooms: { field: 'bedrooms', per: 'bedroom' },
  bathrooms: { field: 'bathrooms', per: 'bathroom' },
  age: { field: 'year_built', per: 'year' },
};

function checkAdjustment(
  { feature, amount }: { feature: string; amount: number },
  {
    stated,
    row,
    ours,
    context,
  }: { stated: Stated; row: PropertyRow | undefined; ours: Comparable | undefined; context: Context },
): Adjustment {
  const own = ours ? (ours.adjustments.find((each) => each.feature === feature)?.amount ?? 0) : null;
  const unit = Object.hasOwn(UNITS, feature) ? UNITS[feature] : undefined;
  const there = unit && (stated[unit.field] ?? row?.[unit.field] ?? undefined);
  const here = unit && (context.subject[unit.field] ?? undefined);
  const difference = here === undefined || there === undefined ? undefined : here - there;
  const statedRate = difference ? rounded(amount / difference, 2) : null;
  const range = unit ? rangeOf(context.grid, context.subject, feature, unit) : null;
  return {
    feature,
    amount,
    ours: own,
    stated_rate: statedRate,
    market_range: range,
    is_outside:
      statedRate === null || range === null
        ? null
        : statedRate < range.low / RANGE_FACTOR || statedRate > range.high * RANGE_FACTOR,
  };
}

/** Our grid's rates for the feature, if enough of its sales differ in it. */
function rangeOf(
  grid: Comparable[],
  subject: PropertyRow,
  feature: string,
  { field, per }: (typeof UNITS)[string],
): Adjustment['market_range'] {
  const here = subject[field];
  const rates = grid.flatMap((sale) => {
    const there = sale[field];
    const line = sale.adjustments.find((each) => each.feature === feature);
    if (!line || here === null || there === null || here === there) return [];
    return [line.amount / (here - there)];
  });
  const positive = rates.filter((rate) => rate > 0);
  if (positive.length < LEAST_RATES) return null;
  return { low: rounded(Math.min(...positive), 2), high: rounded(Math.max(...positive), 2), per, n: positive.length };
}

function milesBetween(a: PropertyRow, b: PropertyRow): number | null {
  if (a.latitude === null || b.latitude === null) return null;
  return rounded(distanceMiles(a as Point, b as Point), 2);
}

/** Between the months of two days, where the index has both; undefined outside its range. */
function indexChange(index: PriceIndex | null, from: string, to: string): number | null {
  const at = (day: string) => index?.data.find(({ period }) => period === day.slice(0, 7))?.index;
  const last = index?.data.at(-1);
  const [start, end] = [at(from), at(to) ?? (last && to.slice(0, 7) > last.period ? last.index : undefined)];
  return start === undefined || end === undefined ? null : rounded(end / start - 1);
}
