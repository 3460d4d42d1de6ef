// A skipped block counts as many tests as it has.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countTests, describeSkipped } from '../skipped.ts';

const SOURCE = `describe('outer', needsBrowser, () => {
  it('one', () => {
    assert.ok(true);
  });

  describe('inner', () => {
    it('two', async () => {});
    for (const name of NAMES) it(name, () => {});
  });
});

describe('another', () => {
  it('four', () => {});
});
`;

describe('skipped tests', () => {
  it('are those of the block, with the blocks in it', () => {
    assert.equal(countTests(SOURCE, 1), 3);
    assert.equal(countTests(SOURCE, 6), 2);
    assert.equal(countTests(SOURCE, 12), 1);
  });

  it('are reported by reason and file', () => {
    const skipped = [
      { count: 3, reason: 'no Chromium', file: '/x/web-account.test.ts' },
      { count: 1, reason: 'no cluster', file: '/x/distributed.test.ts' },
      { count: 2, reason: 'no Chromium', file: '/x/docs.test.ts' },
    ];
    assert.equal(
      describeSkipped(skipped),
      '  5 skipped: no Chromium (docs, web-account)\n  1 skipped: no cluster (distributed)\n',
    );
  });
});
