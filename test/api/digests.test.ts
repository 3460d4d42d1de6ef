// Digests by email: what they say and to whom, when there is none, the way out, and one per period whatever dies.
import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { describe, it } from 'node:test';
import { anchorReceipts } from '../../src/insight/quality/anchors.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { drain, runSchedule } from '../../src/worker.ts';
import { testClient } from '../harness.ts';
import { runAndKill } from '../kill.ts';
import { openBrowser, PASSWORD, signUp, startMailbox, type Browser } from '../people.ts';
import { until } from '../until.ts';

const mailbox = await startMailbox();
const settings = { SMTP_URL: mailbox.url, BASE_URL: 'https://platbook.example' };
const api = await testClient({ settings });
const { app, deps } = api;
const DAY = 86_400_000;
const id = DEMO.property_id;
const sandbox = { 'x-platbook-mode': 'test' };
const AREA = { kind: 'zip', area: '00103' };

/** A Wednesday; the week before it ended on Monday, November 9. */
const ASKED = Date.parse('2026-11-04T12:00:00Z');
const at = (ms: number) => deps.travel(new Date(ms).toISOString());
const monday = (weeks: number) => Date.parse('2026-11-09T00:30:00Z') + weeks * 7 * DAY;
at(ASKED);

const lettersTo = (email: string) =>
  mailbox.letters.filter(({ to, subject }) => to === email && /^Your (week|loans)/.test(subject));
const run = () => runSchedule(deps, 'send-digests');
const choose = async (browser: Browser, choice: object) => {
  const body = { mode: 'test', watchlists: false, loans: false, receipts: false, areas: [], ...choice };
  const answer = await browser.send('PUT', '/session/digests', body);
  assert.equal(answer.status, 200, answer.text);
};
const change = (kind: string, when: number, property = id) =>
  deps.data.query(
    `insert into changes (fips, property_id, market, kind, op, occurred_at)
     select fips, id, market, $2, 'update', $3 from properties where id = $1`,
    [property, kind, new Date(when)],
  );
async function join(email: string, choice: object, list?: object) {
  const { browser, verified } = await signUp(app, mailbox, email);
  if (list) {
    const made = await browser.send('POST', '/api/v1/watchlists', list, sandbox);
    assert.equal(made.status, 201, made.text);
    await drain(deps, ['watchlists']);
  }
  await choose(browser, choice);
  return { browser, accountId: verified.body.account.id as string };
}
const LIST = { name: 'Harbor homes', property_ids: [id] };

describe('the week', () => {
  it('is told once, to those who asked, with what changed on their watchlists', async () => {
    await join('ada@example.com', { watchlists: true }, LIST);
    await join('quiet@example.com', { watchlists: true });
    await join('none@example.com', {}, LIST);
    await change('property.sale_recorded', monday(0) - DAY);
    await change('property.permit_issued', monday(0) + DAY);
    await run();
    assert.equal(lettersTo('ada@example.com').length, 0, 'not before the week is over');
    at(monday(0));
    await run();
    await run();
    const [letter, ...more] = lettersTo('ada@example.com');
    assert.deepEqual(more, []);
    assert.equal(letter.subject, 'Your week, 2026-11-02 to 2026-11-08');
    assert.match(letter.text, /Harbor homes: sale recorded \(1 home\)\./);
    assert.ok(!letter.text.includes('permit'), 'of the week after');
    assert.deepEqual([...lettersTo('quiet@example.com'), ...lettersTo('none@example.com')], []);
    at(monday(1));
    await run();
    assert.match(lettersTo('ada@example.com')[1].text, /permit issued \(1 home\)/);
    at(monday(2));
    await run();
    assert.equal(lettersTo('ada@example.com').length, 2, 'nothing to say');
  });

  it('tells of an area when a quarter says something new', async () => {
    at(ASKED);
    const { browser } = await join('areas@example.com', { areas: [AREA] });
    assert.deepEqual((await browser.send('GET', '/session/digests?mode=test')).body.areas, [AREA]);
    const wrong = await browser.send('PUT', '/session/digests', {
      mode: 'test',
      watchlists: false,
      loans: false,
      receipts: false,
      areas: [{ kind: 'zip', area: '99999' }],
    });
    assert.equal(wrong.status, 404);
    at(monday(0));
    await run();
    const [letter] = lettersTo('areas@example.com');
    assert.match(letter.text, /00103: \d+ sales in \d{4}-Q\d, median \$[\d,]+/);
    at(monday(1));
    await run();
    assert.equal(lettersTo('areas@example.com').length, 1);
  });

  it('shows a member only what the role may read, and nothing to those who left', async () => {
    at(ASKED);
    const { browser: owner } = await join('owner@example.com', { watchlists: true }, LIST);
    const byOwner = { name: 'Of companies', filter: { zip: ['00103'], owner_type: 'company' } };
    assert.equal((await owner.send('POST', '/api/v1/watchlists', byOwner, sandbox)).status, 201);
    await drain(deps, ['watchlists']);
    const { rows } = await deps.control.query(
      `select property_id from watchlist_members m join watchlists w on w.id = m.watchlist_id where w.name = 'Of companies' limit 1`,
    );
    await change('property.updated', monday(0) - DAY, rows[0].property_id);
    await change('property.updated', monday(0) - DAY);
    for (const [email, role] of [
      ['viewer@example.com', 'viewer'],
      ['billing@example.com', 'billing'],
      ['gone@example.com', 'admin'],
    ]) {
      await owner.send('POST', '/session/invitations', { email, role });
      const browser = openBrowser(app);
      await browser.send('POST', '/session/invitations/accept', {
        token: mailbox.last(email).token,
        name: 'Vi',
        password: PASSWORD,
      });
      await choose(browser, { watchlists: true, areas: [AREA], loans: true });
    }
    const { data } = (await owner.send('GET', '/session/members')).body;
    const gone = data.find(({ email }: { email: string }) => email === 'gone@example.com');
    assert.equal((await owner.send('DELETE', `/session/members/${gone.id}`)).status, 200);
    at(monday(0));
    await run();
    assert.match(lettersTo('owner@example.com')[0].text, /Of companies: /);
    const [seen] = lettersTo('viewer@example.com');
    assert.match(seen.text, /Harbor homes: /);
    assert.ok(!seen.text.includes('Of companies'));
    assert.deepEqual([...lettersTo('billing@example.com'), ...lettersTo('gone@example.com')], []);
  });
});

describe('the month', () => {
  it('is told once with what became known of loans', async () => {
    at(ASKED);
    const { browser, accountId } = await join('lender@example.com', { loans: true });
    const loan = { property: { id }, amount: 100_000, closed_on: '2025-01-02', reference: 'LN-9' };
    const made = await browser.send('POST', '/api/v1/loans', loan, sandbox);
    assert.equal(made.status, 201, made.text);
    const detail = 'A lien of $9,000 was recorded Nov 12, 2026.';
    await deps.control.query(
      `insert into loan_conditions (loan_id, known_at, condition, changes)
       select loan_id, '2026-11-13', condition, $2 from loan_conditions where loan_id = $1 limit 1`,
      [made.body.id, JSON.stringify([{ code: 'lien_recorded', detail }])],
    );
    for (const day of [
      '2026-11-30T23:00:00Z',
      '2026-12-01T01:00:00Z',
      '2026-12-20T01:00:00Z',
      '2027-01-02T01:00:00Z',
    ]) {
      at(Date.parse(day));
      await run();
    }
    const [letter, ...more] = lettersTo('lender@example.com');
    assert.deepEqual(more, []);
    assert.match(letter.subject, /^Your loans, 2026-11-01 to 2026-11-30/);
    assert.ok(letter.text.includes(`Loan LN-9: ${detail}`));
    await deps.control.query(`update accounts set status = 'suspended' where id = $1`, [accountId]);
  });
});

describe('the hour', () => {
  it('brings a witness every root once, signed, and again those of an email that was lost', async () => {
    const start = Date.parse('2026-11-04T12:00:00Z');
    at(start);
    const { browser: owner } = await join('holder@example.com', {});
    await owner.send('POST', '/session/invitations', { email: 'witness@example.com', role: 'viewer' });
    const browser = openBrowser(app);
    const { token } = mailbox.last('witness@example.com');
    await browser.send('POST', '/session/invitations/accept', { token, name: 'Wi', password: PASSWORD });
    await choose(browser, { receipts: true });
    assert.equal((await browser.send('GET', '/session/digests?mode=test')).body.receipts, true);
    const roots = () =>
      mailbox.letters
        .filter(({ to, subject }) => to === 'witness@example.com' && subject.startsWith('Roots'))
        .map(({ text }) =>
          [
            ...text
              .replaceAll(/=\r?\n/g, '')
              .replaceAll('=3D', '=')
              .matchAll(/^\{.*\}$/gm),
          ].map(([line]) => JSON.parse(line)),
        );
    const anchor = async () => {
      const made = await owner.send('POST', '/api/v1/avm/estimate', { property: { id } }, sandbox);
      assert.equal(made.status, 200, made.text);
      await anchorReceipts(deps);
      const { body } = await owner.send('GET', `/api/v1/avm/valuations/${made.body.id}/proof`, undefined, sandbox);
      return body.anchor;
    };
    const hour = (hours: number) => at(start + hours * 3_600_000 + 1_200_000);
    const expected = [await anchor(), await anchor()].map(({ path: _path, audit_hash: _hash, ...signed }) => signed);
    hour(0);
    await run();
    assert.deepEqual(roots(), [], 'not before the hour is over');
    hour(1);
    await run();
    await run();
    assert.deepEqual(roots(), [expected]);
    const { account_id, anchored_at, receipts, root, signature } = expected[0];
    const statement = JSON.stringify({ account_id, anchored_at, receipts, root });
    const { payload } = await app.inject('/receipt-key.pem');
    assert.ok(verify(null, Buffer.from(statement), createPublicKey(payload), Buffer.from(signature, 'base64')));

    const { path: _path, audit_hash: _hash, ...lost } = await anchor();
    hour(2);
    const { mailer } = deps;
    deps.mailer = { send: () => new Promise(() => {}) };
    void run();
    const settled = () =>
      deps.control.query(
        `select 1 from digests where period like 'hour%T13:%' and settled_at is not null and sent_at is null`,
      );
    await until(async () => (await settled()).rows.length === 1);
    deps.mailer = mailer;
    hour(3);
    await run();
    assert.deepEqual(roots().slice(1), [[lost]], 'handed over by a process that died, and never sent');
    hour(4);
    await run();
    assert.equal(roots().length, 2, 'nothing to say');
  });

  it('tells whoever pays the bills, and may not read values, nothing', async () => {
    const start = Date.parse('2026-12-04T12:00:00Z');
    at(start);
    const { browser: owner } = await join('payer@example.com', {});
    await owner.send('POST', '/session/invitations', { email: 'books@example.com', role: 'billing' });
    const browser = openBrowser(app);
    const { token } = mailbox.last('books@example.com');
    await browser.send('POST', '/session/invitations/accept', { token, name: 'Bo', password: PASSWORD });
    await choose(browser, { receipts: true });
    await owner.send('POST', '/api/v1/avm/estimate', { property: { id } }, sandbox);
    await anchorReceipts(deps);
    at(start + 3_600_000);
    await run();
    assert.ok(!mailbox.letters.some(({ to, subject }) => to === 'books@example.com' && subject.startsWith('Roots')));
  });
});

describe('the way out', () => {
  it('is in the header, by one POST without a cookie, and behind the link', async () => {
    for (const [email, type] of [
      ['form@example.com', 'application/x-www-form-urlencoded'],
      ['parts@example.com', 'multipart/form-data; boundary=x'],
    ]) {
      at(ASKED);
      await join(email, { watchlists: true }, LIST);
      await change('property.updated', monday(0) - DAY);
      at(monday(0));
      await run();
      const { head, text } = lettersTo(email)[0];
      const unfolded = head.replace(/\r\n[ \t]+/g, ' ');
      const [, url] = /^List-Unsubscribe: <(https:\/\/platbook\.example\/unsubscribe\?token=[\w.-]+)>$/m.exec(
        unfolded,
      )!;
      assert.match(unfolded, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m);
      assert.ok(text.replaceAll(/=\r?\n/g, '').includes(url));
      const path = url.replace('https://platbook.example', '');
      const post = (to: string) =>
        app.inject({
          method: 'POST',
          url: to,
          headers: { 'content-type': type },
          payload: 'List-Unsubscribe=One-Click',
        });
      assert.equal((await post(path.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')))).statusCode, 410);
      assert.equal((await post(path.replace('.test.', '.live.'))).statusCode, 410);
      await app.inject({ method: 'GET', url: path });
      const subscribed = async () =>
        (
          await deps.control.query(
            'select 1 from digest_subscriptions s join users u on u.id = s.user_id where u.email = $1',
            [email],
          )
        ).rows.length;
      assert.equal(await subscribed(), 1, 'a look at the link ends nothing');
      assert.equal((await post(path)).statusCode, 200);
      assert.equal(await subscribed(), 0);
      assert.equal((await post(path)).statusCode, 200, 'twice');
    }
  });
});

describe('a mail server that refuses, and a process that dies', () => {
  it('is tried again where nothing was handed over, and never where it may have been', async () => {
    at(ASKED);
    await join('again@example.com', { watchlists: true }, LIST);
    await change('property.updated', monday(0) - DAY);
    at(monday(0));
    const { mailer } = deps;
    deps.mailer = { send: () => Promise.reject(new Error('451 try later')) };
    await run();
    deps.mailer = mailer;
    assert.equal(lettersTo('again@example.com').length, 0);
    at(monday(0) + 31 * 60_000);
    await run();
    await run();
    assert.equal(lettersTo('again@example.com').length, 1);
  });

  it('sends each person one at the most, through kill -9', async () => {
    const now = Date.now();
    at(now - 20 * DAY);
    const people = Array.from({ length: 6 }, (_, n) => `crash${n}@example.com`);
    for (const email of people) await join(email, { watchlists: true }, LIST);
    const lastWeek = now - (((new Date(now).getUTCDay() + 6) % 7) + 3) * DAY;
    await change('property.updated', lastWeek);
    await deps.control.query('delete from digests');
    const { databaseUrl, secret } = deps.config;
    const environment = { ...settings, DATABASE_URL: databaseUrl!, PLATBOOK_SECRET: secret!, LOG_LEVEL: 'silent' };
    for (const portions of [1, 2]) assert.ok(await runAndKill(['digests'], environment, portions, 3 * portions));
    at(now + 31 * 60_000);
    await run();
    const counts = people.map((email) => lettersTo(email).length);
    assert.ok(
      counts.every((count) => count <= 1),
      counts.join(),
    );
    assert.ok(counts.filter((count) => count === 1).length >= people.length - 2, counts.join());
  });
});
