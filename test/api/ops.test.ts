// The alerts and the dashboard speak of metrics that a running server shows, in PromQL that parses, and every alert has
// its section in the runbook.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parser } from '@prometheus-io/lezer-promql';
import { load } from 'js-yaml';
import { MEASURES } from '../../src/base/measures/measures.ts';
import { runSchedule } from '../../src/worker.ts';
import { makeCertificate } from '../certificate.ts';
import { startCollector } from '../collector.ts';
import { testClient } from '../harness.ts';
import { until } from '../until.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Rule {
  record?: string;
  alert?: string;
  expr: string;
  labels?: Record<string, string>;
  annotations?: { summary?: string; runbook?: string };
}
const rules = (load(read('ops/prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);
interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; refId: string }[];
}
const dashboard = JSON.parse(read('ops/grafana/platbook.json')) as {
  schemaVersion: number;
  panels: Panel[];
  templating: { list: { name: string; type: string }[] };
};
const panels = dashboard.panels.filter(({ type }) => type !== 'row');
const expressions = [
  ...rules.map((rule) => [rule.alert ?? rule.record!, rule.expr] as const),
  ...panels.flatMap(({ title, targets }) =>
    targets!.map(({ expr }) => [title, expr.replaceAll('$__rate_interval', '5m')] as const),
  ),
];

/** Added by Prometheus itself, or by a scrape's configuration. */
const ADDED_LABELS = ['instance', 'job', 'le'];
/** Shown with a replica or with several processes: e2e/replica and e2e/processes see them. */
const SHOWN_BY_MANY = ['platbook_replica_in_use', 'platbook_process_restarts_total'];
const isOutside = (name: string) => name === 'up' || name.startsWith('platbook:') || SHOWN_BY_MANY.includes(name);

/** The metrics of an expression with the labels it names, and the labels it groups by. */
function namesIn(expr: string) {
  const metrics: { name: string; labels: string[] }[] = [];
  const groups: string[] = [];
  const text = (node: { from: number; to: number }) => expr.slice(node.from, node.to);
  parser.parse(expr).iterate({
    enter(node) {
      assert.equal(node.type.isError, false, `${expr} at ${node.from}`);
      if (node.name === 'GroupingLabels') groups.push(...node.node.getChildren('LabelName').map(text));
      if (node.name !== 'VectorSelector') return;
      const matchers = node.node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
      metrics.push({
        name: text(node.node.getChild('Identifier')!),
        labels: matchers.map((matcher) => text(matcher.getChild('LabelName')!)),
      });
    },
  });
  return { metrics, groups };
}

/** What the server shows, after every kind of thing has happened once. */
async function scrape(): Promise<Map<string, Set<string>>> {
  const folder = mkdtempSync(join(tmpdir(), 'platbook-ops-'));
  const { cert, key } = await makeCertificate('ops');
  writeFileSync(join(folder, 'cert.pem'), cert);
  writeFileSync(join(folder, 'key.pem'), key);
  const collector = await startCollector();
  const api = await testClient({
    settings: {
      TLS_CERT: join(folder, 'cert.pem'),
      TLS_KEY: join(folder, 'key.pem'),
      PLATBOOK_HOME: folder,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    },
  });
  const { data, control, clock } = api.deps;
  await data.query(`insert into markets (id, name, state) values ('town', 'Town', 'WI')`);
  await data.query(
    `insert into sources (id, name, publisher, licence, attribution, cadence) values ('roll', 'Roll', 'Town', 'open', 'Town', 'weekly')`,
  );
  await data.query(
    `insert into loads (source_id, market, state, started_at, finished_at) values ('roll', 'town', 'completed', $1, $1), ('roll', 'town', 'failed', $1, $1)`,
    [clock()],
  );
  await control.query(
    `insert into backups (id, target, is_scheduled, state, started_at, finished_at) values ('backup_1', '/x', true, 'finished', $1, $1)`,
    [clock()],
  );
  assert.equal((await api.get('/plans', { key: api.liveKey })).status, 200);
  await control.query('alter table batches rename to batches_away');
  assert.equal((await api.get('/batches', { key: api.liveKey })).status, 500);
  await assert.rejects(runSchedule(api.deps, 'tidy-batches'));
  await control.query('alter table batches_away rename to batches');
  await control.query(`insert into status_minutes (minute, component, probes) values ($1, 'api', 1)`, [
    new Date(clock().getTime() - 120_000),
  ]);
  await runSchedule(api.deps, 'measure');
  let text = '';
  await until(async () => {
    ({ text } = await api.get('//metrics', { key: null }));
    return text.includes('platbook_telemetry_exports_total{') && text.includes('platbook_queue_age_seconds{');
  });
  const shown = new Map<string, Set<string>>();
  for (const [, name, labels = ''] of text.matchAll(/^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/gm)) {
    const known = shown.get(name) ?? new Set();
    for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label);
    shown.set(name, known);
  }
  return shown;
}
const shown = await scrape();

describe('metrics that alerts and dashboard name', () => {
  for (const [title, expr] of expressions) {
    it(`${title}: ${expr.replace(/\s+/g, ' ').slice(0, 70)}`, () => {
      const { metrics, groups } = namesIn(expr);
      assert.ok(metrics.length > 0);
      const labels = new Set(ADDED_LABELS);
      for (const { name, labels: matched } of metrics) {
        if (isOutside(name)) {
          for (const label of ['plan', 'job', ...matched]) labels.add(label);
          continue;
        }
        assert.ok(shown.has(name), `${name} is not shown by /metrics`);
        for (const label of shown.get(name)!) labels.add(label);
        for (const label of matched)
          assert.ok(shown.get(name)!.has(label) || ADDED_LABELS.includes(label), `${name}{${label}}`);
      }
      for (const label of groups) assert.ok(labels.has(label), `by (${label})`);
    });
  }

  it('every rule that is recorded is used, and only those', () => {
    const recorded = new Set(rules.flatMap(({ record }) => record ?? []));
    const used = expressions.flatMap(([, expr]) =>
      namesIn(expr).metrics.flatMap(({ name }) => (name.includes(':') ? [name] : [])),
    );
    assert.deepEqual([...new Set(used)].sort(), [...recorded].sort());
  });

  it('everything the service measures as a whole is on the dashboard or in an alert', () => {
    const named = new Set(expressions.flatMap(([, expr]) => namesIn(expr).metrics.map(({ name }) => name)));
    assert.deepEqual(
      Object.keys(MEASURES).filter((name) => !named.has(name)),
      [],
    );
  });
});

describe('alerts', () => {
  it('each says what is wrong, how urgent it is, and where to read on', () => {
    const runbook = read('docs/internals/runbook.md');
    const sections = [...runbook.matchAll(/^## (.+)$/gm)].map(([, title]) => title.toLowerCase().replaceAll(' ', '-'));
    for (const { alert, labels, annotations } of rules.filter((rule) => rule.alert !== undefined)) {
      assert.ok(['page', 'ticket'].includes(labels?.severity ?? ''), alert);
      assert.ok((annotations?.summary ?? '').length > 10, alert);
      const [file, section] = (annotations?.runbook ?? '').split('#');
      assert.equal(file, 'docs/internals/runbook.md', alert);
      assert.ok(sections.includes(section), `${alert}: ${section}`);
    }
  });

  const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
  for (const args of [
    ['check', 'rules', 'alerts.yml'],
    ['check', 'config', 'prometheus.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ])
    it(`promtool ${args.join(' ')}`, { skip: hasPromtool ? false : 'promtool is not installed' }, () => {
      const { status, stdout, stderr } = spawnSync('promtool', args, {
        cwd: join(ROOT, 'ops/prometheus'),
        encoding: 'utf8',
      });
      assert.equal(status, 0, stdout + stderr);
    });
});

describe('the dashboard', () => {
  it('has what Grafana needs: ids, places that do not overlap, a data source to choose', () => {
    assert.ok(dashboard.schemaVersion >= 36);
    assert.deepEqual(
      dashboard.templating.list.map(({ name, type }) => [name, type]),
      [['datasource', 'datasource']],
    );
    const { panels: all } = dashboard;
    assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
    for (const a of all) {
      const { x, w } = a.gridPos;
      assert.ok(x >= 0 && x + w <= 24, a.title);
      for (const b of all) {
        if (a === b) continue;
        const isApart =
          a.gridPos.x + a.gridPos.w <= b.gridPos.x ||
          b.gridPos.x + b.gridPos.w <= a.gridPos.x ||
          a.gridPos.y + a.gridPos.h <= b.gridPos.y ||
          b.gridPos.y + b.gridPos.h <= a.gridPos.y;
        assert.ok(isApart, `${a.title} and ${b.title}`);
      }
    }
    for (const { title, targets } of panels)
      assert.equal(new Set(targets!.map(({ refId }) => refId)).size, targets!.length, title);
  });
});
