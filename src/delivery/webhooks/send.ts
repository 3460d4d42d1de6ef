// One POST to a receiver: no redirects, no shared connections, one deadline for the exchange, allowed targets only.
import http from 'node:http';
import https from 'node:https';
import { createAgents, findUrlProblem, type DialPolicy } from '../../base/lib/dial.ts';

const MAX_BODY_BYTES = 4 * 1024;

export interface Sent {
  status: number | null;
  body: string | null;
  retryAfter: string | undefined;
  error: string | null;
  durationMs: number;
}

interface Sending {
  url: string;
  headers: Record<string, string>;
  body: string;
  timeoutMs: number;
  dial: DialPolicy;
}

/** Never throws; errors are in the result. */
export function sendWebhook(sending: Sending): Promise<Sent> {
  const startedAt = performance.now();
  const problem = findUrlProblem(sending.url, sending.dial.allow);
  const done = (sent: Omit<Sent, 'durationMs'>): Sent => ({
    ...sent,
    durationMs: Math.round(performance.now() - startedAt),
  });
  const failed = (error: string) => done({ status: null, body: null, retryAfter: undefined, error });
  if (problem) return Promise.resolve(failed(`refused: the URL ${problem}`));

  return new Promise((resolve) => {
    const url = new URL(sending.url);
    const agents = createAgents(sending.dial, { keepAlive: false });
    let answer: { status: number; retryAfter: string | undefined } | undefined;
    let text = '';
    const finish = (error: string | null) => {
      clearTimeout(deadline);
      request.destroy();
      // A status that arrived counts, even if the body never does.
      resolve(answer ? done({ ...answer, body: text, error: null }) : failed(error ?? 'no response'));
    };
    const request = (url.protocol === 'https:' ? https : http).request(url, {
      method: 'POST',
      headers: { ...sending.headers, 'content-length': Buffer.byteLength(sending.body) },
      agent: url.protocol === 'https:' ? agents.https : agents.http,
    });
    const deadline = setTimeout(() => finish(`no response within ${sending.timeoutMs} ms`), sending.timeoutMs);
    request.on('response', (response) => {
      answer = { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] };
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text = (text + chunk).slice(0, MAX_BODY_BYTES).replaceAll('\0', '');
        if (text.length >= MAX_BODY_BYTES) finish(null);
      });
      response.on('end', () => finish(null));
      response.on('error', () => finish(null));
      response.on('close', () => finish(null));
    });
    request.on('error', (error: NodeJS.ErrnoException) =>
      finish(error.code ? `${error.code}: ${error.message}` : error.message),
    );
    request.end(sending.body);
  });
}
