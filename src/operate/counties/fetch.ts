// The fetch for operators' URLs: public hosts only, and a few redirects.
import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { CommandError } from '../../base/lib/command-error.ts';
import { createAgents, findUrlProblem, type DialAgents, type DialPolicy } from '../../base/lib/dial.ts';

const MOST_REDIRECTS = 5;
const STALL_MS = 60_000;

/** `close` ends its connections. */
export function createGuardedFetch(dial: DialPolicy): { fetch: typeof globalThis.fetch; close(): void } {
  const agents = createAgents(dial, { keepAlive: true });
  return {
    async fetch(input, init) {
      const url = String(input);
      const { status, response } = await walk(url, dial, agents, init?.headers as Record<string, string>);
      const headers = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)]);
      init?.signal?.addEventListener('abort', () => response.destroy(init.signal!.reason as Error), { once: true });
      return new Response(Readable.toWeb(response), { status, headers });
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** The first response that is not a redirect. */
async function walk(url: string, dial: DialPolicy, agents: DialAgents, headers?: Record<string, string>) {
  let here = url;
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    // Every redirect is checked: a public page must not lead to a private one.
    const problem = findUrlProblem(here, dial.allow);
    if (problem) throw new CommandError(`The URL ${here} ${problem}.`);
    const response = await get(new URL(here), agents, headers);
    const status = response.statusCode ?? 0;
    const { location } = response.headers;
    if (status < 300 || status > 399 || location === undefined || !URL.canParse(location, here))
      return { status, response };
    response.destroy();
    here = new URL(location, here).href.replace(/#.*$/, '');
  }
  throw new CommandError(`${url} redirects more than ${MOST_REDIRECTS} times.`);
}

const get = (url: URL, agents: DialAgents, headers?: Record<string, string>): Promise<http.IncomingMessage> =>
  new Promise((resolve, reject) => {
    const isTls = url.protocol === 'https:';
    const request = (isTls ? https : http).get(
      url,
      {
        agent: isTls ? agents.https : agents.http,
        timeout: STALL_MS,
        headers: { ...headers, 'accept-encoding': 'identity' },
      },
      resolve,
    );
    request.on('timeout', () => request.destroy(new Error(`nothing came for ${STALL_MS / 1000} s`)));
    request.on('error', (error) => reject(new CommandError(`${url.href} cannot be fetched: ${error.message}.`)));
  });
