// An assistant is connected in a real browser: the official MCP client signs in, uses a tool, and is disconnected on the
// dashboard; the conformance suite's checks of authorization servers pass.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport, type OAuthClientProvider } from '@modelcontextprotocol/client';
import type { Page } from 'playwright-core';
import { answerOf } from '../agents.ts';
import { findFreePort } from '../free-port.ts';
import { registerClient } from '../oauth.ts';
import { CHROMIUM, findBarriers, needsBrowser, openSite, PASSWORD } from './browser.ts';

// Tokens name BASE_URL.
const port = CHROMIUM ? await findFreePort() : 0;
const origin = `http://127.0.0.1:${port}`;
const site = await openSite({ settings: { PORT: String(port), BASE_URL: origin } });
const MCP = new URL(`${origin}/mcp`);

/** What an assistant keeps of its sign-in, in memory. */
function createMemory(redirectUrl: string): OAuthClientProvider & { sentTo?: URL } {
  const kept: Record<string, any> = {};
  return {
    redirectUrl,
    clientMetadata: { client_name: 'Lighthouse', redirect_uris: [redirectUrl] },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier,
    redirectToAuthorization(url) {
      this.sentTo = url;
    },
  };
}

async function allow(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Allow' }).click();
}

describe('an assistant', needsBrowser, () => {
  it('is sent to sign in, asks for consent, uses a tool, and is disconnected', async (context) => {
    await site.signUp('Lena Example');
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    context.after(() => {
      server.close();
      server.closeAllConnections();
    });
    const memory = createMemory(`http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`);
    const client = new Client({ name: 'lighthouse', version: '1' });
    const transport = new StreamableHTTPClientTransport(MCP, { authProvider: memory });
    await assert.rejects(client.connect(transport), /Unauthorized|authoriz/i);

    // Nobody is signed in: the page asks for that first, and goes on to the question.
    const page = await site.open('/sign-in');
    await page.goto(memory.sentTo!.href);
    await page.getByLabel('Email').fill('lena.example@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Connect Lighthouse?' }).waitFor();
    assert.match(await page.locator('main').innerText(), /an app on this computer[^]*Estimate values/);
    assert.deepEqual(await findBarriers(page), []);
    const called = once(server, 'request') as Promise<[{ url: string }, { end(text: string): void }]>;
    await allow(page);
    const [{ url }, response] = await called;
    response.end('Connected.');
    await transport.finishAuth(new URL(url, origin).searchParams);

    const assistant = new Client({ name: 'lighthouse', version: '1' });
    await assistant.connect(new StreamableHTTPClientTransport(MCP, { authProvider: memory }));
    const search = { name: 'search_properties', arguments: { state: 'ZZ', count_only: true } };
    assert.ok(answerOf(await assistant.callTool(search)).count > 100);

    await page.goto(`${origin}/dashboard/agents`);
    await page.getByRole('button', { name: 'End access of Lighthouse' }).click();
    await page.getByRole('button', { name: 'End access', exact: true }).click();
    await page.getByText('No apps are connected').waitFor();
    await assert.rejects(assistant.callTool(search));
    await assistant.close();
  });

  it('finds what the conformance suite requires of an authorization server', async () => {
    const person = await site.signUp('Connie Example');
    const callbackPort = await findFreePort();
    const redirect = `http://127.0.0.1:${callbackPort}/callback`;
    const { body: client } = await registerClient(site.client.app, { redirect_uris: [redirect] });
    const tool = fileURLToPath(new URL('../../node_modules/.bin/conformance', import.meta.url));
    const options = [
      '--url',
      origin,
      '--client-id',
      client.client_id,
      '--resource',
      MCP.href,
      '-p',
      String(callbackPort),
    ];
    const suite = spawn(process.execPath, [tool, 'authorization', ...options]);
    let report = '';
    const asked = new Promise<string>((resolve) => {
      for (const stream of [suite.stdout, suite.stderr])
        stream.on('data', (chunk: Buffer) => {
          report += chunk;
          const url = /^http\S+\/oauth\/authorize\S+$/m.exec(report)?.[0];
          if (url) resolve(url);
        });
    });
    const ended = once(suite, 'exit');
    const url = await Promise.race([asked, ended.then(() => assert.fail(report))]);
    const page = await site.open('/pricing', { person });
    await page.goto(url);
    await allow(page);
    const [status] = await ended;
    assert.equal(status, 0, report);
    assert.doesNotMatch(report, /FAILURE|WARNING/, report);
  });
});
