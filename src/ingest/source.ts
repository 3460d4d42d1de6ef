// What a source file under sources/ says: publisher, terms, files by year, and how a row becomes records.
import type { Geometry } from './read/geometry.ts';

export type Value = string | number | boolean | null | undefined | string[] | Record<string, unknown>;

/** One value of a record: the columns it is read from and how. Made by the functions of `fields.ts`. */
export interface Field {
  columns: string[];
  kind: string;
  /** A file may lack the columns; the value is then null. */
  optional?: boolean;
  /** Those of the columns that a file may lack. */
  optionalColumns?: string[];
  read(cells: string[], geometry?: Geometry): Value;
}

export type Target =
  | 'properties'
  | 'owners'
  | 'assessments'
  | 'taxes'
  | 'transactions'
  | 'tax_liens'
  | 'permits'
  | 'code_violations'
  | 'property_keys'
  | 'areas'
  | 'census_tracts'
  | 'opportunity_zones'
  | 'price_indexes';

/** How the property of a row is found: by its parcel number, or by another key that an earlier dataset recorded. */
export interface PropertyKey {
  fips: number | Field;
  apn?: Field;
  unit?: Field;
  by?: { kind: string; key: Field; number?: Field };
}

export interface RecordMap {
  into: Target;
  /** Only rows for which this reads true. */
  when?: Field;
  /** A cell that holds a list: one record per item. Of a JSON list the members of an item are columns that begin with a
      dot; of `a|b|c` the item is the column `.value`. */
  each?: string;
  /** Where it differs from the dataset's. */
  key?: PropertyKey;
  /** properties: false where a row may add to a property but not make one. Default true. */
  creates?: boolean;
  /** The file lists every record there is: what is missing from it is gone. */
  complete?: boolean;
  /** Fields without which there is no record. */
  required?: string[];
  /** transactions: keep what the row says of the property as the attributes at the sale. */
  attributes?: boolean;
  /** transactions: this many parcels with one `bulk_key` make a bulk sale. */
  bulkParcels?: number;
  /** transactions: prices below this are no market price. */
  priceFloorUsd?: number;
  fields: Record<string, Field>;
}

export interface FileFormat {
  type: 'csv' | 'tsv' | 'xlsx' | 'json' | 'geojson' | 'topojson' | 'shapefile';
  /** Lines above the header. */
  skipLines?: number;
  /** Column names of a file without a header. */
  header?: string[];
  encoding?: 'utf-8' | 'windows-1252';
  /** Name of the projection of the coordinates; default degrees. */
  projection?: string;
  sheet?: string;
}

export interface FileSpec {
  /** Below the folder of `--from`; `*` stands for any part of a file name. */
  path: string;
  /** Names under which the publisher's own download may lie there instead. */
  alternatives?: string[];
  /** Where the publisher offers it; `platbook ingest` without a folder downloads it. */
  url?: string;
  format?: FileFormat;
  /** An older publication whose absence is no error. */
  optional?: boolean;
  /** Where it differs from the dataset's. */
  publishedOn?: string;
}

export interface LayerPeriod {
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
  /** Canonical column name → the names it had over the years. */
  columns?: Record<string, string[]>;
  /** Columns with names or addresses of persons: never in logs and reports. */
  personal?: string[];
  /** Of two sources the one with the higher authority wins a field; among equals the later known. Default 1. */
  authority?: number;
  /** Days from an event to its appearance in this source, where no recording date is stated. */
  publicationLagDays?: number;
  where?: Field;
  /** Loaded only when named, such as the full-size original beside a sample of it. */
  onRequest?: boolean;
  key?: PropertyKey;
  records: RecordMap[];
  layers: LayerPeriod[];
  /** A small file read into memory first: its `value` by its `key`, as the column `name`. */
  lookup?: { name: string; file: FileSpec; key: string; value: string; on: string };
  checks?: { minRows?: number; maxQuarantinedShare?: number; maxVanishedShare?: number };
}

export interface Market {
  id: string;
  name: string;
  state: string;
  description: string;
}

export interface County {
  fips: number;
  name: string;
  state: string;
}

export interface Source {
  id: string;
  market?: Market;
  counties: County[];
  datasets: Dataset[];
  /** What only this place knows about its addresses; used when they are filed. */
  addressWords?: AddressWords;
}

export interface AddressWords {
  /** Abbreviations of its own: `{ TR: 'TER' }`. */
  suffixes?: Record<string, string>;
  /** Streets with an old and a new name: an address is found under both. */
  streetAliases?: { from: string; to: string }[];
  /** City names that mean another. */
  cityAliases?: { alias: string; city: string }[];
}
