// How much of a model's error the homes of a market share: with all others on the day (the level of the market), and with
// those around them (the neighborhood). Estimated from how past errors of different homes went together. Pure.

/** Log error of a valuation as of the day of a sale, by a model trained before it. */
export interface PastError {
  /** Homes valued within the same stretch of time share the level's error. */
  day: number;
  place: string | null;
  error: number;
}

export interface SharedErrors {
  /** Standard deviations of the log error that a whole market shares, and that a neighborhood adds. */
  market: number;
  neighborhood: number;
  /** Stretches of time that the market's share was estimated on: the fewer, the less it is known. */
  stretches: number;
}

const STRETCH_DAYS = 30;
/** A market whose later sales are too few is taken to be off by this much, as its intervals are. */
const LEAST_MARKET = 0.01;
const MOST = 0.15;
/** Errors are cut at this many spreads: one odd sale must not look like a shared error. */
const CUT = 3;
const LEAST_GROUP = 2;

export function estimateSharedErrors(past: readonly PastError[]): SharedErrors {
  const cut = cutErrors(past);
  const months = [...Map.groupBy(cut, ({ day }) => Math.floor(day / STRETCH_DAYS)).values()].filter(
    (group) => group.length >= 10,
  );
  const shared = Math.max(LEAST_MARKET ** 2, products(months, 'group'));
  // Homes of a neighborhood share its error for longer than a month; what the market shares then is taken out first.
  const level = new Map(months.flatMap((group) => group.map((one) => [one, mean(group)] as const)));
  const net = cut
    .filter(({ place }) => place !== null)
    .map((one) => ({ ...one, error: one.error - (level.get(one) ?? 0) }));
  const places = [...Map.groupBy(net, ({ place }) => place).values()].filter((group) => group.length >= LEAST_GROUP);
  return {
    market: Math.min(MOST, Math.sqrt(shared)),
    neighborhood: Math.min(MOST, Math.sqrt(Math.max(0, products(places, 'pair')))),
    stretches: months.length,
  };
}

/** The mean product of the errors of two different homes of a group: what they share, free of what is each one's own.
    Every group counts once, or by its pairs. */
function products(groups: PastError[][], by: 'group' | 'pair'): number {
  let [sum, weight] = [0, 0];
  for (const group of groups) {
    const n = group.length;
    const total = group.reduce((all, { error }) => all + error, 0);
    const squares = group.reduce((all, { error }) => all + error * error, 0);
    const own = by === 'pair' ? n - 1 : 1;
    sum += (own * (total * total - squares)) / (n * (n - 1));
    weight += own;
  }
  return weight === 0 ? 0 : sum / weight;
}

function cutErrors(past: readonly PastError[]): PastError[] {
  const sizes = past.map(({ error }) => Math.abs(error)).sort((a, b) => a - b);
  // For a normal distribution, half of the errors lie within 0.6745 standard deviations.
  const limit = (CUT * (sizes[sizes.length >> 1] ?? 0)) / 0.6745;
  return past.map((one) => ({ ...one, error: Math.max(-limit, Math.min(limit, one.error)) }));
}

const mean = (group: PastError[]) => group.reduce((sum, { error }) => sum + error, 0) / group.length;

/** Where a home is, for what it shares with those around it: the publisher's neighborhood, or else the ZIP. */
export function placeOf({ neighborhood, zip }: { neighborhood: string | null; zip: string | null }): string | null {
  return neighborhood ?? zip;
}
