// The shape of a source file under sources/: publisher, terms, files by year, and how a row becomes records.
import { type State } from '../../base/lib/states.ts';
import type { Geometry } from './read/geometry.ts';
import type { FileFormat, Target } from './recipe/schema.ts';

export type { FileFormat, Target } from './recipe/schema.ts';

export type Value = string | number | boolean | null | undefined | string[] | Record<string, unknown>;

/** One value of a record: the columns it is read from, and how. Built by the functions in `fields.ts`. */
export interface Field {
  columns: string[];
  kind: string;
  /** The file may lack these columns; the value is then null. */
  optional?: boolean;
  /** The subset of the columns that a file may lack. */
  optionalColumns?: string[];
  read(cells: string[], geometry?: Geometry): Value;
}

/** How a row finds its property: by parcel number, or by another key that an earlier dataset recorded. */
export interface PropertyKey {
  fips: number | Field;
  apn?: Field;
  unit?: Field;
  /** `onlyOne`: a key that fits several properties fits none. */
  by?: { kind: string; key: Field; number?: Field; onlyOne?: boolean };
  /** For nationwide files: the row is about loaded properties that lack what it says, or about none. */
  find?: { county?: Field; parcel?: Field; line?: Field; zip?: Field; inside?: boolean };
}

export interface RecordMap {
  into: Target;
  /** Only rows for which this reads true. */
  when?: Field;
  /** A cell that holds a list, one record per item. For a JSON list, the members of an item are columns that begin with
      a dot; for `a|b|c`, the item is the column `.value`. */
  each?: string;
  /** Overrides the dataset's key. */
  key?: PropertyKey;
  /** properties: false if a row may add to a property but not create one. Default true. */
  creates?: boolean;
  /** properties: a row only fills what no other source states. */
  fills?: boolean;
  /** The file lists every record there is, so anything missing from it is gone. */
  complete?: boolean;
  /** Fields that must be present for the row to make a record. */
  required?: string[];
  /** transactions: keep what the row says about the property as its attributes at the time of sale. */
  attributes?: boolean;
  /** transactions: this many parcels sharing one `bulk_key` make a bulk sale. */
  bulkParcels?: number;
  /** transactions: prices below this are not market prices. */
  priceFloorUsd?: number;
  fields: Record<string, Field>;
}

/** A record as a field map reads it from a row, for a place whose records are made in memory. */
export interface MadeRecord {
  into: Target;
  /** Undefined for records that belong to no property; their fields then name the county. */
  property?: { fips: number; id: string; apn: string; unit: string };
  fields: Record<string, unknown>;
}

export interface FileSpec {
  /** Relative to the `--from` folder; `*` matches any part of a file name, `{year}` the year in it. */
  path: string;
  /** Other names under which the publisher's own download may be found there. */
  alternatives?: string[];
  /** Where the publisher offers it; `platbook ingest` downloads it from here when no folder is given. */
  url?: string;
  format?: FileFormat;
  /** An older publication that may be absent. */
  optional?: boolean;
  /** Overrides the dataset's publication date. `{year}` and `{next_year}` follow the year in the name. */
  publishedOn?: string;
  /** A page or catalog where the publisher lists its files; those that match `path` are downloaded. */
  listing?: string;
  /** The first year to look for, where the name has a `{year}`. */
  years?: { from: number; newestOnly?: boolean };
  /** The URL is a query that answers in pages. */
  paging?: 'arcgis';
}

interface LayerPeriod {
  layer: string;
  from?: string;
  to?: string;
}

export interface Dataset {
  id: string;
  name: string;
  publisher: string;
  landingPage: string;
  licence: string;
  attribution: string;
  cadence: string;
  note?: string;
  publishedOn: string;
  format: FileFormat;
  files: FileSpec[];
  /** Canonical column name → the names it has had over the years. */
  columns?: Record<string, string[]>;
  /** Columns with people's names or mailing addresses; never logged or reported. */
  personal?: string[];
  /** When two sources disagree on a field, the higher authority wins; among equals, the one known later. Default 1. */
  authority?: number;
  /** Days from an event to its appearance in this source, used when no recording date is given. */
  publicationLagDays?: number;
  where?: Field;
  /** Loaded only when named, such as a full-size original next to a sample of it. */
  onRequest?: boolean;
  /** The same dataset for one state, where its files come by state. */
  ofState?: (state: State) => Dataset;
  /** The state it is about, if it came by state. */
  state?: State;
  key?: PropertyKey;
  records: RecordMap[];
  layers: LayerPeriod[];
  /** Makes the records, where none are read from files. The fields of a record map then only say what it can have. */
  made?: () => Iterable<MadeRecord>;
  /** A small file read into memory first: maps its `key` to its `value`, available as the column `name`. */
  lookup?: { name: string; file: FileSpec; key: string; value: string; on: string };
  checks?: { minRows?: number; maxQuarantinedShare?: number; maxVanishedShare?: number; maxLostShare?: number };
}

export interface Market {
  id: string;
  name: string;
  state: string;
  description: string;
  /** Seen by test keys, and by no others. */
  isForTestKeys?: boolean;
  /** The date that is permanently today in this market, unless its calendar runs. */
  frozenOn?: string;
}

interface County {
  fips: number;
  name: string;
  state: string;
}

export interface Source {
  id: string;
  market?: Market;
  counties: County[];
  /** Where the recipe lies: its files are looked for there when no other folder is named. */
  folder?: string;
  datasets: Dataset[];
  parcels?: ParcelNumbers;
  /** Local knowledge about street addresses, used when they are indexed. */
  addressWords?: AddressWords;
}

/** How a place numbers its parcels. By default a number is what the publisher writes, separators included. */
interface ParcelNumbers {
  /** Every part of a number has a fixed width, so 12-0345 and 120345 are one parcel. */
  fixedWidth?: boolean;
  /** Set apart from other places of the same county that number their parcels alike, as towns in New England do. */
  prefix?: string;
}

/** Local knowledge that only the source of the addresses has. */
export interface AddressWords {
  /** Local abbreviations: `{ TR: 'TER' }`. */
  suffixes?: Record<string, string>;
  /** Streets with an old and a new name; an address is found under both. */
  streetAliases?: { from: string; to: string }[];
  /** City names that stand for another city. */
  cityAliases?: { alias: string; city: string }[];
}
