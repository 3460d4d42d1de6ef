// The market around a home: five years of sales and of the price index, in the smallest area with enough sales.
import { rounded } from '../../base/lib/figures.ts';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import { readSeries, type SeriesQuery } from '../../insight/analytics/analytics.ts';
import type { Kind } from '../../insight/analytics/cells.ts';
import { readForecast, readIndex } from '../../insight/analytics/index-answers.ts';
import type { PriceForecast, PriceIndex } from '../../insight/analytics/index-schema.ts';
import type { SalesSeries } from '../../insight/analytics/schema.ts';
import { RESIDENTIAL } from '../../insight/analytics/segments.ts';
import type { Deps } from '../../base/deps.ts';
import { addDays } from '../../base/lib/clock.ts';
import { ifThere } from '../../base/lib/errors.ts';
import { formatFips } from '../../base/lib/ids.ts';
import { type PropertyRow } from '../../records/properties/sql.ts';
import type { MarketFigures } from './schema.ts';

const YEARS = 5;
const MONTHS_AHEAD = 12;
/** An area is shown if at least this many of its quarters have enough sales. */
const LEAST_QUARTERS = 6;

type MarketDeps = Pick<Deps, 'dataReplica' | 'catalog'>;
type Place = [kind: Kind, area: string];

export async function readMarketFigures(
  deps: MarketDeps,
  mode: KeyMode,
  row: PropertyRow,
  asOf: string,
): Promise<MarketFigures> {
  const since = addDays(asOf, -Math.round(YEARS * 365.25));
  const span = { market: row.market, property_type: RESIDENTIAL, since, until: asOf };
  const around = placesAround(row);
  const whole: Place = ['market', row.market];
  const series = ([kind, area]: Place) =>
    ifThere(readSeries(deps, mode, { kind, area, interval: 'quarter', ...span } as SeriesQuery));
  const index = ([kind, area]: Place) =>
    ifThere(readIndex(deps, mode, { kind, area, interval: 'month', ...span } as SeriesQuery));
  const [market, local, localIndex] = await Promise.all([
    series(whole),
    first(around, series, hasEnough),
    first([...around, whole], index, ({ data }) => data.length > 0),
  ]);
  return {
    local,
    market,
    index: localIndex,
    forecast: localIndex && (await forecastFrom(deps, mode, localIndex, asOf)),
    change_1y: (localIndex && changeOfIndex(localIndex)) ?? (local && changeOfMedian(local)),
    note: local
      ? 'Median prices also move with what happens to be sold; the index is adjusted for that.'
      : 'Too few sales are on record around this home for local figures.',
  };
}

/** The forecast starts at the last month of the index: for an earlier date it would use later data. */
async function forecastFrom(
  deps: MarketDeps,
  mode: KeyMode,
  { area: { kind, id, market } }: PriceIndex,
  asOf: string,
): Promise<PriceForecast | null> {
  const query = { kind, area: id, market, property_type: RESIDENTIAL, months: MONTHS_AHEAD } as const;
  const forecast = await readForecast(deps, mode, query);
  return forecast.from !== null && forecast.from <= asOf.slice(0, 7) ? forecast : null;
}

/** From the smallest to the largest. */
const placesAround = ({ zip, city, fips }: PropertyRow): Place[] => [
  ...(zip === null ? [] : [['zip', zip] as Place]),
  ...(city === null ? [] : [['city', city] as Place]),
  ['county', formatFips(fips)],
];

async function first<Found>(
  places: readonly Place[],
  read: (place: Place) => Promise<Found | null>,
  isGood: (found: Found) => boolean,
): Promise<Found | null> {
  for (const place of places) {
    const found = await read(place);
    if (found && isGood(found)) return found;
  }
  return null;
}

const hasEnough = ({ data }: SalesSeries) => data.filter(({ withheld }) => !withheld).length >= LEAST_QUARTERS;
/** Change over the last twelve months, with its band if the index has one for these months. */
function changeOfIndex({ data, growth }: PriceIndex): MarketFigures['change_1y'] {
  const [to, from] = [data.at(-1), data.at(-13)];
  if (!to || !from) return null;
  const stated = growth.find((each) => each.years === 1 && each.to === to.period && each.from === from.period);
  return {
    basis: 'price_index',
    from: from.period,
    to: to.period,
    change: stated?.rate ?? rounded(to.index / from.index - 1),
    low: stated?.low ?? null,
    high: stated?.high ?? null,
    n_from: from.n,
    n_to: to.n,
  };
}

/** Change from the same quarter a year before to the latest complete one. */
function changeOfMedian({ data }: SalesSeries): MarketFigures['change_1y'] {
  const at = data.findLastIndex(({ median_price, is_open }) => median_price !== null && !is_open);
  const [to, from] = [data[at], data[at - 4]];
  if (!to?.median_price || !from?.median_price || to.price_growth_1y === null) return null;
  return {
    basis: 'median_price',
    from: from.period,
    to: to.period,
    change: to.price_growth_1y,
    low: null,
    high: null,
    n_from: from.n,
    n_to: to.n,
  };
}
