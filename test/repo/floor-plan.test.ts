// The floor plan: which room may import which, and who may touch SQL and the environment. ARCHITECTURE.md draws it.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { drawWings, WINGS } from '../wings.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Rooms from the ground up, as `wing/room` or `wing/file.ts`; the three tables of contents lie in src/ itself. */
const FLOORS = Object.entries(WINGS).flatMap(([wing, { rooms }]) =>
  Object.keys(rooms).map((room) => (room.startsWith('../') ? room.slice(3) : `${wing}/${room}`)),
);
/** The same rule inside a room: these folders from the ground up, with the room's own files on top of them. */
const INNER_FLOORS: Record<string, string[]> = {
  'insight/analytics': ['index'],
  'records/address': ['facts', 'parse', 'match', 'store'],
  'customers/billing': ['providers'],
  'supply/examination': ['checks'],
  'supply/ingest': ['fetch', 'read', 'map', 'recipe', 'scaffold', 'write'],
  'delivery/reports': ['pages'],
  'insight/avm': ['columns'],
  'insight/training': ['fit'],
  'insight/valuations': ['grid'],
};
/** A larger room says why it is one room. */
const USUAL_LINES = 2_500;

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

const roomOf = (file: string) => file.split('/').slice(0, 2).join('/');
const floorOf = (room: string) => FLOORS.indexOf(room);
const arrows = (list: Import[]) => list.map(({ file, target }) => `${file} -> ${target}`);

/** Files that lie directly in a room are its doors, but for its routes. */
function isDoor(target: string): boolean {
  const [, , name = '', ...deeper] = target.split('/');
  return deeper.length === 0 && !/(^|-)routes\.ts$/.test(name);
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
      if (roomOf(file) === roomOf(target) || target === roomOf(target) || isDoor(target)) return false;
      return !(file === 'app.ts' && /^[^/]+\/[^/]+\/([\w-]+-)?routes\.ts$/.test(target));
    });
    assert.deepEqual(arrows(wrong), []);
  });

  it('holds inside a room what it holds between rooms', () => {
    const folderOf = (file: string) => (file.split('/').length > 3 ? file.split('/')[2] : undefined);
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

  it('has a reason for every room over 2,500 lines, in one of its doors', () => {
    const unexplained = [...Map.groupBy(files, roomOf)]
      .filter(([, list]) => list.reduce((sum, file) => sum + read(file).split('\n').length, 0) > USUAL_LINES)
      .filter(([, list]) => !list.some((file) => isDoor(file) && /^\/\/ One room because /m.test(read(file))))
      .map(([room]) => room);
    assert.deepEqual(unexplained, []);
  });

  it('is what ARCHITECTURE.md draws (node test/wings.ts)', () => {
    const document = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
    assert.equal(document.includes('<!-- wings -->'), true);
    assert.equal(document, drawWings(document));
  });

  it('has no barrels: a file re-exports only from inner folders, which could not be entered otherwise', () => {
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
    assert.deepEqual(holding(/process\.env\b/), ['base/config.ts']);
  });

  it('SQL stands in sql files and db/', () => {
    const statement = /\.query(<[^(]*>)?\(\s*(`|'|"|\{)|^import .* from '.*\/db\/(rows|statements)\.ts';/m;
    const wrong = holding(statement).filter((file) => !/(^base\/db\/|sql\.ts$)/.test(file));
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
