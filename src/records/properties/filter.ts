// The one search grammar, shared by search, count, tiles, watchlists, the change feed, exports and agents: what a
// caller may write, and the checked form that the rest of the program uses.
import Type, { type Static, type TSchema } from 'typebox';
import { fail } from '../../base/lib/errors.ts';
import { boxAround, boxOfPolygon, type Box, type MultiPolygon, type Point } from '../../base/lib/geo.ts';
import { decimal, isoDay, latitude, longitude, oneOf, several, text, wholeNumber } from '../../base/lib/schema.ts';
import { parseLayerCondition, type LayerCondition } from '../../supply/layers/condition.ts';
import type { FilterValue } from '../../supply/layers/layer.ts';
import { COLUMN_FILTERS, type ColumnFilterName } from './tenure-filters.ts';
import { nearestWord } from '../../base/lib/suggest.ts';
import type { Expression } from './expression.ts';
import { Geometry, readGeometry } from './geometry.ts';
import { OWNER_TYPES, PROPERTY_TYPES, type PropertyType } from './schema.ts';
import ranges from './ranges.json' with { type: 'json' };

export type RangeName = keyof typeof ranges;
interface Range {
  kind: 'whole' | 'fraction' | 'day';
  /** The minimum of a fraction. */
  minimum?: number;
  maximum?: number;
  what?: string;
}
/** The range filters, and the format of their bounds. */
const RANGES = ranges as Record<RangeName, Range>;
const RANGE_NAMES = Object.keys(ranges) as RangeName[];

const MAX_RADIUS_MILES = 100;

export const kindOfRange = (name: RangeName) => RANGES[name].kind;
function rangeEnd(name: RangeName, end: string) {
  const { kind, what = name, ...range } = RANGES[name];
  const description = `${end} ${what}.`;
  if (kind === 'fraction') return Type.Optional(decimal({ ...range, description }));
  return Type.Optional(kind === 'day' ? isoDay({ description }) : wholeNumber({ minimum: 0, description }));
}
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

const LAYER_FILTER_NAMES = Object.keys(COLUMN_FILTERS) as ColumnFilterName[];
const WORD_FILTERS = LAYER_FILTER_NAMES.filter((name) => COLUMN_FILTERS[name].test === 'among');

const layerParameters = Object.fromEntries(
  LAYER_FILTER_NAMES.map((name) => {
    const filter = COLUMN_FILTERS[name];
    const { description } = filter;
    if (filter.test === 'since') return [name, Type.Optional(isoDay({ description }))];
    if (filter.test !== 'among') return [name, flag(description)];
    return [name, several(description, { words: filter.words, examples: [filter.words[0]] })];
  }),
) as Record<ColumnFilterName, TSchema>;

/** The filters as query parameters. The JSON form uses the same names, with lists as arrays, and adds a geometry. */
export const FilterParameters = {
  state: several('Two-letter state codes.', { examples: ['ZZ'] }),
  market: several('Market ids, as listed by /markets.', { examples: ['sandbox'] }),
  fips: several('Five-digit county FIPS codes.', { examples: ['99001'] }),
  city: several('City names, case-insensitive.'),
  zip: several('Five-digit ZIP codes.'),
  census_tract: several('Eleven-digit tract GEOIDs.'),
  latitude: Type.Optional(latitude({ description: 'Center of a circle; requires longitude and radius_miles.' })),
  longitude: Type.Optional(longitude({ description: 'Center of a circle.' })),
  radius_miles: Type.Optional(
    decimal({ exclusiveMinimum: 0, maximum: MAX_RADIUS_MILES, description: 'Radius of the circle.' }),
  ),
  bbox: Type.Optional(
    text(200, { minLength: 7, description: 'minLng,minLat,maxLng,maxLat', examples: ['-70.1,40.2,-70.0,40.3'] }),
  ),
  property_type: several('Types of property.', { words: PROPERTY_TYPES, examples: ['single_family'] }),
  ...(Object.fromEntries(
    RANGE_NAMES.flatMap((name) => [
      [`min_${name}`, rangeEnd(name, 'Minimum')],
      [`max_${name}`, rangeEnd(name, 'Maximum')],
    ]),
  ) as unknown as Record<`${'min' | 'max'}_${RangeName}`, TSchema>),
  owner_occupied: flag('Whether the owner lives at the property. Requires the scope `owners:read`.'),
  owner_type: Type.Optional(oneOf(OWNER_TYPES, { description: 'Type of owner. Requires the scope `owners:read`.' })),
  ...layerParameters,
  layer: Type.Optional(
    text(2_000, {
      minLength: 1,
      description:
        'Conditions on layers loaded by recipe, as `GET /layers` lists them: `layer.field:` with values, or a range with `..`. Several are separated by `;`.',
      examples: ['hazards.risk_rating:Very High', 'hazards.risk_score:60..;hazards.level:bad,fair'],
    }),
  ),
  updated_since: Type.Optional(
    text(40, {
      description: 'Changed at or after this instant or date; use it to keep a copy in sync.',
      examples: ['2026-06-01'],
    }),
  ),
};

const asList = (shape: TSchema) =>
  Type.Optional(Type.Union([Type.Array(text(100), { maxItems: 500 }), shape as ReturnType<typeof text>]));

const LISTED = ['state', 'market', 'fips', 'city', 'zip', 'census_tract', 'property_type', 'layer'] as const;

export const FilterBody = {
  ...FilterParameters,
  ...(Object.fromEntries([...LISTED, ...WORD_FILTERS].map((name) => [name, asList(text(2_000))])) as Record<
    (typeof LISTED)[number],
    ReturnType<typeof asList>
  >),
  geometry: Type.Optional(Geometry),
};

export type FilterInput = Partial<Record<keyof typeof FilterBody, unknown>> & { geometry?: Static<typeof Geometry> };

export type Place =
  | { kind: 'circle'; box: Box; center: Point; radiusMiles: number }
  | { kind: 'box'; box: Box }
  | { kind: 'polygon'; box: Box; polygons: MultiPolygon };

export interface Filter {
  states: string[];
  markets: string[];
  counties: number[];
  cities: string[];
  zips: string[];
  tracts: string[];
  place: Place | undefined;
  types: PropertyType[];
  ranges: { name: RangeName; min?: number | string; max?: number | string }[];
  ownerOccupied?: boolean;
  ownerType?: string;
  layers: { name: ColumnFilterName; value: FilterValue }[];
  /** Conditions on loaded layers. */
  conditions: LayerCondition[];
  updatedSince?: string;
  /** An additional condition from a CQL2 request. */
  expression?: Expression;
  /** In live mode's free answers, figures derived from several facts are derived from their bands. */
  isRough?: boolean;
}

/** Turns the caller's input (already schema-checked) into the checked form; every mistake is a 400 that names it. */
export const readFilter = (input: FilterInput): Filter => ({
  states: readList(input.state).map((state) => state.toUpperCase()),
  markets: readList(input.market).map((market) => market.toLowerCase()),
  counties: readList(input.fips).map((fips) =>
    /^\d{5}$/.test(fips) ? Number(fips) : invalid('fips', `\`${fips}\` is not a five-digit county code`),
  ),
  cities: readList(input.city).map((city) => city.toUpperCase()),
  zips: readList(input.zip).map((zip) =>
    /^\d{5}$/.test(zip) ? zip : invalid('zip', `\`${zip}\` is not a five-digit ZIP code`),
  ),
  tracts: readList(input.census_tract).map((tract) =>
    /^\d{11}$/.test(tract) ? tract : invalid('census_tract', `\`${tract}\` is not an eleven-digit GEOID`),
  ),
  place: readPlace(input),
  types: readList(input.property_type).map(readType),
  ranges: RANGE_NAMES.flatMap((name) => readRange(input, name)),
  ownerOccupied: input.owner_occupied as boolean | undefined,
  ownerType: input.owner_type as string | undefined,
  layers: LAYER_FILTER_NAMES.flatMap((name) =>
    input[name] === undefined ? [] : [{ name, value: readLayerValue(name, input[name]) }],
  ),
  conditions: readConditions(input.layer),
  updatedSince: readInstant(input.updated_since as string | undefined),
});

const LISTS = [...LISTED.filter((name) => name !== 'layer'), ...WORD_FILTERS];

/** Refuses empty lists in new requests; stored filters may have them. An empty list is usually a bug in the caller's
    program and would match every property. */
export function checkLists(input: FilterInput): void {
  for (const name of LISTS) {
    if (input[name] !== undefined && readList(input[name]).length === 0)
      invalid(name, `${name} names nothing; leave it out to match any`);
  }
  for (const state of readList(input.state)) {
    if (!/^[a-z]{2}$/i.test(state)) invalid('state', `\`${state}\` is not a two-letter state code`);
  }
}

function readList(value: unknown): string[] {
  if (value === undefined) return [];
  const items = Array.isArray(value) ? (value as string[]) : String(value).split(',');
  return items.map((item) => item.trim()).filter((item) => item !== '');
}

function readConditions(value: unknown): LayerCondition[] {
  if (value === undefined) return [];
  const items = Array.isArray(value) ? (value as string[]) : String(value).split(';');
  return items.map(
    (item) =>
      parseLayerCondition(item) ??
      invalid('layer', `\`${item}\` is not a condition such as \`hazards.risk_score:60..\` or \`radon.zone:1,2\``),
  );
}

const readType = (word: string): PropertyType => readWord(word, PROPERTY_TYPES, ['property_type', 'a property type']);

function readWord<Word extends string>(word: string, words: readonly Word[], [name, what]: [string, string]): Word {
  const wanted = word.toLowerCase() as Word;
  if (words.includes(wanted)) return wanted;
  const near = nearestWord(word, words);
  return invalid(
    name,
    `\`${word}\` is not ${what}: use ${words.join(', ')}${near ? `; did you mean \`${near}\`?` : ''}`,
  );
}

function readLayerValue(name: ColumnFilterName, value: unknown): FilterValue {
  const filter = COLUMN_FILTERS[name];
  if (filter.test !== 'among') return value as FilterValue;
  return readList(value).map((word) => readWord(word, filter.words, [name, `a value of ${name}`]));
}

function readRange(input: FilterInput, name: RangeName): Filter['ranges'] {
  const min = input[`min_${name}`] as number | string | undefined;
  const max = input[`max_${name}`] as number | string | undefined;
  if (min === undefined && max === undefined) return [];
  if (min !== undefined && max !== undefined && min > max)
    invalid(`min_${name}`, `min_${name} is greater than max_${name}`);
  return [{ name, min, max }];
}

const INSTANT = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?)?$/i;

/** Days start in UTC, and a time without a zone is UTC, regardless of the server's location. */
function readInstant(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const [, day, time = '00:00', zone = 'Z'] = INSTANT.exec(value) ?? [];
  const [parsed, midnight] = [new Date(`${day}T${time}${zone.toUpperCase()}`), new Date(`${day}T00:00Z`)];
  const isThere = !Number.isNaN(parsed.getTime()) && midnight.toISOString().startsWith(day);
  if (!isThere || parsed.getUTCFullYear() < 1900)
    invalid('updated_since', 'updated_since must be an ISO-8601 day or instant, with `+` in a URL as `%2B`');
  return parsed.toISOString();
}

function readPlace(input: FilterInput): Place | undefined {
  const circle = [input.latitude, input.longitude, input.radius_miles];
  const given = [circle.some((part) => part !== undefined), input.bbox !== undefined, input.geometry !== undefined];
  if (given.filter(Boolean).length > 1)
    invalid('bbox', 'use only one of latitude/longitude/radius_miles, bbox and geometry');
  if (given[0]) return readCircle(input);
  if (input.bbox !== undefined) return { kind: 'box', box: readBox(String(input.bbox)) };
  if (input.geometry === undefined) return undefined;
  const polygons = readGeometry(input.geometry);
  return { kind: 'polygon', polygons, box: boxOfPolygon(polygons) };
}

function readCircle(input: FilterInput): Place {
  const missing = (['latitude', 'longitude', 'radius_miles'] as const).filter((name) => input[name] === undefined);
  if (missing.length > 0)
    invalid(missing[0], `a circle requires latitude, longitude and radius_miles; missing: ${missing.join(', ')}`);
  const center = { latitude: Number(input.latitude), longitude: Number(input.longitude) };
  const radiusMiles = Number(input.radius_miles);
  return { kind: 'circle', center, radiusMiles, box: boxAround(center, radiusMiles) };
}

function readBox(value: string): Box {
  const numbers = value.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const [minLongitude, minLatitude, maxLongitude, maxLatitude] = numbers;
  const inRange =
    numbers.every(Number.isFinite) &&
    Math.abs(minLongitude) <= 180 &&
    Math.abs(maxLongitude) <= 180 &&
    Math.abs(minLatitude) <= 90 &&
    Math.abs(maxLatitude) <= 90;
  if (numbers.length !== 4 || !inRange) invalid('bbox', 'bbox must be minLng,minLat,maxLng,maxLat in degrees');
  if (minLongitude > maxLongitude)
    invalid('bbox', 'minLng is greater than maxLng; a box across the antimeridian must be sent as two');
  if (minLatitude > maxLatitude) invalid('bbox', 'minLat is greater than maxLat');
  return { minLongitude, minLatitude, maxLongitude, maxLatitude };
}

function invalid(name: string, detail: string): never {
  return fail('invalid_request', `${detail}.`, { errors: [{ pointer: `/${name}`, code: 'invalid', detail }] });
}
