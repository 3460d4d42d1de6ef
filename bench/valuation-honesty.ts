// Whether valuations say the truth about themselves: stated against true error, and coverage, for every group of sales
// that is large enough to tell.
import type { Model } from '../src/insight/avm/model.ts';
import { openBook } from '../src/insight/avm/evidence.ts';
import { calibrate, calibrationDay, type Calibration } from '../src/insight/avm/interval.ts';
import { median, quantile } from '../src/base/math/quantiles.ts';
import { listSales } from '../src/insight/avm/sales.ts';
import { findSegment, type ModelCard } from '../src/insight/avm/card.ts';
import type { Sale } from '../src/insight/avm/attributes.ts';
import { testSale, type TestedSale } from '../src/insight/training/back-test.ts';
import { isValued } from '../src/insight/training/generations.ts';
import { hide } from '../src/insight/training/missing.ts';
import { printTable } from './measure.ts';

/** Smaller groups do not tell. */
const LEAST = 200;
/** Unknown attributes cost time; of so many sales each. */
const HIDDEN_SALES = 1500;

type Valued = { models: Model[]; sales: Sale[]; tested: TestedSale[]; card: ModelCard };

export function measureHonesty(market: string, { models, sales, tested, card }: Valued): void {
  const valued = tested.filter(isValued);
  const groups: Array<[string, TestedSale[]]> = [
    ['all', valued],
    ...groupsBy(valued, 'label', ({ label }) => label),
    ...groupsBy(valued, 'type', ({ sale }) => sale.attributes.propertyType ?? 'unknown'),
    ...groupsBy(valued, 'fifth of value', fifths(valued)),
    ...groupsBy(valued, 'earlier sale', ({ isSold }) => (isSold ? 'known' : 'none')),
    ...groupsBy(valued, 'as a sale', ({ isOdd }) => (isOdd ? 'odd' : 'passes the rules')),
    ['1–3 families, passing the rules', valued.filter(({ sale, isOdd }) => isHouse(sale) && !isOdd)],
    ...groupsBy(valued, 'segment', (each) => (isThin(card, each) ? 'thin' : 'own')),
    ...groupsBy(valued, 'on record', ({ missing }) => (missing.length > 0 ? 'something missing' : 'complete')),
    ...hideFrom(models.at(-1)!, sales, valued),
  ];
  const rows = groups
    .filter(([, members]) => members.length >= LEAST)
    .map(([name, members]) => {
      const error = median(members.map(({ value, sale }) => Math.abs(value / sale.priceUsd - 1)));
      const stated = median(members.map(({ statedError }) => statedError));
      const inside = members.filter(({ covered }) => covered[0.8]).length / members.length;
      const ratio = median(members.map(({ value, sale }) => value / sale.priceUsd));
      return [
        name,
        members.length,
        percent(stated),
        percent(error),
        stated < error ? 'TOO SMALL' : '',
        `${percent(inside)} ± ${percent(Math.sqrt((inside * (1 - inside)) / members.length))}`,
        inside < 0.78 || inside > 0.82 ? 'outside 78–82' : '',
        ratio.toFixed(3),
      ];
    });
  printTable(
    `${market}: what valuations say of themselves, groups of at least ${LEAST} sales (± one standard error)`,
    ['group', 'n', 'stated error', 'true error', '', 'inside 80%', '', 'ratio'],
    rows,
  );
}

function groupsBy(
  tested: TestedSale[],
  kind: string,
  nameOf: (each: TestedSale) => string,
): Array<[string, TestedSale[]]> {
  return [...Map.groupBy(tested, nameOf)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, members]) => [`${kind}: ${name}`, members]);
}

function fifths(tested: TestedSale[]): (each: TestedSale) => string {
  const sorted = Float64Array.from(tested, ({ value }) => value).sort();
  const ends = [0.2, 0.4, 0.6, 0.8].map((share) => quantile(sorted, share));
  return ({ value }) => String(1 + ends.filter((end) => value > end).length);
}

const HOUSES = new Set(['single_family', 'townhouse', 'multi_family']);
const isHouse = ({ attributes }: Sale): boolean => HOUSES.has(attributes.propertyType ?? '');

const isThin = (card: ModelCard, { sale, value }: TestedSale): boolean =>
  findSegment(card, sale.attributes.propertyType ?? '', value)?.kind !== 'type_and_band';

/** The latest sales again, without each measured pattern of attributes, some unmeasured ones, and without all. */
function hideFrom(model: Model, sales: Sale[], valued: TestedSale[]): Array<[string, TestedSale[]]> {
  const own = valued.filter(({ sale, missing }) => sale.soldDay > model.trainedOn && missing.length === 0);
  const step = Math.max(1, Math.floor(own.length / HIDDEN_SALES));
  const chosen = own.filter((_, i) => i % step === 0);
  const book = openBook(model, listSales(sales));
  const calibrations = new Map<number, Calibration>();
  const calibrationOn = (sold: number): Calibration => {
    const day = calibrationDay(sold);
    const found = calibrations.get(day) ?? calibrate(model.scores, day, model.calibration);
    calibrations.set(day, found);
    return found;
  };
  const all = [...new Set(Object.values(model.expected).flat())];
  const pairs = all.slice(0, 4).map((name, k) => [name, all[(k + 3) % all.length]]);
  return [...all.map((name) => [name]), ...pairs, all].flatMap((names): Array<[string, TestedSale[]]> => {
    const again = chosen.map(({ sale }) =>
      testSale({ model, book, calibration: calibrationOn(sale.soldDay) }, sale, hide(sale.attributes, names)),
    );
    const label = names === all ? 'everything' : names.join(', ');
    return [
      [`without ${label}`, again],
      ...[false, true].map((isSold): [string, TestedSale[]] => [
        `without ${label}, ${isSold ? 'sold before' : 'never sold'}`,
        again.filter((each) => each.isSold === isSold),
      ]),
    ];
  });
}

const percent = (share: number): string => (100 * share).toFixed(2);
