// Checks of a file as a whole: its layout, its parcel numbers, its place, and the usual ranges of its fields.
import { DAY_MS } from '../../../base/lib/clock.ts';
import { editDistance } from '../../../base/lib/spelling.ts';
import { median, quantile } from '../../../base/math/quantiles.ts';
import type { Examined } from '../examined.ts';
import { wordsOf, type WholeChecks } from '../check.ts';
import { FIELDS, usual } from '../figures.ts';
import { LESS, PIECE } from '../neighbors.ts';
import { PLACE_CHECKS } from './place.ts';
import { PRODUCT_CHECKS } from './product.ts';

/** As many rows as programs show or export at once. */
const AT_ONCE = /^(?:200|[125]0{3,}|6553[56]|104857[56])$/;
const LOOKS_LIKE_DATA = /^[\d$.,/ -]*\d[\d$.,/ -]*$|^\d+ \S+ .*\S|^\d{1,2}[/-]\d{1,2}[/-]\d{2,4}/;

/** The columns by which homes with one parcel number can be told apart, the likeliest first. */
function tellingColumns({ telling: { pairs, byColumn }, header, subject }: Examined): string[] {
  const isUnit = (name: string) => /unit|apt|suite|door|condo|loc/i.test(name);
  return header
    .map((name, i) => ({ name, share: pairs === 0 ? 0 : byColumn[i] / pairs }))
    .filter(({ name, share }) => share > 0.9 && !subject.personal.has(name.toLowerCase()))
    .toSorted((a, b) => Number(isUnit(b.name)) - Number(isUnit(a.name)) || b.share - a.share)
    .map(({ name }) => name);
}

const FEW = 30;
/** The median by living area. So far above it are none of King County's sales, 0.2 % of Milwaukee's and 0.7 % of New York's. */
const TIMES_USUAL = 6;

const AMOUNTS = ['transactions.price', 'properties.sqft', 'properties.lot_sqft', 'assessments.total'];
const STAND_IN = /^(?:9{4,}|(\d)\1{5,}|1234567\d*)$/;
/** A round year is built in like its neighbors, unless it stands for old or unknown. */
const MOST_OF_YEAR = 0.05;
/** So many between half of a power of ten and it have others beyond it. */
const MANY = 60;
/** A share of rows that are no strays. */
const SOME = 0.03;
const TIMES_NEIGHBORS = 5;
/** Nominal prices are everywhere; homes of one plan, or lots of one acre, are fewer. */
const [NOMINAL, MOST_OF_AMOUNT, TIMES_NEXT] = [1000, 0.08, 8];
/** Pieces in which amounts and areas have nothing to do with each other. */
const UNRELATED = 0.08;
/** Between pieces of a file whose values are of two years, as a logarithm. */
const TWO_LEVELS = 0.4;

/** What a spreadsheet counts up: days of dates, and the number at the beginning of anything else. */
const countOf = (value: unknown) =>
  /^\d{4}-\d\d-\d\d$/.test(String(value)) ? Date.parse(String(value)) / DAY_MS : Number.parseInt(String(value), 10);
const isByMonth = (fields: Examined['fields']) =>
  fields.get('transactions.date_precision')?.sample.top?.value !== 'day';

/** Of market sales: the value by the price, as a logarithm, beside what is usual in the year of the sale. */
function levelsOf({ first }: Examined['neighbors']): number[] {
  const sales = first.flatMap(({ price, total, soldOn, isMarket }) =>
    price && total && soldOn && isMarket ? [{ year: soldOn.slice(0, 4), level: Math.log(total / price) }] : [],
  );
  const usual = Map.groupBy(sales, ({ year }) => year);
  const middles = new Map([...usual].map(([year, list]) => [year, median(list.map(({ level }) => level))]));
  return sales.map(({ year, level }) => level - (middles.get(year) ?? 0));
}

/** Values that are typed where none is known, by how often. */
function standIns(path: string, numbers: number[]): [value: number, count: number][] {
  const counts = new Map<number, number>();
  for (const value of numbers) counts.set(value, (counts.get(value) ?? 0) + 1);
  if (path !== 'properties.year_built') {
    const [[top, most], [, next]] = [...counts, [0, 0], [0, 0]].toSorted((a, b) => b[1] - a[1]);
    const isTypical =
      most > MOST_OF_AMOUNT * numbers.length && most < numbers.length && most > TIMES_NEXT * next && top > NOMINAL;
    return [...counts].filter(([value]) => STAND_IN.test(String(value)) || (isTypical && value === top));
  }
  const near = (year: number) => [-3, -2, -1, 1, 2, 3].map((by) => counts.get(year + by) ?? 0);
  return [...counts].filter(
    ([year, count]) =>
      year % 100 === 0 && count > MOST_OF_YEAR * numbers.length && count > TIMES_NEIGHBORS * Math.max(...near(year)),
  );
}

const ordersOf = (dates: Examined['dates']) =>
  [...dates.values()].map(({ column: about, dayFirst: count, either, ...orders }) => ({
    ...orders,
    about,
    count,
    total: orders.monthFirst + count + either,
  }));

const CHECKS: WholeChecks = {
  'one-column': ({ header, rows, subject }) => {
    const named = header.filter((name) => name !== '' && name !== '$id');
    const isOfHomes = subject.fields.some(({ target }) => target === 'properties' || target === 'transactions');
    return named.length === 1 && rows > 1 && isOfHomes ? [{ count: rows, total: rows }] : [];
  },
  'round-count': ({ rows }) => [{ count: AT_ONCE.test(String(rows)) ? rows : 0, total: rows }],
  'row-numbers': ({ rows, parcels: { values } }) => {
    const counting = values.filter((apn) => /^\d+$/.test(apn) && Number(apn) <= rows);
    return [{ count: counting.length, total: values.length, examples: counting }];
  },
  'names-again': ({ header }) => {
    const again = header.filter((name) => name.endsWith(' (2)'));
    return [{ count: again.length, total: header.length, examples: again }];
  },
  'no-header': ({ header, subject }) => {
    const named = header.filter((name) => name !== '');
    const data = named.filter((name) => LOOKS_LIKE_DATA.test(name));
    if (subject.isHeaderStated || named.length < 3 || data.length < 2 || data.length < named.length / 4) return [];
    return [{ count: data.length, total: named.length }];
  },
  'same-number': (exam) => {
    const [column] = tellingColumns(exam);
    const { clashes, repeats, distinct } = exam.keys;
    const total = distinct + clashes;
    // Where most numbers come again with the same door, the others are doors written otherwise over the years: of
    // Milwaukee's sales since 2002, 3.7 %.
    const isOfEvents = repeats > clashes * 3;
    return [
      {
        count: clashes,
        total,
        examples: exam.keys.examples,
        limits: isOfEvents ? { warn: 0.01 } : { warn: 0.0001, stop: 0.02 },
        ...(column && {
          mend: `key: { unit: { upper: ${/^[\w ]+$/.test(column) ? column : JSON.stringify(column)} } }`,
        }),
      },
    ];
  },
  'city-slips': ({ fields }) => {
    const cities = fields.get('properties.city');
    const counts = new Map<string, number>();
    for (const city of cities?.texts ?? []) counts.set(city.toUpperCase(), (counts.get(city.toUpperCase()) ?? 0) + 1);
    const isSlipOf = (city: string, count: number) =>
      [...counts].some(([other, n]) => n > count * 3 && other !== city && editDistance(city, other, 1) <= 1);
    const slips = [...counts].filter(([city, count]) => city.length > 5 && isSlipOf(city, count));
    const share = slips.reduce((sum, [, count]) => sum + count, 0) / Math.max(1, cities?.texts.length ?? 0);
    const [total, examples] = [cities?.filled ?? 0, slips.slice(0, 3).map(([city]) => city)];
    return [{ count: Math.round(share * total), total, examples }];
  },
  'far-prices': ({ neighbors: { first } }) => {
    const perFoot = first.flatMap(({ price, sqft, isHome }) =>
      isHome && price !== null && price > 10_000 && sqft ? price / sqft : [],
    );
    if (perFoot.length < 150) return [];
    const middle = median(perFoot);
    const far = perFoot.filter((value) => value > middle * TIMES_USUAL).length;
    return [{ about: 'price', count: far, total: perFoot.length }];
  },
  'lost-zeros': ({ parcels }) => {
    const numbers = parcels.values.filter((apn) => /^\d+$/.test(apn));
    if (numbers.length < FEW || numbers.length < parcels.values.length * 0.9) return [];
    const usualLength = median(numbers.map(({ length }) => length));
    const short = numbers.filter(({ length }) => length < usualLength && length >= usualLength - 3);
    const isZero = numbers.some((apn) => apn.startsWith('0'));
    const isLong = numbers.some(({ length }) => length > usualLength);
    if (isZero || isLong || usualLength < 8) return [];
    return [{ count: short.length, total: numbers.length, examples: short.slice(0, 3) }];
  },
  'rounded-parcels': ({ parcels }) => {
    const long = parcels.values.filter((apn) => /^\d{16,}$/.test(apn));
    // Of those beyond 24 bits, a number of four bytes keeps every second, fourth, eighth … one.
    const wide = parcels.values.filter((apn) => /^\d{9,}$/.test(apn) && Number.isSafeInteger(Number(apn)));
    const eights = wide.filter((apn) => Number(apn) % 8 === 0);
    if (eights.length > Math.max(FEW, wide.length * 0.95) && eights.some((apn) => !apn.endsWith('0')))
      return [{ count: eights.length, total: parcels.values.length, examples: eights }];
    const rounded = long.filter((apn) => apn.slice(15).replaceAll('0', '') === '');
    // Where the digit before is a zero as well, it is the publisher who ends them so.
    const isByPublisher = rounded.filter((apn) => apn[14] === '0').length > rounded.length / 2;
    if (long.length < FEW || rounded.length < long.length * 0.95 || isByPublisher) return [];
    return [{ count: rounded.length, total: parcels.values.length, examples: rounded.slice(0, 3) }];
  },
  'date-orders': ({ dates }) => ordersOf(dates).filter(({ monthFirst }) => monthFirst > 0),
  'day-first': ({ dates }) => ordersOf(dates).filter(({ monthFirst, count }) => monthFirst === 0 && count >= 3),
  'unread-cells': ({ unread }) =>
    unread.map(({ field, ...tally }) => {
      const about = field.name === 'known_on' ? `${field.target}.${field.name}` : field.name;
      return { ...tally, about };
    }),
  unusual: ({ fields }) => [...fields].flatMap(([path, profile]) => usual(path, profile)),
  'one-value': ({ fields }) =>
    [...FIELDS].flatMap(([path, { repeated }]) => {
      const profile = fields.get(path);
      const top = profile?.sample.top;
      if (!repeated || !profile || !top || profile.filled < FEW || top.value === 0) return [];
      const count = Math.round(top.share * profile.filled);
      const examples = [`${repeated.words} ${String(top.value)}`];
      const limits = path === 'transactions.sale_date' && isByMonth(fields) ? { ...repeated, warn: 0.5 } : repeated;
      return [{ about: path.split('.')[1], count, total: profile.filled, examples, limits }];
    }),
  'stand-ins': ({ fields }) =>
    [...AMOUNTS, 'properties.year_built'].flatMap((path) => {
      const { numbers, filled = 0 } = fields.get(path) ?? { numbers: [] };
      const found = standIns(path, numbers);
      const share = found.reduce((sum, [, count]) => sum + count, 0) / numbers.length;
      if (numbers.length < FEW || found.length === 0) return [];
      const examples = found.map(([value]) => String(value)).slice(0, 3);
      const count = Math.round(share * filled);
      return [{ about: path.split('.')[1], count, total: filled, examples }];
    }),
  'two-scales': ({ fields }) =>
    ['assessments.total', 'properties.lot_sqft'].flatMap((path) => {
      const { numbers, filled: total = 0 } = fields.get(path) ?? { numbers: [] };
      const [some, all] = [numbers.length * SOME, numbers.length - 1];
      const at = numbers.findIndex(
        (value, i) => i > some && i < all - some && value > 100 && numbers[i + 1] > value * 8,
      );
      const examples = [`${numbers[at]}, then ${numbers[at + 1]}`];
      if (numbers.length < 150 || at < 0) return [];
      const count = Math.round((Math.min(at, all - at) / all) * total);
      return [{ about: path.split('.')[1], count, total, examples }];
    }),
  'cut-numbers': ({ fields }) =>
    AMOUNTS.map((path) => {
      const { numbers, filled: total = 0 } = fields.get(path) ?? { numbers: [] };
      const limit = 10 ** String(Math.floor(numbers.at(-1) ?? 0)).length;
      const near = numbers.filter((value) => value >= limit / 2).length;
      const isWide = quantile(numbers, 0.05) < limit / 10;
      const count = near < MANY || !isWide ? 0 : Math.round((near / numbers.length) * total);
      return { about: path.split('.')[1], count, total, examples: [`the largest is ${numbers.at(-1)}`] };
    }),
  'counted-up': ({ fields }) =>
    [...FIELDS].flatMap(([path, { counts }]) => {
      const { sample, filled: total = 0 } = (counts && fields.get(path)) || {};
      const values = (sample?.values ?? []).map(countOf);
      const ups = values.filter((value, i) => value === values[i - 1] + 1).length;
      const count = Math.round((ups / Math.max(FEW, values.length)) * total);
      return [{ about: path.split('.')[1], count, total }];
    }),
  'cut-texts': ({ fields }) => {
    const lines = fields.get('properties.address_line1')?.texts ?? [];
    const longest = Math.max(0, ...lines.map(({ length }) => length));
    const atEnd = lines.filter(({ length }) => length === longest);
    const before = lines.filter(({ length }) => length === longest - 1).length;
    const lengths = new Set(lines.map(({ length }) => length)).size;
    if (lines.length < 50 || longest > 40 || lengths < 6 || atEnd.length < before * 3) return [];
    return [{ count: atEnd.length, total: lines.length, examples: atEnd.slice(0, 3) }];
  },
  shifted: ({ neighbors: { slipped } }) => slipped,
  unrelated: ({ neighbors: { pieces } }) =>
    pieces.map(({ about, fits }) => {
      const sorted = fits.map(({ r }) => r).toSorted((a, b) => a - b);
      const least = Math.max(UNRELATED, quantile(sorted, 0.75) - LESS);
      const lost = fits.filter(({ r }) => r < least);
      const [count, total] = [lost, fits].map((list) => list.reduce((sum, { rows }) => sum + rows, 0));
      return { about, count, total, examples: lost.map(({ lines }) => lines) };
    }),
  'two-ratios': ({ neighbors }) => {
    const levels = levelsOf(neighbors);
    const low = levels.filter((level) => level < -0.6).length;
    const between = levels.filter((level) => level < -0.35).length - low;
    const isCloud = levels.length < 150 || between * 3 > low;
    return [{ about: 'total', count: isCloud ? 0 : low, total: levels.length }];
  },
  'two-levels': ({ neighbors }) => {
    const levels = levelsOf(neighbors);
    const pieces = levels.flatMap((_, i) => (i % PIECE === 0 ? [median(levels.slice(i, i + PIECE))] : []));
    const sorted = pieces.toSorted((a, b) => a - b);
    const isSorted = neighbors.isSorted('price');
    if (levels.length < 150 || isSorted || quantile(sorted, 0.9) - quantile(sorted, 0.1) < TWO_LEVELS) return [];
    return [{ about: 'total', count: levels.length, total: levels.length }];
  },
  'first-days': ({ fields }) => {
    const { texts, filled = 0 } = fields.get('transactions.sale_date') ?? { texts: [] };
    if (texts.length < 100 || isByMonth(fields)) return [];
    const days = [...Map.groupBy(texts, (date) => date.slice(8)).values()].toSorted((a, b) => b.length - a.length);
    const count = Math.round((days[0].length / texts.length) * filled);
    return [{ count, total: filled, examples: days[0] }];
  },
  'days-of-rest': ({ fields }) => {
    const { texts, filled = 0 } = fields.get('transactions.sale_date') ?? { texts: [] };
    const days = texts.map((date) => new Date(date).getUTCDay());
    const on = (day: number) => days.filter((each) => each === day).length;
    // A day early, Mondays are Sundays and there are no Fridays; a day late, Fridays are Saturdays and there are no Mondays.
    const [rest, work] = on(0) > on(6) ? [on(0), on(5)] : [on(6), on(1)];
    if (texts.length < 100 || work * 4 > rest) return [];
    return [{ count: Math.round((rest / texts.length) * filled), total: filled }];
  },
  ...PLACE_CHECKS,
  ...PRODUCT_CHECKS,
};
export const WHOLE_CHECKS = Object.entries(CHECKS).map(([id, find]) => ({ ...wordsOf(id), find }));
