// Everything that one pass over a file leaves for the checks at its end.
import type { KeyTable } from './keys.ts';
import type { FieldProfile, Sample } from './sample.ts';
import type { ReadField, Subject } from './subject.ts';

export interface Tally {
  count: number;
  total: number;
  examples: string[];
}

/** A column that tells the place, whether the recipe reads it or not. */
export interface PlaceColumn {
  name: string;
  kind: 'county' | 'state';
  at: number;
  values: Map<string, number>;
}

/** Of dates like 3/4/2019: how many can only be month first, only day first, or either. */
export interface DateOrders {
  column: string;
  monthFirst: number;
  dayFirst: number;
  either: number;
  examples: string[];
}

/** Cells of a field that hold something and are read as nothing. */
export interface Unread extends Tally {
  field: ReadField;
  at: number;
  valueAt: number;
}

/** Everything that the checks at the end may look at. */
export interface Examined {
  subject: Subject;
  rows: number;
  header: string[];
  /** By `table.field`. */
  fields: Map<string, FieldProfile>;
  keys: KeyTable;
  /** By column, how often it differs between neighboring rows with one parcel number and different doors. */
  telling: { pairs: number; byColumn: number[] };
  placeColumns: PlaceColumn[];
  dates: DateOrders[];
  unread: Unread[];
  parcels: Sample<string>;
  points: Sample<[latitude: number, longitude: number]>;
  /** Price, living area and assessed value of neighboring rows, in the order of the file. */
  triples: [price: number | null, sqft: number | null, total: number | null][];
  /** Street lines by whether they can be filed, and whether a street type was read in them. */
  addresses: { unfiled: Tally; untyped: Tally };
  /** Sales by whether the row before tells the same price and day of another home. */
  packages: Tally;
  /** Sales with the price of the row above, on another day. */
  repeats: Tally;
}
