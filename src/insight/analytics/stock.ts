// The homes of each area: counts, ages, sizes, values, permits, violations and liens. Pure.
import { quantile } from '../../base/math/quantiles.ts';
import { addTo, KINDS, LEAST_SALES, mostCommon, type Kind } from './cells.ts';
import {
  BEDROOM_SEGMENTS,
  ERA_SEGMENTS,
  isHome,
  RESIDENTIAL,
  segmentsOf,
  SIZE_SEGMENTS,
  type HomeTraits,
  type Segment,
} from './segments.ts';
import { entryOf } from '../../base/lib/must.ts';

/** Privacy: a share over fewer homes could reveal individual occupancy. */
export const LEAST_OWNERS = 20;
/** Figures of fewer homes would approach those of single homes. */
const LEAST_HOMES = LEAST_SALES;
const YEARS_LISTED = 10;
const BINS = 14;

export interface HomeFact extends HomeTraits {
  fips: number;
  areas: Record<Kind, string | null>;
  latitude: number | null;
  longitude: number | null;
  isOwnerOccupied: boolean | null;
  value: number | null;
  /** The last bill divided by the value. */
  taxRate: number | null;
  valuedOn: string | null;
  model: string | null;
  /** Null if the layer does not cover the home. */
  permits: Counted | null;
  violations: Counted | null;
  liens: Counted | null;
}

/** A home without its areas, which are stored once for all homes. */
type KeptHome = Omit<HomeFact, 'areas'>;

/** A home's records: current count (permits ever issued, open violations, open liens), and by year. `n` is null if none
    is known to be open but some may be; `unknown` counts records without a status. */
interface Counted {
  n: number | null;
  unknown: number;
  byYear: Record<string, number> | null;
}

interface Spread {
  n: number;
  p25: number | null;
  median: number | null;
  p75: number | null;
}

export interface Layer {
  /** Homes that the layer covers. */
  n: number;
  /** Homes with records of unknown status. If there are any, the totals are unknown too. */
  homesUnknown: number;
  records: number | null;
  homes: number | null;
  share: number | null;
  byYear: [year: number, n: number][];
}

interface Values extends Spread {
  p10: number | null;
  p90: number | null;
  histogram: [from: number, to: number | null, n: number][];
  valuedOn: string | null;
  model: string | null;
}

export interface Stock {
  kind: Kind;
  area: string;
  /** The county with most of the area's homes. */
  fips: number;
  properties: number;
  /** By type, all residential, and segments. */
  homes: Record<string, number>;
  center: [latitude: number, longitude: number] | null;
  /** The extent of most homes, without outliers. */
  box: [minLongitude: number, minLatitude: number, maxLongitude: number, maxLatitude: number] | null;
  yearBuilt: Spread;
  sqft: Spread;
  owners: { n: number; share: number | null };
  values: Values;
  /** In integer millionths; absent in older roll-ups. */
  taxRate?: Spread;
  permits: Layer | null;
  violations: Layer | null;
  liens: Layer | null;
}

export type HomeBook = ReturnType<typeof createHomeBook>;

export function createHomeBook() {
  const homes: KeptHome[] = [];
  const areasOf = new Map<Kind, Map<string, number[]>>(KINDS.map((kind) => [kind, new Map()]));
  const counts = new Map<string, Map<string, number>>();

  function add(home: HomeFact): void {
    const { areas: names, ...kept } = home;
    const index = homes.push(kept) - 1;
    const groups = [home.propertyType, ...(isHome(home.propertyType) ? [RESIDENTIAL] : []), ...segmentsOf(home)];
    for (const [kind, areas] of areasOf) {
      const area = names[kind];
      if (area === null) continue;
      addTo(areas, area, index);
      const key = `${kind}\n${area}`;
      let byGroup = counts.get(key);
      if (!byGroup) counts.set(key, (byGroup = new Map()));
      for (const group of groups) byGroup.set(group, (byGroup.get(group) ?? 0) + 1);
    }
  }

  function stockOf(kind: Kind, area: string, members: number[]): Stock {
    const all = members.map((i) => homes[i]);
    const lived = all.filter(({ propertyType }) => isHome(propertyType));
    const known = <Value>(of: (home: KeptHome) => Value | null) => lived.map(of).filter((value) => value !== null);
    const occupied = known((home) => home.isOwnerOccupied);
    const values = known((home) => home.value);
    return {
      kind,
      area,
      fips: mostCommon(all.map(({ fips }) => fips)),
      properties: all.length,
      homes: Object.fromEntries(entryOf(counts, `${kind}\n${area}`)),
      ...placeOf(all),
      yearBuilt: spreadOf(known(({ yearBuilt }) => yearBuilt)),
      sqft: spreadOf(known(({ sqft }) => sqft)),
      owners: {
        n: occupied.length,
        share: occupied.length < LEAST_OWNERS ? null : shareOf(occupied.filter(Boolean).length, occupied.length),
      },
      values: {
        ...distributionOf(values),
        valuedOn: latestOf(known(({ valuedOn }) => valuedOn)),
        model: latestOf(known(({ model }) => model)),
      },
      taxRate: spreadOf(known(({ taxRate }) => taxRate).map((rate) => rate * 1e6)),
      permits: layerOf(known(({ permits }) => permits)),
      violations: layerOf(known(({ violations }) => violations)),
      liens: layerOf(known(({ liens }) => liens)),
    };
  }

  return {
    add,
    countHomes: (kind: Kind, area: string, group: string) => counts.get(`${kind}\n${area}`)?.get(group) ?? 0,
    countAll: () => homes.reduce((n, { propertyType }) => n + (isHome(propertyType) ? 1 : 0), 0),
    *stock(): Generator<Stock> {
      for (const [kind, areas] of areasOf) {
        for (const [area, members] of areas) yield stockOf(kind, area, members);
      }
    },
  };
}

/** The stock by class, in order, including empty classes. */
export function classesOf(homes: Record<string, number>): Record<'bedrooms' | 'sizes' | 'eras', [Segment, number][]> {
  const listed = (names: readonly Segment[]) => names.map((name): [Segment, number] => [name, homes[name] ?? 0]);
  return { bedrooms: listed(BEDROOM_SEGMENTS), sizes: listed(SIZE_SEGMENTS), eras: listed(ERA_SEGMENTS) };
}

const shareOf = (part: number, whole: number): number => Math.round((part / whole) * 10_000) / 10_000;
export const shareOfMillionths = (millionths: number | null) => millionths && millionths / 1e6;
const toMicro = (degrees: number): number => Math.round(degrees * 1e6) / 1e6;

function placeOf(homes: KeptHome[]): Pick<Stock, 'center' | 'box'> {
  const placed = homes.filter(({ latitude, longitude }) => latitude !== null && longitude !== null);
  if (placed.length === 0) return { center: null, box: null };
  const latitudes = Float64Array.from(placed, ({ latitude }) => latitude!).sort();
  const longitudes = Float64Array.from(placed, ({ longitude }) => longitude!).sort();
  const at = (sorted: Float64Array, share: number) => toMicro(quantile(sorted, share));
  return {
    center: [at(latitudes, 0.5), at(longitudes, 0.5)],
    box: [at(longitudes, 0.01), at(latitudes, 0.01), at(longitudes, 0.99), at(latitudes, 0.99)],
  };
}

function spreadOf(values: number[]): Spread {
  if (values.length < LEAST_HOMES) return { n: values.length, p25: null, median: null, p75: null };
  const sorted = Float64Array.from(values).sort();
  const at = (share: number) => Math.round(quantile(sorted, share));
  return { n: values.length, p25: at(0.25), median: at(0.5), p75: at(0.75) };
}

const latestOf = (words: string[]): string | null =>
  words.reduce<string | null>((last, word) => (last !== null && last > word ? last : word), null);

function distributionOf(values: number[]): Omit<Values, 'valuedOn' | 'model'> {
  const spread = spreadOf(values);
  if (spread.median === null) return { ...spread, p10: null, p90: null, histogram: [] };
  const sorted = Float64Array.from(values).sort();
  const [p10, p90] = [0.1, 0.9].map((share) => Math.round(quantile(sorted, share)));
  return { ...spread, p10, p90, histogram: histogramOf(sorted) };
}

/** Bins of equal, round width; the last is open, so that a few mansions do not flatten the rest. */
function histogramOf(sorted: Float64Array): Values['histogram'] {
  const [low, high] = [quantile(sorted, 0.01), quantile(sorted, 0.97)];
  const width = roundUp(Math.max(high - low, high / 100, 1_000) / BINS);
  const first = Math.floor(low / width) * width;
  const bins = Math.max(1, Math.ceil((high - first) / width));
  const counts = Array.from({ length: bins + 1 }, () => 0);
  for (const value of sorted) counts[Math.min(bins, Math.max(0, Math.floor((value - first) / width)))]++;
  return counts.map((n, i) => [i === 0 ? 0 : first + i * width, i === bins ? null : first + (i + 1) * width, n]);
}

/** Rounds up to 1, 2, 2.5 or 5 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 2.5, 5].find((step) => step * power >= value) ?? 10) * power;
}

function layerOf(covered: Counted[]): Layer | null {
  if (covered.length === 0) return null;
  const homesUnknown = covered.filter(({ unknown }) => unknown > 0).length;
  const known = <Total>(total: Total) => (homesUnknown > 0 ? null : total);
  const homes = known(covered.filter(({ n }) => n !== null && n > 0).length);
  const years = new Map<number, number>();
  for (const { byYear } of covered) {
    for (const [year, n] of Object.entries(byYear ?? {})) years.set(Number(year), (years.get(Number(year)) ?? 0) + n);
  }
  return {
    n: covered.length,
    homesUnknown,
    records: known(covered.reduce((total, { n }) => total + (n ?? 0), 0)),
    homes,
    share: homes === null || covered.length < LEAST_HOMES ? null : shareOf(homes, covered.length),
    byYear: [...years].toSorted(([a], [b]) => a - b).slice(-YEARS_LISTED),
  };
}
