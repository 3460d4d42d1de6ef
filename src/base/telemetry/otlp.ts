// Sends spans and metrics to an OpenTelemetry collector, as OTLP over HTTP with JSON. Loaded only where one is set. A
// collector that is slow, down or broken costs spans, never a request: the queue is bounded and nobody waits for it.
import { AsyncLocalStorage } from 'node:async_hooks';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags, type Context } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import { Counter, type Registry } from 'prom-client';
import { randomId } from '../lib/ids.ts';
import { createProducer } from './metric-producer.ts';
import { problemOf, type OpenSpan, type SpanOptions, type Telemetry, type TelemetrySettings } from './telemetry.ts';

const QUEUE = 4_096;
const PORTION = 512;
const SEND_EVERY_MS = 2_000;
const CLOSE_WITHIN_MS = 3_000;
const TRACEPARENT = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/;
const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

export function connectCollector(settings: TelemetrySettings, onTrouble: (message: string) => void): Telemetry {
  const resource = resourceFromAttributes({
    'service.name': settings.serviceName,
    'service.instance.id': randomId('inst'),
    'host.name': hostname(),
    'process.pid': process.pid,
    ...settings.resourceAttributes,
  });
  const target = (signal: string) => ({
    url: `${settings.endpoint}/v1/${signal}`,
    headers: settings.headers,
    timeoutMillis: settings.timeoutMs,
  });
  const watch = watchExports(onTrouble);
  const exporter = watch.spans(new OTLPTraceExporter(target('traces')));
  const provider = new TracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(settings.sampledShare) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: QUEUE,
        maxExportBatchSize: PORTION,
        scheduledDelayMillis: SEND_EVERY_MS,
        exportTimeoutMillis: settings.timeoutMs,
      }),
    ],
  });
  const tracer = provider.getTracer('platbook');
  const contexts = new AsyncLocalStorage<Context>();
  const meters: MeterProvider[] = [];

  function open(name: string, { kind = 'internal', facts, parent }: SpanOptions = {}): OpenSpan {
    const around = (parent === undefined ? undefined : readParent(parent)) ?? contexts.getStore() ?? ROOT_CONTEXT;
    const span = tracer.startSpan(name, { kind: KINDS[kind], attributes: facts }, around);
    const context = trace.setSpan(around, span);
    let isOpen = true;
    return {
      enter: (work) => contexts.run(context, work),
      set: (more) => void span.setAttributes(more),
      end(problem) {
        if (!isOpen) return;
        isOpen = false;
        if (problem !== undefined) {
          span.setAttribute('error.type', problem).setStatus({ code: SpanStatusCode.ERROR });
        }
        span.end();
      },
    };
  }

  async function span<Result>(
    name: string,
    options: SpanOptions,
    work: (opened: OpenSpan) => Promise<Result>,
  ): Promise<Result> {
    const opened = open(name, options);
    try {
      const result = await opened.enter(() => work(opened));
      opened.end();
      return result;
    } catch (error) {
      opened.end(problemOf(error));
      throw error;
    }
  }

  return {
    isOn: true,
    open,
    span,
    childSpan: (name, options, work) => (contexts.getStore() === undefined ? work() : span(name, options, work)),
    logFields() {
      const context = contexts.getStore();
      const current = context && trace.getSpanContext(context);
      return current ? { trace_id: current.traceId, span_id: current.spanId } : {};
    },
    exportMetrics(registry: Registry) {
      registry.registerMetric(watch.counter);
      const reader = new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter(target('metrics')),
        exportIntervalMillis: settings.metricIntervalMs,
        exportTimeoutMillis: Math.min(settings.timeoutMs, settings.metricIntervalMs),
        metricProducers: [createProducer(registry, resource)],
      });
      meters.push(new MeterProvider({ resource, readers: [reader] }));
    },
    async close() {
      const closing = Promise.allSettled([provider.shutdown(), ...meters.map((meter) => meter.shutdown())]);
      await Promise.race([closing, sleep(CLOSE_WITHIN_MS, undefined, { ref: false })]);
    },
  };
}

/** The caller's trace, if the header is valid by W3C Trace Context; `tracestate` is not kept. */
function readParent(header: string): Context | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(header) ?? [];
  if (traceId === undefined) return undefined;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

/** Counts exports by outcome, and logs once when the collector goes away instead of for every export. */
function watchExports(onTrouble: (message: string) => void) {
  const counter = new Counter({
    name: 'platbook_telemetry_exports_total',
    help: 'Portions of spans sent to the collector, by outcome.',
    labelNames: ['outcome'],
    registers: [],
  });
  let isFailing = false;
  const spans = (exporter: SpanExporter): SpanExporter => ({
    export: (portion, done) =>
      exporter.export(portion, (result) => {
        const isSent = result.code === 0;
        counter.inc({ outcome: isSent ? 'sent' : 'failed' });
        if (!isSent && !isFailing) onTrouble('the telemetry collector does not take spans; they are dropped');
        isFailing = !isSent;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  });
  return { counter, spans };
}
