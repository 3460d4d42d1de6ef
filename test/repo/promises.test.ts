// What the repository promises about itself: generated files are current, settings, errors, routes and packages are
// written down, the data plane can be distributed by county, nothing private is committed.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SETTINGS } from '../../src/base/config.ts';
import { formatOpenApi } from '../../tools/openapi.ts';
import { withRoutes } from '../../tools/endpoints.ts';
import { describeSchema } from '../../tools/schema.ts';
import { testClient } from '../harness.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const api = await testClient();
const WIDEST_LINE = 100;

describe('generated files are current', () => {
  it('openapi.json (npx platbook openapi)', () => {
    assert.equal(read('openapi.json'), formatOpenApi(api.openApi()));
  });

  it('db/schema.sql (npx platbook schema)', async () => {
    assert.equal(read('db/schema.sql'), await describeSchema(api.deps.data, api.deps.control));
  });

  it('the list of routes (npx platbook endpoints)', () => {
    const document = read('docs/internals/routes.md');
    assert.equal(document, withRoutes(document, api.routes));
    const listed = document.split('\n').filter((line) => /^ {2}(GET|POST|PUT|PATCH|DELETE|OPTIONS) /.test(line));
    assert.equal(listed.length, api.routes.length);
    assert.deepEqual(
      api.routes.filter(({ file }) => !existsSync(join(ROOT, file))),
      [],
    );
  });

  it('.env.example', () => {
    const lines = Object.entries(SETTINGS).map(([name, [fallback, why]]) => `# ${why}\n# ${name}=${fallback}\n`);
    const head = '# Every setting with its default. Copy to the environment what you change.\n\n';
    assert.equal(read('.env.example'), head + lines.join('\n'));
  });
});

describe('docs are complete', () => {
  it('every setting is in docs/internals/operations.md', () => {
    const text = read('docs/internals/operations.md');
    for (const name of Object.keys(SETTINGS)) assert.ok(text.includes(`\`${name}\``), name);
  });

  it('every runtime dependency has its line of why', () => {
    const text = read('docs/decisions/0005-runtime-dependencies.md');
    const { dependencies, optionalDependencies } = JSON.parse(read('package.json'));
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies }))
      assert.ok(text.includes(`\`${name}\``), name);
  });

  it('the root holds documents and settings alone', () => {
    const isSetting = /^(\..*|[A-Z]+\.md|package(-lock)?\.json|tsconfig\.json|openapi\.json|server\.json|LICENSE)$/;
    assert.deepEqual(
      tracked('*').filter((file) => !file.includes('/') && !isSetting.test(file)),
      [],
    );
  });

  it('no line of Markdown needs sideways scrolling in a terminal', () => {
    const wide = tracked('*.md').flatMap((file) =>
      read(file)
        .split('\n')
        .flatMap((line, index) => ([...line].length > WIDEST_LINE ? [`${file}:${index + 1}`] : [])),
    );
    assert.deepEqual(wide, []);
  });

  it('README.md lists every document', () => {
    const readme = read('README.md');
    const missing = tracked('docs/*.md').filter(
      (file) => !readme.includes(`](${file})`) && !/^docs\/(site|decisions)\//.test(file),
    );
    assert.deepEqual(missing, []);
  });

  it('links between documents lead somewhere', () => {
    for (const file of tracked('*.md')) {
      const folder = join(ROOT, file, '..');
      for (const [, link] of read(file).matchAll(/\]\((?!https?:|#|\/)([^)#\s]+)/g)) {
        assert.ok(existsSync(join(folder, link)), `${file}: ${link}`);
      }
    }
  });
});

describe('the data plane can be distributed by county', () => {
  it('every key of a table that is not a reference table contains fips; btree only; no foreign keys, generated columns or geometry', async () => {
    const { rows: indexes } = await api.deps.data.query(
      `select t.relname as table_name, pg_get_indexdef(x.indexrelid) as definition, am.amname as method, x.indisunique as is_unique,
         obj_description(t.oid, 'pg_class') as comment
       from pg_index x join pg_class t on t.oid = x.indrelid join pg_class i on i.oid = x.indexrelid join pg_am am on am.oid = i.relam
       join pg_namespace n on n.oid = t.relnamespace where n.nspname = 'data' and t.relname <> 'migrations'`,
    );
    for (const index of indexes) {
      assert.equal(index.method, 'btree', index.definition);
      const isReference = String(index.comment ?? '').startsWith('reference:');
      if (index.is_unique && !isReference) assert.match(index.definition, /\((.*\b)?fips\b/, index.definition);
    }
    const { rows: odd } = await api.deps.data.query(
      `select conname as what from pg_constraint k join pg_namespace n on n.oid = k.connamespace where n.nspname = 'data' and k.contype = 'f'
       union all select c.relname || '.' || a.attname from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = 'data' and (a.attgenerated <> '' or a.atttypid in ('point'::regtype, 'polygon'::regtype, 'box'::regtype))`,
    );
    assert.deepEqual(odd, []);
  });

  it('neither plane sees the other', async () => {
    await assert.rejects(api.deps.data.query('select 1 from accounts'), /does not exist/);
    await assert.rejects(api.deps.control.query('select 1 from properties'), /does not exist/);
  });
});

describe('outsiders’ linters', () => {
  const text = formatOpenApi(api.openApi());
  const document = join(tmpdir(), `platbook-openapi-${process.pid}.json`);
  writeFileSync(document, text);

  /** Half a minute of a core: a document that a linter has found clean, by the same rules, is not read again. */
  function lintOnce(tool: string, rules: string, args: string[]): void {
    const name = createHash('sha256').update([tool, read(rules), read('package-lock.json'), text].join('\n'));
    const mark = join(ROOT, 'node_modules/.cache/platbook', `${tool}-${name.digest('hex').slice(0, 20)}`);
    if (existsSync(mark)) return;
    const result = run(tool, ['lint', document, ...args]);
    assert.equal(result.status, 0, result.output);
    mkdirSync(dirname(mark), { recursive: true });
    writeFileSync(mark, '');
  }

  it('spectral with the oas and OWASP rule sets reports no error', () => {
    const rules = 'test/repo/spectral.yaml';
    const failing = ['--display-only-failures', '--fail-severity', 'error', '--format', 'text'];
    lintOnce('spectral', rules, ['--ruleset', join(ROOT, rules), ...failing]);
  });

  it('redocly reports no error', () => {
    const rules = 'test/repo/redocly.yaml';
    lintOnce('redocly', rules, ['--config', join(ROOT, rules)]);
  });
});

describe('nothing that does not belong is committed', () => {
  it('no key, no machine path, no download address in the lock file', () => {
    for (const file of tracked('*')) {
      if (/\.(png|ico|woff2)$/.test(file) || !existsSync(join(ROOT, file))) continue;
      const text = read(file);
      assert.doesNotMatch(text, /sk_(live|test)_pb_[0-9A-Za-z]{39}/, file);
      assert.equal(text.includes(`/${'work'}/main`), false, file);
    }
    assert.doesNotMatch(read('package-lock.json'), /"resolved": "http/);
  });
});

function tracked(pattern: string): string[] {
  if (!existsSync(join(ROOT, '.git'))) return [];
  return execFileSync('git', ['ls-files', '--', pattern], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && existsSync(join(ROOT, file)));
}

function run(tool: string, args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'node_modules/.bin', tool), ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  return { status, output: `${stdout}${stderr}` };
}
