// A small OpenTelemetry collector on this machine: records the spans and metrics it receives, and can misbehave.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

type Value = { stringValue?: string; intValue?: number | string; doubleValue?: number; boolValue?: boolean };
type Facts = Record<string, string | number | boolean | undefined>;

export interface CollectedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  kind: number;
  isError: boolean;
  facts: Facts;
  resource: Facts;
}

export interface CollectedPoint {
  name: string;
  kind: 'sum' | 'gauge' | 'histogram';
  facts: Facts;
  value: number;
}

export interface Collector {
  url: string;
  /** Every raw body. */
  bodies: string[];
  headers: Record<string, string | string[] | undefined>[];
  spans: CollectedSpan[];
  points: CollectedPoint[];
  /** Replaces normal handling. */
  misbehave: ((response: ServerResponse) => void) | undefined;
  spansOf(name: string): CollectedSpan[];
  traceOf(span: CollectedSpan): CollectedSpan[];
  close(): void;
}

export async function startCollector(): Promise<Collector> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      collector.bodies.push(body);
      collector.headers.push(request.headers);
      if (collector.misbehave) return collector.misbehave(response);
      const read = JSON.parse(body);
      if (request.url === '/v1/traces') collector.spans.push(...readSpans(read));
      else if (request.url === '/v1/metrics') collector.points.push(...readPoints(read));
      return response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies: [],
    headers: [],
    spans: [],
    points: [],
    misbehave: undefined,
    spansOf: (name) => collector.spans.filter((span) => span.name === name),
    traceOf: ({ traceId }) => collector.spans.filter((span) => span.traceId === traceId),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  after(() => collector.close());
  return collector;
}

function factsOf(attributes: { key: string; value: Value }[] = []): Facts {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? value.doubleValue ?? Number(value.intValue),
    ]),
  );
}

function readSpans({ resourceSpans }: any): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }: any) =>
    scopeSpans.flatMap(({ spans }: any) =>
      spans.map((span: any) => ({
        name: span.name,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId || undefined,
        kind: span.kind,
        isError: span.status?.code === 2,
        facts: factsOf(span.attributes),
        resource: factsOf(resource.attributes),
      })),
    ),
  );
}

function readPoints({ resourceMetrics }: any): CollectedPoint[] {
  return resourceMetrics.flatMap(({ scopeMetrics }: any) =>
    scopeMetrics.flatMap(({ metrics }: any) =>
      metrics.flatMap((metric: any) => {
        const kind = metric.sum ? 'sum' : metric.gauge ? 'gauge' : 'histogram';
        return (metric[kind]?.dataPoints ?? []).map((point: any) => ({
          name: metric.name,
          kind,
          facts: factsOf(point.attributes),
          value: Number(kind === 'histogram' ? point.count : (point.asDouble ?? point.asInt)),
        }));
      }),
    ),
  );
}
