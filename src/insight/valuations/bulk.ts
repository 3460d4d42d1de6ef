// Values every home in a market, so that search, tiles and watchlists can use the latest value.
import { setImmediate } from 'node:timers/promises';
import type { Deps } from '../../base/deps.ts';
import { deferRejection } from '../../base/lib/defer-rejection.ts';
import { dayNumber } from '../../base/lib/clock.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import { appraiseAll, LEAST_SALES, readHome, type Reading } from '../avm/appraise.ts';
import { spreadOf } from '../avm/interval.ts';
import { todayIn } from '../../records/markets/catalog.ts';
import { recordModelVerdicts } from '../../records/properties/verdicts.ts';
import { rollUpMarketAfter } from '../../supply/map-aggregates/squares.ts';
import { modelFor, type OpenModel } from './open-models.ts';
import { assessedOf, attributesOf } from './records.ts';
import * as sql from './sql.ts';

type BulkDeps = Pick<Deps, 'data' | 'clock' | 'catalog' | 'models'>;

const PAGE = 20_000;
/** Homes valued per slice, about ten milliseconds of work. Between slices the event loop runs. */
const SLICE = 64;

type BulkResult = { market: string; model: string; valued: number; skipped: number; seconds: number };

export const valueMarket = (deps: BulkDeps, market: string): Promise<BulkResult> =>
  rollUpMarketAfter(deps, market, () => valueHomesOf(deps, market));

async function valueHomesOf(deps: BulkDeps, market: string): Promise<BulkResult> {
  const started = performance.now();
  const valuedOn = todayIn(await deps.catalog.read(), market, deps.clock);
  const row = modelFor(await deps.models.list(), market, dayNumber(valuedOn));
  if (!row) throw new CommandError(`The market \`${market}\` has no model. Train it first.`);
  const open = await deps.models.openLatest(row);
  await recordModelVerdicts(deps, market, listOdd(open));
  const result = { market, model: row.version, valued: 0, skipped: 0, seconds: 0 };
  const occasion = { market, model: row.version, valuedOn, at: deps.clock() };
  let next = deferRejection(sql.listHomes(deps.data, market, { fips: -1, id: '' }, PAGE));
  let written = Promise.resolve();
  for (;;) {
    const homes = await next;
    const isLast = homes.length < PAGE;
    // The next page is read while this one is valued and the previous one is written.
    if (!isLast) next = deferRejection(sql.listHomes(deps.data, market, homes[PAGE - 1], PAGE));
    const values: sql.NewValue[] = [];
    const placed = orderByPlace(homes);
    for (let first = 0; first < placed.length; first += SLICE) {
      values.push(...valueHomes(open, placed.slice(first, first + SLICE), dayNumber(valuedOn)));
      await setImmediate();
    }
    await written;
    if (values.length > 0) written = deferRejection(sql.updateValues(deps.data, values, occasion));
    result.valued += values.length;
    result.skipped += homes.length - values.length;
    if (isLast) break;
  }
  await written;
  result.seconds = Math.round(performance.now() - started) / 1000;
  return result;
}

/** Sales that the model rejects, for the record. */
function listOdd({ book }: OpenModel) {
  const sales = Array.from({ length: book.odd.size === 0 ? 0 : book.sales.length }, (_, i) => book.sales.at(i));
  return sales.flatMap(({ id, propertyId }) => {
    const odd = book.odd.get(id);
    return odd ? [{ id, propertyId, reason: odd.reason }] : [];
  });
}

/** Orders homes by squares of about a kilometer, so that consecutive homes read the same cached sales. */
function orderByPlace(homes: sql.HomeRow[]): sql.HomeRow[] {
  const squareOf = ({ latitude, longitude }: sql.HomeRow): number =>
    Math.floor((latitude ?? 0) * 100) * 100_000 + Math.floor((longitude ?? 0) * 100);
  return homes
    .map((home) => ({ home, square: squareOf(home) }))
    .toSorted((a, b) => a.square - b.square)
    .map(({ home }) => home);
}

function valueHomes(open: OpenModel, homes: sql.HomeRow[], day: number): sql.NewValue[] {
  const { model, book, calibrationOn, rolls } = open;
  const readings = homes.map((home) => {
    const known = { attributes: attributesOf(home), propertyId: home.id, assessed: assessedOf(home, rolls) };
    return readHome(model, book, known, day);
  });
  const isValued = ({ neighbors }: Reading) => neighbors.sale.length >= LEAST_SALES;
  const appraisals = appraiseAll(model, readings.filter(isValued));
  const valued = homes.filter((_, i) => isValued(readings[i]));
  return valued.map((home, i) => {
    const spread = spreadOf(calibrationOn(day), { ...appraisals[i], type: home.property_type }, 0.8);
    const value = Math.round(Math.exp(appraisals[i].logValue));
    return {
      fips: home.fips,
      id: home.id,
      before: home.value,
      value,
      low: Math.round(value * Math.exp(spread.low)),
      high: Math.round(value * Math.exp(spread.high)),
      fsd: spread.fsd,
    };
  });
}
