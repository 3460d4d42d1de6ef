// Groups the tested sales into published segments: type, price band, confidence, tract income, place, kind of price.
import { bandName, MARKET_PRICE, type Segment, type SegmentKind } from '../avm/card.ts';
import { quantile } from '../../base/math/quantiles.ts';
import { LEVELS, type TestedSale } from './back-test.ts';
import { accuracyOf, isValued } from './generations.ts';

/** The four boundaries of five bands with equal numbers of sales, rounded to familiar amounts. */
export function priceBands(tested: TestedSale[]): number[] {
  const sorted = Float64Array.from(tested, ({ value }) => value).sort();
  const ends = [0.2, 0.4, 0.6, 0.8].map((share) => {
    const value = quantile(sorted, share);
    const step = value < 100_000 ? 5_000 : value < 500_000 ? 10_000 : 50_000;
    return Math.round(value / step) * step;
  });
  return [...new Set(ends)];
}

export function measureSegments(tested: TestedSale[], bands: number[], incomes: Map<string, number>): Segment[] {
  const typeOf = ({ sale }: TestedSale): string => sale.attributes.propertyType ?? 'unknown';
  const incomeOf = incomeBands(tested, incomes);
  const hasOdd = tested.some(({ isOdd }) => isOdd);
  const cuts: Array<[SegmentKind, (each: TestedSale) => string | undefined]> = [
    ['all', () => 'all'],
    ['property_type', typeOf],
    ['price_band', ({ value }) => bandName(bands, value)],
    ['type_and_band', (each) => `${typeOf(each)}, ${bandName(bands, each.value)}`],
    ['confidence', ({ label }) => label],
    ['tract_income', incomeOf],
    ['neighborhood', ({ sale }) => sale.attributes.neighborhood ?? undefined],
    ['zip', ({ sale }) => sale.attributes.zip ?? undefined],
    // A single deed at a tenth of the value can dominate a mean, so market prices are also shown separately.
    ['market_price', ({ isOdd }) => (hasOdd ? (isOdd ? 'set aside' : MARKET_PRICE) : undefined)],
  ];
  return cuts.flatMap(([kind, nameOf]) => {
    const groups = Map.groupBy(tested, (each) => nameOf(each) ?? '');
    groups.delete('');
    const minMembers = PLACES.has(kind) ? MIN_OF_PLACE : 1;
    return [...groups]
      .filter(([, members]) => members.length >= minMembers)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, members]) => measureSegment(kind, name, members));
  });
}

/** With fewer tested sales, the coverage of a place is too noisy: 80% ± 4 points. */
const MIN_OF_PLACE = 100;
const PLACES: ReadonlySet<SegmentKind> = new Set(['neighborhood', 'zip']);

function measureSegment(kind: SegmentKind, name: string, members: TestedSale[]): Segment {
  const valued = members.filter(isValued);
  return {
    kind,
    name,
    ...accuracyOf(valued),
    coverage: Object.fromEntries(
      LEVELS.map((level) => [
        String(level),
        valued.filter(({ covered }) => covered[level]).length / Math.max(1, valued.length),
      ]),
    ),
    hitRate: valued.length / Math.max(1, members.length),
    aboveLow: valued.filter(({ label }) => label !== 'low').length / Math.max(1, valued.length),
  };
}

/** Thirds of the tested sales by the income of their tract. */
function incomeBands(tested: TestedSale[], incomes: Map<string, number>): (each: TestedSale) => string | undefined {
  const incomeOf = ({ sale }: TestedSale): number | undefined => incomes.get(sale.attributes.censusTract ?? '');
  const sorted = Float64Array.from(tested.flatMap((each) => incomeOf(each) ?? [])).sort();
  if (sorted.length < 100) return () => undefined;
  const [low, high] = [quantile(sorted, 1 / 3), quantile(sorted, 2 / 3)];
  return (each) => {
    const income = incomeOf(each);
    if (income === undefined) return undefined;
    return `${income <= low ? 'lower' : income <= high ? 'middle' : 'higher'}-income tracts`;
  };
}
