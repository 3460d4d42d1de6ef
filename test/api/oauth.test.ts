// Apps that act for a customer: how they are connected, what their tokens can do, and how strangers fail.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forgetOldRecords } from '../../src/customers/oauth/records.ts';
import { testClient } from '../harness.ts';
import { answerConsent, askToConnect, connectApp, exchange, postForm, REDIRECT, registerClient } from '../oauth.ts';
import { signUp, startMailbox } from '../people.ts';
import { until } from '../until.ts';

const mailbox = await startMailbox();
const api = await testClient({ settings: { SMTP_URL: mailbox.url } });
const { app, deps } = api;
const { baseUrl } = deps.config;
const API = `${baseUrl}/api/v1`;
const MCP = `${baseUrl}/mcp`;
const { browser } = await signUp(app, mailbox, 'ada@example.com');

const call = (path: string, token: string, options = {}) =>
  api.get(path, { key: null, headers: { authorization: `Bearer ${token}` }, ...options });

describe('the way in', () => {
  it('a 401 names the metadata, which names the authorization server, which names its endpoints', async () => {
    const refused = await api.post(
      '//mcp',
      { jsonrpc: '2.0', id: 1, method: 'initialize' },
      { key: null, headers: { host: 'localhost' } },
    );
    assert.equal(refused.status, 401);
    assert.equal(
      refused.headers['www-authenticate'],
      `Bearer realm="platbook", resource_metadata="${baseUrl}/.well-known/oauth-protected-resource/mcp"`,
    );
    const resource = (await api.get('//.well-known/oauth-protected-resource/mcp', { key: null })).body;
    assert.equal(resource.resource, MCP);
    assert.deepEqual(resource.authorization_servers, [baseUrl]);
    const server = (await api.get('//.well-known/oauth-authorization-server', { key: null })).body;
    assert.equal(server.issuer, baseUrl);
    assert.deepEqual(server.code_challenge_methods_supported, ['S256']);
    assert.equal(server.authorization_response_iss_parameter_supported, true);
    assert.equal(server.client_id_metadata_document_supported, true);
    for (const name of ['authorization', 'token', 'registration', 'revocation'])
      assert.ok(server[`${name}_endpoint`].startsWith(`${baseUrl}/oauth/`), name);
  });

  it('consent names the app, where it leads, what it asks for and the plan; the token then calls the API', async () => {
    const { body: client } = await registerClient(app);
    const asked = await askToConnect(browser, client.client_id, { resource: API, scope: 'avm:read properties:read' });
    assert.equal(asked.answer.status, 303);
    const consent = await browser.send('GET', `${asked.answer.headers.location}/request`);
    assert.deepEqual(consent.body.client, {
      name: 'Test assistant',
      origin: 'an app on this computer',
      is_verified: false,
      redirect_uri: REDIRECT,
      sent_to: 'an app on this computer',
    });
    assert.deepEqual(
      consent.body.scopes.map(({ scope }: { scope: string }) => scope),
      ['avm:read', 'properties:read'],
    );
    assert.deepEqual([consent.body.account.plan, consent.body.email], ['Trial', 'ada@example.com']);
    const back = await answerConsent(browser, asked, { allow: true, mode: 'test' });
    assert.equal(back.searchParams.get('iss'), baseUrl);
    assert.equal(back.searchParams.get('state'), 'xyz');
    const { body: tokens } = await exchange(app, asked, back.searchParams.get('code')!);
    assert.equal(tokens.token_type, 'Bearer');
    const found = await call('/properties/search?state=ZZ&limit=1', tokens.access_token);
    assert.equal(found.status, 200);
    const outside = await call('/webhooks', tokens.access_token);
    assert.deepEqual([outside.status, outside.body.required_scope], [403, 'webhooks:read']);
  });
});

describe('a token', () => {
  it('opens the resource it was issued for and no other; tools call the API within it', async () => {
    const { tokens } = await connectApp(app, browser, { resource: MCP });
    assert.equal((await call('/markets', tokens.access_token)).status, 401);
    const headers = {
      host: 'localhost',
      authorization: `Bearer ${tokens.access_token}`,
      accept: 'application/json, text/event-stream',
    };
    const search = { name: 'search_properties', arguments: { state: 'ZZ', count_only: true } };
    const ask = (more = {}) =>
      api.post(
        '//mcp',
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: search },
        { key: null, headers: { ...headers, ...more } },
      );
    const counted = await ask();
    assert.equal(counted.status, 200, counted.text);
    assert.match(counted.text, /\\"count\\":\d+/);
    const other = await connectApp(app, browser, { resource: API });
    assert.equal((await call('/markets', other.tokens.access_token)).status, 200);
    const wrong = await ask({ authorization: `Bearer ${other.tokens.access_token}` });
    assert.equal(wrong.status, 401);
    assert.match(String(wrong.headers['www-authenticate']), /error="invalid_token"/);
  });

  it('is metered, logged and limited as a key of the account, in the mode that was chosen', async () => {
    const { tokens } = await connectApp(app, browser, { resource: API });
    const answer = await call('/properties/search?state=ZZ&limit=1', tokens.access_token);
    assert.match(String(answer.headers['x-ratelimit-remaining']), /^\d+$/);
    const log = await browser.send('GET', '/api/v1/requests?limit=1', undefined, { 'x-platbook-mode': 'test' });
    const { data } = (await browser.send('GET', '/session/grants')).body;
    assert.equal(data[0].mode, 'test');
    const { rows } = await deps.control.query('select key_id from oauth_grants where id = $1', [data[0].id]);
    assert.equal(log.body.data[0].key_id, rows[0].key_id);
    // It is no key that can be listed, read, rotated or counted as the last one.
    const keys = (await browser.send('GET', '/api/v1/keys')).body.data;
    assert.ok(!keys.some((key: { id: string }) => key.id === rows[0].key_id));
    assert.equal((await browser.send('POST', `/api/v1/keys/${rows[0].key_id}/rotate`, {})).status, 404);
  });

  it('has the scopes that the person left, within those of their role today', async () => {
    const decision = { mode: 'test', scopes: ['avm:read', 'keys:write'] };
    const { tokens } = await connectApp(app, browser, { resource: API, scope: 'avm:read properties:read' }, decision);
    assert.equal(tokens.scope, 'avm:read');
    assert.equal((await call('/properties/search?state=ZZ', tokens.access_token)).status, 403);
  });
});

const refresh = (clientId: string, token: string, more = {}) =>
  postForm(app, '/oauth/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: token, ...more });

describe('ending', () => {
  it('a refresh token works once; used again, it ends all that came of the grant', async () => {
    const { clientId, tokens } = await connectApp(app, browser, { resource: API });
    const second = await refresh(clientId, tokens.refresh_token);
    assert.equal(second.status, 200);
    assert.notEqual(second.body.refresh_token, tokens.refresh_token);
    assert.equal((await call('/markets', second.body.access_token)).status, 200);
    assert.equal((await refresh(clientId, tokens.refresh_token)).body.error, 'invalid_grant');
    assert.equal((await refresh(clientId, second.body.refresh_token)).body.error, 'invalid_grant');
    assert.equal((await call('/markets', second.body.access_token)).status, 401);
  });

  it('a refresh gives no more than was consented to: neither scopes, nor another resource, nor to another app', async () => {
    const { clientId, tokens } = await connectApp(app, browser, { resource: MCP, scope: 'properties:read' });
    const more = { scope: 'properties:read webhooks:write' };
    assert.equal((await refresh(clientId, tokens.refresh_token, more)).body.error, 'invalid_scope');
    assert.equal((await refresh(clientId, tokens.refresh_token, { resource: API })).body.error, 'invalid_target');
    const { body: other } = await registerClient(app);
    assert.equal((await refresh(other.client_id, tokens.refresh_token)).body.error, 'invalid_grant');
  });

  it('of two refreshes at once, one wins', async () => {
    const { clientId, tokens } = await connectApp(app, browser);
    const answers = await Promise.all([1, 2, 3].map(() => refresh(clientId, tokens.refresh_token)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  });

  it('a code works once; replayed, it ends the tokens of the first exchange', async () => {
    const { asked, back, tokens } = await connectApp(app, browser, { resource: API });
    const again = await exchange(app, asked, back.searchParams.get('code')!);
    assert.deepEqual([again.status, again.body.error], [400, 'invalid_grant']);
    assert.equal((await call('/markets', tokens.access_token)).status, 401);
  });

  it('the dashboard ends a grant, and the audit log tells who connected and who ended it', async () => {
    const { clientId, tokens } = await connectApp(app, browser, { resource: API });
    assert.equal((await call('/markets', tokens.access_token)).status, 200);
    const { data } = (await browser.send('GET', '/session/grants')).body;
    assert.equal((await browser.send('DELETE', `/session/grants/${data[0].id}`)).status, 200);
    await until(async () => (await call('/markets', tokens.access_token)).status === 401);
    assert.equal((await refresh(clientId, tokens.refresh_token)).body.error, 'invalid_grant');
    const log = (await browser.send('GET', '/session/audit-log')).body.data;
    const actions = log.filter(({ target }: { target: string }) => target === data[0].id);
    assert.deepEqual(actions.map(({ action }: { action: string }) => action).sort(), [
      'grant.created',
      'grant.revoked',
    ]);
  });

  it('nobody ends a grant of another account', async () => {
    await connectApp(app, browser);
    const { data } = (await browser.send('GET', '/session/grants')).body;
    const { browser: stranger } = await signUp(app, mailbox, 'eve@example.com');
    assert.equal((await stranger.send('DELETE', `/session/grants/${data[0].id}`)).status, 404);
    assert.deepEqual((await stranger.send('GET', '/session/grants')).body.data, []);
    assert.equal((await browser.send('GET', '/session/grants')).body.data[0].id, data[0].id);
  });

  it('revocation by the app ends the grant', async () => {
    const { clientId, tokens } = await connectApp(app, browser, { resource: API });
    const revoked = await postForm(app, '/oauth/revoke', { client_id: clientId, token: tokens.refresh_token });
    assert.equal(revoked.status, 200);
    assert.equal((await call('/markets', tokens.access_token)).status, 401);
  });

  it('someone who leaves the account takes their apps along; a suspended account is refused', async () => {
    const { browser: owner } = await signUp(app, mailbox, 'owner@example.com');
    const { tokens, clientId } = await connectApp(app, owner, { resource: API });
    const { account_id: account, user_id: user } = (
      await deps.control.query(`select * from oauth_grants order by created_at desc limit 1`)
    ).rows[0];
    await deps.control.query(`update accounts set status = 'suspended', suspended_for = 'operator' where id = $1`, [
      account,
    ]);
    assert.equal((await call('/properties/search?state=ZZ', tokens.access_token)).body.code, 'payment_required');
    await deps.control.query(`update accounts set status = 'active' where id = $1`, [account]);
    await deps.control.query('delete from members where account_id = $1 and user_id = $2', [account, user]);
    assert.equal((await refresh(clientId, tokens.refresh_token)).body.error, 'invalid_grant');
  });
});

describe('a stranger', () => {
  it('cannot register or use another address to be called back at', async () => {
    for (const uri of [
      'http://evil.example/cb',
      'javascript:alert(1)',
      'data:text/html,x',
      'https://evil.example/#x',
      'https://localhost/cb',
      'https://good.example@evil.example/cb',
      'ms-msdt:/id',
      'view-source:https://x',
      'mailto:ada@example.com',
      'feed:javascript:alert(1)',
    ]) {
      const refused = await registerClient(app, { redirect_uris: [uri] });
      assert.equal(refused.status, 400, uri);
      const asWeb = await registerClient(app, { redirect_uris: [uri], application_type: 'web' });
      assert.equal(asWeb.status, 400, uri);
    }
    const { body: client } = await registerClient(app, { redirect_uris: ['https://good.example/cb'] });
    for (const uri of [
      'https://good.example/cb/../evil',
      'https://good.example/cb?x=1',
      'https://good.example.evil.example/cb',
      'http://good.example/cb',
      REDIRECT,
    ]) {
      const { answer } = await askToConnect(browser, client.client_id, { redirect_uri: uri });
      assert.equal(answer.status, 400, uri);
      assert.equal(answer.headers.location, undefined, 'no redirect to an address that was not registered');
    }
  });

  it('needs PKCE with S256, and the verifier of the one who asked', async () => {
    const { body: client } = await registerClient(app);
    for (const fields of [
      { code_challenge: null, code_challenge_method: null },
      { code_challenge_method: 'plain' },
    ] as Record<string, string | null>[]) {
      const { answer } = await askToConnect(browser, client.client_id, fields);
      assert.equal(new URL(String(answer.headers.location)).searchParams.get('error'), 'invalid_request');
    }
    const asked = await askToConnect(browser, client.client_id);
    const back = await answerConsent(browser, asked, { allow: true });
    const stolen = await exchange(app, { ...asked, verifier: 'x'.repeat(43) }, back.searchParams.get('code')!);
    assert.equal(stolen.body.error, 'invalid_grant');
    const { body: other } = await registerClient(app);
    const foreign = await exchange(app, { ...asked, clientId: other.client_id }, back.searchParams.get('code')!);
    assert.equal(foreign.body.error, 'invalid_grant');
  });

  it('gets no token for a resource that is not ours', async () => {
    const { body: client } = await registerClient(app);
    const { answer } = await askToConnect(browser, client.client_id, { resource: 'https://other.example/mcp' });
    assert.equal(new URL(String(answer.headers.location)).searchParams.get('error'), 'invalid_target');
  });

  it('cannot have their own request approved by someone else', async () => {
    const { browser: attacker } = await signUp(app, mailbox, 'mallory@example.com');
    const { body: client } = await registerClient(app);
    const { answer } = await askToConnect(attacker, client.client_id);
    // The victim is signed in and follows the link, but was not the one sent here.
    const page = String(answer.headers.location);
    assert.equal((await browser.send('GET', `${page}/request`)).status, 404);
    assert.equal((await browser.send('POST', page, { allow: true })).status, 404);
  });

  it('cannot decide from another site, frame the page, or decide unasked', async () => {
    const { body: client } = await registerClient(app);
    const { answer } = await askToConnect(browser, client.client_id);
    const page = String(answer.headers.location);
    const foreign = await browser.send('POST', page, { allow: true }, { origin: 'https://evil.example' });
    assert.deepEqual([foreign.status, foreign.body.code], [403, 'origin_not_allowed']);
    assert.equal(answer.headers['x-frame-options'], 'DENY');
    assert.match(String(answer.headers['content-security-policy']), /frame-ancestors 'none'/);
    const silent = await askToConnect(browser, client.client_id, { prompt: 'none' });
    assert.match(String(silent.answer.headers.location), /error=(login|consent|interaction)_required/);
    // An earlier consent is no consent to the next request.
    await connectApp(app, browser);
    const next = await askToConnect(browser, client.client_id);
    assert.match(String(next.answer.headers.location), /^\/oauth\/consent\//);
  });

  it('cannot use us to send people to a site unasked', async () => {
    const redirect_uri = 'https://evil.example/cb';
    const { body: client } = await registerClient(app, { redirect_uris: [redirect_uri] });
    const wrong: Record<string, string | null>[] = [{ prompt: 'none' }, { code_challenge: null }, { request: 'e.e.' }];
    for (const fields of wrong) {
      const { answer } = await askToConnect(browser, client.client_id, { redirect_uri, ...fields });
      assert.deepEqual([answer.status, answer.headers.location], [400, undefined]);
      assert.match(answer.text, /Tell evil\.example/);
    }
  });

  it('cannot hide behind a name that reverses or breaks the line', async () => {
    const named = async (client_name: string) => {
      const { body: client } = await registerClient(app, { client_name });
      const { answer } = await askToConnect(browser, client.client_id);
      return (await browser.send('GET', `${answer.headers.location}/request`)).body.client.name;
    };
    assert.equal(await named('Claude \u202Emoc.live\u202C\u200b\n\nVerified'), 'Claude moc.live Verified');
    assert.equal(await named(' \u200b '), 'An app without a name');
  });

  it('learns of a refusal only that it was refused', async () => {
    const { body: client } = await registerClient(app);
    const asked = await askToConnect(browser, client.client_id);
    const back = await answerConsent(browser, asked, { allow: false });
    assert.equal(back.searchParams.get('error'), 'access_denied');
    assert.equal(back.searchParams.get('iss'), baseUrl);
    assert.equal(back.searchParams.get('code'), null);
  });

  it('cannot make us call a private address for a client’s metadata', async () => {
    for (const host of [
      '127.0.0.1',
      'localhost',
      '169.254.169.254',
      '[::1]',
      '10.0.0.1',
      '0x7f.1',
      'metadata.internal',
      'good.example:22',
    ]) {
      const { answer } = await askToConnect(browser, `https://${host}/client.json`);
      assert.equal(answer.status, 400, host);
      assert.match(answer.text, /invalid_client/, host);
    }
  });

  it('cannot flood us with clients: so many a minute from one network, and those nobody wants give way', async () => {
    const statuses = [];
    for (let n = 0; n < 70; n += 1) statuses.push((await registerClient(app, {}, '203.0.113.9')).status);
    assert.ok(
      statuses.slice(0, 50).every((status) => status === 201),
      String(statuses),
    );
    assert.equal(statuses.at(-1), 429);
    assert.equal((await registerClient(app, {}, '198.51.100.7')).status, 201);
  });
});

// The last, since the clock does not come back.
describe('time', () => {
  it('ends a token after its hour, and every row of the server after its life', async () => {
    const { tokens } = await connectApp(app, browser, { resource: API });
    deps.travel(new Date(Date.now() + 3_700_000).toISOString());
    const late = await call('/markets', tokens.access_token);
    assert.deepEqual([late.status, late.body.code], [401, 'invalid_api_key']);
    deps.travel(new Date(Date.now() + 181 * 86_400_000).toISOString());
    await forgetOldRecords(deps);
    const { rows } = await deps.control.query(`select distinct model from oauth_records`);
    assert.deepEqual(
      rows.map(({ model }: { model: string }) => model),
      ['Client'],
      'clients that someone consented to are known for a year',
    );
  });
});
