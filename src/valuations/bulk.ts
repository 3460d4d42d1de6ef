// Values every home of a market, so that search, tiles and watchlists can use the latest value.
import { setImmediate } from 'node:timers/promises';
import type { Deps } from '../deps.ts';
import { dayNumber } from '../lib/clock.ts';
import { todayIn } from '../sandbox/dates.ts';
import { appraiseAll, readHome } from './appraise.ts';
import { spreadOf } from './interval.ts';
import { listModels, modelFor, openMarket, type OpenMarket } from './markets.ts';
import { attributesOf } from './records.ts';
import * as sql from './sql.ts';

type BulkDeps = Pick<Deps, 'data' | 'control' | 'clock'>;

const PAGE = 5_000;
/** So many homes are valued at a time, some ten milliseconds of work; between two lots the database and others get their turn. */
const LOT = 64;
const MIN_NEIGHBORS = 3;

export type BulkResult = { market: string; model: string; valued: number; skipped: number; seconds: number };

export async function valueMarket(deps: BulkDeps, market: string): Promise<BulkResult> {
  const started = performance.now();
  const valuedOn = todayIn(market, deps.clock);
  const row = modelFor(await listModels(deps), market, dayNumber(valuedOn));
  if (!row) throw new Error(`The market \`${market}\` has no model; train it first.`);
  const open = await openMarket(deps, row);
  const result = { market, model: row.version, valued: 0, skipped: 0, seconds: 0 };
  const occasion = { market, model: row.version, valuedOn, at: deps.clock() };
  let after = { fips: -1, id: '' };
  let written: Promise<void> = Promise.resolve();
  for (;;) {
    const homes = await sql.listHomes(deps.data, market, after, PAGE);
    const values: sql.NewValue[] = [];
    for (let first = 0; first < homes.length; first += LOT) {
      values.push(...valueHomes(open, homes.slice(first, first + LOT), dayNumber(valuedOn)));
      await setImmediate();
    }
    await written;
    // The next page is read and valued while this one is written.
    written = values.length > 0 ? sql.updateValues(deps.data, values, occasion) : Promise.resolve();
    result.valued += values.length;
    result.skipped += homes.length - values.length;
    if (homes.length < PAGE) break;
    after = homes[homes.length - 1];
  }
  await written;
  result.seconds = Math.round(performance.now() - started) / 1000;
  return result;
}

function valueHomes({ model, book, calibrationOn }: OpenMarket, homes: sql.HomeRow[], day: number): sql.NewValue[] {
  const read = homes
    .map((home) => ({
      home,
      reading: readHome(model, book, { attributes: attributesOf(home), propertyId: home.id }, day),
    }))
    .filter(({ reading }) => reading.neighbors.sale.length >= MIN_NEIGHBORS);
  const appraisals = appraiseAll(
    model,
    read.map(({ reading }) => reading),
  );
  return read.map(({ home }, i) => {
    const { logValue, sigma } = appraisals[i];
    const spread = spreadOf(calibrationOn(day), { sigma, type: home.property_type, logValue }, 0.8);
    const value = Math.round(Math.exp(logValue));
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
