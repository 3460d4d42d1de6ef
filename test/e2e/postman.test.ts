// The Postman collection as shipped: every request is sent as it stands, in order, with a sandbox key, and succeeds.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import vm from 'node:vm';
import { drain } from '../../src/worker.ts';
import { testClient } from '../harness.ts';

interface Item {
  name: string;
  item?: Item[];
  request?: any;
  event?: { listen: 'test' | 'prerequest'; script: { exec: string[] } }[];
}

const collection = JSON.parse(readFileSync(new URL('../../docs/site/postman.json', import.meta.url), 'utf8'));
const api = await testClient({ settings: { WEBHOOK_TIMEOUT_MS: '1000' } });
const address = await api.app.listen({ port: 0, host: '127.0.0.1' });

const variables = new Map<string, string>(collection.variable.map(({ key, value }: any) => [key, value]));
variables.set('baseUrl', address).set('apiKey', api.testKey);
const fill = (text: string): string =>
  text.replace(/\{\{([$\w]+)\}\}/g, (_, name) =>
    name === '$guid' ? crypto.randomUUID() : (variables.get(name) ?? ''),
  );

/** Postman's own object, as far as our scripts use it. */
async function runScripts(item: Item, listen: 'test' | 'prerequest', body?: unknown): Promise<void> {
  const waiting: Promise<void>[] = [];
  const pm = {
    response: { json: () => body },
    collectionVariables: {
      set: (name: string, value: string) => {
        assert.ok(value, `${item.name} stores ${name}`);
        variables.set(name, value);
      },
      get: (name: string) => variables.get(name),
      replaceIn: fill,
    },
    execution: { setNextRequest: () => {} },
    info: { requestId: item.name },
    sendRequest: (request: any, done: (error: Error | null, response: { json(): unknown }) => void) => {
      const send = async () => {
        const response = await fetch(request.url, {
          method: request.method,
          headers: request.header,
          body: request.body.raw,
        });
        const answer = await response.json();
        assert.ok(response.ok, JSON.stringify(answer));
        done(null, { json: () => answer });
      };
      waiting.push(send());
    },
  };
  for (const event of item.event?.filter((each) => each.listen === listen) ?? [])
    vm.runInNewContext(event.script.exec.join('\n'), { pm, setTimeout: () => {} });
  await Promise.all(waiting);
}

async function send(item: Item): Promise<Response> {
  const { method, url, header, body } = item.request;
  const path = url.path.map((step: string) =>
    step.replace(/:(\w+)/, (_, name) =>
      encodeURIComponent(fill(url.variable.find(({ key }: any) => key === name).value)),
    ),
  );
  const query = (url.query ?? []).filter(({ disabled }: any) => !disabled);
  const search = new URLSearchParams(query.map(({ key, value }: any) => [key, fill(value)]));
  const headers = Object.fromEntries(header.map(({ key, value }: any) => [key, fill(value)]));
  return fetch(`${address}/${path.join('/')}${query.length > 0 ? `?${search}` : ''}`, {
    method,
    redirect: 'manual',
    headers: { ...headers, 'x-api-key': api.testKey },
    ...(body?.raw && method !== 'GET' && { body: fill(body.raw) }),
  });
}

function requestsOf({ item = [] }: Item): Item[] {
  return item.flatMap((each) => (each.request ? [each] : requestsOf(each)));
}

describe('the Postman collection', () => {
  const requests = requestsOf(collection);

  it('has every operation', () => {
    const { paths } = api.openApi() as { paths: Record<string, object> };
    const operations = Object.values(paths).flatMap((methods) => Object.keys(methods));
    // An invoice exists only after a month of a paid plan.
    assert.equal(requests.length, operations.length - 1);
  });

  for (const item of requests) {
    it(`${item.request.method} ${item.name}`, async () => {
      await runScripts(item, 'prerequest');
      if (item.request.url.path.includes('exports')) await drain(api.deps, ['exports']);
      const answer = await send(item);
      const text = await answer.text();
      assert.ok(answer.status >= 200 && answer.status < 300, `${answer.status} ${text.slice(0, 500)}`);
      const isJson = answer.headers.get('content-type')?.startsWith('application/json');
      await runScripts(item, 'test', isJson && text ? JSON.parse(text) : undefined);
    });
  }
});
