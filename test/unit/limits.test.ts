// The pure parts of limits and people: mailboxes, two-factor codes, the published plans.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { meterTerms, PLANS, termsOf } from '../../src/customers/accounts/plans.ts';
import { isEmail, normalizeEmail } from '../../src/customers/people/emails.ts';
import { findTotpStep, totpAt } from '../../src/customers/people/totp.ts';

describe('plans', () => {
  test('match the published table', () => {
    const row = (id: keyof typeof PLANS) => {
      const plan = PLANS[id];
      return [
        plan.priceCentsPerMonth,
        plan.includedCalls,
        plan.includedAvmCalls,
        plan.rateLimitPerHour,
        plan.overageCentsPerCall,
        plan.overageCentsPerAvmCall,
        plan.batchAddresses,
        plan.webhooks,
        plan.uptimePercent,
      ];
    };
    assert.deepEqual(row('trial').slice(0, 6), [0, 1_000, 25, 50, null, null]);
    assert.deepEqual(row('builder'), [29_900, 10_000, 500, 200, 5, 15, 100, 5, 99.5]);
    assert.deepEqual(row('pro'), [79_900, 100_000, 5_000, 1_000, 3, 10, 1_000, 25, 99.9]);
    assert.deepEqual(row('scale'), [149_900, 500_000, 25_000, 3_000, 2, 8, 1_000, 100, 99.95]);
    assert.deepEqual(row('enterprise').slice(1, 3), [null, null]);
    assert.equal(PLANS.trial.trialDays, 14);
  });

  test('cap a trial hard, a paid plan softly, and a contract as agreed', () => {
    const terms = (plan: keyof typeof PLANS, contract = {}) => meterTerms(termsOf({ plan, contract }), 'avm');
    assert.equal(terms('trial').isHardCapped, true);
    assert.equal(terms('builder').isHardCapped, false);
    assert.equal(terms('enterprise').isHardCapped, false);
    assert.equal(terms('enterprise', { includedAvmCalls: 5 }).isHardCapped, true);
  });
});

describe('mailboxes', () => {
  test('treat spellings of one person’s mailbox as one', () => {
    for (const spelling of ['ada.b@gmail.com', 'AdaB@Gmail.com', 'a.d.a.b+x@googlemail.com']) {
      assert.equal(normalizeEmail(spelling), 'adab@gmail.com');
    }
    assert.equal(normalizeEmail('Ada.B+x@Example.com'), 'ada.b@example.com');
  });

  test('refuse what is not a mailbox', () => {
    for (const text of [
      'a',
      'a@b',
      'a b@example.com',
      '@example.com',
      'a@-x.com',
      'a@example..com',
      'a@b.com\r\nBcc: x@y.z',
    ]) {
      assert.equal(isEmail(text), false, text);
    }
    for (const text of ['a@b.co', "o'brien@example.com", 'a+b@sub.example.museum'])
      assert.equal(isEmail(text), true, text);
  });
});

describe('two-factor codes', () => {
  // RFC 6238, appendix B: the secret is "12345678901234567890"; ours are the last six of its eight digits.
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

  test('match RFC 6238', () => {
    for (const [seconds, code] of [
      [59, '287082'],
      [1_111_111_109, '081804'],
      [1_234_567_890, '005924'],
      [20_000_000_000, '353130'],
    ] as const) {
      assert.equal(totpAt(secret, Math.floor(seconds / 30)), code);
    }
  });

  test('are accepted one step either way, once', () => {
    const now = new Date(1_000_000_000_000);
    const step = Math.floor(now.getTime() / 30_000);
    assert.equal(findTotpStep(secret, totpAt(secret, step - 1), now, 0), step - 1);
    assert.equal(findTotpStep(secret, totpAt(secret, step + 1), now, 0), step + 1);
    assert.equal(findTotpStep(secret, totpAt(secret, step - 2), now, 0), undefined);
    assert.equal(findTotpStep(secret, totpAt(secret, step), now, step), undefined);
  });
});
