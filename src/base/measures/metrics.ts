// The Prometheus metrics of a process: its own (requests, errors, pools, disk, certificate) and the service-wide ones.
// Nothing here can make a scrape fail or hang: a metric that cannot be read keeps its last value.
import { X509Certificate } from 'node:crypto';
import { readFile, statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { ping, type Pool } from '../db/postgres.ts';
import type { Replica } from '../db/replica.ts';
import type { Connections } from '../deps.ts';
import { listMeasurements, MEASURES, type MeasureName } from './measures.ts';

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

function registerPools(registry: Registry, { control, data, replica }: MetricConnections): void {
  const pools: Record<string, Pool> = { control, data, ...(replica && { replica: replica.pool }) };
  const connections: Gauge = new Gauge({
    name: 'platbook_pool_connections',
    help: 'Connections of this process: in use, idle, and callers waiting for one.',
    labelNames: ['plane', 'state'],
    registers: [registry],
    collect() {
      for (const [plane, pool] of Object.entries(pools)) {
        connections.set({ plane, state: 'used' }, pool.totalCount - pool.idleCount);
        connections.set({ plane, state: 'idle' }, pool.idleCount);
        connections.set({ plane, state: 'waiting' }, pool.waitingCount);
      }
    },
  });
  const size: Gauge = new Gauge({
    name: 'platbook_pool_size',
    help: 'Most connections this process opens to a plane.',
    labelNames: ['plane'],
    registers: [registry],
    collect() {
      for (const [plane, pool] of Object.entries(pools)) size.set({ plane }, pool.options.max ?? 0);
    },
  });
  const up: Gauge = new Gauge({
    name: 'platbook_database_up',
    help: '1 while this process reaches the plane.',
    labelNames: ['plane'],
    registers: [registry],
    async collect() {
      const readings = Object.entries(pools).map(async ([plane, pool]) => {
        const isUp = await inTime(ping(pool).then(() => true)).catch(() => false);
        up.set({ plane }, isUp ? 1 : 0);
      });
      await Promise.all(readings);
    },
  });
}

function registerReplica(registry: Registry, replica: Replica | undefined): void {
  if (!replica) return;
  const used: Gauge = new Gauge({
    name: 'platbook_replica_in_use',
    help: '1 while this process reads from the replica, 0 while it is late or away.',
    registers: [registry],
    collect: () => used.set(replica.read().state === 'current' ? 1 : 0),
  });
  const lag: Gauge = new Gauge({
    name: 'platbook_replica_lag_seconds',
    help: 'How far the replica is behind, as this process measures it.',
    registers: [registry],
    collect: () => {
      const { lagMs } = replica.read();
      if (lagMs !== undefined) lag.set(lagMs / 1000);
    },
  });
}

function registerDisk(registry: Registry, folder: string): void {
  const free: Gauge = new Gauge({
    name: 'platbook_disk_free_ratio',
    help: 'Share of the disk under PLATBOOK_HOME that is free.',
    registers: [registry],
    async collect() {
      const disk = await statfs(folder).catch(() => undefined);
      if (disk && disk.blocks > 0) free.set(disk.bavail / disk.blocks);
    },
  });
}

function registerCertificate(registry: Registry, file: string | undefined): void {
  const expiry: Gauge = new Gauge({
    name: 'platbook_certificate_expiry_timestamp_seconds',
    help: 'When the certificate in TLS_CERT expires.',
    labelNames: ['file'],
    registers: [registry],
    async collect() {
      if (file === undefined) return;
      const text = await readFile(file).catch(() => undefined);
      if (text) expiry.set({ file: 'TLS_CERT' }, Date.parse(new X509Certificate(text).validTo) / 1000);
    },
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
