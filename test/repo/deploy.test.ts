// What deploy/ says about the program is true of it: commands, settings, files, and the version of Node.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import { SETTINGS } from '../../src/base/config.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const commands = Object.keys(JSON.parse(read('src/operate/commands/commands.json')) as object);
const isSetting = (name: string) => name in SETTINGS;

interface Service {
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  depends_on?: string[] | Record<string, { condition: string }>;
  volumes?: string[];
}

describe('the image', () => {
  const dockerfile = read('deploy/Dockerfile');
  const ignored = read('deploy/Dockerfile.dockerignore').trim().split('\n');

  it('has the Node that the program asks for, and starts a command of the program', () => {
    const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> };
    const major = devDependencies['@types/node'].split('.')[0];
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    assert.deepEqual(new Set(bases), new Set([`node:${major}-bookworm-slim`]));
    const [entry, command] = [/^ENTRYPOINT (.*)$/m, /^CMD (.*)$/m].map(
      (line) => JSON.parse(line.exec(dockerfile)![1]) as string[],
    );
    assert.ok(existsSync(entry.at(-1)!.replace('/app', ROOT)));
    assert.ok(commands.includes(command[0]));
  });

  it('runs as nobody in particular, with settings that exist', () => {
    assert.match(dockerfile, /^USER 10001$/m);
    const names = [...dockerfile.matchAll(/^ENV (.*)$/gm)].flatMap(([, line]) =>
      [...line.matchAll(/(\w+)=/g)].map(([, name]) => name),
    );
    assert.deepEqual(
      names.filter((name) => !isSetting(name)),
      [],
    );
  });

  it('leaves out nothing that the program reads', () => {
    for (const needed of ['src', 'sources', 'sandbox', 'db', 'docs', 'sdk', 'web', 'openapi.json', 'package-lock.json'])
      assert.equal(ignored.includes(needed), false, needed);
    for (const left of ['.git', 'node_modules', 'test', '.platbook']) assert.ok(ignored.includes(left), left);
  });
});

describe('the compose file', () => {
  const text = read('deploy/compose.yaml');
  const { services, volumes } = parse(text, { merge: true }) as {
    services: Record<string, Service>;
    volumes: Record<string, unknown>;
  };
  const own = Object.entries(services).filter(([, { image }]) => image === 'platbook');

  it('runs commands of the program with settings that exist', () => {
    assert.deepEqual(
      own.map(([name]) => name),
      ['migrate', 'api', 'worker'],
    );
    for (const [name, { command, environment }] of own) {
      assert.ok(commands.includes(command![0]), name);
      assert.deepEqual(
        Object.keys(environment!).filter((setting) => !isSetting(setting)),
        [],
      );
      assert.equal(environment!.MIGRATE_ON_START, 'false');
    }
    assert.equal(services.api.environment!.WORKER, 'false');
  });

  it('names services, volumes and variables that are there', () => {
    for (const { depends_on: others = [], volumes: mounts = [] } of Object.values(services)) {
      for (const other of Array.isArray(others) ? others : Object.keys(others)) assert.ok(other in services, other);
      for (const mount of mounts) assert.ok(mount.split(':')[0] in volumes, mount);
    }
    const explained = [...read('deploy/compose.env.example').matchAll(/^(\w+)=/gm)].map(([, name]) => name);
    const used = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name));
    assert.deepEqual(used, new Set(explained));
  });
});

describe('the units of systemd', () => {
  for (const file of globSync('deploy/systemd/*', { cwd: ROOT })) {
    it(file, () => {
      const text = read(file);
      const runs = [...text.matchAll(/^ExecStart(?:Pre)?=.* (\S+\.ts) (\w+)$/gm)];
      assert.ok(runs.length > 0);
      for (const [, script, command] of runs) {
        assert.ok(existsSync(join(ROOT, script)));
        assert.ok(commands.includes(command));
      }
      const names = [.../^Environment=(.*)$/m.exec(text)![1].matchAll(/(\w+)=/g)].map(([, name]) => name);
      assert.deepEqual(
        names.filter((name) => !isSetting(name)),
        [],
      );
    });
  }
});

describe('the chart', () => {
  const chart = join(ROOT, 'deploy/helm/platbook');

  it('knows the version and settings of the program', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    assert.equal((parse(read('deploy/helm/platbook/Chart.yaml')) as { appVersion: string }).appVersion, version);
    const { settings } = parse(read('deploy/helm/platbook/values.yaml')) as { settings: Record<string, string> };
    const templates = globSync('deploy/helm/platbook/templates/*.yaml', { cwd: ROOT }).map(read).join('\n');
    const named = [...templates.matchAll(/- name: ([A-Z_]+)$/gm)].map(([, name]) => name);
    const wrong = [...Object.keys(settings), ...named].filter((name) => !isSetting(name));
    assert.deepEqual(wrong, []);
    const args = [...templates.matchAll(/args: \[(\w+)\]/g)].map(([, name]) => name);
    assert.deepEqual(args.toSorted(), ['migrate', 'start', 'worker']);
  });

  it('uses only values and templates that exist', () => {
    const values = parse(read('deploy/helm/platbook/values.yaml')) as Record<string, unknown>;
    const text = globSync('deploy/helm/platbook/templates/*', { cwd: ROOT }).map(read).join('\n');
    for (const [, path] of text.matchAll(/\.Values\.([\w.]+)/g)) {
      const found = path
        .split('.')
        .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], values);
      assert.notEqual(found, undefined, path);
    }
    const defined = new Set([...text.matchAll(/define "([\w.]+)"/g)].map(([, name]) => name));
    const included = new Set([...text.matchAll(/include "([\w.]+)"/g)].map(([, name]) => name));
    assert.deepEqual(included, defined);
  });

  const hasHelm = spawnSync('helm', ['version']).status === 0;
  it('is rendered to whole objects', { skip: !hasHelm && 'helm is not installed' }, () => {
    const { status, stdout, stderr } = spawnSync('helm', ['template', 'test', chart], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    const objects = parseAllDocuments(stdout).map((document) => document.toJS() as { kind: string });
    assert.deepEqual(new Set(objects.map(({ kind }) => kind)), KINDS);
  });
});

const KINDS = new Set([
  'ConfigMap',
  'Deployment',
  'Ingress',
  'Job',
  'PersistentVolumeClaim',
  'PodDisruptionBudget',
  'Service',
]);
