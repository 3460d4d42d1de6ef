// Webhook signatures as an outsider's verifier sees them, and the schedule of attempts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { judgeFailing, pauseAfter, PAUSES_MS, readRetryAfter } from '../../src/delivery/webhooks/retries.ts';
import { generateSecret, secretsInForce, signWebhook } from '../../src/delivery/webhooks/signing.ts';

const body = JSON.stringify({ type: 'ping', timestamp: '2026-03-31T12:00:00.000Z', data: { text: 'ö' } });
const now = Math.floor(Date.now() / 1000);
const headersOf = (secrets: string[], at = now, id = 'evt_1') => ({
  'webhook-id': id,
  'webhook-timestamp': String(at),
  'webhook-signature': signWebhook(secrets, id, at, body),
});

describe('signatures, verified with the `standardwebhooks` package', () => {
  it('are accepted, but not with a changed body, id or time', () => {
    const secret = generateSecret();
    const outsider = new Webhook(secret);
    assert.deepEqual(outsider.verify(body, headersOf([secret])), JSON.parse(body));
    assert.throws(() => outsider.verify(body.replace('ping', 'pong'), headersOf([secret])));
    assert.throws(() => outsider.verify(body, { ...headersOf([secret]), 'webhook-id': 'evt_2' }));
    assert.throws(() => outsider.verify(body, { ...headersOf([secret]), 'webhook-timestamp': String(now - 1) }));
    assert.throws(() => outsider.verify(body, headersOf([secret], now - 600)), /old/);
    assert.throws(() => outsider.verify(body, headersOf([generateSecret()])));
  });

  it('are made with both secrets, so that old and new verifiers accept', () => {
    const [fresh, old] = [generateSecret(), generateSecret()];
    const headers = headersOf([fresh, old]);
    assert.equal(headers['webhook-signature'].split(' ').length, 2);
    assert.ok(new Webhook(fresh).verify(body, headers));
    assert.ok(new Webhook(old).verify(body, headers));
  });

  it('use secrets of 32 bytes that expire as set', () => {
    const secret = generateSecret();
    assert.equal(Buffer.from(secret.slice('whsec_'.length), 'base64').length, 32);
    const stored = [
      { secret: 'a', expires_at: null },
      { secret: 'b', expires_at: '2026-01-02T00:00:00Z' },
    ];
    assert.deepEqual(secretsInForce(stored, new Date('2026-01-01T23:59:59Z')), ['a', 'b']);
    assert.deepEqual(secretsInForce(stored, new Date('2026-01-02T00:00:00Z')), ['a']);
  });
});

describe('retry schedule', () => {
  it('makes ten attempts over 75 hours and 35 minutes, each pause within 20%', () => {
    assert.equal(PAUSES_MS.length + 1, 10);
    assert.equal(
      PAUSES_MS.reduce((sum, pause) => sum + pause, 0),
      (75 * 60 + 35) * 60_000 + 5_000,
    );
    for (let attempts = 1; attempts <= 9; attempts++) {
      const pauses = Array.from({ length: 200 }, (_, i) => pauseAfter(attempts, `dlv_${i}`, undefined)!);
      const base = PAUSES_MS[attempts - 1];
      assert.ok(Math.min(...pauses) >= base * 0.8 && Math.max(...pauses) <= base * 1.2);
      assert.ok(Math.min(...pauses) < base * 0.85 && Math.max(...pauses) > base * 1.15, 'spread out');
    }
    assert.equal(pauseAfter(10, 'dlv', undefined), undefined);
  });

  it('honors Retry-After as seconds or as a date, up to a day', () => {
    const at = new Date('2026-03-31T12:00:00Z');
    assert.equal(readRetryAfter('120', at), 120_000);
    assert.equal(readRetryAfter('Tue, 31 Mar 2026 12:10:00 GMT', at), 600_000);
    assert.equal(readRetryAfter('soon', at), undefined);
    assert.equal(pauseAfter(1, 'dlv', 120_000), 120_000);
    assert.equal(pauseAfter(1, 'dlv', 10 * 86_400_000), 86_400_000);
    assert.ok(pauseAfter(4, 'dlv', 1_000)! > 3_600_000, 'never earlier than the schedule');
  });

  it('warns after one and three days and disables after five, never without two warnings', () => {
    const since = new Date('2026-01-01T00:00:00Z');
    const after = (hours: number) => new Date(since.getTime() + hours * 3_600_000);
    assert.equal(judgeFailing(since, 0, after(23)), 'wait');
    assert.equal(judgeFailing(since, 0, after(24)), 'warn');
    assert.equal(judgeFailing(since, 1, after(71)), 'wait');
    assert.equal(judgeFailing(since, 1, after(72)), 'warn');
    assert.equal(judgeFailing(since, 0, after(500)), 'warn');
    assert.equal(judgeFailing(since, 2, after(119)), 'wait');
    assert.equal(judgeFailing(since, 2, after(120)), 'disable');
  });
});
