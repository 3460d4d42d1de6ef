// Passes a keyed request and its response to the store for the dashboard's log.
import type { FastifyRequest } from 'fastify';
import type { App } from '../../base/http/types.ts';
import type { Deps } from '../../base/deps.ts';
import { MAX_BODY_BYTES, type RequestDetails } from '../../customers/usage/details.ts';
import kept from './kept-headers.json' with { type: 'json' };

/** Headers that identify the calling program or change the response; keys, cookies and the rest are not kept. */
const { request: REQUEST_HEADERS, response: RESPONSE_HEADERS } = kept;

declare module 'fastify' {
  interface FastifyRequest {
    /** The answer before it is compressed, unless it is a stream. */
    answer?: string | Buffer;
  }
}

export function keepExchanges(app: App, deps: Pick<Deps, 'clock'>, details: RequestDetails): void {
  app.addHook('onSend', (request, _reply, payload, done) => {
    if (isKept(request) && (typeof payload === 'string' || Buffer.isBuffer(payload))) request.answer = payload;
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    if (!isKept(request)) return done();
    const { account, key } = request.caller;
    details.keep(account.id, () => {
      const { answer } = request;
      const answerBytes = answer === undefined ? null : Buffer.byteLength(answer);
      const isJson = String(reply.getHeader('content-type')).includes('json');
      const isHidden = key.mode === 'live' && namesPeople(request.routeOptions.url);
      return {
        accountId: account.id,
        requestId: request.id,
        mode: key.mode,
        at: deps.clock(),
        url: request.url,
        requestHeaders: pick(REQUEST_HEADERS, (name) => request.headers[name]),
        // Checked by length, not text: serializing a 15 MB batch blocks the event loop for 0.4 s.
        body:
          isHidden && asksForPeople(request.routeOptions.url)
            ? undefined
            : Number(request.headers['content-length'] ?? Infinity) <= MAX_BODY_BYTES
              ? request.body
              : undefined,
        responseHeaders: pick(RESPONSE_HEADERS, (name) => reply.getHeader(name)),
        answer: isJson && !isHidden && answerBytes! <= MAX_BODY_BYTES ? answer?.toString() : undefined,
        answerBytes,
      };
    });
    done();
  });
  app.addHook('onClose', () => details.settle());
}

/** Only requests of real keys: tiles are numerous and binary, and the dashboard's own requests are of no interest. */
function isKept({ caller, routeOptions }: FastifyRequest): boolean {
  if (caller === undefined || caller.isGuest || caller.role !== undefined) return false;
  return !routeOptions.url?.startsWith('/api/v1/tiles');
}

/** The name itself is in the request. */
const asksForPeople = (route: string | undefined): boolean => route?.endsWith('/owners/search') ?? false;

/** Files about a property contain names throughout. */
const namesPeople = (route: string | undefined): boolean => /\/(title|reports|owners)/.test(route ?? '');

const pick = (names: string[], valueOf: (name: string) => unknown): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = valueOf(name);
      return value === undefined ? [] : [[name, String(value)]];
    }),
  );
