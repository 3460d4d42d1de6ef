// Finds the markets due for a new model, and queues as many as fit into a night.
import type { Deps } from '../../base/deps.ts';
import { submitJobs } from '../../base/jobs/jobs.ts';
import { addDays, DAY_MS, isoDate } from '../../base/lib/clock.ts';
import { todayIn } from '../../records/markets/catalog.ts';
import * as sql from './sql.ts';

type RetrainingDeps = Pick<Deps, 'config' | 'data' | 'control' | 'clock' | 'catalog' | 'log'>;

/** Minimum new sales: this share of the model's training sales, and no fewer than this many. */
const MIN_NEW_SHARE = 0.05;
const MIN_NEW_SALES = 300;
/** An old model needs fewer: the published accuracy is of back-tests that retrain after half a year. */
const OLD_DAYS = 182;
const MIN_NEW_SALES_OLD = 50;
/** How long a market waits after a failed training. */
const PAUSE_DAYS = 7;
/** Two generations and the serving model of 40,000 sales take 11 minutes on two threads. */
const MINUTES_PER_SALE = 11 / 40_000;

export type DueMarket = { market: string; why: string; minutes: number; urgency: number };

/** Most urgent first. */
export async function listDueMarkets(deps: RetrainingDeps): Promise<DueMarket[]> {
  const catalog = await deps.catalog.read();
  const failedSince = new Date(deps.clock().getTime() - PAUSE_DAYS * DAY_MS);
  const due: DueMarket[] = [];
  for (const { market, trained_on, sales } of await sql.listLastTrainings(deps.control, failedSince)) {
    const today = todayIn(catalog, market, deps.clock);
    const known = await sql.countSalesSince(deps.data, market, { after: trained_on, to: today });
    const isOld = trained_on <= addDays(today, -OLD_DAYS);
    if (known < (isOld ? MIN_NEW_SALES_OLD : Math.max(MIN_NEW_SALES, MIN_NEW_SHARE * sales))) continue;
    due.push({
      market,
      why: `${known} sales became known after ${trained_on}, the last day of ${sales} that its model learned from`,
      minutes: MINUTES_PER_SALE * (sales + known),
      urgency: known / Math.max(1, sales) + (isOld ? 1 : 0),
    });
  }
  return due.toSorted((a, b) => b.urgency - a.urgency || (a.market < b.market ? -1 : 1));
}

/**
 * Queues the most urgent markets that fit into a night, and at least one; the others wait for the next night. Trainings
 * still queued from the night before count toward the time.
 */
export async function queueRetraining(deps: RetrainingDeps): Promise<DueMarket[]> {
  let left = deps.config.retrainMinutes;
  if (left === 0) return [];
  const due = await listDueMarkets(deps);
  const open = new Set(await sql.listOpenTrainings(deps.control));
  left -= due.filter(({ market }) => open.has(market)).reduce((sum, { minutes }) => sum + minutes, 0);
  const queued: DueMarket[] = [];
  for (const each of due) {
    if (open.has(each.market) || (left < each.minutes && (queued.length > 0 || open.size > 0))) continue;
    left -= each.minutes;
    queued.push(each);
    deps.log.info({ market: each.market, due: isoDate(deps.clock()) }, `training is due: ${each.why}`);
  }
  const markets = queued.map(({ market }) => market);
  await submitJobs(deps, markets, { name: 'train', payload: {} });
  return queued;
}
