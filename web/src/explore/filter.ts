// Reads search filters from the URL, which uses the API's parameter names, into a search request.
import type { PropertyType } from '../../../src/records/properties/schema.ts';
import { LAYER_FLAGS } from '../layers.ts';
import { compactMoney, day, percent, words } from '../format.ts';

export const PROPERTY_TYPES = [
  'single_family',
  'condo',
  'townhouse',
  'multi_family',
  'apartment',
  'manufactured',
  'land',
  'commercial',
  'other',
] as const satisfies readonly PropertyType[];

export const OWNER_TYPES = ['individual', 'company', 'trust', 'government', 'nonprofit', 'bank', 'other'] as const;

type RangeKind = 'money' | 'number' | 'date' | 'share';

/** Ranges, most used first. */
export const RANGES: [name: string, label: string, kind: RangeKind][] = [
  ['value', 'Estimated value', 'money'],
  ['last_sale_price', 'Last sale price', 'money'],
  ['last_sale_date', 'Last sale date', 'date'],
  ['assessed_value', 'Assessed value', 'money'],
  ['bedrooms', 'Bedrooms', 'number'],
  ['bathrooms', 'Bathrooms', 'number'],
  ['sqft', 'Living area (sq ft)', 'number'],
  ['lot_sqft', 'Lot size (sq ft)', 'number'],
  ['year_built', 'Year built', 'number'],
];

/** Ranges that are set on the map's legend. */
const LEGEND_RANGES: typeof RANGES = [
  ['value_per_sqft', 'Value per sq ft', 'money'],
  ['growth', 'Growth per year', 'share'],
  ['uncertainty', 'Uncertainty', 'share'],
];
const ALL_RANGES = [...RANGES, ...LEGEND_RANGES];

export const FLAGS: [name: string, label: string][] = [['owner_occupied', 'Owner-occupied'], ...LAYER_FLAGS];

export const PLACES: [name: string, label: string, example: string][] = [
  ['city', 'City', 'Port Ellowby'],
  ['zip', 'ZIP code', '00103'],
  ['fips', 'County FIPS', '99001'],
  ['census_tract', 'Census tract', '99001040302'],
  ['state', 'State', 'ZZ'],
  ['market', 'Market', 'sandbox'],
];

export const SORTS: [value: string, label: string][] = [
  ['', 'Default order'],
  ['-value', 'Value: high to low'],
  ['value', 'Value: low to high'],
  ['-last_sale_date', 'Most recently sold'],
  ['-last_sale_price', 'Sale price: high to low'],
  ['-sqft', 'Largest first'],
  ['-year_built', 'Newest first'],
  ['year_built', 'Oldest first'],
  ['-updated_at', 'Recently updated'],
  ['distance', 'Nearest first'],
];

const NUMBERS = new Set([
  ...ALL_RANGES.filter(([, , kind]) => kind !== 'date').flatMap(([name]) => [`min_${name}`, `max_${name}`]),
  'latitude',
  'longitude',
  'radius_miles',
]);
const BOOLEANS = new Set(FLAGS.map(([name]) => name));
const FILTER_NAMES = [
  ...PLACES.map(([name]) => name),
  'property_type',
  ...ALL_RANGES.flatMap(([name]) => [`min_${name}`, `max_${name}`]),
  ...BOOLEANS,
  'owner_type',
  'permit_since',
  'updated_since',
  'latitude',
  'longitude',
  'radius_miles',
];

/** Live tiles cannot be filtered by what they do not show. */
const NOT_IN_LIVE_TILES = new Set([...BOOLEANS, 'owner_type', 'permit_since', 'updated_since']);

/** The filters as a query for the map's tiles. */
export function tileFilters(query: URLSearchParams, mode: 'test' | 'live'): string {
  const kept = new URLSearchParams();
  for (const name of FILTER_NAMES) {
    const value = query.get(name);
    if (value && !(mode === 'live' && NOT_IN_LIVE_TILES.has(name))) kept.set(name, value);
  }
  const area = query.get('area');
  if (ringOf(area)) kept.set('area', area!);
  return kept.toString();
}

type SearchBody = Record<string, unknown>;

export function bodyOfQuery(query: URLSearchParams): SearchBody {
  const body: SearchBody = {};
  for (const name of FILTER_NAMES) {
    const value = query.get(name);
    if (value === null || value === '') continue;
    body[name] = NUMBERS.has(name) ? Number(value) : BOOLEANS.has(name) ? value === 'true' : value;
  }
  const drawn = ringOf(query.get('area'));
  if (drawn) body.geometry = { type: 'Polygon', coordinates: [[...drawn, drawn[0]]] };
  return body;
}

/** Parses a drawn area from its URL parameter, `lng,lat;lng,lat;…`. */
export function ringOf(text: string | null): [number, number][] | undefined {
  if (!text) return undefined;
  const ring = text.split(';').map((pair) => pair.split(',').map(Number) as [number, number]);
  return ring.length >= 3 && ring.every((pair) => pair.length === 2 && pair.every(Number.isFinite)) ? ring : undefined;
}

/** `$900K – $1.2M`, `from 3`, `up to 1950`. */
function writeRange(min: string | null, max: string | null, kind: RangeKind): string {
  const write = (text: string) => {
    if (kind === 'money') return compactMoney(Number(text));
    if (kind === 'share') return percent(Number(text));
    return kind === 'date' ? day(text) : text;
  };
  if (min && max) return `${write(min)} – ${write(max)}`;
  return min ? `from ${write(min)}` : `up to ${write(max!)}`;
}

/** Describes each active filter, with the parameters to remove to clear it. */
export function describeFilters(query: URLSearchParams): { text: string; names: string[] }[] {
  const chips: { text: string; names: string[] }[] = [];
  for (const [name, label] of PLACES) {
    const value = query.get(name);
    if (value) chips.push({ text: `${label}: ${value}`, names: [name] });
  }
  const types = query.get('property_type');
  if (types) chips.push({ text: types.split(',').map(words).join(', '), names: ['property_type'] });
  for (const [name, label, kind] of ALL_RANGES) {
    const [min, max] = [query.get(`min_${name}`), query.get(`max_${name}`)];
    if (min ?? max)
      chips.push({ text: `${label} ${writeRange(min, max, kind)}`, names: [`min_${name}`, `max_${name}`] });
  }
  for (const [name, label] of FLAGS) {
    const value = query.get(name);
    if (value) chips.push({ text: `${label}: ${value === 'true' ? 'yes' : 'no'}`, names: [name] });
  }
  const owner = query.get('owner_type');
  if (owner) chips.push({ text: `Owner: ${owner}`, names: ['owner_type'] });
  for (const [name, label] of [
    ['permit_since', 'Permit issued since'],
    ['updated_since', 'Updated since'],
  ]) {
    const value = query.get(name);
    if (value) chips.push({ text: `${label} ${value}`, names: [name] });
  }
  const radius = query.get('radius_miles');
  if (radius) chips.push({ text: `Within ${radius} miles`, names: ['latitude', 'longitude', 'radius_miles'] });
  if (query.get('area')) chips.push({ text: 'Drawn area', names: ['area'] });
  return chips;
}
