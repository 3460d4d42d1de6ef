// Metrics of several processes as one text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Counter, Gauge, Registry } from 'prom-client';
import { mergeMetrics } from '../../src/base/processes/metrics-text.ts';

async function textOf(process: string, extra: boolean): Promise<string> {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  const calls = new Counter({ name: 'calls_total', help: 'Calls.', labelNames: ['code'], registers: [registry] });
  calls.inc({ code: '200' }, 3);
  if (extra) new Gauge({ name: 'extra', help: 'One has it.\nOn two lines.', registers: [registry] }).set(7);
  return registry.metrics();
}

test('a metric is described once, and followed by the samples of every process', async () => {
  assert.equal(
    mergeMetrics([await textOf('api-1', false), await textOf('api-2', true), '']),
    `# HELP calls_total Calls.
# TYPE calls_total counter
calls_total{code="200",process="api-1"} 3
calls_total{code="200",process="api-2"} 3

# HELP extra One has it.\\nOn two lines.
# TYPE extra gauge
extra{process="api-2"} 7
`,
  );
  assert.equal(mergeMetrics([]), '');
});
