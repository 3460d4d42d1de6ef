// Messages to support: to the operator with what the log says of the requests, and a copy to whoever wrote.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { testClient } from '../harness.ts';
import { openBrowser, signUp, startMailbox } from '../people.ts';

const mailbox = await startMailbox();
const { app, deps, call, testKey } = await testClient({
  settings: { SMTP_URL: mailbox.url, SUPPORT_EMAIL: 'help@example.com' },
});

describe('a message to support', () => {
  it('reaches the operator with account, plan and requests, and its sender as a copy', async () => {
    const { browser, verified } = await signUp(app, mailbox, 'ada@example.com');
    const key = (verified.body.keys as { secret: string }[])
      .map(({ secret }) => secret)
      .find((each) => each.startsWith('sk_test'))!;
    const failed = await call('GET', '/properties/99001:1', { key });
    const requestId = failed.body.request_id as string;
    // Reading the log writes out what is still in memory.
    await call('GET', '/requests', { key });
    const form = { subject: 'A parcel\r\nBcc: x@example.com', message: 'It is not found.', request_ids: [requestId] };
    const sent = await browser.send('POST', '/session/support', form);
    assert.equal(sent.status, 202, sent.text);
    assert.equal(sent.body.object, 'support_message');
    assert.equal(sent.body.support, 'email');
    const toUs = mailbox.last('help@example.com');
    assert.equal(toUs.subject, `[${sent.body.id}] A parcel Bcc: x@example.com`);
    assert.match(toUs.text, /Ada <ada@example\.com>, owner/);
    assert.match(toUs.text, /Trial plan/);
    assert.ok(toUs.text.includes(requestId));
    assert.match(toUs.text, /404 property_not_found/);
    assert.match(mailbox.last('ada@example.com').text, /We got your message/);
    assert.deepEqual(
      mailbox.letters.filter(({ to }) => to === 'x@example.com'),
      [],
    );
  });

  it('names only requests of the account', async () => {
    const { browser } = await signUp(app, mailbox, 'eve@example.com');
    const { body } = await call('GET', '/properties/99001:2', { key: testKey });
    await call('GET', '/requests', { key: testKey });
    const form = { subject: 'Theirs', message: 'What was this?', request_ids: [body.request_id] };
    const answer = await browser.send('POST', '/session/support', form);
    assert.equal(answer.status, 400);
    assert.match(answer.body.detail, /No request of this account/);
  });

  it('is refused without a session, without text, and after ten in an hour', async () => {
    const stranger = openBrowser(app);
    const form = { subject: 'Hello', message: 'Anyone?' };
    assert.equal((await stranger.send('POST', '/session/support', form)).status, 401);
    const { browser } = await signUp(app, mailbox, 'max@example.com');
    assert.equal((await browser.send('POST', '/session/support', { ...form, message: '' })).status, 400);
    const statuses: number[] = [];
    for (let k = 0; k < 11; k++) statuses.push((await browser.send('POST', '/session/support', form)).status);
    assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 202), 429]);
    deps.travel(new Date(deps.clock().getTime() + 3_600_000).toISOString());
    assert.equal((await browser.send('POST', '/session/support', form)).status, 202);
  });
});
