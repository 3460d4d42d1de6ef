// Measures how far behind the service is: queues, the relay, sources, payments.
import type { Deps } from '../deps.ts';
import { CADENCE_DAYS } from '../lib/clock.ts';
import * as sql from './backlog-sql.ts';
import { measurement, MEASURES, type Measurement, type MeasureName } from './measures.ts';
import { findMeasuredAt, replaceMeasurements } from './sql.ts';

const DAY_S = 86_400;
/** Machine clocks differ, and a transaction commits after its own timestamp. */
const OVERLAP_MS = 300_000;

const QUEUES = {
  batches: sql.findBatchBacklog,
  webhooks: sql.findDeliveryBacklog,
  exports: sql.findExportBacklog,
} as const;
type QueueName = keyof typeof QUEUES;

/** Counted by jobs as they run, not measured here. */
const COUNTED: MeasureName[] = [
  'platbook_job_runs_total',
  'platbook_job_last_success_timestamp_seconds',
  'platbook_usage_unaccounted',
];

type MeasureDeps = Pick<Deps, 'control' | 'data' | 'clock'>;

export async function queueAgeSeconds({ control, clock }: MeasureDeps, queue: QueueName): Promise<number> {
  const now = clock();
  return ageOf((await QUEUES[queue](control, now)).oldest, now);
}

/** `more` has measurements from rooms above this one. */
export async function takeMeasurements(deps: MeasureDeps, more: Measurement[]): Promise<void> {
  const now = deps.clock();
  const areSourcesDue = await haveSourcesChanged(deps, now);
  const measured = [
    measurement('platbook_measured_timestamp_seconds', now.getTime() / 1000),
    ...(await measureQueues(deps, now)),
    measurement('platbook_relay_lag_seconds', await relayLag(deps, now)),
    ...(areSourcesDue ? await measureSources(deps) : []),
    ...(await measureMoney(deps, now)),
    ...more,
  ];
  const names = (Object.keys(MEASURES) as MeasureName[])
    .filter((name) => !COUNTED.includes(name))
    .filter((name) => areSourcesDue || !name.startsWith('platbook_source_'));
  await replaceMeasurements(deps.control, names, measured, now);
}

async function measureQueues({ control }: MeasureDeps, now: Date): Promise<Measurement[]> {
  const measured: Measurement[] = [];
  for (const [queue, find] of Object.entries(QUEUES)) {
    const { waiting, oldest } = await find(control, now);
    measured.push(measurement('platbook_queue_waiting', waiting, { queue }));
    measured.push(measurement('platbook_queue_age_seconds', ageOf(oldest, now), { queue }));
  }
  return measured;
}

async function relayLag({ control, data }: MeasureDeps, now: Date): Promise<number> {
  const position = await sql.findRelayPosition(control);
  return position ? ageOf(await sql.findNextChange(data, position), now) : 0;
}

/** Thousands of sources are measured hourly, or immediately if one was loaded or checked since the last time. */
async function haveSourcesChanged({ control, data }: MeasureDeps, now: Date): Promise<boolean> {
  const last = await findMeasuredAt(control, 'platbook_measured_timestamp_seconds');
  if (last?.getUTCHours() !== now.getUTCHours()) return true;
  return sql.hasLookedSince(data, new Date(last.getTime() - OVERLAP_MS));
}

/** A source without a cadence, or published once, cannot be late. */
const measureSources = async ({ data }: MeasureDeps): Promise<Measurement[]> =>
  (await sql.listSourceAges(data)).flatMap(({ market, source, cadence, last_load, failed }) => {
    const labels = { market, source };
    const days = CADENCE_DAYS[cadence ?? ''];
    return [
      measurement('platbook_source_failed_loads', failed, labels),
      ...(last_load
        ? [measurement('platbook_source_last_load_timestamp_seconds', last_load.getTime() / 1000, labels)]
        : []),
      ...(days !== undefined ? [measurement('platbook_source_cadence_seconds', days * DAY_S, labels)] : []),
    ];
  });

async function measureMoney({ control }: MeasureDeps, now: Date): Promise<Measurement[]> {
  const payments = await sql.countPayments(control, new Date(now.getTime() - DAY_S * 1000));
  return [
    ...payments.map(({ status, count }) => measurement('platbook_payments_last_day', count, { status })),
    measurement('platbook_invoices_overdue', await sql.countOverdueInvoices(control, now)),
  ];
}

const ageOf = (since: Date | null, now: Date): number =>
  since === null ? 0 : Math.max(0, (now.getTime() - since.getTime()) / 1000);
