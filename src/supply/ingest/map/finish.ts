// Completes a record beyond its mapped fields: ids, grid cells, stamps, sale verdicts, and the day it became known.
import { hash } from 'node:crypto';
import { addDays } from '../../../base/lib/clock.ts';
import * as geo from '../../../base/lib/geo.ts';
import { isFiled, shapeCellOf } from '../../../base/lib/shapes.ts';
import { compactApn, recordId } from '../../../base/lib/ids.ts';
import { cleanLine } from './address-line.ts';
import { judgeDeed } from './arms-length.ts';
import { columnsOfBox, storeShape } from './parcel-shape.ts';
import { AREA_COLUMNS, isAreaJoin, levelOf, storedFields, type LayerDefinition } from '../../layers/definition.ts';
import type { LayerVals } from '../../layers/definition.ts';
import type { Dataset, RecordMap, Source, Target, Value } from '../source.ts';
import type { Finder } from './find.ts';
import type { Stamper } from './stamp.ts';
import { MAP_FIELDS, PROPERTY_FIELDS, SALE_ATTRIBUTES, TARGETS } from './targets.ts';
import { BadValue, endOfPeriod, type Precision } from './values.ts';
import { ownerTypeOf } from './words.ts';
import { must } from '../../../base/lib/must.ts';

export interface MapContext {
  source: Source;
  dataset: Dataset;
  stamper: Stamper | undefined;
  /** Bounds of the counties that have any; a shape outside its own is not stored. */
  countyBoxes?: Map<number, geo.Box>;
  file: string;
  /** No event in a file can be later than its publication. */
  publishedOn: string;
  /** Position of the file: of duplicate rows, the one from the later file is kept. */
  fileRank: number;
  finder?: Finder;
}

export type Values = Record<string, Value>;

export interface Key {
  fips: number;
  id: string | null;
  spelling: string | null;
  apn: string;
  unit: string;
  kind: string | null;
  key: string | null;
  number: number | null;
}

/** Completes the values of one record in place; `shared` passes values between the records of one row. */
type Finish = (values: Values, key: Key, shared: { property?: Values }) => void;

/** Built once per record map and file, so that anything that can be precomputed is. */
type MakeFinish = (record: RecordMap, context: MapContext) => Finish;

const FINISHERS: Partial<Record<Target, MakeFinish>> = {
  properties: makePropertyFinish,
  owners: makeOwnerFinish,
  transactions: makeTransactionFinish,
  areas: makeAreaFinish,
  map_lines: () => finishLine,
  parcel_shapes: makeShapeFinish,
  layer_values: makeLayerFinish,
  layer_stamps: makeLayerFinish,
};

export const makeFinish = (record: RecordMap, context: MapContext): Finish =>
  (FINISHERS[record.into] ?? makeFactFinish)(record, context);

const HASHED = PROPERTY_FIELDS.filter((name) => name !== 'apn');

const DERIVED = ['latitude', 'longitude', 'geo_precision', 'extras'];

/** A short digest of what a row says about a property, for the next load to compare. */
const hashOf = (values: Values, names: string[]): string =>
  hash('md5', JSON.stringify(names.map((name) => values[name])), 'hex');

function makePropertyFinish(record: RecordMap, context: MapContext): Finish {
  const hashed = HASHED.filter((name) => name in record.fields || DERIVED.includes(name));
  const state = context.source.market?.state ?? '';
  return (values, key, shared) => {
    values.address_line1 = cleanLine(values, state);
    const { latitude, longitude } = values;
    const hasPoint = typeof latitude === 'number' && typeof longitude === 'number';
    if (!hasPoint) values.latitude = values.longitude = null;
    values.geo_precision = hasPoint ? (values.geo_precision ?? 'parcel') : null;
    values.known_on ??= context.publishedOn;
    values.apn = key.apn;
    values.apn_normalized = compactApn(key.apn);
    values.unit_key = key.unit;
    values.source_key = key.spelling;
    values.creates = record.creates !== false && !record.fills;
    values.extras ??= {};
    values.row_hash = hashOf(values, hashed);
    shared.property = values;
    if (hasPoint) {
      const stamps = context.stamper?.(key.fips, { latitude, longitude });
      if (stamps) {
        for (const name of MAP_FIELDS) values[name] = stamps.columns[name] as Value;
        values.neighborhood ??= stamps.columns.neighborhood;
      }
      values.cell_fine = geo.cellOf({ latitude, longitude }, geo.FINE_DEGREES);
      values.cell_coarse = geo.cellOf({ latitude, longitude }, geo.COARSE_DEGREES);
    }
  };
}

function makeOwnerFinish(_record: RecordMap, context: MapContext): Finish {
  return (values) => {
    values.known_on ??= context.publishedOn;
    values.names ??= [];
    values.type ??= ownerTypeOf(values.names as string[]);
  };
}

function makeFactFinish(record: RecordMap, context: MapContext): Finish {
  const spec = TARGETS[record.into as keyof typeof TARGETS];
  return (values, key) => {
    // A home rented as a whole has no units.
    if (record.into === 'rents') values.unit ??= '';
    if (record.into === 'rents' && !(Number(values.rent) > 0)) throw new BadValue('no_rent');
    for (const name of spec.key) {
      if (name !== 'id' && !name.startsWith('number_') && (values[name] ?? null) === null)
        throw new BadValue(`no_${name}`);
    }
    if (spec.idPrefix) {
      if (!values.id) throw new BadValue('no_number');
      values.id = recordId(spec.idPrefix, key.fips, String(values.id));
    }
    if (record.into === 'property_keys') {
      values.number_from ??= 0;
      values.number_to ??= values.number_from;
    }
    if (spec.columns.includes('known_on')) {
      const stated = spec.knownFrom ? (values[spec.knownFrom] as string | null) : null;
      if (stated && stated > context.publishedOn) throw new BadValue(`date_in_future (${spec.knownFrom})`);
      values.known_on ??= stated ?? context.publishedOn;
    }
    if (record.into === 'taxes') values.exemptions ??= [];
  };
}

function makeTransactionFinish(record: RecordMap, context: MapContext): Finish {
  const marketId = must(context.source.market, 'market').id;
  const knownAfter = makeKnownAfter(context.dataset.publicationLagDays ?? 14);
  return (values, key, shared) => {
    values.type ??= 'deed';
    const saleDate = (values.sale_date ?? null) as string | null;
    const recordedOn = (values.recording_date ?? null) as string | null;
    const dated = saleDate ?? recordedOn;
    if (!dated) throw new BadValue('no_date');
    if (dated > context.publishedOn) throw new BadValue('date_in_future');
    const precision = (values.date_precision ??= 'day') as Precision;
    const price = (values.price ?? null) as number | null;
    values.buyers ??= [];
    values.sellers ??= [];
    values.refers_to ??= [];
    values.market = marketId;
    // Otherwise all deeds without a number would be one document.
    for (const name of DOCUMENT) if (isZeros(values[name])) values[name] = null;
    if (values.type === 'deed' && !('arms_length' in record.fields)) {
      const verdict = judgeDeed({
        priceUsd: price,
        documentType: (values.document_type ?? null) as string | null,
        buyers: values.buyers as string[],
        sellers: values.sellers as string[],
        stated: (values.stated_valid ?? null) as boolean | null,
        priceFloorUsd: record.priceFloor ?? 10_000,
        isPartInterest: values.part_interest === true,
        isPackage: values.several_parcels === true,
      });
      values.arms_length = verdict.armsLength;
      values.arms_length_reason = verdict.reason;
    }
    values.known_on ??= recordedOn ?? knownAfter(dated, precision);
    // A parcel can sell twice in a month at the same price; document numbers distinguish such sales.
    const document = precision === 'day' ? null : (values.document_number ?? null);
    const sale = `${key.id ?? key.key}|${saleDate}|${price}${document === null ? '' : `|${String(document)}`}`;
    values.id = recordId('txn', key.fips, values.id ? String(values.id) : sale);
    if (record.attributes && shared.property) values.attributes = attributesOf(shared.property);
  };
}

const DOCUMENT = ['document_number', 'book', 'page'];
/** Sentinels for a missing number: `0`, `0000`, `0:0` or `0/0`. */
const isZeros = (value: Value) => typeof value === 'string' && /^[0:/. -]+$/.test(value);

/** The day by which a sale without a recording date was published. Memoized because many sales share a date. */
function makeKnownAfter(lagDays: number): (date: string, precision: Precision) => string {
  const memo = new Map<string, string>();
  return (date, precision) => {
    const key = `${date}${precision}`;
    let known = memo.get(key);
    if (!known) {
      if (memo.size > 20_000) memo.clear();
      known = addDays(endOfPeriod({ date, precision }), lagDays);
      memo.set(key, known);
    }
    return known;
  };
}

function attributesOf(property: Values): Value {
  const attributes: Record<string, unknown> = {};
  for (const name of SALE_ATTRIBUTES) if ((property[name] ?? null) !== null) attributes[name] = property[name];
  return attributes;
}

function makeShapeFinish(_record: RecordMap, context: MapContext): Finish {
  return (values, key) => {
    Object.assign(values, storeShape(values.shape as unknown as geo.MultiPolygon, context.countyBoxes?.get(key.fips)));
    values.known_on ??= context.publishedOn;
  };
}

const FITS: Record<string, (value: Value) => boolean> = {
  text: (value) => typeof value === 'string',
  date: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value),
  flag: (value) => typeof value === 'boolean',
  whole: Number.isInteger,
  year: Number.isInteger,
};
const isFinite = (value: Value) => typeof value === 'number' && Number.isFinite(value);

/** A layer's fields from a row's values, with the level unless it depends on distance. */
function readVals({ fields, join, levels }: LayerDefinition, values: Values): LayerVals {
  const vals: LayerVals = {};
  for (const name of storedFields({ fields })) {
    const value = values[name] ?? null;
    const { type, summarize, values: words } = fields[name];
    const fits = ((!summarize && FITS[type]) || isFinite)(value) && words?.includes(String(value)) !== false;
    if (value !== null && !fits) throw new BadValue(`not_a_value (${name})`);
    vals[name] = value as LayerVals[string];
  }
  return join === 'nearest' ? vals : { ...vals, level: levelOf({ levels }, vals) };
}

/** Code lengths of the area kinds. */
const KEY_LENGTHS: Record<keyof typeof AREA_COLUMNS, number> = {
  county: 5,
  tract: 11,
  tract_2010: 11,
  block_group: 12,
  zip: 5,
};

function makeLayerFinish(record: RecordMap, context: MapContext): Finish {
  const layer = must(
    context.source.layers?.find(({ name }) => name === record.layer),
    'layer',
  );
  const { join } = layer;
  return (values, key) => {
    values.layer = layer.name;
    values.vals = readVals(layer, values);
    if (record.into === 'layer_stamps') return;
    values.kind = isAreaJoin(join) ? join : 'site';
    values.key = values[isAreaJoin(join) ? join : 'id'];
    if (typeof values.key !== 'string' || values.key === '') throw new BadValue(`no_${isAreaJoin(join) ? join : 'id'}`);
    if (isAreaJoin(join) && !new RegExp(`^\\d{${KEY_LENGTHS[join]}}$`).test(values.key))
      throw new BadValue(`not_a_code (${join})`);
    const hasPoint = typeof values.latitude === 'number' && typeof values.longitude === 'number';
    if (join === 'nearest' && !hasPoint) throw new BadValue('no_point');
    key.fips = isAreaJoin(join) && join !== 'zip' ? Number(values.key.slice(0, 5)) : geo.NO_COUNTY;
  };
}

function makeAreaFinish({ layer: name }: RecordMap, { source }: MapContext): Finish {
  const layer = source.layers?.find((each) => each.name === name);
  return (values) => {
    Object.assign(values, columnsOfBox(geo.boxOfPolygon(values.rings as unknown as geo.MultiPolygon)));
    const attributes = (values.attributes ?? {}) as unknown as Values;
    values.attributes = layer ? readVals(layer, attributes) : attributes;
    if (!values.id) throw new BadValue('no_id');
  };
}

function finishLine(values: Values): void {
  if (!values.id) throw new BadValue('no_id');
  const box = geo.boxOfPolygon((values.path as unknown as geo.Ring[]).map((line) => [line]));
  if (!isFiled(box)) throw new BadValue('line_too_long');
  Object.assign(values, columnsOfBox(box), { cell: shapeCellOf(box) });
}
