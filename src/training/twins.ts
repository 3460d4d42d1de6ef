// Training sales once more with attributes hidden, from which a model learns what a home is worth of which the records
// say little. Filling in what is typical of the neighbors instead makes errors larger.
import type { Attributes, Sale } from '../avm/attributes.ts';
import { fillable } from '../avm/fill.ts';
import { foldOf } from './fit/folds.ts';

/** A sale and its twin: the same home, day and price, but less is known. */
export type Twins = { sales: Sale[]; of: number[] };

/**
 * One sale in two has a twin. Of those, a third hide all attributes, a third about half of them, and a third what some
 * other sale of the market does not tell: where only one of two files knows a column, that one is not known should
 * tell nothing else.
 */
const ONE_IN = 2;
const KINDS = 3;
const [CHOSEN_SALT, KIND_SALT, HIDDEN_SALT, OTHER_SALT] = [11, 12, 13, 14];
const BUILDING = [...fillable, 'style', 'exterior'] as (keyof Attributes)[];
const PLACES = ['zip', 'city', 'neighborhood', 'subdivision', 'censusTract'] as (keyof Attributes)[];

export function makeTwins(train: Sale[]): Twins {
  const of = Array.from(train.keys()).filter((i) => foldOf(train[i].id, ONE_IN, CHOSEN_SALT) === 0);
  return { of, sales: of.map((i) => makeTwin(train[i], train)) };
}

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
  const isUnknown = (name: string): boolean =>
    name in other ? other[name as keyof Attributes] === null : other.extras[name] === undefined;
  const likeOther = hide(sale.attributes, isUnknown, [...BUILDING, ...PLACES]);
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
