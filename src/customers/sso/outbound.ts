// The fetch that talks to a customer's identity provider: public hosts only, no redirects, bounded in time and size.
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { CustomFetch } from 'openid-client';
import { createAgents, type DialPolicy } from '../../base/lib/dial.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;

/** The host is checked when dialed, so a name that now resolves to a private IP is refused. */
export function createOutboundFetch(policy: DialPolicy): CustomFetch {
  const agents = createAgents(policy, { keepAlive: false });
  return (url, { method, headers, body }) =>
    new Promise((resolve, reject) => {
      const target = new URL(url);
      const isPlain = target.protocol === 'http:' && policy.allow !== 'none';
      const [send, agent] = isPlain ? [requestHttp, agents.http] : [requestHttps, agents.https];
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const sent = send(target, { method, headers, signal, agent }, (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > MAX_BYTES) response.destroy(new Error('The identity provider sent too much.'));
          else chunks.push(chunk);
        });
        response.on('error', reject);
        response.on('end', () => {
          const status = response.statusCode ?? 500;
          const fields = Object.entries(response.headersDistinct).flatMap(([name, values]) =>
            (values ?? []).map((value): [string, string] => [name, value]),
          );
          const isEmpty = [204, 304].includes(status);
          resolve(new Response(isEmpty ? null : Buffer.concat(chunks), { status, headers: fields }));
        });
      });
      sent.on('error', reject);
      sent.end(body == null ? undefined : String(body));
    });
}
