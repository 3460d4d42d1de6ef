// Which calls go ahead of their count, and that all of them are counted.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createHeadStart } from '../../src/customers/usage/head-start.ts';
import type { AdmissionRequest, AdmissionRow } from '../../src/customers/usage/sql.ts';

const requestOf = (lim: number, more: Partial<AdmissionRequest> = {}): AdmissionRequest => ({
  subject: 'acct:live',
  lim,
  key_subject: null,
  key_lim: null,
  hold: null,
  ...more,
});
const rowOf = (used: number, keyUsed: number | null = null): AdmissionRow => ({
  n: 0,
  verdict: 'admitted',
  used,
  reset_second: 5,
  key_used: keyUsed,
  key_reset_second: null,
});

/** Counts as the database would. */
function openCounts(used = 0) {
  const counted: AdmissionRequest[] = [];
  const headStart = createHeadStart(async (request) => {
    counted.push(request);
    return rowOf(used + counted.length);
  });
  return { headStart, counted };
}

describe('a call', () => {
  it('is decided first until something is known of its limit', () => {
    const { headStart } = openCounts();
    assert.equal(headStart.letGo(requestOf(10_000)), undefined);
    headStart.learn(requestOf(10_000), rowOf(1));
    assert.equal(headStart.letGo(requestOf(10_000))?.used, 2);
    // Of another limit, nothing is known.
    assert.equal(headStart.letGo(requestOf(20_000)), undefined);
  });

  it('goes ahead with at most twenty others, and all of them are counted', async () => {
    const { headStart, counted } = openCounts(1);
    headStart.learn(requestOf(10_000), rowOf(1));
    const went = Array.from({ length: 30 }, () => headStart.letGo(requestOf(10_000)));
    assert.deepEqual(
      went.map((row) => row?.used),
      Array.from({ length: 30 }, (_, i) => (i < 20 ? i + 2 : undefined)),
    );
    assert.equal(counted.length, 0);
    await headStart.settle();
    assert.equal(counted.length, 20);
    assert.equal(headStart.letGo(requestOf(10_000))?.used, 22);
  });

  const near: [string, AdmissionRequest, AdmissionRow][] = [
    ['fewer than 1,000 calls are left', requestOf(3000), rowOf(2001)],
    ['less than a hundredth of the limit is left', requestOf(1_000_000), rowOf(995_000)],
    ['the key has a limit that is near', requestOf(9000, { key_subject: 'key', key_lim: 1500 }), rowOf(1, 501)],
    ['its units are held', requestOf(9000, { hold: { id: 'h' } as AdmissionRequest['hold'] }), rowOf(1)],
  ];
  for (const [when, request, row] of near) {
    it(`is decided first where ${when}`, () => {
      const { headStart } = openCounts();
      headStart.learn(request, row);
      assert.equal(headStart.letGo(request), undefined);
    });
  }

  it('is decided first after a count has failed', async () => {
    const headStart = createHeadStart(() => Promise.reject(new Error('away')));
    headStart.learn(requestOf(10_000), rowOf(1));
    assert.ok(headStart.letGo(requestOf(10_000)));
    await headStart.settle();
    assert.equal(headStart.letGo(requestOf(10_000)), undefined);
  });
});
