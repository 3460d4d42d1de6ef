// The tools as foreign programs meet them: the MCP inspector over HTTP and stdio, the conformance suite, the desktop extension.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import Fastify from 'fastify';
import type { App } from '../../src/base/http/types.ts';
import { TOOLS } from '../../src/edge/mcp/mcp.ts';
import { registerMcpEndpoint } from '../../src/edge/mcp/routes.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { answerOf } from '../agents.ts';
import { testClient } from '../harness.ts';
import { createFixtureServer } from '../mcp-fixtures.ts';
import { until } from '../until.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = join(ROOT, 'src', 'main.ts');
const tool = (name: string) => join(ROOT, 'node_modules', '.bin', name);
const missing = (name: string) => (existsSync(tool(name)) ? false : `${name} is not installed`);
const run = promisify(execFile);

const api = await testClient();
const address = await api.app.listen({ port: 0, host: '127.0.0.1' });
const folder = mkdtempSync(join(tmpdir(), 'platbook-mcp-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The inspector keeps its settings at home: give it one of its own. */
const inspect = async (...args: string[]) => {
  const { stdout } = await run(process.execPath, [tool('mcp-inspector'), '--cli', ...args], {
    cwd: folder,
    env: { ...process.env, HOME: folder },
    maxBuffer: 4_000_000,
  });
  return JSON.parse(stdout);
};
const overHttp = (...args: string[]) =>
  inspect(`${address}/mcp`, '--transport', 'http', '--header', `x-api-key: ${api.testKey}`, ...args);
const overStdio = (...args: string[]) => {
  const settings = ['-e', `BASE_URL=${address}`, '-e', `PLATBOOK_KEY=${api.testKey}`];
  return inspect(process.execPath, MAIN, 'mcp', ...settings, ...args);
};
const callRisk = ['--method', 'tools/call', '--tool-name', 'get_risk', '--tool-arg', `property_id=${DEMO.property_id}`];

describe('the MCP inspector', { skip: missing('mcp-inspector') }, () => {
  for (const [transport, send] of [
    ['HTTP', overHttp],
    ['stdio', overStdio],
  ] as const) {
    it(`lists and calls the tools over ${transport}`, async () => {
      const { tools } = await send('--method', 'tools/list', '--strict');
      assert.equal(tools.length, TOOLS.length);
      assert.equal(answerOf(await send(...callRisk)).layers.flood.status, 'found');
    });
  }
});

/** The suite sends no key, so this passes on what it sends with one. */
async function serveWithKey(): Promise<string> {
  const proxy = createServer((request, response) => {
    const { port } = new URL(address);
    const headers = { ...request.headers, 'x-api-key': api.testKey };
    const sent = sendRequest({ port, method: request.method, path: request.url, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    request.pipe(sent);
  });
  after(() => proxy.close());
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', () => resolve()));
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

/** Fails on what is not in the baseline, and on what is in it and passes. */
async function judge(url: string, baseline: string): Promise<string> {
  const expected = join(ROOT, 'test', 'e2e', baseline);
  const args = ['server', '--url', `${url}/mcp`, '--requirements', '2026-07-28', '--expected-failures', expected];
  const { stdout } = await run(process.execPath, [tool('conformance'), ...args], {
    cwd: folder,
    maxBuffer: 8_000_000,
  }).catch((failure: { stdout: string }) => assert.fail(failure.stdout.slice(-3_000)));
  return stdout;
}

describe('the conformance suite', { skip: missing('conformance') }, () => {
  it('finds nothing beyond the baseline in our tools', async () => {
    assert.match(
      await judge(await serveWithKey(), 'mcp-conformance.yml'),
      /dns-rebinding-protection: 2 passed, 0 failed/,
    );
  });

  it('finds all that the revision requires behind our door, with its own fixtures there', async () => {
    const app = Fastify() as unknown as App;
    after(() => app.close());
    registerMcpEndpoint(app, { hosts: [], admit: async () => {}, createServer: createFixtureServer });
    const report = await judge(await app.listen({ port: 0, host: '127.0.0.1' }), 'mcp-conformance-fixtures.yml');
    assert.match(report, /server-stateless: 28 passed, 0 failed/);
    assert.match(report, /input-required-result-tampered-state: 2 passed, 0 failed/);
  });
});

describe('stdio', () => {
  it('an API that is away is a failure with a hint, not a crash', async () => {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [MAIN, 'mcp'],
        env: { BASE_URL: 'http://127.0.0.1:9', PLATBOOK_KEY: api.testKey },
      }),
    );
    const result = await client.callTool({ name: 'search_properties', arguments: { state: 'ZZ', count_only: true } });
    assert.equal(result.isError, true);
    assert.equal(answerOf(result).code, 'unavailable');
    await client.close();
  });
});

describe('stdio that is attacked', () => {
  it('answers what follows garbage, and says neither the key nor anything but JSON', async () => {
    const child = spawn(process.execPath, [MAIN, 'mcp'], {
      env: { BASE_URL: address, PLATBOOK_KEY: api.testKey },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const [said, complained]: Buffer[][] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => said.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => complained.push(chunk));
    const initialize = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    };
    const lines = [
      'no JSON',
      '['.repeat(100_000),
      `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(2_000_000)}"}`,
      '{"__proto__":{"a":1},"jsonrpc":"2.0","method":"tools/call"}',
      JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'initialize', params: initialize }),
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
      JSON.stringify({
        jsonrpc: '2.0',
        id: 3,
        method: 'tools/call',
        params: { name: 'get_property', arguments: { id: '../../session?x-api-key=1' } },
      }),
      JSON.stringify({ jsonrpc: '2.0', id: 4, method: 'tools/list' }),
    ];
    for (const line of lines) child.stdin.write(`${line}\n`);
    const text = () => Buffer.concat(said).toString();
    await until(() => text().includes('"id":4') && text().includes('"id":3'));
    child.kill();
    await once(child, 'exit');
    assert.ok(!`${text()}${Buffer.concat(complained)}`.includes(api.testKey));
    const answers = text()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(answers.find(({ id }) => id === 3).result.isError, true);
    assert.equal(answers.find(({ id }) => id === 4).result.tools.length, TOOLS.length);
  });
});

describe('the desktop extension', { skip: missing('mcpb') }, () => {
  it('packs, names every tool, and answers from its one file', async () => {
    const file = join(folder, 'platbook.mcpb');
    await run(process.execPath, [join(ROOT, 'mcpb/build.ts'), file]);
    const unpacked = join(folder, 'unpacked');
    await run(process.execPath, [tool('mcpb'), 'unpack', file, unpacked]);
    const manifest = JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8'));
    assert.equal(manifest.tools.length, TOOLS.length);
    assert.equal(manifest.user_config.api_key.sensitive, true);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [join(unpacked, manifest.server.entry_point)],
        env: { BASE_URL: address, PLATBOOK_KEY: api.testKey },
      }),
    );
    const result = await client.callTool({ name: 'get_risk', arguments: { property_id: DEMO.property_id } });
    assert.equal(answerOf(result).property_id, DEMO.property_id);
    await client.close();
  });
});

describe('server.json', () => {
  it('names the version of the program', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const server = JSON.parse(readFileSync(join(ROOT, 'server.json'), 'utf8'));
    assert.deepEqual([server.version, server.packages[0].version], [version, version]);
    assert.equal(server.remotes[0].type, 'streamable-http');
  });
});
