// The audit log: every change of sign-in and team is in it, and a log that was tampered with is found.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { listEntries } from '../../src/base/audit/sql.ts';
import { verifyAuditLogs } from '../../src/base/audit/verify.ts';
import { canonicalJson } from '../../src/base/math/hashes.ts';
import { DEFAULT_SCOPES } from '../../src/customers/accounts/scopes.ts';
import { anchorReceipts } from '../../src/insight/quality/anchors.ts';
import { runAudit } from '../../src/operate/commands/audit.ts';
import { stepAt, totpAt } from '../../src/customers/people/totp.ts';
import { endSessionsOf } from '../../src/customers/people/people.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { runSchedule } from '../../src/worker.ts';
import { testClient } from '../harness.ts';
import { openBrowser, PASSWORD, signUp, startMailbox } from '../people.ts';

const mailbox = await startMailbox();
const client = await testClient({ settings: { SMTP_URL: mailbox.url } });
const { app, deps } = client;
deps.travel('2026-03-01T09:00:00.000Z');

async function actionsOf(accountId: string): Promise<string[]> {
  return (await listEntries(deps.control, accountId, {}, 100)).map(({ action }) => action).reverse();
}

/** What `platbook audit verify` prints. */
async function runCommand(): Promise<string> {
  const printed: string[] = [];
  const { log } = console;
  console.log = (line: string) => void printed.push(line);
  try {
    await runAudit(deps.config, ['verify']);
  } finally {
    console.log = log;
  }
  return printed.join('\n');
}

describe('the audit log', () => {
  test('has every change of password, second factor, sessions and team', async () => {
    const { browser, verified } = await signUp(app, mailbox, 'owner@example.com');
    const accountId = verified.body.account.id as string;
    const { secret } = (await browser.send('POST', '/session/two-factor', { password: PASSWORD })).body;
    const code = () => totpAt(secret, stepAt(deps.clock()));
    await browser.send('POST', '/session/two-factor/confirm', { code: code() });
    deps.travel('2026-03-01T10:00:00.000Z');
    const other = openBrowser(app);
    await other.send('POST', '/session/sign-in', { email: 'owner@example.com', password: PASSWORD, code: code() });
    const { data } = (await other.send('GET', '/session/sessions')).body;
    const elsewhere = data.find((row: { is_current: boolean }) => !row.is_current);
    const end = (password?: string) =>
      other.send('DELETE', `/session/sessions/${elsewhere.id}`, password === undefined ? {} : { password });
    assert.equal((await end()).body.code, 'invalid_credentials', 'a browser left open signs nobody out elsewhere');
    assert.equal((await end('not the password')).body.code, 'invalid_credentials');
    assert.equal((await end(PASSWORD)).status, 200);
    const guess = { email: 'owner@example.com', password: 'a wrong guess at it' };
    assert.equal((await openBrowser(app).send('POST', '/session/sign-in', guess)).status, 401);
    deps.travel('2026-03-01T11:00:00.000Z');
    await other.send('POST', '/session/two-factor/disable', { password: PASSWORD, code: code() });
    const change = { current_password: PASSWORD, password: 'copper lantern seven rivers' };
    await other.send('POST', '/session/password', change);
    await other.send('POST', '/session/invitations', { email: 'guest@example.com', role: 'viewer' });
    const accepted = await openBrowser(app).send('POST', '/session/invitations/accept', {
      token: mailbox.last('guest@example.com').token,
      name: 'Guest',
      password: PASSWORD,
    });
    const guestId = accepted.body.user.id;
    await other.send('PATCH', `/session/members/${guestId}`, { role: 'admin' });
    await other.send('DELETE', `/session/members/${guestId}`);
    const goodbye = await other.send('POST', '/session/sign-out');
    assert.equal(goodbye.headers['clear-site-data'], '"storage"');
    assert.deepEqual(await actionsOf(accountId), [
      'account.created',
      'user.two_factor_enabled',
      'user.signed_in',
      'user.session_ended',
      'user.sign_in_failed',
      'user.two_factor_disabled',
      'user.password_changed',
      'member.invited',
      'member.joined',
      'member.role_changed',
      'member.removed',
      'user.signed_out',
    ]);
  });

  test('has the sign-outs that an operator ordered, everywhere at once', async () => {
    const { browser, verified } = await signUp(app, mailbox, 'lost@example.com');
    const second = openBrowser(app);
    await second.send('POST', '/session/sign-in', { email: 'lost@example.com', password: PASSWORD });
    assert.equal(await endSessionsOf(deps, 'Lost@example.com'), 2);
    for (const each of [browser, second]) assert.equal((await each.send('GET', '/session')).status, 401);
    const [newest] = await listEntries(deps.control, verified.body.account.id, {}, 1);
    assert.deepEqual([newest.action, newest.actor], ['user.sessions_ended', 'operator']);
    await assert.rejects(endSessionsOf(deps, 'nobody@example.com'), /Nobody has signed up/);
  });

  test('that was changed, rewritten or cut short is found, and counted until it is mended', async () => {
    const metric = async () =>
      /^audit_log_broken_accounts (\d+)$/m.exec((await client.get('//metrics', { key: null })).text)?.[1];
    const accounts: string[] = [];
    for (const name of ['changed', 'rewritten', 'cut', 'whole']) {
      const { browser, verified } = await signUp(app, mailbox, `${name}@example.com`);
      for (let n = 0; n < 3; n++) {
        await browser.send('POST', '/session/invitations', { email: `${name}${n}@example.com`, role: 'viewer' });
      }
      accounts.push(verified.body.account.id);
    }
    const [changed, rewritten, cut, whole] = accounts;
    const brokenIn = async () =>
      (await verifyAuditLogs(deps)).filter(({ brokenSequence }) => brokenSequence !== undefined);
    assert.deepEqual(await brokenIn(), []);
    assert.equal(await metric(), '0');

    // Someone who owns the database: its triggers do not hold them.
    await deps.control.query('alter table audit_log disable trigger user');
    await deps.control.query(`create table kept as select * from audit_log where account_id = any($1)`, [
      [changed, rewritten, cut],
    ]);
    await deps.control.query(`update audit_log set actor = 'usr_x' where account_id = $1 and sequence = 2`, [changed]);
    await deps.control.query('delete from audit_log where account_id = $1 and sequence = 4', [cut]);
    // Recomputed from the start, so that every hash follows from the one before.
    const { hashOf } = await import('../../src/base/audit/audit.ts');
    let previous: Buffer | null = null;
    for (const row of (await listEntries(deps.control, rewritten, {}, 100)).reverse()) {
      const { hash: _old, ...rest } = { ...row, actor: 'usr_x', previous_hash: previous };
      const hash: Buffer = hashOf(rest);
      await deps.control.query(
        `update audit_log set actor = 'usr_x', previous_hash = $3, hash = $4 where account_id = $1 and sequence = $2`,
        [rewritten, row.sequence, previous, hash],
      );
      previous = hash;
    }
    await deps.control.query('alter table audit_log enable trigger user');

    const broken = await brokenIn();
    assert.deepEqual(
      new Map(broken.map(({ accountId, brokenSequence }) => [accountId, brokenSequence])),
      new Map([
        [changed, 2],
        [rewritten, 4],
        [cut, 4],
      ]),
    );
    await runSchedule(deps, 'verify-audit-logs');
    assert.match(await runCommand(), new RegExp(`${changed} is BROKEN at entry 2[^]*, 3 broken\\.`));
    assert.equal(process.exitCode, 1);
    process.exitCode = undefined;
    assert.equal(await metric(), '3');
    assert.ok(!broken.some(({ accountId }) => accountId === whole));

    await deps.control.query('alter table audit_log disable trigger user');
    await deps.control.query('delete from audit_log where account_id in (select account_id from kept)');
    await deps.control.query('insert into audit_log select * from kept');
    await deps.control.query('alter table audit_log enable trigger user');
    assert.deepEqual(await brokenIn(), []);
    assert.equal(await metric(), '0');
    await assert.rejects(deps.control.query('truncate audit_log'), /append-only/);
  });
});

describe('GET /audit-log', () => {
  test('is for keys that were given it, and has all that is needed to follow the chain', async () => {
    await client.post('/keys', { name: 'a' }, { key: client.liveKey });
    await client.post('/keys', { name: 'b' }, { key: client.liveKey });
    const read = (query: string, key: string) => client.get(`/audit-log?${query}`, { key });
    const without = await client.keyWith(DEFAULT_SCOPES, 'live');
    assert.deepEqual(
      [(await read('', without)).status, (await read('', without)).body.code],
      [403, 'insufficient_scope'],
    );
    const first = (await read('limit=1', client.liveKey)).body;
    const rest = (await read(`limit=100&cursor=${first.pagination.next_cursor}`, client.liveKey)).body;
    const entries = [...first.data, ...rest.data].reverse();
    assert.deepEqual(
      entries.map(({ sequence }) => sequence),
      entries.map((_, at) => at + 1),
    );
    let previous = '';
    for (const { object: _object, at, hash, previous_hash, ...members } of entries) {
      assert.equal(previous_hash ?? '', previous);
      const text = `${at}${canonicalJson({ ...members, account_id: client.accountId })}`;
      previous = createHash('sha256').update(Buffer.from(previous, 'hex')).update(text).digest('hex');
      assert.equal(hash, previous);
    }
    const [{ sequence, action }] = entries;
    assert.deepEqual((await read(`sequence=${sequence}`, client.liveKey)).body.data, [entries[0]]);
    const some = (await read(`action=${action}`, client.liveKey)).body.data;
    assert.ok(some.length > 0 && some.every((entry: { action: string }) => entry.action === action));
  });

  test('shows a sandbox key where receipts were anchored, and nothing of the live account', async () => {
    assert.deepEqual((await client.get('/audit-log')).body.data, []);
    await client.post('/avm/estimate', { property: { id: DEMO.property_id } });
    await anchorReceipts(deps);
    for (const query of ['', '?action=key.created', '?sequence=1'])
      for (const { action } of (await client.get(`/audit-log${query}`)).body.data)
        assert.equal(action, 'receipts.anchored');
    const [entry] = (await client.get('/audit-log')).body.data;
    const [event] = (await client.get('/events?type=receipts.anchored')).body.data;
    assert.deepEqual([event.data.root, event.data.audit_sequence], [entry.details.root, entry.sequence]);
  });
});
