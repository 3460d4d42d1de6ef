// A portfolio: the joint value of a watchlist's properties, their location and exposure, changes, and the alert when
// the total moves.
import { setImmediate } from 'node:timers/promises';
import { appraiseAll, daysCarried, readHome } from '../../insight/avm/appraise.ts';
import { deviationOver } from '../../insight/avm/price-growth.ts';
import { isScheduledFor } from '../../customers/accounts/clock-sql.ts';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import { inTransaction } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { recordEvent } from '../../base/events/events.ts';
import { addDays, dayNumber } from '../../base/lib/clock.ts';
import { fail } from '../../base/lib/errors.ts';
import { fipsOfPropertyId } from '../../base/lib/ids.ts';
import { isVisibleMarket, newestCoverage, todayFor, todayIn } from '../../records/markets/catalog.ts';
import { EXPOSURES, LAYERS } from '../../supply/layers/layers.ts';
import { readLayerValues } from '../../supply/layers/values.ts';
import { modelFor, type OpenModel } from '../../insight/valuations/open-models.ts';
import type { ValuedHome } from './joint-interval.ts';
import type { Portfolio } from './portfolio-schema.ts';
import * as data from './portfolio-sql.ts';
import type { HoldingRow } from './portfolio-sql.ts';
import { estimateSharedErrors, placeOf, USUAL, type PastError, type SharedErrors } from './shared-errors.ts';
import * as sql from './sql.ts';
import { callsFor } from './watchlists.ts';
import { entryOf } from '../../base/lib/must.ts';

const MAX_HOLDINGS = 10_000;
const DEFAULT_DAYS = 30;
const DEFAULT_LEVEL = 0.8;
const MOST_LISTED = { unvalued: 100, areas: 50, moves: 10 };
/** Enough draws to make the ends stable to a tenth of a percent, and few enough to answer at once. */
const drawsFor = (homes: number) => Math.round(Math.max(500, Math.min(4_000, 4_000_000 / Math.max(1, homes))));

/** The units are reserved first, so an account without allowance causes no work. */
export async function analyzePortfolio(
  deps: Deps,
  list: sql.WatchlistRow,
  asked: { since?: string; level: number },
  holdUnits: (units: number) => Promise<void>,
): Promise<Portfolio> {
  const ids = await sql.listMemberIds(deps.control, list.id);
  if (ids.length > MAX_HOLDINGS)
    fail(
      'invalid_request',
      `A portfolio can have at most ${MAX_HOLDINGS} properties; split the list or narrow its filter.`,
      { limit: MAX_HOLDINGS },
    );
  const catalog = await deps.catalog.read();
  const today = todayFor(catalog, list.mode, deps.clock);
  const since = asked.since ?? addDays(today, -DEFAULT_DAYS);
  if (since > today) fail('invalid_request', `\`since\` must not be later than ${today}.`);
  await holdUnits(callsFor(ids.length));
  const keys = ids.map((id) => ({ fips: fipsOfPropertyId(id), id }));
  // Sequential: in parallel, all rows would arrive at once and block the event loop.
  const rows = await data.listHoldings(deps.data, keys);
  const valuesThen = await data.listValuesOn(deps.data, keys, since);
  const changes = await data.countChanges(deps.data, keys, new Date(`${since}T00:00:00Z`));
  const visible = rows.filter((row) => isVisibleMarket(catalog, row.market, list.mode));
  const active = visible.filter(({ status }) => status === 'active');
  const valued = visible.filter(isValued);
  return {
    object: 'portfolio',
    watchlist_id: list.id,
    name: list.name,
    as_of: today,
    property_count: ids.length,
    valued_count: valued.length,
    total: await totalOf(deps, list.account_id, valued, asked.level),
    unvalued: unvaluedOf(ids, visible).slice(0, MOST_LISTED.unvalued),
    exposure: await exposureOf(deps, active),
    since: { day: since, ...movesOf(valued, valuesThen), changes },
    alerts: {
      total_change_percent: list.total_change_percent,
      last_told_value: list.told_total,
      events: list.events,
    },
  };
}

/** The joint value and exposure of homes, regardless of owner. */
export async function analyzeHoldings(
  deps: Deps,
  { account, mode }: { account: string; mode: KeyMode },
  keys: readonly { fips: number; id: string }[],
) {
  const [catalog, rows] = [await deps.catalog.read(), await data.listHoldings(deps.data, keys)];
  const active = rows.filter((row) => row.status === 'active' && isVisibleMarket(catalog, row.market, mode));
  const valued = active.filter(isValued);
  return {
    property_count: active.length,
    valued_count: valued.length,
    total: await totalOf(deps, account, valued, DEFAULT_LEVEL),
    exposure: await exposureOf(deps, active),
  };
}

type ValuedRow = HoldingRow & { value: number; value_low: number; value_high: number; valued_on: string };

const isValued = (row: HoldingRow): row is ValuedRow =>
  row.status === 'active' && row.value !== null && row.value_low !== null && row.value_high !== null;

async function totalOf(deps: Deps, account: string, rows: ValuedRow[], level: number): Promise<Portfolio['total']> {
  if (rows.length === 0) return null;
  const shared = new Map<string, SharedErrors>();
  const carried = new Map<string, number>();
  for (const { market, valued_on } of rows) {
    if (!shared.has(market)) shared.set(market, await deps.sharedErrors.read(market));
    const key = `${market} ${valued_on}`;
    if (!carried.has(key)) carried.set(key, await deps.sharedErrors.carriedOn(market, valued_on));
  }
  const homes = rows.map((row): ValuedHome => ({
    market: row.market,
    place: placeOf(row),
    value: row.value,
    low: row.value_low,
    high: row.value_high,
    carried: entryOf(carried, `${row.market} ${row.valued_on}`),
  }));
  const place = { file: new URL('./joint-interval.ts', import.meta.url), name: 'simulateTotal', account };
  const joint = await deps.threads.run<typeof import('./joint-interval.ts').simulateTotal>(place, homes, shared, {
    level,
    draws: drawsFor(homes.length),
  });
  const value = sum(homes.map((home) => home.value));
  const days = rows.map(({ valued_on }) => valued_on).sort();
  const rounded = (share: number) => Math.round(share * 1000) / 1000;
  return {
    value,
    low: Math.round(Math.min(value, joint.low)),
    high: Math.round(Math.max(value, joint.high)),
    interval_level: level,
    sum_of_lows: sum(homes.map(({ low }) => low)),
    sum_of_highs: sum(homes.map(({ high }) => high)),
    error_shares: {
      market: rounded(joint.shares.market),
      neighborhood: rounded(joint.shares.neighborhood),
      own: rounded(joint.shares.own),
    },
    valued_from: days[0],
    valued_to: days[days.length - 1],
  };
}

function unvaluedOf(ids: string[], visible: HoldingRow[]): Portfolio['unvalued'] {
  const rows = new Map(visible.map((row) => [row.id, row]));
  return ids.flatMap((property_id): Portfolio['unvalued'] => {
    const row = rows.get(property_id);
    if (!row) return [{ property_id, reason: 'not_visible' }];
    if (row.status === 'retired') return [{ property_id, reason: 'retired' }];
    return isValued(row) ? [] : [{ property_id, reason: 'not_valued' }];
  });
}

async function exposureOf(deps: Pick<Deps, 'data' | 'catalog'>, rows: HoldingRow[]): Promise<Portfolio['exposure']> {
  const catalog = await deps.catalog.readCovered(rows);
  const judging = [...catalog.layers.values()].filter(({ levels = [] }) => levels.some(({ reads }) => reads === 'bad'));
  const valsOf = await readLayerValues(deps.data, judging, rows);
  const isNotKnown = (row: HoldingRow, layer: string) =>
    valsOf(row, layer) === undefined && newestCoverage(catalog, row, (item) => item.layer === layer) === undefined;
  const total = sum(rows.map(({ value }) => value ?? 0));
  const holdings = (group: HoldingRow[]) => {
    const value = sum(group.map((row) => row.value ?? 0));
    const share = total === 0 ? 0 : Math.round((value / total) * 10_000) / 10_000;
    return { property_count: group.length, value, share };
  };
  // Yields to other callers between parts: the whole takes 40 ms for ten thousand homes.
  const by = async (nameOf: (row: HoldingRow) => string | null) => {
    await setImmediate();
    return [...Map.groupBy(rows, nameOf)]
      .flatMap(([name, group]) => (name === null ? [] : [{ name, ...holdings(group) }]))
      .toSorted((a, b) => b.value - a.value || (a.name < b.name ? -1 : 1));
  };
  const area = async (
    kind: Portfolio['exposure']['areas'][number]['kind'],
    nameOf: (row: HoldingRow) => string | null,
  ) => (await by(nameOf)).slice(0, MOST_LISTED.areas).map((each) => ({ kind, ...each }));
  return {
    areas: [
      ...(await area('state', ({ state }) => state)),
      ...(await area('market', ({ market }) => market)),
      ...(await area('city', ({ city, state }) => (city === null ? null : `${city}, ${state}`))),
      ...(await area('zip', ({ zip }) => zip)),
    ],
    property_types: (await by((row) => row.property_type)).map(({ name: property_type, ...rest }) => ({
      property_type,
      ...rest,
    })),
    risk: [
      ...EXPOSURES.map(({ layer, column, among }) => ({
        layer: layer as string,
        title: LAYERS[layer].title,
        ...holdings(rows.filter((row) => among?.includes(String(row[column])) ?? Number(row[column] ?? 0) > 0)),
        not_known_count: rows.filter((row) => row[column] === null).length,
      })),
      ...judging.map(({ name, title }) => ({
        layer: name,
        title,
        ...holdings(rows.filter((row) => valsOf(row, name)?.level === 'bad')),
        not_known_count: rows.filter((row) => isNotKnown(row, name)).length,
      })),
    ],
  };
}

/** Only properties valued on both days, so additions and removals do not count as moves. */
function movesOf(rows: ValuedRow[], valuesThen: Map<string, number>) {
  const both = rows.flatMap((row) => {
    const then = valuesThen.get(row.id);
    return then === undefined ? [] : [{ property_id: row.id, value_then: then, value_now: row.value }];
  });
  if (both.length === 0) return { value_then: null, value_now: null, change: null, largest_moves: [] };
  const value_then = sum(both.map((each) => each.value_then));
  const value_now = sum(both.map((each) => each.value_now));
  const change = (then: number, now: number) => (then === 0 ? 0 : Math.round((now / then - 1) * 10_000) / 10_000);
  const largest_moves = both
    .map((each) => ({ ...each, change: change(each.value_then, each.value_now) }))
    .filter((each) => each.change !== 0)
    .toSorted((a, b) => Math.abs(b.change) - Math.abs(a.change))
    .slice(0, MOST_LISTED.moves);
  return { value_then, value_now, change: change(value_then, value_now), largest_moves };
}

const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0);

const CHECK_AFTER_MS = 55 * 60_000;

/** Sends an event for each list, of one account or in real time, whose total has moved by its threshold since the last
    event. */
export async function checkTotals(deps: Deps, only?: string): Promise<void> {
  const before = new Date(deps.clock().getTime() - CHECK_AFTER_MS);
  for (let isBusy = true; isBusy;) {
    isBusy = await inTransaction(deps.control, async (client) => {
      const list = await sql.takeUnchecked(client, before, isScheduledFor(only));
      if (!list) return false;
      const keys = (await sql.listMemberIds(client, list.id)).map((id) => ({ fips: fipsOfPropertyId(id), id }));
      const total = sum((await data.listHoldings(deps.data, keys)).filter(isValued).map(({ value }) => value));
      const reported = list.told_total;
      const percent = reported === null || reported === 0 ? 0 : (100 * (total - reported)) / reported;
      const hasMoved = Math.abs(percent) >= list.total_change_percent!;
      const reportedTotal = reported === null || hasMoved ? total : reported;
      await sql.markChecked(client, list.id, { toldTotal: reportedTotal, now: deps.clock() });
      if (reported !== null && hasMoved) {
        await recordEvent(client, {
          accountId: list.account_id,
          mode: list.mode,
          type: 'watchlist.value_changed',
          data: {
            watchlist_id: list.id,
            value_before: reported,
            value_after: total,
            change_percent: Math.round(percent * 100) / 100,
          },
          occurredAt: deps.clock(),
        });
      }
      return true;
    });
  }
}

/** Correlated model errors of a market's homes, by market. */
interface SharedErrorReader {
  read(market: string): Promise<SharedErrors>;
  /** Standard deviation of the error from extrapolating the price level to a day; 0 while new sales become known. */
  carriedOn(market: string, day: string): Promise<number>;
}

declare module '../../base/deps.ts' {
  interface Deps {
    sharedErrors: SharedErrorReader;
  }
}

const EARLIER_MODELS = 2;
const MOST_SALES = 1_500;
const LOT = 16;

/** Estimated once per set of models, from sales after each earlier model that its successor had not yet seen. */
export function createSharedErrorReader({
  catalog,
  models,
  clock,
}: Pick<Deps, 'catalog' | 'models' | 'clock'>): SharedErrorReader {
  const held = new Map<string, Promise<SharedErrors>>();
  return {
    async read(market) {
      const rows = await models.list();
      const serving = modelFor(rows, market, dayNumber(todayIn(await catalog.read(), market, clock)));
      const earlier = rows
        .filter(
          (row) => row.market === market && row.state !== 'refused' && serving && row.trained_on < serving.trained_on,
        )
        .toSorted((a, b) => (a.trained_on < b.trained_on ? 1 : -1))
        .slice(0, EARLIER_MODELS);
      if (earlier.length === 0) return USUAL;
      const key = earlier.map(({ hash }) => hash).join();
      let found = held.get(key);
      if (!found) {
        found = estimate(earlier.map((row, k) => ({ row, until: (earlier[k - 1] ?? serving!).trained_on })));
        held.set(key, found);
        found.catch(() => held.delete(key));
      }
      return found;
    },
    async carriedOn(market, day) {
      const row = modelFor(await models.list(), market, dayNumber(day));
      return row ? deviationOver(daysCarried((await models.open(row)).book, dayNumber(day))) : 0;
    },
  };

  async function estimate(tests: { row: Parameters<typeof models.open>[0]; until: string }[]): Promise<SharedErrors> {
    const past: PastError[] = [];
    for (const { row, until } of tests) past.push(...(await errorsAfter(await models.open(row), dayNumber(until))));
    return estimateSharedErrors(past);
  }
}

async function errorsAfter({ model, book }: OpenModel, untilDay: number): Promise<PastError[]> {
  const { soldDay } = book.evidence;
  const later = Array.from(soldDay.keys()).filter((i) => soldDay[i] > model.trainedOn && soldDay[i] <= untilDay);
  const step = Math.max(1, Math.ceil(later.length / MOST_SALES));
  const sales = later
    .filter((_, k) => k % step === 0)
    .map((i) => book.sales.at(i))
    .filter(({ id }) => !book.odd.has(id));
  const errors: PastError[] = [];
  for (let first = 0; first < sales.length; first += LOT) {
    const lot = sales.slice(first, first + LOT);
    const appraisals = appraiseAll(
      model,
      lot.map((sale) => readHome(model, book, sale, sale.soldDay)),
    );
    lot.forEach(({ soldDay: day, priceUsd, attributes }, k) =>
      errors.push({
        day,
        place: placeOf(attributes),
        error: Math.log(priceUsd) - appraisals[k].logValue,
        sigma: appraisals[k].sigma,
      }),
    );
    await setImmediate();
  }
  return errors;
}
