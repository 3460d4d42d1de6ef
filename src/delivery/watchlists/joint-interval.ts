// The interval of a sum of values. Adding up the ends would assume perfectly correlated errors; treating homes as
// independent would assume that a market's level is never off. Simulated, with shared errors drawn once. Pure.
import { EIGHTY, type SharedErrors } from './shared-errors.ts';
import { entryOf } from '../../base/lib/must.ts';

export interface ValuedHome {
  market: string;
  place: string | null;
  value: number;
  /** The home's own interval at 80%. */
  low: number;
  high: number;
  /** Standard deviation, within that interval, of carrying the market's level forward from its last known sales. */
  carried: number;
}

/** The maximum shared part of a home's error variance. */
const MOST_SHARED = 0.9;
/** Caps a home's error at a factor of four either way, no matter how little is known about it. */
const MOST_LOG = Math.log(4);

export function simulateTotal(
  homes: readonly ValuedHome[],
  sharedByMarket: ReadonlyMap<string, SharedErrors>,
  { level, draws = 4_000, seed = 1 }: { level: number; draws?: number; seed?: number },
) {
  const { normal, student, oneOf } = createDraws(seed);
  const shared = [...new Set(homes.map(({ market }) => market))].map((market) => entryOf(sharedByMarket, market));
  const markets = indexOf(homes.map(({ market }) => market));
  const places = indexOf(homes.map(({ market, place }, i) => (place === null ? `#${i}` : `${market} ${place}`)));
  const parts = homes.map((home, i) => partsOf(home, shared[markets.of[i]]));
  const totals = new Float64Array(draws);
  const marketDraw = new Float64Array(markets.count);
  const carriedDraw = new Float64Array(markets.count);
  const placeDraw = new Float64Array(places.count);
  const isCarried = homes.some(({ carried }) => carried > 0);
  for (let draw = 0; draw < draws; draw++) {
    for (let k = 0; k < markets.count; k++) marketDraw[k] = student(shared[k].freedom);
    if (isCarried) for (let k = 0; k < markets.count; k++) carriedDraw[k] = normal();
    for (let k = 0; k < places.count; k++) placeDraw[k] = normal();
    let total = 0;
    for (let i = 0; i < homes.length; i++) {
      const { market, carried, neighborhood, own, below, above } = parts[i];
      const at = markets.of[i];
      const ofMarket = market * marketDraw[at] + carried * carriedDraw[at];
      const z = ofMarket + neighborhood * placeDraw[places.of[i]] + own * oneOf(shared[at].own);
      const error = z < 0 ? Math.max(-MOST_LOG, z * below) : Math.min(MOST_LOG, z * above);
      total += homes[i].value * Math.exp(error);
    }
    totals[draw] = total;
  }
  totals.sort();
  const at = (share: number) => totals[Math.min(draws - 1, Math.floor(share * draws))];
  return { low: at((1 - level) / 2), high: at((1 + level) / 2), shares: sharesOf(homes, parts, { markets, places }) };
}

/** A home's error in units of its own spread: shared and residual part, and the size of each side's unit. */
function partsOf({ value, low, high, carried }: ValuedHome, shared: SharedErrors) {
  const below = Math.log(value / low) / EIGHTY;
  const above = Math.log(high / value) / EIGHTY;
  const spread = Math.max(1e-6, (below + above) / 2);
  const all = Math.hypot(shared.market, carried, shared.neighborhood) / spread;
  const most = Math.sqrt(Math.min(1, MOST_SHARED / (all ** 2 || 1)));
  return {
    market: (shared.market / spread) * most,
    carried: (carried / spread) * most,
    neighborhood: (shared.neighborhood / spread) * most,
    own: Math.sqrt(1 - (all * most) ** 2),
    below,
    above,
    spread,
  };
}

type Parts = ReturnType<typeof partsOf>;

interface Index {
  of: Int32Array;
  count: number;
}

function indexOf(names: string[]): Index {
  const numbers = new Map<string, number>();
  const of = Int32Array.from(names, (name) => {
    if (!numbers.has(name)) numbers.set(name, numbers.size);
    return entryOf(numbers, name);
  });
  return { of, count: numbers.size };
}

/** Parts of the total's variance in dollars: shared errors are summed before squaring, residual errors after. */
function sharesOf(
  homes: readonly ValuedHome[],
  parts: readonly Parts[],
  { markets, places }: { markets: Index; places: Index },
) {
  const byMarket = new Float64Array(markets.count);
  const byCarried = new Float64Array(markets.count);
  const byPlace = new Float64Array(places.count);
  let own = 0;
  homes.forEach(({ value }, i) => {
    const { spread, market, carried, neighborhood, own: rest } = parts[i];
    byMarket[markets.of[i]] += value * spread * market;
    byCarried[markets.of[i]] += value * spread * carried;
    byPlace[places.of[i]] += value * spread * neighborhood;
    own += (value * spread * rest) ** 2;
  });
  const squares = (sums: Float64Array) => sums.reduce((all, sum) => all + sum * sum, 0);
  const [market, neighborhood] = [squares(byMarket) + squares(byCarried), squares(byPlace)];
  const all = market + neighborhood + own || 1;
  return { market: market / all, neighborhood: neighborhood / all, own: own / all };
}

/** Seeded draws, so repeated requests give the same interval. Mulberry32 and Box-Muller. */
function createDraws(seed: number) {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 4_294_967_296;
  };
  let spare: number | undefined;
  const normal = () => {
    if (spare !== undefined) {
      const value = spare;
      spare = undefined;
      return value;
    }
    const radius = Math.sqrt(-2 * Math.log(uniform()));
    const angle = 2 * Math.PI * uniform();
    spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  };
  const student = (freedom: number) => {
    let squares = 0;
    for (let k = 0; k < freedom; k++) squares += normal() ** 2;
    return normal() / Math.sqrt(squares / freedom);
  };
  return { normal, student, oneOf: (errors: Float64Array) => errors[Math.floor(uniform() * errors.length)] };
}
