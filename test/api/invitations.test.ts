// Invitations: who may accept, how often they are sent, and the way back for someone who was removed.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stepAt, totpAt } from '../../src/customers/people/totp.ts';
import { testClient } from '../harness.ts';
import { openBrowser, PASSWORD, signUp, startMailbox, type Browser } from '../people.ts';

const mailbox = await startMailbox();
const { app, deps } = await testClient({ settings: { SMTP_URL: mailbox.url } });
deps.travel('2026-03-01T09:00:00.000Z');

const invite = (host: Browser, email: string, role = 'viewer') =>
  host.send('POST', '/session/invitations', { email, role });
const accept = (browser: Browser, form: object) => browser.send('POST', '/session/invitations/accept', form);

describe('a removed member', () => {
  test('returns by a new invitation with the password they have, and their second factor', async () => {
    const { browser: host } = await signUp(app, mailbox, 'host@example.com');
    await invite(host, 'nia@example.com');
    const nia = openBrowser(app);
    const joined = await accept(nia, {
      token: mailbox.last('nia@example.com').token,
      name: 'Nia',
      password: PASSWORD,
    });
    assert.equal(joined.status, 200);
    const { secret } = (await nia.send('POST', '/session/two-factor', { password: PASSWORD })).body;
    const code = () => totpAt(secret, stepAt(deps.clock()));
    await nia.send('POST', '/session/two-factor/confirm', { code: code() });
    await host.send('DELETE', `/session/members/${joined.body.user.id}`);
    assert.equal((await nia.send('GET', '/session')).status, 401);
    deps.travel('2026-03-01T10:00:00.000Z');

    assert.equal((await invite(host, 'nia@example.com', 'developer')).status, 201);
    const { token } = mailbox.last('nia@example.com');
    assert.equal((await accept(nia, { token })).body.code, 'not_signed_in');
    assert.equal((await accept(nia, { token, password: 'not her password' })).body.code, 'invalid_credentials');
    assert.equal((await accept(nia, { token, password: PASSWORD })).body.code, 'two_factor_required');
    const back = await accept(nia, { token, password: PASSWORD, code: code() });
    assert.equal(back.status, 200, back.text);
    assert.equal(back.body.role, 'developer');
    assert.equal(back.body.user.id, joined.body.user.id, 'the same person');
    assert.equal((await nia.send('GET', '/session')).status, 200);
  });

  test('is counted like any sign-in when guessing by an invitation', async () => {
    const { browser: host } = await signUp(app, mailbox, 'host2@example.com');
    await signUp(app, mailbox, 'target@example.com');
    await invite(host, 'target@example.com');
    const { token } = mailbox.last('target@example.com');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => accept(openBrowser(app), { token, password: `wrong ${n}` })),
    );
    assert.equal(answers.filter(({ status }) => status === 401).length, 5);
    assert.equal(answers.filter(({ status }) => status === 429).length, 15);
  });
});

describe('invitation mail', () => {
  test('carries nothing that a company’s name smuggles in', async () => {
    const { browser, verified } = await signUp(app, mailbox, 'smuggler@example.com');
    const name = 'Acme\r\n\r\nYour account is locked: https://evil.example.com/now evil.example.com';
    await deps.control.query('update accounts set name = $2 where id = $1', [verified.body.account.id, name]);
    await invite(browser, 'victim@example.org');
    const { subject, text } = mailbox.last('victim@example.org');
    for (const part of [subject, text.replace(/\S*token=\S*/, '')])
      assert.ok(!/evil\.example|https?:\/\/evil|Acme\s*\n/.test(part), part);
    assert.match(subject, /^Join Acme Your account/);
  });

  test('is limited per account and day', async () => {
    deps.travel('2026-03-02T09:00:00.000Z');
    const { browser: host } = await signUp(app, mailbox, 'spammer@example.com');
    const statuses = [];
    for (let n = 0; n < 22; n++) statuses.push((await invite(host, `guest${n}@example.com`)).status);
    assert.deepEqual(statuses.slice(0, 20), Array(20).fill(201));
    assert.deepEqual(statuses.slice(20), [429, 429]);
    assert.equal(mailbox.letters.filter(({ to }) => to.startsWith('guest')).length, 20);
    deps.travel('2026-03-03T09:00:00.000Z');
    assert.equal((await invite(host, 'guest21@example.com')).status, 201);
  });

  test('is limited per recipient and day, over accounts and spellings', async () => {
    deps.travel('2026-03-04T09:00:00.000Z');
    const statuses = [];
    for (let n = 0; n < 6; n++) {
      const { browser: host } = await signUp(app, mailbox, `inviter${n}@example.com`);
      statuses.push((await invite(host, `Bothered+${n}@example.com`)).status);
    }
    assert.deepEqual(statuses, [201, 201, 201, 201, 201, 429]);
  });
});
