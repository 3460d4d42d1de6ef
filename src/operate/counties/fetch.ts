// Downloads a file from an operator's URL: public hosts only, a few redirects, up to a maximum size.
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CommandError } from '../../base/lib/command-error.ts';
import { createAgents, findUrlProblem, type DialAgents, type DialPolicy } from '../../base/lib/dial.ts';

const MOST_REDIRECTS = 5;
const STALL_MS = 60_000;

interface Fetching {
  url: string;
  path: string;
  dial: DialPolicy;
  mostBytes: number;
  onBytes: (bytes: number, total: number | null) => void;
}

/** `fetch` for a server that is asked many times, under the same rules; `close` ends its connections. */
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

/** Leaves the whole file at `path`, or nothing. */
export async function fetchFile(fetching: Fetching): Promise<number> {
  const agents = createAgents(fetching.dial, { keepAlive: false });
  try {
    const response = await follow(fetching, agents);
    return await receive(fetching, response);
  } catch (error) {
    await rm(fetching.path, { force: true });
    throw error;
  } finally {
    agents.http.destroy();
    agents.https.destroy();
  }
}

async function follow({ url, dial }: Fetching, agents: DialAgents): Promise<http.IncomingMessage> {
  const { status, here, response } = await walk(url, dial, agents);
  if (status === 200) return response;
  response.destroy();
  throw new CommandError(`${here} returned ${status} instead of the file.`);
}

/** The first answer that is no redirect. */
async function walk(url: string, dial: DialPolicy, agents: DialAgents, headers: Record<string, string> = {}) {
  let here = url;
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    // Every redirect is checked: a public page must not lead to a private one.
    const problem = findUrlProblem(here, dial.allow);
    if (problem) throw new CommandError(`The URL ${here} ${problem}.`);
    const response = await get(new URL(here), agents, headers);
    const status = response.statusCode ?? 0;
    const { location } = response.headers;
    if (status < 300 || status > 399 || location === undefined || !URL.canParse(location, here))
      return { status, here, response };
    response.destroy();
    here = new URL(location, here).href.replace(/#.*$/, '');
  }
  throw new CommandError(`${url} redirects more than ${MOST_REDIRECTS} times.`);
}

const get = (url: URL, agents: DialAgents, headers: Record<string, string>): Promise<http.IncomingMessage> =>
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

async function receive({ url, path, mostBytes, onBytes }: Fetching, response: http.IncomingMessage): Promise<number> {
  const stated = Number(response.headers['content-length'] ?? Number.NaN);
  const total = Number.isFinite(stated) ? stated : null;
  const refuse = () => {
    response.destroy();
    throw new CommandError(`The file is larger than ${Math.round(mostBytes / 1024 / 1024)} MB (COUNTY_FILE_LIMIT_MB).`);
  };
  if (total !== null && total > mostBytes) refuse();
  let have = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        have += chunk.length;
        if (have > mostBytes) refuse();
        onBytes(have, total);
        yield chunk;
      }
    } catch (error) {
      if (error instanceof CommandError) throw error;
      throw new CommandError(`${url} broke off after ${have} bytes. Try again.`);
    }
  }
  await pipeline(counted, createWriteStream(path, { mode: 0o600 }));
  if (total !== null && have !== total)
    throw new CommandError(`${url} ended after ${have} of ${total} bytes. Try again.`);
  return have;
}
