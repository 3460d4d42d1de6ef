// Every queue, job and schedule. Work waits in tables of the control plane and is claimed there, so any number of processes
// can share it and none is lost when one of them dies. Queues are drained whenever work is announced, and every second in
// any case.
import { setTimeout as sleep } from 'node:timers/promises';
import { announceExpiringKeys } from './customers/accounts/accounts.ts';
import { rollUpMarkets } from './insight/analytics/analytics.ts';
import { verifyAuditLogs } from './base/audit/verify.ts';
import { queueRetraining } from './insight/training/retraining.ts';
import { backUpIfDue, measureBackups } from './operate/backup/schedule.ts';
import { tidyBatches, workOnBatches } from './delivery/batches/batches.ts';
import type { EnrichPorts } from './delivery/batches/enrich.ts';
import { createProvider } from './customers/billing/billing.ts';
import { checkUsage, runBilling } from './customers/billing/due.ts';
import { markComplete } from './base/db/epochs.ts';
import { listenOn } from './base/db/listener.ts';
import type { Deps } from './base/deps.ts';
import { WORK_CHANNEL } from './base/events/sql.ts';
import { DAY_MS } from './base/lib/clock.ts';
import { ERRORS, fail } from './base/lib/errors.ts';
import { queueAgeSeconds, takeMeasurements } from './base/measures/backlogs.ts';
import { countJob, measurement } from './base/measures/measures.ts';
import { failRun, runExport } from './delivery/exports/deliver.ts';
import { startScheduledRuns } from './delivery/exports/exports.ts';
import { tidyExports } from './delivery/exports/retention.ts';
import { forgetOldAnswers } from './edge/gate/idempotency.ts';
import { JOBS_TOPIC, startJob, workOnJob, type JobContext, type JobDefinitions } from './base/jobs/jobs.ts';
import { deleteFinishedJobs, type Job } from './base/jobs/sql.ts';
import type { JobName, Schedule } from './base/jobs/payloads.ts';
import { dailyAt, everyMinutes, hourlyAt, nextRun, registerSchedules } from './base/jobs/schedules.ts';
import { deleteExpired } from './customers/people/proof-sql.ts';
import { forgetOldRecords } from './customers/oauth/records.ts';
import { runJobProcess } from './operate/job-process.ts';
import type { ProcessJobName } from './operate/run-job.ts';
import { findMagicOutcome, isLayerAway } from './supply/sandbox/fixtures.ts';
import { fileNamesDue } from './records/owners/filing.ts';
import { readRiskReports } from './records/risk/risk.ts';
import { refreshDue } from './operate/refresh.ts';
import { anchorReceipts } from './insight/quality/anchors.ts';
import { measureMarkets } from './insight/quality/quality.ts';
import { rollUpDue } from './supply/map-aggregates/squares.ts';
import { startProbing } from './edge/status/probe.ts';
import { listComponentStates, noteIncidents, tidyStatus } from './edge/status/status.ts';
import { forgetOldDetails } from './customers/usage/details.ts';
import { adoptJournals, forgetOldRequests } from './customers/usage/usage.ts';
import { forgetOldReports } from './delivery/reports/reports.ts';
import { checkLoans } from './delivery/loans/loans.ts';
import { sendDigests } from './delivery/digests/digests.ts';
import { forgetOldReviews } from './delivery/reviews/reviews.ts';
import { forgetOldShares } from './delivery/shares/shares.ts';
import { forgetOldReceipts } from './insight/valuations/receipts.ts';
import { estimate } from './insight/valuations/valuations.ts';
import { announceModels, forgetOldEvents } from './delivery/webhooks/webhooks.ts';
import { createDispatcher } from './delivery/webhooks/deliveries.ts';
import { fillWatchlist, refreshWatchlists } from './delivery/watchlists/watchlists.ts';
import { checkTotals } from './delivery/watchlists/portfolio.ts';
import { relayChanges } from './delivery/watchlists/relay.ts';
import { entryOf } from './base/lib/must.ts';

const POLL_MS = 1_000;
const PAUSE_AFTER_ERROR_MS = 1_000;
const JOBS_KEPT_MS = 30 * DAY_MS;
/** A queue whose oldest work is older than this is down for the status page. */
const LATE_SECONDS = 300;

interface Queue {
  /** How many units of work one process performs at a time. */
  lanes: number;
  /** Performs one unit of work. Returns true if there was any, so there may be more. */
  work(): Promise<boolean>;
  /** Waits for work that was started and has not finished. */
  settle?(): Promise<void>;
}

export const createEnrichPorts = (deps: Deps): EnrichPorts => ({
  value: async (row, asker) => (await estimate(deps, asker, { property: { id: row.id } })).result,
  risk: (rows) => readRiskReports(deps, rows, undefined, isLayerAway),
  beforeItem: async (text, mode) => (mode === 'test' ? applyMagic(text) : undefined),
});

/** The sandbox's magic inputs behave in a batch as they do in single calls. */
async function applyMagic(addressOrId: string): Promise<void> {
  const outcome = findMagicOutcome(addressOrId);
  if (outcome?.kind === 'delay') await sleep(outcome.delayMs);
  if (outcome?.kind === 'error' && outcome.calls === 'all')
    fail(
      outcome.code,
      `This sandbox input always returns \`${outcome.code}\`: ${ERRORS[outcome.code][1].toLowerCase()}.`,
    );
}

/** Every job: how often it is tried, and what runs it. Payloads are in `src/base/jobs/payloads.ts`. */
export function createJobs(deps: Deps) {
  const run = async (job: Job<ProcessJobName>, context: JobContext): Promise<object> => {
    try {
      return await runJobProcess({ config: deps.config, job }, context);
    } finally {
      // The job may have changed what this process has cached.
      for (const cache of [deps.catalog, deps.places, deps.models]) cache.forget();
    }
  };
  return {
    ingest: { attempts: 3, run },
    train: { attempts: 3, run },
    // One attempt: an operator watches these and decides whether to try again.
    'county-read': { attempts: 1, run },
    'county-preview': { attempts: 1, run },
    'county-load': { attempts: 1, run },
    'county-train': { attempts: 1, run },
    export: {
      attempts: 3,
      // After ten dead workers, the run itself may be what kills them.
      claims: 10,
      retryMs: 60_000,
      run: (job, context) => runExport(deps, job, context),
      onFailed: (job, error) => failRun(deps, job, error),
    },
    schedule: {
      attempts: 3,
      retryMs: 10_000,
      run: ({ subject }) => runSchedule(deps, subject),
      next: ({ payload }, now) => nextRun(payload, now),
    },
  } satisfies JobDefinitions;
}

/** Announcements of work name the queue; `ring` wakes a queue of this process. */
function createQueues(deps: Deps, ring: (name: string) => void, stopping?: AbortSignal): Record<string, Queue> {
  const webhooks = createDispatcher(deps, () => ring('webhooks'));
  const jobs = createJobs(deps);
  const pick = (...names: JobName[]): JobDefinitions => Object.fromEntries(names.map((name) => [name, jobs[name]]));
  const workOn = (chosen: JobDefinitions) => () => workOnJob(deps, chosen, { stopping });
  return {
    exports: { lanes: 1, work: workOn(pick('export')) },
    batches: { lanes: 2, work: () => workOnBatches(deps, createEnrichPorts(deps)) },
    webhooks: { lanes: 1, work: webhooks.work, settle: webhooks.settle },
    watchlists: { lanes: 1, work: async () => (await fillWatchlist(deps)) || relayChanges(deps) },
    markets: { lanes: 1, work: workOn(pick('ingest', 'train')) },
    counties: { lanes: 2, work: workOn(pick('county-read', 'county-preview', 'county-load', 'county-train')) },
  };
}

/** Starts what is due without waiting for it, so that a long schedule does not hold up a short one. */
function createScheduleQueue(deps: Deps, stopping: AbortSignal): Queue {
  const { schedule } = createJobs(deps);
  const running = new Set<Promise<void>>();
  return {
    lanes: 1,
    async work() {
      const started = await startJob(deps, { schedule }, { stopping });
      if (!started) return false;
      const ended = started.ended
        .catch((error: Error) => deps.log.warn({ err: error }, 'a schedule lost its database connection'))
        .finally(() => running.delete(ended));
      running.add(ended);
      return true;
    },
    async settle() {
      await Promise.all(running);
    },
  };
}

/** Times are UTC. */
const SCHEDULES: Record<string, { at: Schedule; run(deps: Deps): Promise<void> }> = {
  billing: { at: everyMinutes(5), run: async (deps) => runBilling(deps, await createProvider(deps)) },
  'tidy-accounts': { at: hourlyAt(7), run: tidyAccounts },
  'tidy-batches': { at: everyMinutes(10), run: tidyBatches },
  'refresh-watchlists': { at: hourlyAt(40), run: (deps) => refreshWatchlists(deps) },
  'check-loans': { at: hourlyAt(45), run: checkLoans },
  'send-digests': { at: hourlyAt(20), run: sendDigests },
  'check-totals': { at: hourlyAt(50), run: (deps) => checkTotals(deps) },
  // Lets readers of the feed who have come this far continue after a restore.
  'mark-feed': { at: everyMinutes(1), run: (deps) => markComplete(deps.data) },
  'back-up': { at: everyMinutes(5), run: backUpIfDue },
  'start-exports': { at: everyMinutes(1), run: startScheduledRuns },
  'announce-models': { at: everyMinutes(5), run: announceModels },
  'check-usage': { at: dailyAt(3, 43), run: checkUsage },
  'verify-audit-logs': { at: dailyAt(3, 23), run: async (deps) => void (await verifyAuditLogs(deps)) },
  'forget-old-events': { at: hourlyAt(17), run: forgetOldEvents },
  'forget-old-receipts': { at: hourlyAt(27), run: forgetOldReceipts },
  'forget-old-reports': { at: hourlyAt(37), run: forgetOldReports },
  'forget-old-reviews': { at: hourlyAt(38), run: forgetOldReviews },
  'forget-old-shares': { at: hourlyAt(39), run: forgetOldShares },
  'refresh-sources': { at: hourlyAt(33), run: (deps) => refreshDue(deps) },
  // Night in the whole of the United States.
  'retrain-markets': { at: dailyAt(8, 13), run: async (deps) => void (await queueRetraining(deps)) },
  // Catches up after an upgrade, an operator's verdict or an interrupted load.
  'roll-up-sales': { at: hourlyAt(47), run: rollUpMarkets },
  'file-names': { at: hourlyAt(57), run: fileNamesDue },
  'roll-up-squares': { at: everyMinutes(10), run: rollUpDue },
  'anchor-receipts': { at: everyMinutes(5), run: async (deps) => void (await anchorReceipts(deps)) },
  // Takes the monthly sample, and recomputes evidence whose inputs have changed.
  'measure-quality': { at: hourlyAt(53), run: measureMarkets },
  'tidy-exports': { at: everyMinutes(30), run: tidyExports },
  measure: { at: everyMinutes(1), run: measure },
  'tidy-status': { at: hourlyAt(12), run: tidyStatus },
};

/** Takes the measurements for operators and finds incidents for the status page. */
async function measure(deps: Deps): Promise<void> {
  await noteIncidents(deps);
  const states = await listComponentStates(deps);
  const components = [...states].map(([component, isUp]) =>
    measurement('platbook_component_up', isUp ? 1 : 0, { component }),
  );
  await takeMeasurements(deps, [...components, ...(await measureBackups(deps))]);
}

/** Adopts journals of dead processes, deletes expired rows, and announces keys that will expire soon. */
async function tidyAccounts(deps: Deps): Promise<void> {
  await adoptJournals(deps);
  await forgetOldRequests(deps);
  await forgetOldDetails(deps);
  await deleteExpired(deps.control, deps.clock());
  await forgetOldRecords(deps);
  await announceExpiringKeys(deps);
  await forgetOldAnswers(deps);
  const before = new Date(deps.clock().getTime() - JOBS_KEPT_MS);
  await deleteFinishedJobs(deps.control, ['ingest', 'train', 'export'], before);
}

export interface Worker {
  stop(): Promise<void>;
}

/** With `serviceUrl`, the service is probed there for the status page. */
export async function startWorker(deps: Deps, serviceUrl?: string): Promise<Worker> {
  const bells = new Map<string, Bell>();
  const stopping = new AbortController();
  const queues = {
    ...createQueues(deps, (name) => bells.get(name)?.ring(), stopping.signal),
    schedules: createScheduleQueue(deps, stopping.signal),
  };
  for (const name of Object.keys(queues)) bells.set(name, createBell());
  const listener = listenOn({
    url: deps.controlUrl,
    channel: WORK_CHANNEL,
    onMessage: (topic) => {
      for (const [name, bell] of bells) if (name === topic || topic === JOBS_TOPIC) bell.ring();
    },
  });

  const schedules = Object.entries(SCHEDULES).map(([name, { at }]) => [name, at]);
  await registerSchedules(deps.control, Object.fromEntries(schedules), deps.clock());
  const lanes = Object.entries(queues).flatMap(([name, queue]) =>
    Array.from({ length: queue.lanes }, async () => {
      while (!stopping.signal.aborted) {
        try {
          if (!(await queue.work())) await entryOf(bells, name).wait(POLL_MS);
        } catch (error) {
          deps.log.error({ err: error, queue: name }, 'background work failed');
          await countJob(deps, name, false);
          await entryOf(bells, name).wait(PAUSE_AFTER_ERROR_MS);
        }
      }
      await queue.settle?.();
    }),
  );
  await deps.catalog.start();
  const probing =
    serviceUrl === undefined ? undefined : startProbing(deps, { url: serviceUrl, isInTime: inTime(deps) });

  return {
    async stop() {
      stopping.abort();
      await probing?.stop();
      for (const bell of bells.values()) bell.ring();
      await Promise.all(lanes);
      await listener.stop();
      await deps.catalog.stop();
      // A copy of the data made from here on is complete, as in a planned move.
      await markComplete(deps.data).catch((error: Error) => deps.log.warn({ err: error }, 'the feed was not marked'));
    },
  };
}

/** Performs all work that is due now, in this process. */
export async function drain(deps: Deps, names?: string[]): Promise<void> {
  const queues = createQueues(deps, () => {});
  for (let isBusy = true; isBusy;) {
    isBusy = false;
    for (const name of names ?? Object.keys(queues)) {
      while (await queues[name].work()) isBusy = true;
      await queues[name].settle?.();
    }
  }
}

export async function runSchedule(deps: Deps, name: string): Promise<void> {
  // Unknown while another version that has this schedule is running.
  const schedule = SCHEDULES[name];
  if (!schedule) return;
  try {
    await deps.telemetry.span(`job ${name}`, {}, () => schedule.run(deps));
    await countJob(deps, name, true);
  } catch (error) {
    await countJob(deps, name, false);
    throw error;
  }
}

const inTime = (deps: Deps) => async (queue: 'batches' | 'webhooks') =>
  (await queueAgeSeconds(deps, queue)) < LATE_SECONDS;

interface Bell {
  ring(): void;
  wait(ms: number): Promise<void>;
}

function createBell(): Bell {
  const sleepers = new Set<() => void>();
  return {
    ring: () => {
      for (const wake of sleepers) wake();
    },
    wait: (ms) =>
      new Promise((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          sleepers.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        sleepers.add(wake);
      }),
  };
}
