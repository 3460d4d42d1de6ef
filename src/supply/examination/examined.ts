// Everything that one pass over a file leaves for the checks at its end.
import { KeyTable } from './keys.ts';
import { Neighbors } from './neighbors.ts';
import { type FieldProfile, Sample } from './sample.ts';
import type { ReadField, Subject } from './subject.ts';
import { emptyTally, type Tally } from './tally.ts';

/** A column that tells the place, whether the recipe reads it or not. */
export interface PlaceColumn {
  name: string;
  /** The place, or whether the row is one that was deleted. */
  kind: 'county' | 'state' | 'mark';
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
export class Examined {
  readonly subject: Subject;
  rows = 0;
  header: string[] = [];
  /** By `table.field`. */
  readonly fields = new Map<string, FieldProfile>();
  readonly keys = new KeyTable();
  /** By column, how often it differs between neighboring rows with one parcel number and different doors. */
  telling = { pairs: 0, byColumn: [] as number[] };
  placeColumns: PlaceColumn[] = [];
  readonly dates = new Map<string, DateOrders>();
  readonly unread: Unread[] = [];
  readonly parcels = new Sample<string>();
  readonly points = new Sample<[latitude: number, longitude: number]>();
  readonly neighbors = new Neighbors();
  /** Homes at which their owner gets mail, by whether that goes to another city or ZIP code. */
  readonly mail = (['city', 'zip'] as const).map((about) => ({ about, at: -1, ...emptyTally() }));
  /** Street lines by whether they can be filed, and whether a street type was read in them. */
  readonly addresses = { unfiled: emptyTally(), untyped: emptyTally() };

  constructor(subject: Subject) {
    this.subject = subject;
  }
}
