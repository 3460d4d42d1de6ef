// The documentation lists every check of the code with its question.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { BEFORE_CHECKS } from '../../src/supply/examination/before.ts';
import { CELL_CHECKS, WRITTEN_CHECKS } from '../../src/supply/examination/check.ts';
import { ROW_CHECKS } from '../../src/supply/examination/checks/rows.ts';
import { WHOLE_CHECKS } from '../../src/supply/examination/checks/whole.ts';

it('docs/internals/examination.md lists the checks', () => {
  const page = readFileSync(new URL('../../docs/internals/examination.md', import.meta.url), 'utf8');
  const checks = [...ROW_CHECKS, ...CELL_CHECKS, ...WHOLE_CHECKS, ...BEFORE_CHECKS];
  const isListed = (id: string) => new RegExp(`^\\| \`${id}\` \\| .+\\? \\|$`, 'm').test(page);
  assert.deepEqual(
    WRITTEN_CHECKS.filter((id) => !isListed(id)),
    [],
  );
  // Those of a load as a whole stand where they are computed.
  const code = readFileSync(new URL('../../src/supply/ingest/examine.ts', import.meta.url), 'utf8');
  const isUsed = (id: string) => checks.some((check) => check.id === id) || code.includes(`'${id}'`);
  assert.deepEqual(
    WRITTEN_CHECKS.filter((id) => !isUsed(id)),
    [],
    'no words are left of a check that is gone',
  );
  assert.equal(new Set(checks.map(({ id }) => id)).size, checks.length, 'an id names one check');
});
