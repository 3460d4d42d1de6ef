// Converts the Prometheus registry to OTLP metrics, so that each metric is defined once and both show the same numbers.
import { ValueType, type HrTime } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type DataPoint,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client';

type Read = MetricObjectWithValues<MetricValue<string> & { metricName?: string }>;

export function createProducer(registry: Registry, resource: Resource): MetricProducer {
  const startTime = hrTime(Date.now());
  return {
    async collect() {
      const span = { startTime, endTime: hrTime(Date.now()) };
      const read = (await registry.getMetricsAsJSON()) as unknown as Read[];
      const metrics = read.flatMap((metric) => convert(metric, span) ?? []);
      return { resourceMetrics: { resource, scopeMetrics: [{ scope: { name: 'platbook' }, metrics }] }, errors: [] };
    },
  };
}

type Interval = Pick<DataPoint<number>, 'startTime' | 'endTime'>;

/** OTLP has no counterpart to summaries; we define none. */
function convert(metric: Read, interval: Interval): MetricData | undefined {
  const about = {
    descriptor: { name: metric.name, description: metric.help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const points = () => metric.values.map(({ value, labels }) => ({ ...interval, attributes: { ...labels }, value }));
  switch (String(metric.type)) {
    case 'counter':
      return { ...about, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() };
    case 'gauge':
      return { ...about, dataPointType: DataPointType.GAUGE, dataPoints: points() };
    case 'histogram':
      return { ...about, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramPoints(metric, interval) };
    default:
      return undefined;
  }
}

/** prom-client has a cumulative row per bucket with its bound as a label; OTLP wants a list of counts per series. */
function histogramPoints(metric: Read, interval: Interval): DataPoint<Histogram>[] {
  const series = Map.groupBy(metric.values, ({ labels: { le: _le, ...labels } }) => JSON.stringify(labels));
  return [...series].map(([key, rows]) => {
    const valueOf = (suffix: string) => rows.find((row) => row.metricName === `${metric.name}_${suffix}`)?.value ?? 0;
    const buckets = rows
      .filter((row) => row.metricName === `${metric.name}_bucket`)
      .map(({ labels, value }) => ({ bound: Number(String(labels.le).replace('+', '')), value }))
      .toSorted((a, b) => a.bound - b.bound);
    return {
      ...interval,
      attributes: JSON.parse(key) as Record<string, string>,
      value: {
        sum: valueOf('sum'),
        count: valueOf('count'),
        buckets: {
          boundaries: buckets.map(({ bound }) => bound).filter(Number.isFinite),
          counts: buckets.map(({ value }, i) => value - (buckets[i - 1]?.value ?? 0)),
        },
      },
    };
  });
}

const hrTime = (ms: number): HrTime => [Math.trunc(ms / 1000), (ms % 1000) * 1e6];
