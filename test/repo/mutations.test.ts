// The list of mutations fits the sources: every line to break is there, exactly once, and so are the tests that should notice.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { GROUPS } from '../mutations/mutations.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('the list of mutations', () => {
  it('breaks something in every room', () => {
    const rooms = globSync('src/*/*/', { cwd: ROOT }).map((room) => room.replace(/\/$/, ''));
    const broken = new Set(GROUPS.map(({ file }) => file.split('/').slice(0, 3).join('/')));
    assert.ok(rooms.length > 30);
    assert.deepEqual(
      rooms.filter((room) => !broken.has(room)),
      [],
    );
  });

  it('has at least 250, none of them twice', () => {
    const names = GROUPS.flatMap(({ file, mutations }) =>
      mutations.map(({ find, replace }) => [file, find, replace].join('\n')),
    );
    assert.ok(names.length >= 250, `${names.length}`);
    assert.equal(new Set(names).size, names.length);
  });

  for (const { file, tests, mutations } of GROUPS) {
    it(`${file}: each line to break is there once`, () => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      for (const { find, replace, breaks } of mutations) {
        assert.equal(text.split(find).length - 1, 1, find);
        assert.notEqual(find, replace);
        assert.notEqual(breaks, '');
      }
      assert.ok(tests.length > 0);
      for (const test of tests) assert.ok(existsSync(join(ROOT, test)), test);
    });
  }
});
