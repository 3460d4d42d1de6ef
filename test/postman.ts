// Every request of the Postman collection, in order, filled in as Postman does: one example call of each operation.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import vm from 'node:vm';
import type { TestAnswer, TestClient } from './harness.ts';

interface Item {
  name: string;
  item?: Item[];
  request?: any;
  event?: { listen: 'test' | 'prerequest'; script: { exec: string[] } }[];
}

/** `path` and `body` are dynamic: they refer to resources created by earlier requests. */
export interface ExampleCall {
  name: string;
  method: string;
  /** As it is registered, such as `/api/v1/reports/:id`. */
  route: string;
  path: string;
  body: string | undefined;
  /** Creates the call's prerequisites that earlier calls have not created. */
  prepare(key: string): Promise<void>;
  /** Sends it and keeps the answer's ids for later calls. */
  send(key: string): Promise<TestAnswer>;
}

const SHIPPED = new URL('../docs/site/postman.json', import.meta.url);

/** `others` are the paths and bodies to send instead of the shipped ones, by method and route. */
export function exampleCalls(
  api: TestClient,
  others: Record<string, { path?: string; body?: object }> = {},
): ExampleCall[] {
  const collection = JSON.parse(readFileSync(SHIPPED, 'utf8'));
  const variables = new Map<string, string>(collection.variable.map(({ key, value }: any) => [key, value]));
  const fill = (text: string): string =>
    text.replace(/\{\{([$\w]+)\}\}/g, (_, name) =>
      name === '$guid' ? crypto.randomUUID() : (variables.get(name) ?? ''),
    );

  /** Postman's own object, as far as our scripts use it. */
  async function runScripts(item: Item, listen: 'test' | 'prerequest', key: string, body?: unknown): Promise<void> {
    const waiting: Promise<void>[] = [];
    const pm = {
      response: { json: () => body },
      collectionVariables: {
        set: (name: string, value: string) => {
          assert.ok(value, `${item.name} stores ${name}`);
          variables.set(name, value);
        },
      },
      // An environment's values come before the collection's.
      variables: { get: (name: string) => variables.get(name), replaceIn: fill },
      execution: { setNextRequest: () => {} },
      info: { requestId: item.name },
      sendRequest: (request: any, done: (error: Error | null, response: { json(): unknown }) => void) => {
        const sendAside = async () => {
          const path = `/${new URL(request.url).pathname}`;
          const answer = await api.call(request.method, path, { key, body: request.body.raw });
          assert.ok(answer.status < 300, answer.text);
          done(null, { json: () => answer.body });
        };
        waiting.push(sendAside());
      },
    };
    for (const event of item.event?.filter((each) => each.listen === listen) ?? [])
      vm.runInNewContext(event.script.exec.join('\n'), { pm, setTimeout: () => {} });
    await Promise.all(waiting);
  }

  variables.set('baseUrl', 'http://localhost').set('apiKey', api.testKey);
  return requestsOf(collection).map((item) => {
    const { method, url, body } = item.request;
    const route = `/${url.path.join('/')}`;
    const other = others[`${method} ${route}`];
    const call: ExampleCall = {
      name: item.name,
      method,
      route,
      get path() {
        if (other?.path) return other.path;
        const steps = url.path.map((step: string) =>
          step.replace(/:(\w+)/, (_, name) =>
            encodeURIComponent(fill(url.variable.find(({ key }: any) => key === name).value)),
          ),
        );
        const query = (url.query ?? []).filter(({ disabled }: any) => !disabled);
        const search = new URLSearchParams(query.map(({ key, value }: any) => [key, fill(value)]));
        return `/${steps.join('/')}${query.length > 0 ? `?${search}` : ''}`;
      },
      get body() {
        if (other?.body) return JSON.stringify(other.body);
        return body?.raw && method !== 'GET' ? fill(body.raw) : undefined;
      },
      prepare: (key) => runScripts(item, 'prerequest', key),
      async send(key) {
        const answer = await api.call(method, `/${call.path}`, { key, body: call.body });
        if (answer.status < 300) await runScripts(item, 'test', key, answer.body);
        return answer;
      },
    };
    return call;
  });
}

function requestsOf({ item = [] }: Item): Item[] {
  return item.flatMap((each) => (each.request ? [each] : requestsOf(each)));
}
