// The usage journal on a disk that is full, and what a killed process leaves in it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import {
  journalPath,
  openJournal,
  readJournal,
  readOpenPromises,
  type JournalLine,
} from '../../src/customers/usage/journal.ts';

const folder = mkdtempSync(join(tmpdir(), 'platbook-journal-'));
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]).status === 0;
after(() => {
  if (mounted) spawnSync('umount', ['-l', folder]);
  rmSync(folder, { recursive: true, force: true });
});

const line = (request: string): JournalLine => ({
  t: 1,
  a: 'acct',
  k: 'key',
  m: 'live',
  r: request,
  v: 'GET',
  p: '/x',
  s: 200,
  d: 1,
  c: { m: 'standard', u: 1, p: 0 },
});

describe('the usage journal', () => {
  it(
    'ends with a whole line when the disk is full, and goes on when it is not',
    { skip: !mounted && 'needs root' },
    () => {
      const journal = openJournal(folder, 'full');
      const ballast = join(folder, 'ballast');
      writeFileSync(ballast, Buffer.alloc(56 * 1024));
      let written = 0;
      assert.throws(() => {
        for (; ; written++) journal.append(line(`request-${written}`));
      });
      assert.throws(() => journal.append(line('refused')));
      rmSync(ballast);
      journal.append(line('last'));
      const { entries, to } = readJournal(folder, 'full', 0);
      assert.deepEqual(
        entries.map(({ r }) => r),
        [...Array.from({ length: written }, (_, n) => `request-${n}`), 'last'],
      );
      assert.equal(to, journal.size());
    },
  );

  it('writes a line that can wait with the next one, or when settled', () => {
    const journal = openJournal(folder, 'later');
    const read = () => readJournal(folder, 'later', 0).entries.map(({ r }) => r);
    journal.appendLater(line('first'));
    journal.appendLater(line('second'));
    assert.deepEqual(read(), []);
    assert.equal(journal.size(), 0);
    journal.append(line('third'));
    assert.deepEqual(read(), ['first', 'second', 'third']);
    journal.appendLater(line('fourth'));
    journal.settle();
    journal.settle();
    assert.deepEqual(read(), ['first', 'second', 'third', 'fourth']);
    assert.equal(readJournal(folder, 'later', 0).to, journal.size());
  });

  it('keeps lines that can wait while the disk is full', { skip: !mounted && 'needs root' }, () => {
    const journal = openJournal(folder, 'waits');
    const ballast = join(folder, 'ballast');
    journal.appendLater(line('first'));
    try {
      writeFileSync(ballast, Buffer.alloc(64 * 1024));
    } catch {
      // As much as fits.
    }
    assert.throws(() => journal.settle());
    assert.throws(() => journal.append(line('refused')));
    rmSync(ballast);
    journal.append(line('last'));
    assert.deepEqual(
      readJournal(folder, 'waits', 0).entries.map(({ r }) => r),
      ['first', 'last'],
    );
  });

  it('finds the open promises of a killed process, neither kept nor withdrawn', () => {
    const journal = openJournal(folder, 'killed');
    for (const n of [1, 2, 3]) journal.append({ n, o: line(`promised-${n}`) });
    journal.append({ ...line('promised-1'), n: 1 });
    journal.append({ ...line('promised-2'), s: 499, c: undefined, n: 2 });
    appendFileSync(journalPath(folder, 'killed'), '{"n":4,"o":{"t":1,');
    assert.deepEqual(
      readJournal(folder, 'killed', 0).entries.map(({ r, s }) => [r, s]),
      [
        ['promised-1', 200],
        ['promised-2', 499],
      ],
    );
    assert.deepEqual(
      readOpenPromises(folder, 'killed').map(({ r, id }) => [r, id]),
      [['promised-3', 'killed:promise:3']],
    );
  });
});
