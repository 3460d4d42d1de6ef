// The floor plan: which room may import which, who may touch SQL, Fastify and the environment. ARCHITECTURE.md draws it.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Rooms from the ground up. A room imports from the floors below its own, never from above, never from next door. */
const FLOORS: string[][] = [
  ['lib', 'math'],
  ['telemetry'],
  ['config.ts', 'version.ts', 'log.ts', 'progress.ts', 'avm', 'paper'],
  ['db'],
  ['deps.ts'],
  ['squares'],
  ['http', 'events', 'audit', 'ingest', 'measures', 'processes'],
  ['accounts', 'sandbox'],
  ['markets', 'status'],
  ['properties'],
  ['address', 'risk', 'usage', 'preview', 'tiles'],
  ['valuations', 'people', 'title'],
  ['training', 'billing', 'sso', 'analytics', 'support', 'places'],
  ['changes', 'reports', 'quality'],
  ['watchlists', 'webhooks', 'batches', 'exports', 'counties', 'backup', 'jobs'],
  ['gate'],
  ['docs', 'mcp'],
  ['open.ts', 'build-web.ts', 'prepare-sandbox.ts', 'refresh.ts'],
  ['perform-job.ts'],
  ['app.ts', 'perform-apart.ts', 'county-step.ts', 'with-deps.ts'],
  ['worker.ts'],
  ['member.ts', 'market-job.ts'],
  ['commands'],
  ['main.ts'],
];
/** The same rule inside a room: these folders from the ground up, with the room's own files on top of them. */
const INNER_FLOORS: Record<string, string[]> = {
  analytics: ['index'],
  address: ['facts', 'parse', 'match', 'store'],
  billing: ['providers'],
  ingest: ['fetch', 'read', 'map', 'recipe', 'scaffold', 'write'],
  reports: ['pages'],
  sandbox: ['world'],
  avm: ['earlier', 'columns'],
  training: ['fit'],
  valuations: ['grid'],
};
const MOST_FILES = 20;

interface Import {
  file: string;
  target: string;
}

const files = globSync('src/**/*.ts', { cwd: ROOT }).map((file) => relative('src', file));
const read = (file: string) => readFileSync(join(ROOT, 'src', file), 'utf8');
/** Type-only imports count: a type is knowledge of another room as well. */
const imports: Import[] = files
  .flatMap((file) =>
    [...read(file).matchAll(/^(?:import|export)\s[^;]*?from '(\.[^']+)';|import\('(\.[^']+)'\)/gms)].map(
      ([, fixed, lazy]) => ({ file, target: relative('.', join(dirname(file), fixed ?? lazy)) }),
    ),
  )
  .filter(({ target }) => !target.startsWith('..'));

const roomOf = (file: string) => (file.includes('/') ? file.split('/')[0] : file);
const floorOf = (room: string) => FLOORS.findIndex((floor) => floor.includes(room));
const arrows = (list: Import[]) => list.map(({ file, target }) => `${file} -> ${target}`);

/** Files that lie directly in a room are its doors, but for its queries and its routes. */
function isDoor(target: string): boolean {
  const [, name, ...deeper] = target.split('/');
  return deeper.length === 0 && !/(^|-)(sql|routes)\.ts$/.test(name);
}

describe('the floor plan', () => {
  it('has a place for every file', () => {
    assert.deepEqual(
      files.filter((file) => floorOf(roomOf(file)) < 0),
      [],
    );
  });

  it('lets a room import downstairs only', () => {
    const wrong = imports.filter(
      ({ file, target }) => roomOf(file) !== roomOf(target) && floorOf(roomOf(target)) >= floorOf(roomOf(file)),
    );
    assert.deepEqual(arrows(wrong), []);
  });

  it('lets a room be entered by its doors only; app.ts alone registers routes', () => {
    const wrong = imports.filter(({ file, target }) => {
      if (!target.includes('/') || roomOf(file) === roomOf(target) || isDoor(target)) return false;
      return !(file === 'app.ts' && /^[^/]+\/([\w-]+-)?routes\.ts$/.test(target));
    });
    assert.deepEqual(arrows(wrong), []);
  });

  it('holds inside a room what it holds between rooms', () => {
    const folderOf = (file: string) => (file.split('/').length > 2 ? file.split('/')[1] : undefined);
    const wrong = imports.filter(({ file, target }) => {
      const inner = INNER_FLOORS[roomOf(file)];
      const [from, to] = [folderOf(file), folderOf(target)];
      if (!inner || roomOf(file) !== roomOf(target) || from === undefined || to === undefined) return false;
      return inner.indexOf(to) > inner.indexOf(from);
    });
    assert.deepEqual(arrows(wrong), []);
    const folders = files.flatMap((file) => folderOf(file) ?? []);
    assert.deepEqual(new Set(folders), new Set(Object.values(INNER_FLOORS).flat()));
  });

  it('has no cycles between files, types included', () => {
    const graph = Map.groupBy(imports, (item) => item.file);
    const done = new Set<string>();
    const visit = (file: string, path: string[]): void => {
      assert.equal(path.includes(file), false, `cycle: ${[...path, file].join(' -> ')}`);
      if (done.has(file)) return;
      for (const { target } of graph.get(file) ?? []) visit(target, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
  });

  it('keeps a room small enough to read on one screen', () => {
    const folders = Map.groupBy(files, (file) => dirname(file));
    const crowded = [...folders].filter(([, list]) => list.length > MOST_FILES).map(([folder]) => folder);
    assert.deepEqual(crowded, []);
  });

  it('has no barrels: a file re-exports only what could not be entered otherwise, queries and inner folders', () => {
    const reExports = files.flatMap((file) =>
      [...read(file).matchAll(/^export\s[^;]*?from '(\.[^']+)';/gms)].map(([, path]) => ({
        file,
        target: relative('.', join(dirname(file), path)),
      })),
    );
    assert.deepEqual(arrows(reExports.filter(({ target }) => isDoor(target))), []);
  });
});

describe('things that have one keeper', () => {
  const holding = (pattern: RegExp) => files.filter((file) => pattern.test(read(file)));

  it('the environment is read in config.ts', () => {
    assert.deepEqual(holding(/process\.env\b/), ['config.ts']);
  });

  it('SQL stands in sql files and db/', () => {
    const wrong = holding(/\.query(<[^(]*>)?\(\s*(`|'|"|\{)/).filter((file) => !/(^db\/|sql\.ts$)/.test(file));
    assert.deepEqual(wrong, []);
  });

  it('what lives as long as the process is made in open.ts: no map is keyed by a pool', () => {
    assert.deepEqual(holding(/new WeakMap<(Pool|object)\b/), []);
  });

  it('there is no index.ts, no default export, no enum', () => {
    assert.deepEqual(
      files.filter((file) => /(^|\/)index\.ts$/.test(file)),
      [],
    );
    assert.deepEqual(holding(/^export default /m), []);
    assert.deepEqual(holding(/^(export )?(const )?enum /m), []);
  });

  it('every file begins by saying what it is', () => {
    const silent = files.filter((file) => !/^\/\/ \S/.test(read(file)));
    assert.deepEqual(silent, []);
  });
});
