// The shape of a source file under sources/: publisher, terms, files by year, and how a row becomes records.
import { type State } from '../../base/lib/states.ts';
import type { LayerDefinition } from '../layers/definition.ts';
import type { Geometry } from './read/geometry.ts';
import type { DatasetSpec, FileFormat, FileSpecOf, Recipe, RecordSpec, RelatedSpec, Target } from './recipe/schema.ts';

export type { FileFormat, Target } from './recipe/schema.ts';

type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;
/** Members of a recipe under the names that the program gives them: `publication_lag_days` is `publicationLagDays`. */
export type CamelKeys<Spec> = { [Name in keyof Spec as Camel<Name & string>]: Spec[Name] };

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

/** Each member is described in the recipe's schema. */
export interface RecordMap extends CamelKeys<Omit<RecordSpec, 'into' | 'only_if' | 'key' | 'fields'>> {
  into: Target;
  /** Only rows for which this reads true. */
  when?: Field;
  /** Overrides the dataset's key. */
  key?: PropertyKey;
  fields: Record<string, Field>;
}

/** A record as a field map reads it from a row, for a place whose records are made in memory. */
export interface MadeRecord {
  into: Target;
  /** Undefined for records that belong to no property; their fields then name the county. */
  property?: { fips: number; id: string; apn: string; unit: string };
  fields: Record<string, unknown>;
}

type WrittenFile = Exclude<FileSpecOf, string>;

export interface FileSpec extends CamelKeys<Omit<WrittenFile, 'format' | 'years'>> {
  format?: FileFormat;
  years?: CamelKeys<NonNullable<WrittenFile['years']>>;
}

type PlainMember = 'note' | 'columns' | 'personal' | 'authority' | 'publication_lag_days' | 'on_request';

/** A table whose rows add columns to those of the dataset that have their key. */
export interface RelatedTable extends Omit<RelatedSpec, 'file' | 'columns' | 'related'> {
  file: FileSpec;
  columns: Record<string, Field>;
  related?: RelatedTable[];
}

export interface Dataset extends CamelKeys<Pick<DatasetSpec, PlainMember>> {
  id: string;
  name: string;
  publisher: string;
  landingPage: string;
  licence: string;
  attribution: string;
  cadence: string;
  publishedOn: string;
  format: FileFormat;
  files: FileSpec[];
  where?: Field;
  /** The same dataset for one state, where its files come by state. */
  ofState?: (state: State) => Dataset;
  /** The state it is about, if it came by state. */
  state?: State;
  key?: PropertyKey;
  records: RecordMap[];
  layers: { layer: string; from?: string; to?: string; counties?: number[] }[];
  /** Makes the records, where none are read from files. The fields of a record map then only say what it can have. */
  made?: () => Iterable<MadeRecord>;
  related?: RelatedTable[];
  checks?: CamelKeys<NonNullable<DatasetSpec['checks']>>;
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

export interface Source {
  id: string;
  market?: Market;
  counties: NonNullable<Recipe['counties']>;
  /** Where the recipe lies: its files are looked for there when no other folder is named. */
  folder?: string;
  datasets: Dataset[];
  /** The layers that its datasets bring values for. */
  layers?: LayerDefinition[];
  parcels?: CamelKeys<NonNullable<Recipe['parcels']>>;
  /** Local knowledge about street addresses, used when they are indexed. */
  addressWords?: AddressWords;
}

/** Local abbreviations (`{ TR: 'TER' }`), streets with an old and a new name, and city names that stand for another city. */
export type AddressWords = CamelKeys<NonNullable<Recipe['address_words']>>;
