// What a stranger tries against accounts: pre-hijacking, old links, guessing in parallel, telling who has an account.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildApp } from '../../src/app.ts';
import { createDeps } from '../../src/operate/open.ts';
import { stepAt, totpAt } from '../../src/customers/people/totp.ts';
import { testClient } from '../harness.ts';
import { openBrowser, PASSWORD, signUp, startMailbox, type Browser } from '../people.ts';

const OTHER_PASSWORD = 'maple ladder quiet orbit';
const THIRD_PASSWORD = 'copper lantern seven rivers';

const mailbox = await startMailbox();
const client = await testClient({ settings: { SMTP_URL: mailbox.url, TRUST_PROXY: '1' } });
const { app, deps } = client;
deps.travel('2026-03-01T09:00:00.000Z');
let hour = 0;
const later = (hours = 1) => deps.travel(new Date(Date.UTC(2026, 2, 1, 9 + (hour += hours))).toISOString());

const signIn = (email: string, password: string, extra: object = {}, browser = openBrowser(app)) =>
  browser.send('POST', '/session/sign-in', { email, password, ...extra });

async function forgot(email: string): Promise<string> {
  await openBrowser(app).send('POST', '/session/forgot', { email });
  return mailbox.last(email).token;
}

async function enableTwoFactor(browser: Browser, password = PASSWORD) {
  const { secret } = (await browser.send('POST', '/session/two-factor', { password })).body as { secret: string };
  const code = () => totpAt(secret, stepAt(deps.clock()));
  const { codes } = (await browser.send('POST', '/session/two-factor/confirm', { code: code() })).body;
  return { secret, code, codes: codes as string[] };
}

/** Another process on the same database. */
async function startSecondProcess() {
  const second = await buildApp(createDeps(deps));
  await second.app.ready();
  deps.beforeClose(() => second.app.close());
  return second.app;
}

describe('whoever proves the mailbox owns the account', () => {
  const form = (password: string, name: string) => ({ email: 'victim@example.com', password, name });

  test('a password chosen by someone who signed up first is worth nothing', async () => {
    const [attacker, victim] = [openBrowser(app), openBrowser(app)];
    await attacker.send('POST', '/session/sign-up', form(OTHER_PASSWORD, 'Mallory'));
    await victim.send('POST', '/session/sign-up', form(PASSWORD, 'Vic'));
    const { token } = mailbox.last('victim@example.com');
    const verified = await victim.send('POST', '/session/verify', { token });
    assert.equal(verified.status, 200);
    assert.equal(verified.body.user.name, 'Vic');
    assert.equal((await signIn('victim@example.com', OTHER_PASSWORD)).status, 401);
    assert.equal((await signIn('victim@example.com', PASSWORD)).status, 200);
  });

  test('nor is the password of someone who signed up last, whose link the owner opens', async () => {
    later();
    const [attacker, victim] = [openBrowser(app), openBrowser(app)];
    const email = 'victim.two@example.com';
    await victim.send('POST', '/session/sign-up', { email, password: PASSWORD, name: 'Vic' });
    const older = mailbox.last(email).token;
    await attacker.send('POST', '/session/sign-up', { email, password: OTHER_PASSWORD, name: 'Mallory' });
    const newer = mailbox.last(email).token;
    assert.equal((await victim.send('POST', '/session/verify', { token: older })).body.code, 'invalid_link');
    const asked = await victim.send('POST', '/session/verify', { token: newer });
    assert.equal(asked.body.code, 'password_required', 'the browser that signed up is another one');
    const chosen = { token: newer, password: THIRD_PASSWORD, name: 'Vic' };
    const verified = await victim.send('POST', '/session/verify', chosen);
    assert.equal(verified.status, 200, verified.text);
    assert.equal(verified.body.user.name, 'Vic');
    assert.equal((await signIn(email, OTHER_PASSWORD)).status, 401);
    assert.equal((await signIn(email, THIRD_PASSWORD)).status, 200);
  });

  test('a pending sign-up opens nothing: not by sign-in, not after an invitation or another proof', async () => {
    later();
    const email = 'pending@example.com';
    const attacker = openBrowser(app);
    await attacker.send('POST', '/session/sign-up', { email, password: OTHER_PASSWORD, name: 'Mallory' });
    const link = mailbox.last(email).token;
    const pending = await signIn(email, OTHER_PASSWORD);
    const unknown = await signIn('no.such.person@example.com', OTHER_PASSWORD);
    assert.equal(pending.body.code, 'invalid_credentials');
    assert.equal(pending.body.detail, unknown.body.detail);
    const { browser: host } = await signUp(app, mailbox, 'host@example.com');
    await host.send('POST', '/session/invitations', { email, role: 'viewer' });
    const joined = await openBrowser(app).send('POST', '/session/invitations/accept', {
      token: mailbox.last(email).token,
      name: 'Penny',
      password: PASSWORD,
    });
    assert.equal(joined.status, 200, joined.text);
    assert.equal((await attacker.send('POST', '/session/verify', { token: link })).body.code, 'invalid_link');
    assert.equal((await signIn(email, OTHER_PASSWORD)).status, 401);
    assert.equal((await signIn(email, PASSWORD)).status, 200);
  });
});

describe('links', () => {
  test('to verify die with use and never sign in someone who has an account', async () => {
    later();
    const email = 'linked@example.com';
    const browser = openBrowser(app);
    const form = { email, password: PASSWORD, name: 'Lin' };
    await browser.send('POST', '/session/sign-up', form);
    const first = mailbox.last(email).token;
    await browser.send('POST', '/session/sign-up', form);
    const second = mailbox.last(email).token;
    assert.equal((await browser.send('POST', '/session/verify', { token: second })).status, 200);
    await enableTwoFactor(browser);
    for (const token of [first, second]) {
      const again = await browser.send('POST', '/session/verify', { token, password: THIRD_PASSWORD, name: 'X' });
      assert.equal(again.body.code, 'invalid_link');
      assert.equal(again.headers['set-cookie'], undefined);
    }
    assert.equal((await signIn(email, PASSWORD)).body.code, 'two_factor_required');
  });

  test('to reset die with a newer one and with every password change', async () => {
    later();
    const email = 'reset@example.com';
    const { browser } = await signUp(app, mailbox, email);
    const reset = (token: string, password: string) =>
      openBrowser(app).send('POST', '/session/reset', { token, password });
    const [older, newer] = [await forgot(email), await forgot(email)];
    assert.equal((await reset(older, OTHER_PASSWORD)).body.code, 'invalid_link', 'a newer one was sent');
    assert.equal((await reset(newer, OTHER_PASSWORD)).status, 200);
    assert.equal((await reset(older, THIRD_PASSWORD)).body.code, 'invalid_link');
    assert.equal((await browser.send('GET', '/session')).status, 401);
    later();
    const third = await forgot(email);
    await signIn(email, OTHER_PASSWORD, {}, browser);
    const change = { current_password: OTHER_PASSWORD, password: THIRD_PASSWORD };
    assert.equal((await browser.send('POST', '/session/password', change)).status, 200);
    assert.equal((await reset(third, PASSWORD)).body.code, 'invalid_link', 'the password was changed since');
    const { browser: inviter } = await signUp(app, mailbox, 'reset.host@example.com');
    await inviter.send('POST', '/session/invitations', { email, role: 'viewer' });
    const invitation = mailbox.last(email).token;
    const back = { current_password: THIRD_PASSWORD, password: PASSWORD };
    assert.equal((await browser.send('POST', '/session/password', back)).status, 200);
    const accepted = await browser.send('POST', '/session/invitations/accept', { token: invitation });
    assert.equal(accepted.body.code, 'invalid_link', 'an invitation dies with the password as well');
  });

  test('to reset leave the second factor on and sign nobody in', async () => {
    later();
    const email = 'reset.two@example.com';
    const { browser } = await signUp(app, mailbox, email);
    await enableTwoFactor(browser);
    const answer = await browser.send('POST', '/session/reset', {
      token: await forgot(email),
      password: OTHER_PASSWORD,
    });
    assert.equal(answer.status, 200);
    assert.equal((await browser.send('GET', '/session')).status, 401);
    assert.equal((await signIn(email, OTHER_PASSWORD)).body.code, 'two_factor_required');
  });

  test('of an invitation die with a newer invitation', async () => {
    later();
    const { browser: host } = await signUp(app, mailbox, 'twice@example.com');
    const invite = async () => {
      await host.send('POST', '/session/invitations', { email: 'guest@example.com', role: 'viewer' });
      return mailbox.last('guest@example.com').token;
    };
    const [older, newer] = [await invite(), await invite()];
    const accept = (token: string) =>
      openBrowser(app).send('POST', '/session/invitations/accept', { token, name: 'Guest', password: PASSWORD });
    assert.equal((await accept(older)).body.code, 'invalid_link');
    assert.equal((await host.send('GET', '/session/invitations')).body.data.length, 1);
    assert.equal((await accept(newer)).status, 200);
    assert.equal((await accept(newer)).body.code, 'invalid_link');
  });
});

describe('the second factor', () => {
  test('is turned off only with a code or a recovery code', async () => {
    later();
    const email = 'factor@example.com';
    const { browser } = await signUp(app, mailbox, email);
    const { code, codes } = await enableTwoFactor(browser);
    later();
    const disable = (extra: object) =>
      browser.send('POST', '/session/two-factor/disable', { password: PASSWORD, ...extra });
    assert.equal((await disable({})).body.code, 'two_factor_required');
    assert.equal((await disable({ code: '000000' })).status, 401);
    assert.equal((await disable({ password: 'wrong', code: code() })).status, 401);
    assert.equal((await signIn(email, PASSWORD)).body.code, 'two_factor_required', 'still on');
    assert.equal((await disable({ code: codes[0] })).status, 200);
    assert.equal((await signIn(email, PASSWORD)).status, 200);
  });

  test('each code opens one session under parallel tries', async () => {
    // A person each: tries that fail after the one that succeeds count against the next.
    for (const each of ['recovery', 'totp']) {
      later();
      const email = `parallel-${each}@example.com`;
      const { browser } = await signUp(app, mailbox, email);
      const { code, codes } = await enableTwoFactor(browser);
      later();
      const text = each === 'totp' ? code() : codes[0];
      const answers = await Promise.all(Array.from({ length: 4 }, () => signIn(email, PASSWORD, { code: text })));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401], each);
    }
  });
});

describe('guessing', () => {
  test('sixty sign-ins at once over two processes judge five, for known and unknown emails alike', async () => {
    later();
    await signUp(app, mailbox, 'known@example.com');
    const second = await startSecondProcess();
    for (const email of ['known@example.com', 'unknown@example.com']) {
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, n) => signIn(email, `wrong ${n}`, {}, openBrowser(n % 2 ? app : second))),
      );
      const judged = answers.filter(({ status }) => status === 401);
      const locked = answers.filter(({ status }) => status === 429);
      assert.equal(judged.length, 5, email);
      assert.equal(locked.length, 55, email);
      assert.deepEqual([...new Set(locked.map(({ headers }) => headers['retry-after']))], ['60']);
      assert.equal((await signIn(email, PASSWORD)).status, 429, 'the right password does not help');
    }
    later();
    assert.equal((await signIn('known@example.com', PASSWORD)).status, 200);
    assert.equal((await signIn('unknown@example.com', PASSWORD)).status, 401);
  });

  test('of one network stops at its limit, however many mailboxes it tries at once over two processes', async () => {
    later();
    const second = await startSecondProcess();
    const guess = async (n: number) => {
      const form = { email: `nobody-${n}@example.com`, password: `wrong ${n}` };
      const headers = { 'x-forwarded-for': '203.0.113.77', 'x-forwarded-proto': 'https' };
      return openBrowser(n % 2 ? app : second).send('POST', '/session/sign-in', form, headers);
    };
    const answers = await Promise.all(Array.from({ length: 80 }, (_, n) => guess(n)));
    const counted = Object.groupBy(answers, ({ status }) => String(status));
    assert.deepEqual([counted['401']?.length, counted['429']?.length], [60, 20]);
  });

  test('counts on every form that takes a password or a code', async () => {
    const forms: Record<string, (browser: Browser, password: string) => Promise<{ status: number }>> = {
      password: (browser, current_password) =>
        browser.send('POST', '/session/password', { current_password, password: THIRD_PASSWORD }),
      'two-factor': (browser, password) => browser.send('POST', '/session/two-factor', { password }),
      'two-factor/disable': (browser, password) =>
        browser.send('POST', '/session/two-factor/disable', { password, code: '123456' }),
    };
    for (const [name, send] of Object.entries(forms)) {
      later();
      const email = `${name.replace('/', '.')}@example.com`;
      const { browser } = await signUp(app, mailbox, email);
      const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => send(browser, `wrong ${n}`)));
      const judged = answers.filter(({ status }) => status === 401).length;
      assert.equal(judged, 5, name);
      assert.equal((await send(browser, PASSWORD)).status, 429, `${name} with the right password`);
      assert.equal((await signIn(email, PASSWORD)).status, 429, `sign-in after ${name}`);
    }
  });

  test('at a code is not forgiven by the right password alone, which changes no password either', async () => {
    later();
    const email = 'codes@example.com';
    const { browser } = await signUp(app, mailbox, email);
    await enableTwoFactor(browser);
    for (let n = 0; n < 5; n++) {
      assert.equal((await signIn(email, PASSWORD, { code: '000000' })).status, 401);
      if (n === 4) break;
      assert.equal((await signIn(email, PASSWORD)).body.code, 'two_factor_required');
      const same = { current_password: PASSWORD, password: PASSWORD };
      assert.equal((await browser.send('POST', '/session/password', same)).body.code, 'two_factor_required');
    }
    assert.equal((await signIn(email, PASSWORD, { code: '000000' })).status, 429);
  });
});

describe('who has an account', () => {
  /** In turns, so that whatever else the machine does falls on both alike. */
  async function compare(send: (email: string) => Promise<unknown>, known: string, tries: number) {
    const times = { known: [] as number[], unknown: [] as number[] };
    for (let n = 0; n < tries; n++) {
      for (const kind of n % 2 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)) {
        const email = kind === 'known' ? known : `stranger${n}@example.com`;
        const began = performance.now();
        await send(email);
        times[kind].push(performance.now() - began);
        // Clears the counts of tries, so that every one is judged.
        later(25);
      }
    }
    const sorted = (list: number[]) => list.toSorted((a, b) => a - b);
    const quantile = (list: number[], share: number) => sorted(list)[Math.floor(list.length * share)];
    const all = [...times.known, ...times.unknown];
    const spread = quantile(all, 0.9) - quantile(all, 0.1);
    const difference = Math.abs(quantile(times.known, 0.5) - quantile(times.unknown, 0.5));
    return { difference, spread, median: quantile(all, 0.5), times };
  }

  test('is not told by the time of 200 sign-ins, each of which hashes', async () => {
    later();
    await signUp(app, mailbox, 'timed@example.com');
    const result = await compare((email) => signIn(email, 'not the password'), 'timed@example.com', 100);
    const { difference, spread, median } = result;
    assert.ok(difference < Math.max(spread / 2, median / 4), JSON.stringify({ difference, spread, median }));
  });

  test('is not told by asking for a new password or signing up', async () => {
    const email = 'timed@example.com';
    const answers = await Promise.all(
      [email, 'nobody.at.all@example.com'].map((to) => openBrowser(app).send('POST', '/session/forgot', { email: to })),
    );
    assert.deepEqual(answers[0].body, answers[1].body);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [202, 202],
    );
    const base = await app.listen({ port: 0, host: '127.0.0.1' });
    const forget = (to: string) =>
      fetch(`${base}/session/forgot`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: base },
        body: JSON.stringify({ email: to }),
      });
    const { difference, spread, median } = await compare(forget, email, 100);
    assert.ok(difference < Math.max(spread / 2, median / 4), JSON.stringify({ difference, spread, median }));
  });
});
