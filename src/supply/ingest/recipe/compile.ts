// Turns a checked recipe into a source: every way to read a field becomes one compiled function.
import { mapValues, pick } from '../../../base/lib/pick.ts';
import { type State } from '../../../base/lib/states.ts';
import { isAreaJoin, problemOf, storedFields, type LayerDefinition } from '../../layers/definition.ts';
import { LAYER_NAMES } from '../../layers/layers.ts';
import * as fields from '../map/fields.ts';
import type {
  CamelKeys,
  Dataset,
  Field,
  FileFormat,
  FileSpec,
  PropertyKey,
  RecordMap,
  RelatedTable,
  Source,
  Value,
} from '../source.ts';
import { expressionField } from './expression.ts';
import { compilePattern, LONGEST_MATCHED } from './pattern.ts';
import {
  WAYS,
  type DatasetSpec,
  type FieldSpec,
  type FileSpecOf,
  type KeySpec,
  type Recipe,
  type RecordSpec,
} from './schema.ts';

/** An error the schema cannot detect, with its location in the recipe. */
export class RecipeProblem extends Error {
  readonly path: (string | number)[];
  constructor(path: (string | number)[], message: string) {
    super(message);
    this.path = path;
  }
}

type Path = (string | number)[];

export function compileRecipe(recipe: Recipe): Source {
  const { id, market, counties = [], parcels, address_words: words } = recipe;
  const place: Place = { fips: counties.length === 1 ? counties[0].fips : undefined, layers: compileLayers(recipe) };
  return {
    id,
    market: market && { ...market, id: market.id ?? id },
    counties,
    parcels: parcels && camelKeys(parcels),
    datasets: Object.entries(recipe.datasets).map(([name, spec]) =>
      compileByState(`${id}/${name}`, spec, place, ['datasets', name]),
    ),
    layers: place.layers,
    addressWords: words && camelKeys(words),
  };
}

interface Place {
  /** Undefined if the recipe has several counties, or none. */
  fips: number | undefined;
  layers: LayerDefinition[];
}

const compileLayers = ({ layers = {} }: Recipe): LayerDefinition[] =>
  Object.entries(layers).map(([name, spec]) => {
    const [path, message] = problemOf(name, spec, LAYER_NAMES) ?? [];
    if (path) throw new RecipeProblem(['layers', name, ...path], message!);
    return { ...spec, name };
  });

function camelKeys<Spec extends object>(spec: Spec): CamelKeys<Spec> {
  const camel = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(spec).map(([name, value]) => [camel(name), value])) as CamelKeys<Spec>;
}

/** `{state}` is WI, `{state_lower}` wi, `{state_fips}` 55 and `{state_name}` the name without blanks, as in NewHampshire. */
const mentionsState = (spec: object): boolean => /\{state(_lower|_fips|_name)?\}/.test(JSON.stringify(spec));

function fillState<Spec>(spec: Spec, { code, fips, name }: State): Spec {
  const words: Record<string, string> = {
    state: code,
    state_lower: code.toLowerCase(),
    state_fips: fips,
    state_name: name.replaceAll(' ', ''),
  };
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(/\{(state(?:_\w+)?)\}/g, (whole, word) => words[word] ?? whole);
    if (Array.isArray(value)) return value.map(fill);
    if (value === null || typeof value !== 'object') return value;
    return mapValues(value, fill);
  };
  return fill(spec) as Spec;
}

/** If a dataset uses `{state…}`, its files are split by state; each state becomes a separate dataset. */
function compileByState(id: string, spec: DatasetSpec, place: Place, path: Path): Dataset {
  const dataset = compileDataset(id, spec, place, path);
  if (!mentionsState(spec)) return dataset;
  const ofState = (state: State) => ({
    ...compileDataset(`${id}-${state.code.toLowerCase()}`, fillState(spec, state), place, path),
    state,
  });
  return { ...dataset, ofState };
}

const NEEDED = ['publisher', 'license', 'published_on', 'format', 'files'] as const;

type WholeDataset = DatasetSpec & Required<Pick<DatasetSpec, (typeof NEEDED)[number]>>;

function requireWhole(spec: DatasetSpec, path: Path): WholeDataset {
  for (const name of NEEDED) if (spec[name] === undefined) throw new RecipeProblem(path, `needs \`${name}\``);
  return spec as WholeDataset;
}

function compileDataset(id: string, some: DatasetSpec, place: Place, path: Path): Dataset {
  const { only, key, records, layers, related, checks, license, ...spec } = requireWhole(some, path);
  return {
    ...camelKeys(spec),
    id,
    name: spec.name ?? id.split('/')[1],
    landingPage: spec.landing_page ?? '',
    licence: license,
    attribution: spec.attribution ?? spec.publisher,
    cadence: spec.cadence ?? 'unknown',
    format: spec.format,
    files: spec.files.map(compileFile),
    where: only && compileField(only, [...path, 'only']),
    key: key && compileKey(key, place.fips, [...path, 'key']),
    records: withShapes(records.map((record, i) => compileRecord(record, place, [...path, 'records', i]))),
    layers: (layers ?? []).map((layer) => (typeof layer === 'string' ? { layer } : layer)),
    related: related?.map((table, i) => compileRelated(table, [...path, 'related', i])),
    checks: checks && camelKeys(checks),
  };
}

function compileRelated(table: NonNullable<DatasetSpec['related']>[number], path: Path): RelatedTable {
  const { file, columns, related, ...rest } = table;
  return {
    ...rest,
    file: compileFile(file),
    columns: mapValues(columns, (field, name) => compileField(field, [...path, 'columns', name])),
    related: related?.map((inner, i) => compileRelated(inner, [...path, 'related', i])),
  };
}

function compileFile(file: FileSpecOf): FileSpec {
  if (typeof file === 'string') return { path: file };
  const { format, years, ...rest } = file;
  return { ...camelKeys(rest), years: years && camelKeys(years), format: format as FileFormat | undefined };
}

function compileKey(key: KeySpec, fips: number | undefined, path: Path): PropertyKey {
  if (key.find) return { fips: 0, find: compileFind(key.find, path) };
  const county = key.fips ?? fips;
  if (county === undefined) throw new RecipeProblem(path, 'needs `fips`, because the recipe has several counties');
  if (!key.parcel && !key.by) throw new RecipeProblem(path, 'needs `parcel`, or `by` with another key');
  return {
    fips: typeof county === 'number' ? county : compileField(county, [...path, 'fips']),
    apn: key.parcel && compileField(key.parcel, [...path, 'parcel']),
    unit: key.unit && compileField(key.unit, [...path, 'unit']),
    by: key.by && {
      kind: key.by.kind,
      key: compileField(key.by.key, [...path, 'by', 'key']),
      number: key.by.number && compileField(key.by.number, [...path, 'by', 'number']),
      onlyOne: key.by.only_one,
    },
  };
}

function compileFind({ inside, ...hints }: NonNullable<KeySpec['find']>, path: Path): PropertyKey['find'] {
  const fields = Object.entries(hints).map(([name, spec]) => [name, compileField(spec, [...path, 'find', name])]);
  return { ...Object.fromEntries(fields), inside };
}

function compileRecord(spec: RecordSpec, { fips, layers }: Place, path: Path): RecordMap {
  const { only_if: when, key, fields: named, ...record } = spec;
  // A sale's date precision is inferred from its column, cell by cell.
  const dates = spec.into === 'transactions' && !named.date_precision && named.sale_date?.date;
  const all = dates ? { ...named, date_precision: { precision: dates } } : named;
  const compiled: RecordMap = {
    ...camelKeys(record),
    when: when && compileField(when, [...path, 'only_if']),
    key: key && compileKey(key, fips, [...path, 'key']),
    fields: mapValues(all, (field, name) => compileField(field, [...path, 'fields', name])),
  };
  return spec.into === 'layer_values' ? compileLayerRecord(compiled, layers, path) : compiled;
}

/** Layer values are stored where homes look them up: by area or site, on the parcel itself, or on the map. A file is
    the complete layer unless stated otherwise. */
function compileLayerRecord(record: RecordMap, layers: LayerDefinition[], path: Path): RecordMap {
  const layer = record.layer === undefined && layers.length === 1 ? layers[0] : undefined;
  const found = layer ?? layers.find(({ name }) => name === record.layer);
  if (!found) throw new RecipeProblem(path, 'needs `layer`, one of those under `layers`');
  const { name, join } = found;
  const stored = storedFields(found);
  const keys = isAreaJoin(join)
    ? [join]
    : { parcel: [], inside: ['id'], nearest: ['id', 'latitude', 'longitude'] }[join];
  const missing = keys.find((key) => !(key in record.fields));
  if (missing) throw new RecipeProblem([...path, 'fields'], `needs \`${missing}\`, by which homes find their value`);
  const known = [...keys, ...stored, ...(join === 'inside' ? ['fips', 'name'] : [])];
  const odd = Object.keys(record.fields).find((field) => !known.includes(field));
  if (odd) throw new RecipeProblem([...path, 'fields', odd], `is no field of the layer; it has ${known.join(', ')}`);
  const whole: RecordMap = { complete: true, ...record, layer: name };
  if (join === 'parcel') return { ...whole, into: 'layer_stamps' };
  if (join !== 'inside') return whole;
  const attributes = stored.flatMap((field) => (record.fields[field] ? [[field, record.fields[field]] as const] : []));
  const { id, fips = fields.constant(0), name: title = fields.constant(null) } = record.fields;
  return {
    ...whole,
    into: 'areas',
    fields: {
      fips,
      id,
      name: title,
      kind: fields.constant(name),
      vintage: fields.constant(0),
      rings: fields.shape(),
      attributes: fields.object(Object.fromEntries(attributes)),
    },
  };
}

/** A parcel that takes its point from the row's polygons keeps the polygons as well. */
function withShapes(records: RecordMap[]): RecordMap[] {
  if (records.some(({ into }) => into === 'parcel_shapes')) return records;
  const drawn = records.find(
    ({ into, each, fields: named }) => into === 'properties' && !each && named.latitude?.kind.startsWith('centroid'),
  );
  if (!drawn) return records;
  const { key, when } = drawn;
  return [
    ...records,
    { into: 'parcel_shapes', key, when: bothOf(fields.hasShape(), when), fields: { shape: fields.shape() } },
  ];
}

function bothOf(first: Field, second: Field | undefined): Field {
  if (!second) return first;
  return {
    ...second,
    kind: `${first.kind} and ${second.kind}`,
    read: (cells, geometry) => first.read([], geometry) === true && second.read(cells, geometry) === true,
  };
}

type Way = keyof typeof WAYS;

export function compileField(spec: FieldSpec, path: Path): Field {
  const ways = (Object.keys(WAYS) as Way[]).filter((way) => spec[way] !== undefined);
  if (ways.length !== 1) {
    const found = ways.length === 0 ? 'none' : ways.join(' and ');
    throw new RecipeProblem(path, `must say exactly one way to read it, such as \`text: <column>\`; it has ${found}`);
  }
  let field: Field;
  try {
    field = compileWay(ways[0], spec, path);
  } catch (error) {
    throw error instanceof RecipeProblem ? error : new RecipeProblem(path, (error as Error).message);
  }
  const kept = spec.max !== undefined && CUT.has(ways[0]) ? cutTo(field, spec.max) : field;
  return spec.optional ? fields.optional(kept) : kept;
}

/** Text ways, whose `max` is a number of characters. */
const CUT = new Set<Way>(['text', 'upper', 'lower', 'title', 'join']);

const cutTo = (field: Field, length: number): Field => ({
  ...field,
  kind: `${field.kind} up to ${length}`,
  read: (cells) => (field.read(cells) as string | null | undefined)?.slice(0, length) ?? null,
});

type Said<W extends Way> = Exclude<FieldSpec[W], undefined>;

const compileWay = <W extends Way>(way: W, spec: FieldSpec, path: Path): Field =>
  COMPILERS[way](spec[way] as Said<W>, spec, path);

/** Ways with the same name in the vocabulary, and without options. */
const SAME = pick(fields, ['text', 'upper', 'lower', 'title', 'zip', 'dollars', 'precision', 'latitude', 'longitude']);

const COMPILERS: { [W in Way]: (said: Said<W>, spec: FieldSpec, path: Path) => Field } = {
  ...SAME,
  ...pick(fields, ['present', 'constant', 'centroid', 'shape', 'line']),
  digits: (said, spec, path) => {
    if (spec.length === undefined) throw new RecipeProblem(path, '`digits` needs `length`');
    return fields.digits(said, spec.length);
  },
  whole: (said, spec) => fields.whole(said, spec.min, spec.max),
  positive: (said, spec) => fields.positive(said, spec.max),
  decimal: (said, spec) => fields.decimal(said, spec.min, spec.max),
  year: (said) => fields.yearBuilt(said),
  times: (said, spec, path) => {
    if (spec.by === undefined) throw new RecipeProblem(path, '`times` needs `by`, the factor');
    return fields.scaled(said, spec.by);
  },
  date: (said, spec) => (spec.after ? fields.dateAfter(said, spec.after) : fields.date(said)),
  code: (said, spec, path) => {
    if (!spec.table) throw new RecipeProblem(path, '`code` needs `table`');
    return fields.code(said, spec.table, spec.otherwise ?? null);
  },
  match: (said, spec, path) => {
    if (!spec.patterns) throw new RecipeProblem(path, '`match` needs `patterns`');
    const patterns = Object.entries(spec.patterns).map(([source, value]) => [compilePattern(source), value] as const);
    const compare = (cell: string): Value => {
      const found = patterns.find(([pattern]) => pattern.test(cell.slice(0, LONGEST_MATCHED)));
      return (found ? found[1] : spec.otherwise) ?? null;
    };
    const kind = `match ${JSON.stringify(spec.patterns)} ${spec.otherwise}`;
    return { kind, columns: [said], read: ([cell]) => compare(cell?.trim() ?? '') };
  },
  names: (said) => fields.names(...said),
  join: (said, spec) => fields.join(said, spec.with ?? ' '),
  area: () => fields.groundArea(),
  expression: (said) => expressionField(said),
  object: (said, _spec, path) =>
    fields.object(mapValues(said, (member, name) => compileField(member, [...path, 'object', name]))),
};
