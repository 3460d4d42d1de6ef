// Passkeys: registered with password and code, a way in on their own, and worth nothing when replayed or borrowed.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listEntries } from '../../src/base/audit/sql.ts';
import { stepAt, totpAt } from '../../src/customers/people/totp.ts';
import { createAuthenticator, type Authenticator } from '../authenticator.ts';
import { testClient } from '../harness.ts';
import { openBrowser, PASSWORD, signUp, startMailbox, type Browser } from '../people.ts';

const SITE = 'http://localhost';
const mailbox = await startMailbox();
const { app, deps } = await testClient({ settings: { SMTP_URL: mailbox.url, BASE_URL: SITE } });
deps.travel('2026-03-01T09:00:00.000Z');

async function register(browser: Browser, authenticator: Authenticator, proof: object = { password: PASSWORD }) {
  const begun = await browser.send('POST', '/session/passkeys/options', proof);
  assert.equal(begun.status, 200, begun.text);
  const response = authenticator.create(begun.body.options);
  return browser.send('POST', '/session/passkeys', { name: 'Laptop', response });
}

async function challenge(browser: Browser): Promise<{ challenge: string }> {
  return (await browser.send('POST', '/session/passkeys/sign-in/options')).body.options;
}

const signInWith = (browser: Browser, response: object) =>
  browser.send('POST', '/session/passkeys/sign-in', { response });

describe('a passkey', () => {
  test('signs in without password or code, and is listed, renamed and removed', async () => {
    const { browser, verified } = await signUp(app, mailbox, 'ada@example.com');
    const authenticator = createAuthenticator(SITE);
    const added = await register(browser, authenticator);
    assert.equal(added.status, 201, added.text);
    assert.equal(mailbox.last('ada@example.com').subject, 'Your sign-in settings changed');
    const { secret } = (await browser.send('POST', '/session/two-factor', { password: PASSWORD })).body;
    await browser.send('POST', '/session/two-factor/confirm', { code: totpAt(secret, stepAt(deps.clock())) });

    const other = openBrowser(app);
    const options = await challenge(other);
    assert.deepEqual((options as { allowCredentials?: unknown[] }).allowCredentials ?? [], [], 'names nobody');
    assert.equal((options as { userVerification?: string }).userVerification, 'required');
    const opened = await signInWith(other, authenticator.get(options));
    assert.equal(opened.status, 200, opened.text);
    assert.equal(opened.body.user.email, 'ada@example.com');
    assert.equal(opened.body.method, 'passkey');

    const { id } = added.body;
    assert.equal((await other.send('PATCH', `/session/passkeys/${id}`, { name: 'Phone' })).status, 200);
    const [listed] = (await other.send('GET', '/session/passkeys')).body.data;
    assert.equal(listed.name, 'Phone');
    assert.equal(listed.last_used_at, '2026-03-01T09:00:00.000Z');
    assert.equal(listed.public_key, undefined);
    const stranger = await signUp(app, mailbox, 'bob@example.com');
    const remove = (who: typeof other, proof: object) => who.send('DELETE', `/session/passkeys/${id}`, proof);
    assert.equal((await remove(stranger.browser, { password: PASSWORD })).status, 404);
    assert.equal((await remove(other, {})).body.code, 'invalid_credentials', 'not without the password');
    assert.equal((await remove(other, { password: PASSWORD })).body.code, 'two_factor_required');
    const code = totpAt(secret, stepAt(deps.clock()) + 1);
    assert.equal((await remove(other, { password: PASSWORD, code })).status, 200);
    const gone = await signInWith(openBrowser(app), authenticator.get(await challenge(other)));
    assert.equal(gone.body.code, 'invalid_credentials');

    const log = await listEntries(deps.control, verified.body.account.id, {}, 100);
    const actions = log.map(({ action }) => action).filter((action) => action.includes('passkey'));
    assert.deepEqual(actions, ['user.passkey_removed', 'user.passkey_renamed', 'user.passkey_added']);
  });

  test('is added only with the password, and with a code where the second factor is on', async () => {
    deps.travel('2026-03-01T12:00:00.000Z');
    const { browser } = await signUp(app, mailbox, 'cleo@example.com');
    const ask = (proof: object) => browser.send('POST', '/session/passkeys/options', proof);
    assert.equal((await ask({})).body.code, 'invalid_credentials');
    assert.equal((await ask({ password: 'wrong' })).body.code, 'invalid_credentials');
    const { secret } = (await browser.send('POST', '/session/two-factor', { password: PASSWORD })).body;
    const code = () => totpAt(secret, stepAt(deps.clock()));
    await browser.send('POST', '/session/two-factor/confirm', { code: code() });
    deps.travel('2026-03-01T13:00:00.000Z');
    assert.equal((await ask({ password: PASSWORD })).body.code, 'two_factor_required');
    assert.equal((await ask({ password: PASSWORD, code: code() })).status, 200);
  });

  test('is one of twenty at most', async () => {
    deps.travel('2026-03-01T15:00:00.000Z');
    const { browser } = await signUp(app, mailbox, 'gil@example.com');
    const statuses: number[] = [];
    for (let n = 0; n < 20; n++) statuses.push((await register(browser, createAuthenticator(SITE))).status);
    assert.deepEqual([...new Set(statuses)], [201]);
    const ask = () => browser.send('POST', '/session/passkeys/options', { password: PASSWORD });
    assert.equal((await ask()).body.code, 'invalid_state');
    const [{ id }] = (await browser.send('GET', '/session/passkeys')).body.data;
    assert.equal((await browser.send('DELETE', `/session/passkeys/${id}`, { password: PASSWORD })).status, 200);
    assert.equal((await ask()).status, 200);
  });

  test('is refused when replayed, for another site, without verification, or with an old counter', async () => {
    deps.travel('2026-03-02T09:00:00.000Z');
    const { browser } = await signUp(app, mailbox, 'dan@example.com');
    const authenticator = createAuthenticator(SITE);
    await register(browser, authenticator);
    const fresh = openBrowser(app);
    const answer = authenticator.get(await challenge(fresh));
    const answers = await Promise.all([1, 2, 3].map(() => signInWith(openBrowser(app), answer)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401], 'a challenge is good for one try');
    for (const changes of [
      { origin: 'https://evil.example' },
      { rpId: 'evil.example' },
      { isVerified: false },
      { counter: 1 },
    ]) {
      const refused = await signInWith(fresh, authenticator.get(await challenge(fresh), changes));
      assert.equal(refused.body.code, 'invalid_credentials', JSON.stringify(changes));
    }
    const invented = authenticator.get({ challenge: Buffer.alloc(32).toString('base64url') });
    assert.equal((await signInWith(fresh, invented)).body.code, 'invalid_credentials');
    const late = await challenge(fresh);
    deps.travel('2026-03-02T09:06:00.000Z');
    assert.equal((await signInWith(fresh, authenticator.get(late))).body.code, 'invalid_credentials', 'too late');
    for (const nonsense of [{}, { id: 5, response: { clientDataJSON: '@@' } }, { response: null }]) {
      assert.equal((await signInWith(fresh, nonsense)).body.code, 'invalid_credentials');
    }
    assert.equal((await signInWith(fresh, authenticator.get(await challenge(fresh), { counter: 50 }))).status, 200);
  });

  test('cannot be registered with someone else’s challenge', async () => {
    deps.travel('2026-03-03T09:00:00.000Z');
    const ann = await signUp(app, mailbox, 'ann@example.com');
    const eve = await signUp(app, mailbox, 'eve@example.com');
    const { options } = (await ann.browser.send('POST', '/session/passkeys/options', { password: PASSWORD })).body;
    const response = createAuthenticator(SITE).create(options);
    const taken = await eve.browser.send('POST', '/session/passkeys', { name: 'Mine', response });
    assert.equal(taken.body.code, 'invalid_credentials');
    const forSignIn = createAuthenticator(SITE).create(await challenge(eve.browser));
    const crossed = await eve.browser.send('POST', '/session/passkeys', { name: 'Mine', response: forSignIn });
    assert.equal(crossed.body.code, 'invalid_credentials', 'a challenge for sign-in registers nothing');
  });
});

describe('challenges', () => {
  test('are given to one network 300 times an hour', async () => {
    const statuses = new Set<number>();
    for (let n = 0; n < 310; n++) {
      const options = { method: 'POST' as const, url: '/session/passkeys/sign-in/options' };
      statuses.add((await app.inject({ ...options, headers: { host: 'localhost', origin: SITE } })).statusCode);
    }
    assert.deepEqual([...statuses], [200, 429]);
  });
});
