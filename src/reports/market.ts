// The market around a home: five years of quarterly sales in the smallest area that has enough of them, and in its market.
import type { KeyMode } from '../accounts/key-format.ts';
import { readSeries } from '../analytics/analytics.ts';
import { RESIDENTIAL, type Kind } from '../analytics/cells.ts';
import type { SalesSeries } from '../analytics/schema.ts';
import type { Deps } from '../deps.ts';
import { addDays } from '../lib/clock.ts';
import { ApiError } from '../lib/errors.ts';
import { formatFips } from '../lib/ids.ts';
import type { PropertyRow } from '../properties/properties.ts';
import type { MarketFigures } from './schema.ts';

const YEARS = 5;
/** An area is told of if at least this many of its quarters have enough sales. */
const LEAST_QUARTERS = 6;

type MarketDeps = Pick<Deps, 'dataReplica' | 'catalog'>;

export async function readMarketFigures(
  deps: MarketDeps,
  mode: KeyMode,
  row: PropertyRow,
  asOf: string,
): Promise<MarketFigures> {
  const of = (kind: Kind, area: string | null) =>
    area === null ? null : findSeries(deps, mode, { kind, area, asOf, row });
  const market = await of('market', row.market);
  let local: SalesSeries | null = null;
  for (const [kind, area] of [
    ['zip', row.zip],
    ['city', row.city],
    ['county', formatFips(row.fips)],
  ] as const) {
    local ??= enough(await of(kind, area));
  }
  const change = local && changeOverYear(local);
  return {
    local,
    market,
    change_1y: change ?? null,
    note: local
      ? 'Median prices of arm’s-length sales of homes. They also move with what happens to be sold, unlike a quality-adjusted index.'
      : 'Too few sales are on record around this home for local figures.',
  };
}

async function findSeries(
  deps: MarketDeps,
  mode: KeyMode,
  { kind, area, asOf, row }: { kind: Kind; area: string; asOf: string; row: PropertyRow },
): Promise<SalesSeries | null> {
  const since = addDays(asOf, -Math.round(YEARS * 365.25));
  try {
    return await readSeries(deps, mode, {
      kind,
      area,
      market: row.market,
      interval: 'quarter',
      property_type: RESIDENTIAL,
      since,
      until: asOf,
    });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'resource_not_found') return null;
    throw error;
  }
}

const enough = (series: SalesSeries | null) =>
  series && series.data.filter(({ withheld }) => !withheld).length >= LEAST_QUARTERS ? series : null;

/** From the same quarter a year before to the latest that is complete. */
function changeOverYear({ data }: SalesSeries): MarketFigures['change_1y'] {
  const at = data.findLastIndex(({ median_price, is_open }) => median_price !== null && !is_open);
  const [to, from] = [data[at], data[at - 4]];
  if (!to?.median_price || !from?.median_price) return null;
  return {
    from: from.period,
    to: to.period,
    change: Math.round((to.median_price / from.median_price - 1) * 10_000) / 10_000,
    n_from: from.n,
    n_to: to.n,
  };
}
