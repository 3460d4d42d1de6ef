// Single sign-on: who may set it up, whom a provider may sign in, and what it cannot do.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listEntries } from '../../src/base/audit/sql.ts';
import * as sso from '../../src/customers/sso/sso.ts';
import { testClient } from '../harness.ts';
import { startOidcProvider, type Person, type Tampering } from '../oidc-provider.ts';
import { openBrowser, PASSWORD, signUp, startMailbox, type Browser } from '../people.ts';

const mailbox = await startMailbox();
const provider = await startOidcProvider();
const { app, deps } = await testClient({
  settings: { SMTP_URL: mailbox.url, BASE_URL: 'http://localhost', WEBHOOK_ALLOW_PRIVATE: 'true' },
});
deps.travel('2026-03-01T09:00:00.000Z');

const form = (changes: object = {}) => ({
  issuer: provider.issuer,
  client_id: provider.clientId,
  client_secret: provider.clientSecret,
  default_role: 'developer',
  is_enforced: false,
  ...changes,
});

async function enterpriseOwner(domain: string) {
  const { browser, verified } = await signUp(app, mailbox, `owner@${domain}`);
  const accountId = verified.body.account.id as string;
  await deps.control.query(`update accounts set plan = 'enterprise' where id = $1`, [accountId]);
  await sso.verifyDomain(deps, accountId, domain);
  return { browser, accountId };
}

const ann = (domain: string): Person => ({ sub: 'ann', email: `ann@${domain}`, email_verified: true, name: 'Ann' });

async function signInAs(person: Person, options: { as?: string; tampering?: Tampering; browser?: Browser } = {}) {
  const browser = options.browser ?? openBrowser(app);
  const begun = await browser.send('POST', '/session/sso', { email: options.as ?? person.email });
  assert.equal(begun.status, 200, begun.text);
  const back = provider.approve(begun.body.url, person, options.tampering);
  const answer = await browser.send('GET', back);
  return { browser, answer, back };
}

const isRefused = ({ status, headers }: { status: number; headers: Record<string, string | undefined> }) =>
  status === 303 &&
  headers.location === '/sign-in?sso=refused' &&
  String(headers['set-cookie']).includes('sso_problem=') &&
  !String(headers['set-cookie']).includes('platbook_session');

describe('a connection', () => {
  test('is set up by an owner of an enterprise account, its secret kept encrypted and unseen', async () => {
    const { browser, verified } = await signUp(app, mailbox, 'boss@acme.example.com');
    const put = (changes: object = {}) => browser.send('PUT', '/session/sso/connection', form(changes));
    assert.equal((await put()).body.code, 'plan_feature_unavailable');
    await deps.control.query(`update accounts set plan = 'enterprise' where id = $1`, [verified.body.account.id]);
    assert.equal((await put({ issuer: 'https://nowhere.invalid' })).status, 400);
    assert.equal((await browser.send('GET', '/session/sso/connection')).body.connection, null);
    const saved = await put();
    assert.equal(saved.status, 200, saved.text);
    assert.equal(saved.body.redirect_url, 'http://localhost/session/sso/callback');
    assert.ok(!JSON.stringify(saved.body).includes(provider.clientSecret));
    const { rows } = await deps.control.query('select client_secret from sso_connections');
    assert.ok(!rows[0].client_secret.toString('latin1').includes(provider.clientSecret));
    assert.equal(
      (await put({ client_secret: undefined, default_role: 'viewer' })).body.connection.default_role,
      'viewer',
    );
    await browser.send('POST', '/session/invitations', { email: 'admin@example.com', role: 'admin' });
    const admin = openBrowser(app);
    const { token } = mailbox.last('admin@example.com');
    await admin.send('POST', '/session/invitations/accept', { token, name: 'Al', password: PASSWORD });
    const byAdmin = await admin.send('PUT', '/session/sso/connection', form());
    assert.equal(byAdmin.body.code, 'insufficient_role', 'an admin could sign in as the owner');
  });

  test('speaks for domains that an operator verified, each for one account', async () => {
    const { accountId } = await enterpriseOwner('one.example.com');
    const other = await enterpriseOwner('two.example.com');
    await assert.rejects(sso.verifyDomain(deps, other.accountId, 'One.Example.com'), /belongs to acct_/);
    await assert.rejects(sso.verifyDomain(deps, accountId, 'gmail.com'), /email provider/);
    await assert.rejects(sso.verifyDomain(deps, accountId, 'not a domain'), /not a domain/);
    await sso.releaseDomain(deps, 'one.example.com');
    await sso.verifyDomain(deps, other.accountId, 'one.example.com');
  });
});

describe('signing in', () => {
  test('creates the person with the default role, and finds them again', async () => {
    const domain = 'corp.example.com';
    const { browser: owner, accountId } = await enterpriseOwner(domain);
    const unknown = await openBrowser(app).send('POST', '/session/sso', { email: `x@${domain}` });
    assert.equal(unknown.status, 404, 'no connection yet');
    await owner.send('PUT', '/session/sso/connection', form());
    const first = await signInAs(ann(domain));
    assert.equal(first.answer.status, 303, first.answer.text);
    assert.equal(first.answer.headers.location, '/dashboard');
    const session = (await first.browser.send('GET', '/session')).body;
    assert.equal(session.account.id, accountId);
    assert.equal(session.role, 'developer');
    assert.equal(session.method, 'sso');
    assert.equal(session.user.has_password, false);
    const again = await signInAs({ ...ann(domain), email: `ann.new@${domain}` });
    assert.equal((await again.browser.send('GET', '/session')).body.user.id, session.user.id, 'by subject');
    const log = (await listEntries(deps.control, accountId, {}, 100)).map(({ action }) => action).reverse();
    assert.deepEqual(log, [
      'account.created',
      'sso.domain_verified',
      'sso.connected',
      'member.joined',
      'user.signed_in',
      'user.signed_in',
    ]);
    const wrong = await openBrowser(app).send('POST', '/session/sign-in', { email: `ann@${domain}`, password: 'x' });
    assert.equal(wrong.status, 401, 'there is no password to guess');
  });

  test('works once, in the browser that began it, and not after ten minutes', async () => {
    const domain = 'once.example.com';
    const { browser: owner } = await enterpriseOwner(domain);
    await owner.send('PUT', '/session/sso/connection', form());
    const { back, browser } = await signInAs(ann(domain));
    assert.ok(isRefused(await browser.send('GET', back)), 'replayed');
    const victim = openBrowser(app);
    const attacker = openBrowser(app);
    const begun = await attacker.send('POST', '/session/sso', { email: `ann@${domain}` });
    const lure = provider.approve(begun.body.url, ann(domain));
    assert.ok(isRefused(await victim.send('GET', lure)), 'a link lured into another browser');
    const slow = await attacker.send('POST', '/session/sso', { email: `ann@${domain}` });
    deps.travel('2026-03-01T09:11:00.000Z');
    assert.ok(isRefused(await attacker.send('GET', provider.approve(slow.body.url, ann(domain)))), 'too late');
    assert.ok(isRefused(await attacker.send('GET', '/session/sso/callback?code=x&state=y')));
    assert.ok(isRefused(await attacker.send('GET', '/session/sso/callback?error=access_denied')));
  });

  test('is refused for an unverified email, another domain, and a token that is not the provider’s for us', async () => {
    const domain = 'strict.example.com';
    const { browser: owner } = await enterpriseOwner(domain);
    await owner.send('PUT', '/session/sso/connection', form());
    const as = `ann@${domain}`;
    for (const person of [
      { ...ann(domain), email_verified: false },
      { ...ann(domain), email_verified: undefined },
      { ...ann(domain), email: undefined },
      ann('elsewhere.example.com'),
      ann(`evil-${domain}`),
    ]) {
      assert.ok(isRefused((await signInAs(person, { as })).answer), JSON.stringify(person));
    }
    for (const tampering of [
      { nonce: 'another' },
      { audience: 'another' },
      { issuer: 'https://evil.example' },
      { isForged: true },
    ]) {
      assert.ok(isRefused((await signInAs(ann(domain), { tampering })).answer), JSON.stringify(tampering));
    }
    assert.equal((await signInAs(ann(domain))).answer.headers.location, '/dashboard');
  });

  test('opens the account of the connection only, also for someone who has others', async () => {
    const domain = 'shared.example.com';
    const { browser: owner } = await enterpriseOwner(domain);
    await owner.send('PUT', '/session/sso/connection', form());
    deps.travel('2026-03-01T12:00:00.000Z');
    const { verified } = await signUp(app, mailbox, `ann@${domain}`);
    const ownAccount = verified.body.account.id;
    const { browser } = await signInAs(ann(domain));
    const session = (await browser.send('GET', '/session')).body;
    assert.equal(session.user.id, verified.body.user.id);
    assert.notEqual(session.account.id, ownAccount);
    const moved = await browser.send('POST', '/session/account', { account_id: ownAccount });
    assert.equal(moved.body.code, 'invalid_state');
    const { browser: host } = await signUp(app, mailbox, 'host@elsewhere.example.com');
    await host.send('POST', '/session/invitations', { email: `ann@${domain}`, role: 'viewer' });
    const { token } = mailbox.last(`ann@${domain}`);
    const joined = await browser.send('POST', '/session/invitations/accept', { token });
    assert.equal(joined.body.code, 'invalid_state', 'nor does it join another');
    const alias = await signInAs({ sub: 'alias', email: `ann+x@${domain}`, email_verified: true });
    assert.ok(isRefused(alias.answer), 'another spelling is another mailbox to the provider');
  });
});

describe('required single sign-on', () => {
  test('is a rule of its account: others of its people stay open by password, and a removed member stays out', async () => {
    deps.travel('2026-03-02T08:00:00.000Z');
    const domain = 'both.example.com';
    const { browser: elsewhere } = await signUp(app, mailbox, `ann@${domain}`);
    const own = (await elsewhere.send('GET', '/session')).body.account;
    const { browser: owner, accountId } = await enterpriseOwner(domain);
    await owner.send('PUT', '/session/sso/connection', form());
    const through = await signInAs({ sub: 'boss', email: `owner@${domain}`, email_verified: true });
    const inside = await signInAs(ann(domain));
    assert.equal(
      (await through.browser.send('PUT', '/session/sso/connection', form({ is_enforced: true }))).status,
      200,
    );
    assert.equal((await elsewhere.send('GET', '/session')).body.account.id, own.id, 'the session elsewhere goes on');
    const seen = (await inside.browser.send('GET', '/session')).body.accounts;
    assert.deepEqual(
      seen.map(({ id }: { id: string }) => id),
      [accountId],
      'one account does not see the other',
    );
    const again = openBrowser(app);
    const signedIn = await again.send('POST', '/session/sign-in', { email: `ann@${domain}`, password: PASSWORD });
    assert.equal(signedIn.body.account?.id, own.id, signedIn.text);
    const moved = await again.send('POST', '/session/account', { account_id: accountId });
    assert.equal(moved.body.code, 'sso_required', 'the account that requires it stays shut');
    const sent = mailbox.letters.length;
    await again.send('POST', '/session/forgot', { email: `ann@${domain}` });
    assert.equal(mailbox.letters.length, sent + 1);
    const members = (await through.browser.send('GET', '/session/members')).body.data;
    const { id: annId } = members.find(({ email }: { email: string }) => email === `ann@${domain}`);
    assert.equal((await through.browser.send('DELETE', `/session/members/${annId}`)).status, 200);
    assert.ok(isRefused((await signInAs(ann(domain))).answer), 'single sign-on does not bring them back');
    await sso.stopEnforcing(deps, accountId);
    await sso.releaseDomain(deps, domain);
  });

  test('closes every other way in for the domain, once an owner has come in through it', async () => {
    deps.travel('2026-03-02T09:00:00.000Z');
    const domain = 'locked.example.com';
    const { browser: owner, accountId } = await enterpriseOwner(domain);
    await owner.send('PUT', '/session/sso/connection', form());
    const early = await owner.send('PUT', '/session/sso/connection', form({ is_enforced: true }));
    assert.equal(early.body.code, 'invalid_state', 'not before it has worked');
    const through = await signInAs({ sub: 'boss', email: `owner@${domain}`, email_verified: true });
    const enforced = await through.browser.send('PUT', '/session/sso/connection', form({ is_enforced: true }));
    assert.equal(enforced.status, 200, enforced.text);
    assert.equal((await owner.send('GET', '/session')).status, 401, 'sessions by password have ended');
    const anyone = openBrowser(app);
    for (const email of [`owner@${domain}`, `nobody@${domain}`]) {
      const answer = await anyone.send('POST', '/session/sign-in', { email, password: PASSWORD });
      assert.equal(answer.body.code, 'sso_required', email);
    }
    const sent = mailbox.letters.length;
    const signedUp = await anyone.send('POST', '/session/sign-up', {
      email: `new@${domain}`,
      password: PASSWORD,
      name: 'New',
    });
    assert.equal(signedUp.body.code, 'sso_required');
    await anyone.send('POST', '/session/forgot', { email: `owner@${domain}` });
    assert.equal(mailbox.letters.length, sent, 'no link to a password that would not work');
    assert.equal((await signInAs(ann(domain))).answer.headers.location, '/dashboard');
    await sso.stopEnforcing(deps, accountId);
    const back = await anyone.send('POST', '/session/sign-in', { email: `owner@${domain}`, password: PASSWORD });
    assert.equal(back.status, 200, 'an operator lets them in again');
    assert.equal((await through.browser.send('DELETE', '/session/sso/connection')).status, 200);
    assert.equal((await through.browser.send('GET', '/session')).status, 401, 'its sessions end with it');
  });
});

describe('a session of single sign-on', () => {
  test('ends after a day however busy it is, so that the provider decides again', async () => {
    deps.travel('2026-03-10T09:00:00.000Z');
    const domain = 'daily.example.com';
    const { browser: owner } = await enterpriseOwner(domain);
    await owner.send('PUT', '/session/sso/connection', form());
    const { browser } = await signInAs(ann(domain));
    for (const instant of ['2026-03-10T20:00:00.000Z', '2026-03-11T08:59:00.000Z']) {
      deps.travel(instant);
      assert.equal((await browser.send('GET', '/session')).status, 200, instant);
    }
    deps.travel('2026-03-11T09:00:00.000Z');
    assert.equal((await browser.send('GET', '/session')).status, 401);
    assert.equal((await owner.send('GET', '/session')).status, 200, 'a password is ours to judge');
  });
});
