// The Prometheus metrics of a process: its own (requests, errors, pools, disk, certificate) and the service-wide ones.
// Nothing here can make a scrape fail or hang: a metric that cannot be read keeps its last value.
import { X509Certificate } from 'node:crypto';
import { readFile, statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { ping, type Pool } from '../db/postgres.ts';
import type { Replica } from '../db/replica.ts';
import type { Connections } from '../deps.ts';
import { MEASURES, type MeasureName } from './measures.ts';
import { listMeasurements } from './sql.ts';

const FRESH_MS = 10_000;
const READ_WITHIN_MS = 2_000;

interface Metrics {
  registry: Registry;
  /** Responses with a 5xx, by the code in lib/errors.ts. */
  errors: Counter<'code'>;
  /** Keyed calls by plan, for each plan's availability promise. */
  calls: Counter<'plan' | 'component' | 'outcome'>;
}

declare module '../deps.ts' {
  interface Deps {
    metrics: Metrics;
  }
}

type MetricConnections = Pick<Connections, 'config' | 'control' | 'data' | 'replica'>;

export function createMetrics(connections: MetricConnections): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  registerPools(registry, connections);
  registerReplica(registry, connections.replica);
  registerDisk(registry, connections.config.home);
  registerCertificate(registry, connections.config.tls?.cert);
  registerMeasures(registry, connections.control);
  return {
    registry,
    errors: new Counter({
      name: 'platbook_errors_total',
      help: 'Answers with a 5xx, by code.',
      labelNames: ['code'],
      registers,
    }),
    calls: new Counter({
      name: 'platbook_calls_total',
      help: 'Calls with live keys, by plan, component and outcome; an answer with a 5xx is an error.',
      labelNames: ['plan', 'component', 'outcome'],
      registers,
    }),
  };
}

/** A gauge that is read when it is scraped. */
function readGauge(
  registry: Registry,
  { name, help, labels = [] }: { name: string; help: string; labels?: string[] },
  read: (gauge: Gauge) => void | Promise<void>,
): void {
  const gauge: Gauge = new Gauge({ name, help, labelNames: labels, registers: [registry], collect: () => read(gauge) });
}

function registerPools(registry: Registry, { control, data, replica }: MetricConnections): void {
  const pools = Object.entries<Pool>({ control, data, ...(replica && { replica: replica.pool }) });
  const used = 'Connections of this process: in use, idle, and callers waiting for one.';
  readGauge(registry, { name: 'platbook_pool_connections', help: used, labels: ['plane', 'state'] }, (gauge) => {
    for (const [plane, pool] of pools) {
      gauge.set({ plane, state: 'used' }, pool.totalCount - pool.idleCount);
      gauge.set({ plane, state: 'idle' }, pool.idleCount);
      gauge.set({ plane, state: 'waiting' }, pool.waitingCount);
    }
  });
  const most = 'Most connections this process opens to a plane.';
  readGauge(registry, { name: 'platbook_pool_size', help: most, labels: ['plane'] }, (gauge) => {
    for (const [plane, pool] of pools) gauge.set({ plane }, pool.options.max ?? 0);
  });
  const reached = '1 while this process reaches the plane.';
  readGauge(registry, { name: 'platbook_database_up', help: reached, labels: ['plane'] }, async (gauge) => {
    const readings = pools.map(async ([plane, pool]) => {
      const isUp = await inTime(ping(pool).then(() => true)).catch(() => false);
      gauge.set({ plane }, isUp ? 1 : 0);
    });
    await Promise.all(readings);
  });
}

function registerReplica(registry: Registry, replica: Replica | undefined): void {
  if (!replica) return;
  const used = '1 while this process reads from the replica, 0 while it is late or away.';
  readGauge(registry, { name: 'platbook_replica_in_use', help: used }, (gauge) =>
    gauge.set(replica.read().state === 'current' ? 1 : 0),
  );
  const lag = 'How far the replica is behind, as this process measures it.';
  readGauge(registry, { name: 'platbook_replica_lag_seconds', help: lag }, (gauge) => {
    const { lagMs } = replica.read();
    if (lagMs !== undefined) gauge.set(lagMs / 1000);
  });
}

function registerDisk(registry: Registry, folder: string): void {
  const help = 'Share of the disk under PLATBOOK_HOME that is free.';
  readGauge(registry, { name: 'platbook_disk_free_ratio', help }, async (gauge) => {
    const disk = await statfs(folder).catch(() => undefined);
    if (disk && disk.blocks > 0) gauge.set(disk.bavail / disk.blocks);
  });
}

function registerCertificate(registry: Registry, file: string | undefined): void {
  const metric = {
    name: 'platbook_certificate_expiry_timestamp_seconds',
    help: 'When the certificate in TLS_CERT expires.',
    labels: ['file'],
  };
  readGauge(registry, metric, async (gauge) => {
    const text = file === undefined ? undefined : await readFile(file).catch(() => undefined);
    if (text) gauge.set({ file: 'TLS_CERT' }, Date.parse(new X509Certificate(text).validTo) / 1000);
  });
}

function registerMeasures(registry: Registry, control: Pool): void {
  type Rows = Awaited<ReturnType<typeof listMeasurements>>;
  let held: { readAt: number; rows: Promise<Rows> } | undefined;
  let last: Rows = [];
  const read = (): Promise<Rows> => {
    if (held && performance.now() - held.readAt < FRESH_MS) return held.rows;
    const rows = inTime(listMeasurements(control)).then(
      (fresh) => (last = fresh),
      () => last,
    );
    held = { readAt: performance.now(), rows };
    return rows;
  };
  for (const name of Object.keys(MEASURES) as MeasureName[]) {
    const { help, labels, type } = MEASURES[name];
    const show = async (metric: Gauge | Counter) => {
      const rows = (await read()).filter((row) => row.name === name);
      metric.reset();
      for (const row of rows) metric.inc(row.labels, row.value);
    };
    const options = { name, help, labelNames: [...labels], registers: [] };
    const metric: Gauge | Counter =
      type === 'counter'
        ? new Counter({ ...options, collect: () => show(metric) })
        : new Gauge({ ...options, collect: () => show(metric) });
    registry.registerMetric(metric);
  }
}

/** A database that does not answer must not hold up the scrape. */
async function inTime<Value>(reading: Promise<Value>): Promise<Value> {
  const late = sleep(READ_WITHIN_MS, undefined, { ref: false }).then(() => {
    throw new Error('not read in time');
  });
  late.catch(() => {});
  return Promise.race([reading, late]);
}
