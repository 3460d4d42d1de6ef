// The shape of a recipe: the JSON Schema published with the docs, and what a recipe file is checked against.
import Type, { type Static, type TProperties } from 'typebox';
import { NAME_PATTERN } from '../../layers/condition.ts';
import { LayerSpec } from '../../layers/definition.ts';
import { EVENT_LAYERS } from '../../layers/layers.ts';
import { mapValues } from '../../../base/lib/pick.ts';
import columnWays from './column-ways.json' with { type: 'json' };

export const TARGET_NAMES = [
  'properties',
  'owners',
  'assessments',
  'taxes',
  'transactions',
  ...EVENT_LAYERS.map(({ name }) => name),
  'property_keys',
  'parcel_shapes',
  'areas',
  'map_lines',
  'census_tracts',
  'opportunity_zones',
  'opportunity_zones_2027',
  'price_indexes',
  'mortgage_rates',
  'rents',
  'layer_values',
  'layer_stamps',
] as const;
export type Target = (typeof TARGET_NAMES)[number];

const closed = <Properties extends TProperties>(properties: Properties, description?: string) =>
  Type.Object(properties, { additionalProperties: false, ...(description && { description }) });
const optional = Type.Optional;
const text = (description?: string) => Type.String({ minLength: 1, ...(description && { description }) });
const day = (description?: string) =>
  Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', ...(description && { description }) });
/** A date relative to the year in a file's name: `{next_year}-04-30`. */
const dayOfYear = (description: string) =>
  Type.String({ pattern: '^(\\d{4}|\\{year\\}|\\{next_year\\})-\\d{2}-\\d{2}$', description });
const column = (description: string) => optional(text(description));
const scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);

const PLAIN_WAYS = {
  ...mapValues(columnWays, column),
  names: optional(Type.Array(text(), { description: 'Names of people or companies, one per column.' })),
  join: optional(Type.Array(text(), { description: 'Several cells joined `with` a text; empty ones are left out.' })),
  constant: optional(Type.Union([scalar, Type.Array(Type.String())], { description: 'The same value in every row.' })),
  centroid: optional(
    Type.Union([Type.Literal('latitude'), Type.Literal('longitude')], { description: 'Of the shape of the row.' }),
  ),
  area: optional(Type.Literal('square_feet', { description: 'Ground area of the shape of the row.' })),
  shape: optional(Type.Literal(true, { description: 'The polygons of the row.' })),
  line: optional(Type.Literal(true, { description: 'The lines of the row.' })),
  expression: optional(text('A CEL expression over the columns, for what the other ways cannot say.')),
};
const OPTIONS = {
  length: optional(Type.Integer({ minimum: 1, maximum: 40 })),
  min: optional(Type.Number()),
  max: optional(Type.Number({ description: 'Of a number; of a text, how many characters are kept.' })),
  by: optional(Type.Number()),
  after: optional(day()),
  with: optional(Type.String()),
  table: optional(Type.Record(Type.String(), scalar)),
  patterns: optional(Type.Record(Type.String(), scalar, { description: 'Regular expression → value.' })),
  otherwise: optional(scalar),
  optional: optional(Type.Boolean({ description: 'The file may lack the column.' })),
};

/** Exactly one way to read it, and the options of that way. */
export interface FieldSpec extends Static<Type.TObject<typeof PLAIN_WAYS & typeof OPTIONS>> {
  object?: Record<string, FieldSpec>;
}

const field = (description?: string) =>
  Type.Unsafe<FieldSpec>({ $ref: '#/$defs/field', ...(description && { description }) });

/** A field is read in exactly one of these ways. */
export const WAYS = {
  ...PLAIN_WAYS,
  object: optional(Type.Record(Type.String(), field(), { description: 'Several values under names of their own.' })),
};

const Field = closed({ ...WAYS, ...OPTIONS }, 'How one value is read from a row.');

const Key = closed(
  {
    fips: optional(Type.Unsafe<number | FieldSpec>({ anyOf: [{ type: 'integer' }, { $ref: '#/$defs/field' }] })),
    parcel: optional(field('The parcel number as the publisher writes it.')),
    unit: optional(field('Where several homes share a parcel number.')),
    by: optional(
      closed(
        {
          kind: text(),
          key: field(),
          number: optional(field()),
          only_one: optional(
            Type.Boolean({
              description: 'A key that fits several properties fits none of them. Default: all of them.',
            }),
          ),
        },
        'Another key that an earlier dataset recorded as property_keys.',
      ),
    ),
    find: optional(
      closed(
        {
          county: optional(field('Name of the county, for `parcel`.')),
          parcel: optional(field('Parcel number.')),
          line: optional(field('House number and street.')),
          zip: optional(field('ZIP code, for `line`.')),
          inside: optional(Type.Boolean({ description: 'The one property whose point lies in the shape of the row.' })),
        },
        'For nationwide files: loaded properties that lack what the row says. Other rows are skipped.',
      ),
    ),
  },
  'How a row finds its property.',
);

const FILE_TYPES = [
  'csv',
  'tsv',
  'xlsx',
  'json',
  'geojson',
  'topojson',
  'shapefile',
  'geopackage',
  'geodatabase',
  'parquet',
  'dbf',
  'fixed-width',
] as const;

const Format = closed({
  type: Type.Union(FILE_TYPES.map((name) => Type.Literal(name))),
  separator: optional(
    Type.String({ minLength: 1, maxLength: 1, description: 'Between the cells of a CSV file. Default: a comma.' }),
  ),
  skip_lines: optional(Type.Integer({ minimum: 0, description: 'Lines above the header.' })),
  header: optional(Type.Array(Type.String(), { description: 'Column names, for a file without a header.' })),
  encoding: optional(Type.Union([Type.Literal('utf-8'), Type.Literal('windows-1252')])),
  projection: optional(text('EPSG code, proj4 text or WKT of the coordinates. Default: degrees.')),
  point: optional(
    Type.Union([text(), closed({ x: text(), y: text() })], {
      description: 'Columns with coordinates, or one with both: the shape of the row, for `centroid`.',
    }),
  ),
  layout: optional(
    Type.Record(Type.String(), Type.Tuple([Type.Integer({ minimum: 1 }), Type.Integer({ minimum: 1 })]), {
      description: 'Of a fixed-width file: column → [first place, from 1; number of places].',
    }),
  ),
  sheet: optional(text()),
  layer: optional(text('Table of a GeoPackage or a geodatabase.')),
});

export type FileFormat = Omit<Static<typeof Format>, 'type'> & { type: (typeof FILE_TYPES)[number] };

const File = Type.Union([
  text(),
  closed({
    path: text('Relative to the --from folder, or to the recipe; * matches any part of a name, {year} the year in it.'),
    alternatives: optional(Type.Array(text(), { description: 'Other names of the publisher’s own download.' })),
    url: optional(text('Where the publisher offers it; read from here when no folder is given.')),
    format: optional(Type.Partial(Format)),
    optional: optional(Type.Boolean({ description: 'An older publication that may be absent.' })),
    published_on: optional(dayOfYear('Of this file. {year} and {next_year} follow the year in its name.')),
    listing: optional(text('A page or catalog where the publisher lists its files; those that match path are read.')),
    newest: optional(
      Type.Boolean({
        description: 'Of several that match, the one that was changed last by the listing, or comes last.',
      }),
    ),
    years: optional(
      closed(
        { from: Type.Integer({ minimum: 1900 }), newest_only: optional(Type.Boolean()) },
        'The first year to look for as {year}, and whether each year replaces the one before.',
      ),
    ),
    paging: optional(
      Type.Union([Type.Literal('arcgis'), Type.Literal('arcgis-codes')], {
        description: 'The URL is a layer of an ArcGIS server. `arcgis-codes` keeps codes where the layer has labels.',
      }),
    ),
  }),
]);

const RecordShape = closed({
  into: Type.Union(
    TARGET_NAMES.filter((name) => name !== 'layer_stamps').map((name) => Type.Literal(name)),
    { description: 'The kind of record.' },
  ),
  layer: optional(text('Of `layer_values`: which of the recipe’s layers, if it has several.')),
  only_if: optional(field('Only rows for which this is true.')),
  each: optional(
    text('A column with a list; one record per item. `.name` is a member of a JSON item, `.value` one of a|b.'),
  ),
  key: optional(Key),
  creates: optional(Type.Boolean({ description: 'False if a row may add to a property but not create one.' })),
  fills: optional(Type.Boolean({ description: 'A row only fills what no other source states.' })),
  complete: optional(
    Type.Boolean({ description: 'The file lists every record there is: what is missing from it is retired.' }),
  ),
  required: optional(Type.Array(text(), { description: 'Fields without which a row makes no record.' })),
  attributes: optional(
    Type.Boolean({ description: 'Keep what the row says about the home as its state at the time of sale.' }),
  ),
  bulk_parcels: optional(
    Type.Integer({ minimum: 2, description: 'So many parcels with one `bulk_key` make a bulk sale.' }),
  ),
  price_floor: optional(Type.Number({ description: 'Prices below this are not market prices.' })),
  fields: Type.Record(Type.String(), field()),
});

const RELATED = {
  file: File,
  key: text('The column of the related table that both have in common.'),
  on: optional(text('Its name in the dataset’s own rows, if that is another.')),
  many: optional(
    Type.Boolean({
      description: 'All rows with the key count, and their values stand as a|b; otherwise the last one.',
    }),
  ),
  columns: Type.Record(Type.String(), field(), { description: 'Name of the added column → how it is read there.' }),
};
export type RelatedSpec = Static<Type.TObject<typeof RELATED>>;

const COMMON = {
  publisher: optional(text()),
  landing_page: optional(text()),
  license: optional(text()),
  attribution: optional(text()),
  cadence: optional(text()),
  note: optional(text()),
  published_on: optional(day('The day the publisher released the file: nothing in it can be later.')),
  format: optional(Format),
  files: optional(Type.Array(File)),
  columns: optional(
    Type.Record(Type.String(), Type.Array(Type.String()), {
      description: 'Name used in this recipe → the names the column has in the files.',
    }),
  ),
  personal: optional(Type.Array(text(), { description: 'Columns with names or mailing addresses of people.' })),
  authority: optional(
    Type.Number({
      description:
        'When two datasets disagree, the higher wins; among equals, and of the building always, the one known later.',
    }),
  ),
  publication_lag_days: optional(
    Type.Integer({ minimum: 0, description: 'Days from a sale to its publication, where no recording date is given.' }),
  ),
  only: optional(field('Only rows for which this is true.')),
  on_request: optional(Type.Boolean({ description: 'Loaded only when named.' })),
  key: optional(Key),
  related: optional(
    Type.Array(closed({ ...RELATED, related: optional(Type.Array(closed(RELATED))) }), {
      description: 'Other tables of the publisher, whose rows add columns to the rows that have their key.',
    }),
  ),
  layers: optional(
    Type.Array(
      Type.Union([
        text(),
        closed({
          layer: text(),
          from: optional(day()),
          to: optional(dayOfYear('{year} is the newest year among the files.')),
          counties: optional(Type.Array(Type.Integer(), { description: 'Where it is not all of the recipe’s.' })),
        }),
      ]),
    ),
  ),
  checks: optional(
    closed({
      min_rows: optional(Type.Integer({ minimum: 0 })),
      max_quarantined_share: optional(Type.Number({ minimum: 0, maximum: 1 })),
      max_vanished_share: optional(Type.Number({ minimum: 0, maximum: 1 })),
      max_lost_share: optional(
        Type.Number({
          minimum: 0,
          maximum: 1,
          description: 'A file with so many fewer records than the last one is refused. Default 0.2.',
        }),
      ),
    }),
  ),
};

const DatasetShape = closed({ name: optional(text()), ...COMMON, records: Type.Array(RecordShape, { minItems: 1 }) });

export const Recipe = Type.Object(
  {
    $schema: optional(Type.String()),
    id: Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', description: 'For example durham-nc.' }),
    market: optional(
      closed(
        { id: optional(text()), name: text(), state: Type.String({ pattern: '^[A-Z]{2}$' }), description: text() },
        'The place as customers see it. A nationwide layer has none.',
      ),
    ),
    counties: optional(
      Type.Array(closed({ fips: Type.Integer({ minimum: 1001, maximum: 99_999 }), name: text(), state: text() })),
    ),
    parcels: optional(
      closed(
        {
          fixed_width: optional(
            Type.Boolean({ description: 'Parts have fixed widths: 12-0345 and 120345 are one parcel.' }),
          ),
          prefix: optional(text('Sets the place apart from others of its county with the same numbers.')),
        },
        'How the place numbers its parcels. By default a number is what the publisher writes.',
      ),
    ),
    address_words: optional(
      closed({
        suffixes: optional(Type.Record(Type.String(), Type.String())),
        street_aliases: optional(Type.Array(closed({ from: text(), to: text() }))),
        city_aliases: optional(Type.Array(closed({ alias: text(), city: text() }))),
      }),
    ),
    layers: optional(
      Type.Record(Type.String({ pattern: `^${NAME_PATTERN}$` }), LayerSpec, {
        description: 'Layers of your own, by the name that answers and filters give them.',
        additionalProperties: false,
      }),
    ),
    shared: optional(Type.Unknown({ description: 'YAML anchors for parts that several datasets share.' })),
    datasets: Type.Record(Type.String({ pattern: '^[a-z0-9-]+$' }), DatasetShape, { minProperties: 1 }),
  },
  {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Platbook recipe',
    description: 'Where the public records of a place come from, and how a row becomes records.',
    additionalProperties: false,
    $defs: { field: Field },
  },
);
export type Recipe = Static<typeof Recipe>;
export type DatasetSpec = Recipe['datasets'][string];
export type KeySpec = Static<typeof Key>;
export type RecordSpec = Static<typeof RecordShape>;
export type FileSpecOf = Static<typeof File>;
