// Two advisory locks with the same number would wait for each other forever, so all numbers are in one list.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ADVISORY_LOCKS } from '../../src/base/db/advisory-locks.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

it('every advisory lock has a number of its own, from the list', () => {
  const numbers = Object.values(ADVISORY_LOCKS);
  assert.equal(new Set(numbers).size, numbers.length);
  const users = globSync('src/**/*.ts', { cwd: ROOT }).filter((file) =>
    /advisory_(xact_)?lock/.test(readFileSync(`${ROOT}/${file}`, 'utf8')),
  );
  assert.ok(users.length >= 4, users.join(', '));
  for (const file of users) {
    const text = readFileSync(`${ROOT}/${file}`, 'utf8');
    const isHashed = /advisory_(xact_)?lock\((hashtext|hashtextextended)/.test(text);
    assert.ok(isHashed || /ADVISORY_LOCKS[.[]/.test(text), `${file} takes a lock that is not in the list`);
  }
});
