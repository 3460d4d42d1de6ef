// Spans around requests, statements, jobs, deliveries and valuations. Without a collector, a span is a plain call.
import type { Registry } from 'prom-client';

/** Route templates, statuses, counts and our own names. Never caller data: no address, owner, key, URL or query. */
type SpanFacts = Record<string, string | number | boolean>;

export interface SpanOptions {
  kind?: 'server' | 'client' | 'internal';
  facts?: SpanFacts;
  /** A W3C `traceparent` to continue; the rest of the trace context is ignored. */
  parent?: string;
}

export interface OpenSpan {
  /** Runs a function inside the span: spans opened there are its children, and log lines carry its trace id. */
  enter<Result>(work: () => Result): Result;
  set(facts: SpanFacts): void;
  /** Ends it; `problem` is an error's code, never its message. */
  end(problem?: string): void;
}

export interface TelemetrySettings {
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  timeoutMs: number;
  serviceName: string;
  resourceAttributes: Readonly<Record<string, string>>;
  /** The share of traces that is kept, from 0 to 1. */
  sampledShare: number;
  metricIntervalMs: number;
}

export interface Telemetry {
  isOn: boolean;
  open(name: string, options?: SpanOptions): OpenSpan;
  /** Like `span`, but only inside another, so polling an empty queue creates no trace. */
  childSpan<Result>(name: string, options: SpanOptions, work: () => Promise<Result>): Promise<Result>;
  span<Result>(name: string, options: SpanOptions, work: (span: OpenSpan) => Promise<Result>): Promise<Result>;
  /** Fields that a log line carries while a span is open. */
  logFields(): { trace_id?: string; span_id?: string };
  /** Sends the registry's metrics to the collector as well. */
  exportMetrics(registry: Registry): void;
  /** Sends pending spans and metrics, within a few seconds. */
  close(): Promise<void>;
}

const NO_SPAN: OpenSpan = { enter: (work) => work(), set: () => {}, end: () => {} };
const NO_FIELDS = {};

export const NO_TELEMETRY: Telemetry = {
  isOn: false,
  open: () => NO_SPAN,
  childSpan: (_name, _options, work) => work(),
  span: (_name, _options, work) => work(NO_SPAN),
  logFields: () => NO_FIELDS,
  exportMetrics: () => {},
  close: async () => {},
};

/** A short name for an error: our code, PostgreSQL's or the system's, otherwise its class. */
export function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && code !== '' ? code : error.name;
}
