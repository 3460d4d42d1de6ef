// The shape of a source file under sources/: publisher, terms, files by year, and how a row becomes records.
import { type State } from '../../base/lib/states.ts';
import type { LayerDefinition } from '../layers/definition.ts';
import type { Geometry } from './read/geometry.ts';
import type { DatasetSpec, FileFormat, FileSpecOf, Recipe, RecordSpec, RelatedSpec, Target } from './recipe/schema.ts';

export type { FileFormat, Target } from './recipe/schema.ts';

type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;
/** Recipe members in camelCase: `publication_lag_days` is `publicationLagDays`. */
export type CamelKeys<Spec> = { [Name in keyof Spec as Camel<Name & string>]: Spec[Name] };

export type Value = string | number | boolean | null | undefined | string[] | Record<string, unknown>;

/** One value of a record: its columns and how they are read. Built by the functions in `fields.ts`. */
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
  /** `onlyOne`: a key shared by several properties matches none. */
  by?: { kind: string; key: Field; number?: Field; onlyOne?: boolean };
  /** For nationwide files: the row matches loaded properties that lack its values, or none. */
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

/** A record as produced by a field map, for a place whose records are made in memory. */
export interface MadeRecord {
  into: Target;
  /** Undefined for records without a property; their fields then contain the county. */
  property?: { fips: number; id: string; apn: string; unit: string };
  fields: Record<string, unknown>;
}

type WrittenFile = Exclude<FileSpecOf, string>;

export interface FileSpec extends CamelKeys<Omit<WrittenFile, 'format' | 'years'>> {
  format?: FileFormat;
  years?: CamelKeys<NonNullable<WrittenFile['years']>>;
}

type PlainMember = 'note' | 'columns' | 'personal' | 'authority' | 'publication_lag_days' | 'on_request';

/** A table that adds columns to the dataset's rows with the same key. */
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
  /** The same dataset for one state, if its files are split by state. */
  ofState?: (state: State) => Dataset;
  /** Its state, if split by state. */
  state?: State;
  key?: PropertyKey;
  records: RecordMap[];
  layers: { layer: string; from?: string; to?: string; counties?: number[] }[];
  /** Makes the records instead of reading files. The fields of a record map then only declare its columns. */
  made?: () => Iterable<MadeRecord>;
  related?: RelatedTable[];
  checks?: CamelKeys<NonNullable<DatasetSpec['checks']>>;
}

export interface Market {
  id: string;
  name: string;
  state: string;
  description: string;
  /** Visible only to test keys. */
  isForTestKeys?: boolean;
  /** The market's fixed current date, unless its calendar runs. */
  frozenOn?: string;
}

export interface Source {
  id: string;
  market?: Market;
  counties: NonNullable<Recipe['counties']>;
  /** The recipe's folder, where its files are expected unless another folder is given. */
  folder?: string;
  datasets: Dataset[];
  /** The layers that its datasets provide values for. */
  layers?: LayerDefinition[];
  parcels?: CamelKeys<NonNullable<Recipe['parcels']>>;
  /** Local knowledge about street addresses, used when they are indexed. */
  addressWords?: AddressWords;
}

/** Local abbreviations (`{ TR: 'TER' }`), renamed streets, and alternative city names. */
export type AddressWords = CamelKeys<NonNullable<Recipe['address_words']>>;
