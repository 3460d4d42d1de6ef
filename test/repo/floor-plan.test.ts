// The floor plan: which room may import which, who may touch SQL, Fastify and the environment. ARCHITECTURE.md draws it.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Rooms from the ground up. A room imports from floors below its own, never from above, never from next door. */
const FLOORS: string[][] = [
  ['lib'],
  ['config.ts', 'version.ts', 'log.ts', 'progress.ts'],
  ['db'],
  ['deps.ts'],
  ['events', 'audit'],
  ['accounts', 'sandbox'],
  ['properties'],
  ['address'],
  ['risk', 'valuations', 'usage', 'ingest'],
  ['training', 'people'],
  ['billing'],
  ['changes'],
  ['webhooks', 'batches', 'exports'],
  ['http'],
  ['docs', 'mcp'],
];
/** The top of the house: these put rooms together and may import anything. */
const TOP = new Set([
  'app.ts',
  'worker.ts',
  'main.ts',
  'commands/start.ts',
  'open.ts',
  'operate.ts',
  'load-commands.ts',
  'commands/admin.ts',
  'prepare-sandbox.ts',
  'build-web.ts',
]);
/** Doors that other rooms may use beside `<room>.ts` and `schema.ts`: pure files and shared readers of a room. */
const DOORS: Record<string, string[]> = {
  properties: [
    'catalog.ts',
    'filter.ts',
    'search.ts',
    'record.ts',
    'formats.ts',
    'parameters.ts',
    'markets.ts',
    'routes.ts',
    'geometry.ts',
    'tiles.ts',
    'matches.ts',
  ],
  events: ['kinds.ts'],
  accounts: ['key-format.ts', 'plans.ts', 'scopes.ts', 'addresses.ts'],
  sandbox: ['fixtures.ts', 'dates.ts'],
  valuations: ['interval.ts', 'market-store.ts'],
  people: ['cookie.ts', 'team.ts'],
};
/** `http/types.ts` describes the app to every routes.ts; nothing else of http is known downstairs. */
const OPEN_TO_ROUTES = new Set(['http/types.ts', 'http/errors.ts']);

interface Import {
  file: string;
  target: string;
  isTypeOnly: boolean;
}

const files = globSync('src/**/*.ts', { cwd: ROOT }).map((file) => relative('src', file));
const imports: Import[] = files.flatMap((file) => {
  const text = readFileSync(join(ROOT, 'src', file), 'utf8');
  return [...text.matchAll(/^(?:import|export)\s(type\s)?[^;]*?from '(\.[^']+)';/gms)].map(([, type, path]) => ({
    file,
    target: relative('.', join(dirname(file), path)),
    isTypeOnly: type !== undefined,
  }));
});

const roomOf = (file: string) => (file.includes('/') ? file.split('/')[0] : file);
const floorOf = (room: string) => FLOORS.findIndex((floor) => floor.includes(room));

describe('the floor plan', () => {
  it('has a place for every file', () => {
    const homeless = files.filter((file) => floorOf(roomOf(file)) < 0 && !TOP.has(file));
    assert.deepEqual(homeless, []);
  });

  it('lets a room import downstairs only', () => {
    const wrong = imports.filter(({ file, target }) => {
      if (TOP.has(file) || roomOf(file) === roomOf(target)) return false;
      if (TOP.has(target)) return true;
      if (file.endsWith('routes.ts') && OPEN_TO_ROUTES.has(target)) return false;
      return floorOf(roomOf(target)) >= floorOf(roomOf(file));
    });
    assert.deepEqual(
      wrong.map(({ file, target }) => `${file} -> ${target}`),
      [],
    );
  });

  // Training is the workshop of valuations: they share the code that makes features, so that it cannot be written twice.
  it('lets a room be entered by its doors only', () => {
    const wrong = imports.filter(({ file, target, isTypeOnly }) => {
      const room = roomOf(target);
      if (!target.includes('/') || roomOf(file) === room || ['lib', 'db', 'http'].includes(room)) return false;
      const name = target.slice(room.length + 1);
      if (TOP.has(file) || (roomOf(file) === 'training' && room === 'valuations')) return false;
      if (isTypeOnly && name !== 'sql.ts') return false;
      return name !== `${room}.ts` && name !== 'schema.ts' && !DOORS[room]?.includes(name);
    });
    assert.deepEqual(
      wrong.map(({ file, target }) => `${file} -> ${target}`),
      [],
    );
  });

  it('has no cycles between files', () => {
    const graph = Map.groupBy(
      imports.filter((item) => !item.isTypeOnly),
      (item) => item.file,
    );
    const done = new Set<string>();
    const visit = (file: string, path: string[]): void => {
      assert.equal(path.includes(file), false, `cycle: ${[...path, file].join(' -> ')}`);
      if (done.has(file)) return;
      for (const { target } of graph.get(file) ?? []) visit(target, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
  });
});

describe('things that have one keeper', () => {
  const holding = (pattern: RegExp) =>
    files.filter((file) => pattern.test(readFileSync(join(ROOT, 'src', file), 'utf8')));

  it('the environment is read in config.ts', () => {
    assert.deepEqual(holding(/process\.env\b/), ['config.ts']);
  });

  it('SQL stands in sql files and db/', () => {
    const wrong = holding(/\.query(<[^(]*>)?\(\s*(`|'|"|\{)/).filter((file) => !/(^db\/|sql\.ts$)/.test(file));
    // A readiness probe is no knowledge of the schema.
    assert.deepEqual(
      wrong.filter((file) => !['http/health.ts', 'gate/auth.ts'].includes(file)),
      [],
    );
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
    const silent = files.filter((file) => !/^\/\/ \S/.test(readFileSync(join(ROOT, 'src', file), 'utf8')));
    assert.deepEqual(silent, []);
  });
});
