// The customers' command line, installed by npm from the running server: sign-in, calls, events to a laptop, batches.
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { startWorker } from '../../src/worker.ts';
import { findFreePort } from '../free-port.ts';
import { testClient } from '../harness.ts';
import { signUp, startMailbox } from '../people.ts';
import { until } from '../until.ts';

const run = promisify(execFile);

const port = await findFreePort();
const baseUrl = `http://127.0.0.1:${port}`;
const mailbox = await startMailbox();
const api = await testClient({ settings: { BASE_URL: baseUrl, SMTP_URL: mailbox.url } });
await api.app.listen({ port, host: '127.0.0.1' });
const worker = await startWorker(api.deps);
api.deps.beforeClose(() => worker.stop());
const { browser } = await signUp(api.app, mailbox, 'cli@example.com');

const home = mkdtempSync(join(tmpdir(), 'platbook-cli-'));
after(() => rmSync(home, { recursive: true, force: true }));
writeFileSync(join(home, 'package.json'), '{}');
const flags = ['--no-audit', '--no-fund', '--loglevel=error', '--cache', join(home, 'cache')];
await run('npm', ['install', ...flags, `${baseUrl}/sdk.tgz`], { cwd: home });

const COMMAND = join(home, 'node_modules', '.bin', 'platbook');
const env = { ...process.env, XDG_CONFIG_HOME: home, PLATBOOK_KEYCHAIN: 'off', PLATBOOK_BROWSER: 'none' };
const platbook = async (...args: string[]) =>
  (await run(process.execPath, [COMMAND, ...args], { cwd: home, env })).stdout;
const CREDENTIALS = join(home, 'platbook', 'credentials.json');

/** Starts a command that goes on, and gathers what it says. */
function start(...args: string[]): { child: ChildProcess; said: () => string } {
  const child = spawn(process.execPath, [COMMAND, ...args], { cwd: home, env });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk));
  after(() => child.kill());
  return { child, said: () => text };
}

/** What the person does in the browser: follows the link, and allows the sandbox. */
async function signIn(): Promise<void> {
  const { child, said } = start('login');
  const ended = once(child, 'exit');
  await until(() => /\/oauth\/authorize\?\S+/.test(said()));
  const asked = await browser.send('GET', /\/oauth\/authorize\?\S+/.exec(said())![0]);
  const decided = await browser.send('POST', String(asked.headers.location), { allow: true, mode: 'test' });
  const back = await browser.send('GET', new URL(decided.body.url).pathname);
  await fetch(String(back.headers.location));
  assert.equal((await ended)[0], 0, said());
}

describe('the command line', () => {
  it('says who it is for without a sign-in, and what to do', async () => {
    assert.match(await platbook('--help'), /listen --forward-to/);
    await assert.rejects(platbook('get', 'markets'), (error: { code: number; stderr: string }) => {
      assert.deepEqual([error.code, error.stderr.trim()], [1, 'You are not signed in. Run: platbook login']);
      return true;
    });
    assert.match(await platbook('completion', 'bash'), /complete -W "login logout get post estimate/);
  });

  it('signs in through the browser, keeps it for its owner alone, and calls the API', async () => {
    await signIn();
    assert.equal(statSync(CREDENTIALS).mode & 0o777, 0o600);
    const homes = JSON.parse(await platbook('get', 'properties/search', 'state=ZZ', 'limit=2'));
    assert.equal(homes.data.length, 2);
    assert.match(await platbook('estimate', DEMO.address), /^\$[\d,]+ \(\$[\d,]+ to \$[\d,]+\), confidence \w+\n$/);
    const value = JSON.parse(await platbook('estimate', DEMO.address, '--json'));
    assert.equal(value.property_id, DEMO.property_id);
    await assert.rejects(platbook('get', 'properties/prop_0'), /resource_not_found|property_not_found|invalid/);
    assert.match(await platbook('logs'), /200 {2}GET {2}\/api\/v1\/properties\/search/);
  });

  it('refreshes a token that has ended, once for commands that run at the same time', async () => {
    const kept = JSON.parse(readFileSync(CREDENTIALS, 'utf8'));
    writeFileSync(CREDENTIALS, JSON.stringify({ ...kept, expiresAt: 0 }));
    const answers = await Promise.all([1, 2, 3].map(() => platbook('get', 'markets')));
    for (const answer of answers) assert.equal(JSON.parse(answer).object, 'list');
    assert.notEqual(JSON.parse(readFileSync(CREDENTIALS, 'utf8')).refreshToken, kept.refreshToken);
  });

  it('forwards events to this computer, signed as in production', async () => {
    const received: { headers: IncomingMessage['headers']; body: string }[] = [];
    const receiver = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      received.push({ headers: request.headers, body });
      response.end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    after(() => receiver.close());
    const { port: hookPort } = receiver.address() as AddressInfo;
    const listening = start('listen', '--forward-to', `127.0.0.1:${hookPort}/hook`);
    await until(() => /whsec_\S+/.test(listening.said()));
    await platbook('trigger', 'batch.completed');
    await platbook('trigger', 'ping').catch(() => '');
    await until(() => received.some(({ body }) => body.includes('batch.completed')));
    const { headers, body } = received.find((each) => each.body.includes('batch.completed'))!;
    const secret = /whsec_\S+/.exec(listening.said())![0];
    const event = new Webhook(secret).verify(body, headers as Record<string, string>) as { type: string };
    assert.equal(event.type, 'batch.completed');
    await until(() => /200 {2}batch\.completed/.test(listening.said()));
    listening.child.kill();
    const ids = received.map(({ headers: each }) => each['webhook-id']);
    assert.equal(new Set(ids).size, ids.length, 'each event once');
  });

  it('takes the events that its page names', async () => {
    const page = readFileSync(new URL('../../docs/site/cli.md', import.meta.url), 'utf8');
    const [, types = ''] = /--events (\S+?)`/.exec(page) ?? [];
    assert.match(types, /,/);
    assert.equal((await api.get(`/events?type=${types}`)).status, 200);
  });

  it('follows the log, without what it asks itself', async () => {
    const following = start('logs', '--follow');
    await platbook('get', 'markets');
    await until(() => following.said().includes('/api/v1/markets'));
    await platbook('get', 'layers');
    await platbook('get', 'coverage');
    await until(() => following.said().includes('/api/v1/coverage'));
    following.child.kill();
    assert.doesNotMatch(following.said(), /\/api\/v1\/requests/);
  });

  it('runs a file of addresses', async () => {
    writeFileSync(join(home, 'homes.csv'), `custom_id,address\na1,"${DEMO.address}"\na2,nowhere\n`);
    const lines = (await platbook('batch', 'homes.csv', '--include', 'property')).trim().split('\n');
    const results = lines.map((line) => JSON.parse(line));
    assert.deepEqual(
      results.map(({ custom_id, status }) => [custom_id, status]),
      [
        ['a1', 'succeeded'],
        ['a2', 'failed'],
      ],
    );
  });

  it('signs out at the server as well', async () => {
    const { accessToken } = JSON.parse(readFileSync(CREDENTIALS, 'utf8'));
    await platbook('logout');
    assert.throws(() => statSync(CREDENTIALS));
    const call = () => fetch(`${baseUrl}/api/v1/markets`, { headers: { authorization: `Bearer ${accessToken}` } });
    await until(async () => (await call()).status === 401);
  });
});

describe('the keychain', { skip: lacksKeyring() && 'no Secret Service to try it with' }, () => {
  it('of Linux keeps a sign-in, gives it back, replaces it and forgets it, and leaves no file', async () => {
    const folder = mkdtempSync(join(home, 'keyring-'));
    const program = `
      import { readCredentials, saveCredentials, clearCredentials } from 'platbook-cli';
      const kept = saveCredentials({ key: 'one', text: 'a+b/"\\n' });
      const first = readCredentials();
      saveCredentials({ key: 'two' });
      const second = readCredentials();
      clearCredentials();
      console.log(JSON.stringify([kept, first, second, readCredentials() ?? null]));`;
    const path = join(home, 'node_modules', '@platbook', 'sdk', 'cli', 'credentials.mjs');
    writeFileSync(join(folder, 'try.mjs'), program.replace('platbook-cli', path));
    const script = 'printf pass | gnome-keyring-daemon --unlock --components=secrets >&2; exec "$0" "$1"';
    const args = ['--', 'sh', '-c', script, process.execPath, join(folder, 'try.mjs')];
    const own = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_RUNTIME_DIR: folder };
    const { stdout } = await run('dbus-run-session', args, { env: own });
    const [kept, first, second, last] = JSON.parse(stdout);
    assert.equal(kept, 'the system keychain');
    assert.deepEqual([first, second, last], [{ key: 'one', text: 'a+b/"\n' }, { key: 'two' }, null]);
    assert.equal(existsSync(join(folder, 'platbook', 'credentials.json')), false);
  });
});

function lacksKeyring(): boolean {
  const programs = ['secret-tool', 'gnome-keyring-daemon', 'dbus-run-session'];
  return programs.some((name) => spawnSync('which', [name]).status !== 0);
}
