// People as a browser sees them: sign-up by email, sessions, passwords, two-factor, team and audit log.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { findBreak } from '../../src/base/audit/audit.ts';
import { listEntries } from '../../src/base/audit/sql.ts';
import { createMailer } from '../../src/customers/people/mail.ts';
import { stepAt, totpAt } from '../../src/customers/people/totp.ts';
import { testClient } from '../harness.ts';
import { openBrowser, PASSWORD, signUp, startMailbox } from '../people.ts';

const mailbox = await startMailbox();
const client = await testClient({ settings: { SMTP_URL: mailbox.url, TRUST_PROXY: '1' } });
const { app, deps } = client;
deps.travel('2026-03-01T09:00:00.000Z');
let hour = 0;
/** Past every limit that counts by the minute. */
const later = (hours = 1) => deps.travel(new Date(Date.UTC(2026, 2, 1, 9 + (hour += hours))).toISOString());

describe('sign-up', () => {
  test('sends an email whose link opens an account with an owner, both keys and a session', async () => {
    const { browser, verified } = await signUp(app, mailbox, 'ada@example.com');
    assert.equal(verified.status, 200);
    assert.match(String(verified.headers['set-cookie']), /platbook_session=[\w-]{43}; .*HttpOnly; SameSite=Lax/);
    assert.equal(verified.body.role, 'owner');
    assert.equal(verified.body.account.plan, 'trial');
    assert.equal(verified.body.account.needs_card, true);
    const [sandbox, live] = verified.body.keys as { mode: string; secret: string }[];
    assert.equal((await client.get('/properties/search?limit=1', { key: sandbox.secret })).status, 200);
    assert.equal((await client.get('/properties/search?limit=1', { key: live.secret })).body.code, 'payment_required');
    const now = await browser.send('GET', '/session');
    assert.equal(now.body.user.email, 'ada@example.com');
    assert.equal(now.body.keys, undefined);
  });

  test('a link works once and not after a day', async () => {
    const browser = openBrowser(app);
    const form = { email: 'bea@example.com', password: PASSWORD, name: 'Bea' };
    await browser.send('POST', '/session/sign-up', form);
    const { token } = mailbox.last('bea@example.com');
    later(25);
    assert.equal((await browser.send('POST', '/session/verify', { token })).body.code, 'invalid_link');
    await browser.send('POST', '/session/sign-up', form);
    const fresh = mailbox.last('bea@example.com').token;
    assert.equal((await browser.send('POST', '/session/verify', { token: fresh })).status, 200);
    assert.equal((await browser.send('POST', '/session/verify', { token: fresh })).status, 410);
  });

  test('an email that is taken gets the same answer and another message, in any spelling', async () => {
    await signUp(app, mailbox, 'cleo.smith@gmail.com');
    later();
    const again = await openBrowser(app).send('POST', '/session/sign-up', {
      email: 'CleoSmith+2@gmail.com',
      password: PASSWORD,
      name: 'Cleo',
    });
    assert.equal(again.status, 202);
    assert.deepEqual(again.body, { object: 'done' });
    assert.equal(mailbox.letters.at(-1)!.subject, 'You already have an account');
  });

  test('weak passwords and invalid emails are refused', async () => {
    const browser = openBrowser(app);
    for (const [email, password] of [
      ['dan@example.com', 'short'],
      ['dan@example.com', 'aaaaaaaaaaaaaa'],
      ['dan@example.com', 'password1234'],
      ['daniela@example.com', 'daniela-2026!'],
      ['dan@example', PASSWORD],
      ['dan at example.com', PASSWORD],
    ]) {
      assert.equal(
        (await browser.send('POST', '/session/sign-up', { email, password, name: 'Dan' })).status,
        400,
        email,
      );
    }
  });
});

describe('sign-in', () => {
  test('a wrong password and an unknown email look alike; the session ends at sign-out', async () => {
    await signUp(app, mailbox, 'eve@example.com');
    const browser = openBrowser(app);
    const wrong = await browser.send('POST', '/session/sign-in', { email: 'eve@example.com', password: 'x' });
    const unknown = await browser.send('POST', '/session/sign-in', { email: 'nobody@example.com', password: 'x' });
    assert.equal(wrong.status, 401);
    for (const answer of [wrong, unknown]) delete answer.body.request_id;
    assert.deepEqual(wrong.body, unknown.body);
    const right = await browser.send('POST', '/session/sign-in', { email: 'Eve@Example.com', password: PASSWORD });
    assert.equal(right.status, 200);
    const { cookie } = browser;
    await browser.send('POST', '/session/sign-out');
    assert.equal((await browser.send('GET', '/session')).body.code, 'not_signed_in');
    browser.cookie = cookie;
    assert.equal((await browser.send('GET', '/session')).status, 401, 'the old cookie is worth nothing');
  });

  test('tokens are stored as digests, so the database alone opens nothing', async () => {
    const { browser } = await signUp(app, mailbox, 'fay@example.com');
    const token = browser.cookie!.split('=')[1];
    const { rows } = await deps.control.query(
      `select count(*)::int as n from sessions where encode(digest, 'escape') like '%' || $1 || '%' or digest = $2`,
      [token.slice(0, 12), Buffer.from(token, 'base64url')],
    );
    assert.equal(rows[0].n, 0);
    const users = await deps.control.query(`select password_hash from users where email = 'fay@example.com'`);
    assert.match(users.rows[0].password_hash, /^\$argon2id\$v=19\$/);
  });

  test('guessing locks the email, and the right password does not help while it is locked', async () => {
    await signUp(app, mailbox, 'gus@example.com');
    const browser = openBrowser(app);
    const attempt = (password: string) =>
      browser.send('POST', '/session/sign-in', { email: 'gus@example.com', password });
    for (let n = 0; n < 5; n++) assert.equal((await attempt('wrong')).status, 401);
    const locked = await attempt(PASSWORD);
    assert.equal(locked.status, 429);
    assert.equal(locked.headers['retry-after'], '60');
    later();
    assert.equal((await attempt(PASSWORD)).status, 200);
  });

  test('an idle session ends after seven days', async () => {
    const { browser } = await signUp(app, mailbox, 'hal@example.com');
    later(24 * 6);
    assert.equal((await browser.send('GET', '/session')).status, 200);
    later(24 * 6);
    assert.equal((await browser.send('GET', '/session')).status, 200, 'used in between');
    later(24 * 8);
    assert.equal((await browser.send('GET', '/session')).status, 401);
  });
});

describe('other sites', () => {
  test('cannot change anything with our cookie', async () => {
    const { browser } = await signUp(app, mailbox, 'ida@example.com');
    const forwarded = {
      origin: 'https://evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      'x-forwarded-for': '127.0.0.1',
    };
    for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, { origin: '' }, forwarded]) {
      const answer = await browser.send('POST', '/session/sign-out', undefined, headers);
      assert.equal(answer.body.code, 'origin_not_allowed');
      const keys = await browser.send('POST', '/api/v1/keys', { name: 'x' }, headers);
      assert.equal(keys.status, 403);
    }
    assert.equal((await browser.send('GET', '/session')).status, 200);
  });

  test('cannot open answers of the API with it, whose length would tell what is in them', async () => {
    const { browser } = await signUp(app, mailbox, 'una@example.com');
    const open = (path: string, site: string) =>
      browser.send('GET', path, undefined, { 'sec-fetch-site': site, 'accept-encoding': 'gzip' });
    for (const site of ['same-origin', 'same-site', 'none'])
      assert.equal((await open('/api/v1/keys', site)).status, 200, site);
    assert.equal((await open('/api/v1/keys', 'cross-site')).status, 401);
    // Where an answer may be opened from elsewhere, it is sent as it is.
    const { headers } = await open('/session/members', 'cross-site');
    assert.equal(headers['content-encoding'], undefined);
  });
});

describe('passwords', () => {
  test('a reset ends every session and tells the owner', async () => {
    const { browser } = await signUp(app, mailbox, 'jo@example.com');
    await openBrowser(app).send('POST', '/session/forgot', { email: 'jo@example.com' });
    const { token } = mailbox.last('jo@example.com');
    const stranger = openBrowser(app);
    const password = 'another long secret';
    assert.equal((await stranger.send('POST', '/session/reset', { token, password })).status, 200);
    assert.equal((await stranger.send('POST', '/session/reset', { token, password })).status, 410);
    assert.equal((await browser.send('GET', '/session')).status, 401);
    assert.equal(mailbox.last('jo@example.com').subject, 'Your password was changed');
    assert.equal((await stranger.send('POST', '/session/sign-in', { email: 'jo@example.com', password })).status, 200);
    const unknown = await stranger.send('POST', '/session/forgot', { email: 'nobody@example.com' });
    assert.equal(unknown.status, 202);
  });

  test('a change needs the current one and ends the other sessions', async () => {
    const { browser } = await signUp(app, mailbox, 'kim@example.com');
    const other = openBrowser(app);
    await other.send('POST', '/session/sign-in', { email: 'kim@example.com', password: PASSWORD });
    const change = (current_password: string) =>
      browser.send('POST', '/session/password', { current_password, password: 'another long secret' });
    assert.equal((await change('wrong')).status, 401);
    assert.equal((await change(PASSWORD)).status, 200);
    assert.equal((await browser.send('GET', '/session')).status, 200);
    assert.equal((await other.send('GET', '/session')).status, 401);
  });
});

describe('two-factor', () => {
  test('a code is asked for, works once, and a recovery code stands in', async () => {
    const { browser } = await signUp(app, mailbox, 'lee@example.com');
    const begun = await browser.send('POST', '/session/two-factor', { password: PASSWORD });
    const { secret } = begun.body as { secret: string };
    const code = () => totpAt(secret, stepAt(deps.clock()));
    assert.equal((await browser.send('POST', '/session/two-factor/confirm', { code: '000000' })).status, 400);
    const confirmed = await browser.send('POST', '/session/two-factor/confirm', { code: code() });
    assert.equal(confirmed.body.codes.length, 10);
    const other = openBrowser(app);
    const attempt = (extra: object) =>
      other.send('POST', '/session/sign-in', { email: 'lee@example.com', password: PASSWORD, ...extra });
    assert.equal((await attempt({})).body.code, 'two_factor_required');
    assert.equal((await attempt({ code: code() })).status, 401, 'the code was used to confirm');
    later();
    const again = await browser.send('POST', '/session/two-factor/confirm', { code: code() });
    assert.equal(again.body.code, 'invalid_state', 'the recovery codes are shown once');
    assert.equal((await attempt({ code: code() })).status, 200);
    assert.equal((await attempt({ code: confirmed.body.codes[3] })).status, 200);
    assert.equal((await attempt({ code: confirmed.body.codes[3] })).status, 401);
    const stored = await deps.control.query(`select totp_secret from users where email = 'lee@example.com'`);
    assert.ok(!stored.rows[0].totp_secret.toString('latin1').includes(secret));
    later();
    const off = { password: PASSWORD, code: code() };
    assert.equal((await browser.send('POST', '/session/two-factor/disable', off)).status, 200);
    assert.equal((await attempt({})).status, 200);
  });
});

describe('the team', () => {
  test('is invited by email, limited by role, and never without an owner', async () => {
    const { browser: owner, verified } = await signUp(app, mailbox, 'max@example.com');
    const invited = await owner.send('POST', '/session/invitations', { email: 'nia@example.com', role: 'viewer' });
    assert.equal(invited.status, 201);
    const nia = openBrowser(app);
    const { token } = mailbox.last('nia@example.com');
    const joined = await nia.send('POST', '/session/invitations/accept', { token, name: 'Nia', password: PASSWORD });
    assert.equal(joined.body.role, 'viewer');
    assert.equal(joined.body.account.id, verified.body.account.id);
    assert.equal(
      (await nia.send('POST', '/session/invitations', { email: 'o@example.com', role: 'admin' })).status,
      403,
    );
    assert.equal((await nia.send('POST', '/api/v1/keys', { name: 'mine' })).body.code, 'insufficient_scope');
    const niaId = joined.body.user.id as string;
    assert.equal((await owner.send('PATCH', `/session/members/${niaId}`, { role: 'admin' })).status, 200);
    const ownerId = verified.body.user.id as string;
    assert.equal((await nia.send('PATCH', `/session/members/${ownerId}`, { role: 'viewer' })).status, 403);
    assert.equal((await owner.send('DELETE', `/session/members/${ownerId}`)).body.code, 'invalid_state');
    assert.equal((await owner.send('GET', '/session/members')).body.data.length, 2);
    assert.equal((await owner.send('DELETE', `/session/members/${niaId}`)).status, 200);
    assert.equal((await nia.send('GET', '/session')).status, 401);
    const other = await signUp(app, mailbox, 'pat@example.com');
    assert.equal((await other.browser.send('DELETE', `/session/members/${ownerId}`)).status, 404, 'not theirs to see');
  });

  test('someone who already has a user joins while signed in', async () => {
    const { browser: host } = await signUp(app, mailbox, 'quin@example.com');
    const { browser: guest, verified } = await signUp(app, mailbox, 'rob@example.com');
    await host.send('POST', '/session/invitations', { email: 'rob@example.com', role: 'developer' });
    const { token } = mailbox.last('rob@example.com');
    const stranger = openBrowser(app);
    const taken = await stranger.send('POST', '/session/invitations/accept', { token, name: 'X' });
    assert.equal(taken.body.code, 'not_signed_in');
    const joined = await guest.send('POST', '/session/invitations/accept', { token });
    assert.equal(joined.status, 200);
    assert.equal(joined.body.accounts.length, 2);
    await guest.send('POST', '/session/account', { account_id: verified.body.account.id });
    assert.equal((await guest.send('GET', '/session')).body.account.id, verified.body.account.id);
  });
});

describe('the API with a cookie', () => {
  test('acts for the account with the role’s scopes, in the sandbox by default', async () => {
    const { browser } = await signUp(app, mailbox, 'sam@example.com');
    assert.equal((await browser.send('GET', '/api/v1/usage')).status, 200);
    assert.equal((await browser.send('GET', '/api/v1/keys')).body.data.length, 2);
    const made = await browser.send('POST', '/api/v1/keys', { name: 'CI', mode: 'live', scopes: ['avm:read'] });
    assert.equal(made.status, 201);
    assert.equal((await browser.send('GET', '/api/v1/properties/search?limit=1')).status, 200);
    const live = { 'x-platbook-mode': 'live' };
    const paid = await browser.send('GET', '/api/v1/properties/search?limit=1', undefined, live);
    assert.equal(paid.body.code, 'payment_required');
  });
});

describe('the audit log', () => {
  test('names who did what, is chained, and cannot be changed', async () => {
    const { browser, verified } = await signUp(app, mailbox, 'tom@example.com');
    await browser.send('POST', '/session/invitations', { email: 'uma@example.com', role: 'admin' });
    const made = await browser.send('POST', '/api/v1/keys', { name: 'CI' });
    await browser.send('POST', `/api/v1/keys/${made.body.id}/rotate`, { overlap_hours: 1 });
    const log = await browser.send('GET', '/session/audit-log');
    assert.deepEqual(
      log.body.data.map((entry: { action: string }) => entry.action),
      ['key.rotated', 'key.created', 'member.invited', 'account.created'],
    );
    assert.equal(log.body.data[1].actor, verified.body.user.id);
    const rows = (await listEntries(deps.control, verified.body.account.id, {}, 100)).reverse();
    assert.equal(findBreak(rows), undefined);
    rows[1] = { ...rows[1], actor: 'usr_someone_else' };
    assert.equal(findBreak(rows)?.sequence, 2);
    await assert.rejects(deps.control.query(`update audit_log set actor = 'x'`), /append-only/);
    await assert.rejects(deps.control.query('delete from audit_log'), /append-only/);
  });
});

describe('mail without SMTP', () => {
  test('is a file that only its owner can read, with the link in it', async () => {
    const home = mkdtempSync(join(tmpdir(), 'platbook-mail-'));
    const config = { ...deps.config, smtpUrl: undefined, home };
    await createMailer({ ...deps, config }).send({
      to: 'a@example.com',
      subject: 'Hello',
      text: 'https://x.example/verify?token=abc',
    });
    const [name] = readdirSync(join(home, 'mail'));
    const file = join(home, 'mail', name);
    assert.match(readFileSync(file, 'utf8'), /^To: a@example.com[^]*verify\?token=(3D)?abc/m);
    assert.equal(statSync(file).mode & 0o077, 0);
    rmSync(home, { recursive: true });
  });
});

describe('IPs', () => {
  test('that guess keys are stopped before the key is read', async () => {
    const from = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' };
    let last = 0;
    for (let n = 0; n < 61; n++) last = (await client.get('/markets', { key: 'wrong', headers: from })).status;
    assert.equal(last, 429);
    assert.equal((await client.get('/markets', { headers: from })).status, 429, 'even with a right one');
    assert.equal(
      (await client.get('/markets', { headers: { ...from, 'x-forwarded-for': '203.0.113.10' } })).status,
      200,
    );
    later();
    assert.equal((await client.get('/markets', { headers: from })).status, 200);
  });
});
