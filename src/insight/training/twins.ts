// Training sales once more with attributes hidden, from which a model learns what a home is worth of which the records
// say little. Filling in what is typical of the neighbors instead makes errors larger.
import type { Attributes, Sale } from '../avm/attributes.ts';
import { fillable } from '../avm/fill.ts';
import { foldOf } from './fit/folds.ts';

/** A sale and its twin: the same home, day and price, but less is known. */
export type Twins = { sales: Sale[]; of: number[] };

/**
 * One sale in two has a twin. Of those, a third hide all attributes, a third about half of them, and a third what some
 * other sale of the market does not tell. Where only one of two files knows a column, one in two of the sales that
 * tell it has one more twin that does not: that it is not known should tell nothing else, such as when the home was
 * sold.
 */
const ONE_IN = 2;
const KINDS = 3;
const [CHOSEN_SALT, KIND_SALT, HIDDEN_SALT, OTHER_SALT, PARTLY_SALT] = [11, 12, 13, 14, 15];
const BUILDING = [...fillable, 'style', 'exterior'] as (keyof Attributes)[];
const PLACES = ['zip', 'city', 'neighborhood', 'subdivision', 'censusTract'] as (keyof Attributes)[];

/** A column is told of some homes only if it is known for a share of the latest sales between these. */
const [LEAST_TOLD, MOST_TOLD] = [0.05, 0.9];
const LATEST_DAYS = 365;

/** `train` must be in order of its days. */
export function makeTwins(train: Sale[]): Twins {
  const of = Array.from(train.keys()).filter((i) => foldOf(train[i].id, ONE_IN, CHOSEN_SALT) === 0);
  const sales = of.map((i) => makeTwin(train[i], train));
  const partlyTold = findPartlyTold(train);
  train.forEach((sale, i) => {
    if (foldOf(sale.id, ONE_IN, PARTLY_SALT) !== 0) return;
    const { attributes } = sale;
    const told = partlyTold.get(attributes.propertyType);
    const less = hide(attributes, (name) => told?.has(name) ?? false, BUILDING);
    if (isSame(less, attributes)) return;
    of.push(i);
    sales.push({ ...sale, attributes: less });
  });
  return { of, sales };
}

/** By type, what is known of some of the market's latest sales and not of others. */
function findPartlyTold(train: Sale[]): Map<string | null, Set<string>> {
  const since = (train.at(-1)?.soldDay ?? 0) - LATEST_DAYS;
  const latest = train.filter(({ soldDay }) => soldDay > since);
  const byType = Map.groupBy(latest, ({ attributes }) => attributes.propertyType);
  return new Map(
    [...byType].map(([type, own]) => [type, new Set(namesToldOfSome(own.map((sale) => sale.attributes)))]),
  );
}

function namesToldOfSome(homes: Attributes[]): string[] {
  const names = new Set([...BUILDING, ...homes.flatMap(({ extras }) => Object.keys(extras))]);
  return [...names].filter((name) => {
    const share = homes.filter((home) => !isUnknown(home, name)).length / homes.length;
    return share >= LEAST_TOLD && share < MOST_TOLD;
  });
}

const isUnknown = (of: Attributes, name: string): boolean =>
  name in of ? of[name as keyof Attributes] === null : of.extras[name] === undefined;

/** What belongs to the building or the lot; the place and the type remain. */
export function hideAll(attributes: Attributes): Attributes {
  return hide(attributes, () => true, BUILDING);
}

export function isAllHidden(attributes: Attributes): boolean {
  return BUILDING.every((name) => attributes[name] === null) && Object.keys(attributes.extras).length === 0;
}

function makeTwin(sale: Sale, train: Sale[]): Sale {
  const kind = foldOf(sale.id, KINDS, KIND_SALT);
  if (kind === 0) return { ...sale, attributes: hideAll(sale.attributes) };
  const { attributes: other } = train[foldOf(sale.id, train.length, OTHER_SALT)];
  const likeOther = hide(sale.attributes, (name) => isUnknown(other, name), [...BUILDING, ...PLACES]);
  if (kind === 1 && !isSame(likeOther, sale.attributes)) return { ...sale, attributes: likeOther };
  const isDropped = (name: string): boolean => foldOf(`${name} ${sale.id}`, 2, HIDDEN_SALT) === 0;
  return { ...sale, attributes: hide(sale.attributes, isDropped, BUILDING) };
}

function hide(of: Attributes, isHidden: (name: string) => boolean, among: (keyof Attributes)[]): Attributes {
  const hidden = Object.fromEntries(among.filter(isHidden).map((name) => [name, null]));
  const extras = Object.fromEntries(Object.entries(of.extras).filter(([name]) => !isHidden(name)));
  return { ...of, ...hidden, extras };
}

function isSame(a: Attributes, b: Attributes): boolean {
  return (
    Object.keys(a.extras).length === Object.keys(b.extras).length &&
    [...BUILDING, ...PLACES].every((name) => a[name] === b[name])
  );
}
