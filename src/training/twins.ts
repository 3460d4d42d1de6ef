// Training sales once more with attributes hidden, from which a model learns what a home is worth of which the records
// say little. Filling in what is typical of the neighbors instead makes errors larger.
import type { Attributes, Sale } from '../avm/attributes.ts';
import { fillable } from '../avm/fill.ts';
import { foldOf } from './folds.ts';

/** A sale and its twin: the same home, day and price, but less is known. */
export type Twins = { sales: Sale[]; of: number[] };

/** One sale in three has a twin; of these every other one hides all attributes, the rest about half of them. */
const ONE_IN = Number(process.env.TWINS ?? 3);
const [CHOSEN_SALT, KIND_SALT, HIDDEN_SALT] = [11, 12, 13];
const HIDEABLE = [...fillable, 'style', 'exterior'] as (keyof Attributes)[];

export function makeTwins(train: Sale[]): Twins {
  const of = Array.from(train.keys()).filter((i) => foldOf(train[i].id, ONE_IN, CHOSEN_SALT) === 0);
  return { of, sales: of.map((i) => hideSome(train[i])) };
}

/** What belongs to the building or the lot; the place and the type remain. */
export function hideAll(attributes: Attributes): Attributes {
  const hidden = Object.fromEntries(HIDEABLE.map((name) => [name, null]));
  return { ...attributes, ...hidden, extras: {} };
}

export function isAllHidden(attributes: Attributes): boolean {
  return HIDEABLE.every((name) => attributes[name] === null) && Object.keys(attributes.extras).length === 0;
}

function hideSome(sale: Sale): Sale {
  if (foldOf(sale.id, 2, KIND_SALT) === 0) return { ...sale, attributes: hideAll(sale.attributes) };
  const isKept = (name: string): boolean => foldOf(`${name} ${sale.id}`, 2, HIDDEN_SALT) === 0;
  const { extras, ...attributes } = sale.attributes;
  const hidden = Object.fromEntries(HIDEABLE.filter((name) => !isKept(name)).map((name) => [name, null]));
  const kept = Object.fromEntries(Object.entries(extras).filter(([name]) => isKept(name)));
  return { ...sale, attributes: { ...attributes, ...hidden, extras: kept } };
}
