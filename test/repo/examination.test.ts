// The list of checks in the documentation is the one in the code.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { BEFORE_CHECKS } from '../../src/supply/examination/before.ts';
import { CELL_CHECKS } from '../../src/supply/examination/checks/cells.ts';
import { ROW_CHECKS } from '../../src/supply/examination/checks/rows.ts';
import { WHOLE_CHECKS } from '../../src/supply/examination/checks/whole.ts';

it('docs/internals/examination.md asks what the checks ask', () => {
  const page = readFileSync(new URL('../../docs/internals/examination.md', import.meta.url), 'utf8');
  const checks = [...ROW_CHECKS, ...CELL_CHECKS, ...WHOLE_CHECKS, ...BEFORE_CHECKS];
  const missing = checks.filter(({ id, asks }) => !page.includes(`| \`${id}\` | ${asks} |`)).map(({ id }) => id);
  assert.deepEqual(missing, []);
  assert.equal(new Set(checks.map(({ id }) => id)).size, checks.length, 'an id names one check');
});
