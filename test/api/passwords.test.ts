// Passwords: which are refused and why, and what a flood of hashing costs.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { createPasswords } from '../../src/customers/people/passwords.ts';
import { ApiError } from '../../src/base/lib/errors.ts';
import { testClient } from '../harness.ts';
import { openBrowser, PASSWORD, startMailbox } from '../people.ts';

const mailbox = await startMailbox();
const { app, deps } = await testClient({
  settings: { SMTP_URL: mailbox.url, TRUST_PROXY: '1', SIGN_UP_LIMIT_PER_HOUR: '4' },
});
deps.travel('2026-03-01T09:00:00.000Z');

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase();

describe('a weak password', () => {
  const about = { name: 'Daniela Rivera', company: 'Lakeside Realty' };

  for (const [password, why] of [
    ['short', /at least 10 characters/],
    ['sunshine123', /common|guess/i],
    ['Password1234', /common|guess/i],
    ['P@ssw0rd!!', /common|guess/i],
    ['qwertyuiop', /common|row of keys|guess/i],
    ['aaaaaaaaaaaaaa', /repeat/i],
    ['abcdefghijkl', /sequence|common|guess/i],
    ['daniela-2026!', /./],
    ['lakeside2026', /./],
    ['platbook2026', /./],
  ] as const) {
    test(`${password} is refused with the reason`, async () => {
      const email = 'daniela@example.com';
      const answer = await openBrowser(app).send('POST', '/session/sign-up', { email, password, ...about });
      assert.equal(answer.status, 400);
      assert.equal(answer.body.errors[0].pointer, '/body/password');
      assert.equal(answer.body.errors[0].code, 'weak');
      assert.match(answer.body.detail, why);
      deps.travel(new Date(deps.clock().getTime() + 3_600_000).toISOString());
    });
  }

  test('a passphrase is accepted', async () => {
    await createPasswords().check('copper lantern seven rivers', { email: 'daniela@example.com', ...about });
  });
});

describe('a breached password', () => {
  const about = { email: 'daniela@example.com', name: 'Daniela Rivera' };
  const breached = 'copper lantern seven rivers';
  const asked: string[] = [];
  let isAway = false;

  test('is refused where the operator names a list, which never sees it', async () => {
    const hash = sha1(breached);
    const list = createServer((request, response) => {
      asked.push(request.url!);
      response.statusCode = isAway ? 503 : 200;
      response.end(`${'0'.repeat(35)}:3\r\n${hash.slice(5)}:12\r\n${sha1('padded lantern seven rivers').slice(5)}:0`);
    }).listen(0, '127.0.0.1');
    after(() => list.close());
    await once(list, 'listening');
    let unreachable = 0;
    const passwords = createPasswords({
      breachedUrl: `http://127.0.0.1:${(list.address() as AddressInfo).port}/range`,
      onUnreachable: () => unreachable++,
    });
    await assert.rejects(passwords.check(breached, about), /found in a breach/);
    await passwords.check('padded lantern seven rivers', about);
    assert.deepEqual(asked[0], `/range/${hash.slice(0, 5)}`);
    isAway = true;
    await passwords.check(breached, about);
    assert.equal(unreachable, 1, 'a list that is away refuses nobody, and is noticed');
  });
});

describe('a flood of sign-ups', () => {
  test('is limited per IP, a whole /64 of IPv6 counting as one', async () => {
    const signUp = (n: number, from: string) =>
      openBrowser(app).send(
        'POST',
        '/session/sign-up',
        { email: `flood${n}@example.com`, password: PASSWORD, name: 'F' },
        { 'x-forwarded-for': from, 'x-forwarded-proto': 'https' },
      );
    const statuses = [];
    for (let n = 0; n < 5; n++) statuses.push((await signUp(n, '203.0.113.77')).status);
    assert.deepEqual(statuses, [202, 202, 202, 202, 429]);
    const six = [];
    for (let n = 0; n < 5; n++) six.push((await signUp(n + 10, `2001:db8:1:2::${n + 1}`)).status);
    assert.deepEqual(six, [202, 202, 202, 202, 429]);
    assert.equal((await signUp(99, '203.0.113.78')).status, 202);
  });

  test('waits in a short queue, and is told to come back when that is full', async () => {
    const passwords = createPasswords();
    const results = await Promise.allSettled(Array.from({ length: 200 }, () => passwords.hash(PASSWORD)));
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as ApiError] : []));
    assert.ok(refused.length > 100, `${refused.length} refused`);
    assert.ok(refused.length < 200, 'those that were let in are hashed');
    assert.ok(refused.every((error) => error.code === 'unavailable' && error.members.retryAfterSeconds === 5));
    assert.match(await passwords.hash(PASSWORD), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/, 'and the queue is open again');
  });

  test('hashes for people who do not exist as well', async () => {
    const passwords = createPasswords();
    assert.equal(await passwords.isRight(undefined, 'nobody has this password'), false);
    assert.equal(await passwords.isRight(null, 'nobody has this password'), false);
    assert.equal(await passwords.isRight(await passwords.hash(PASSWORD), PASSWORD), true);
  });
});
