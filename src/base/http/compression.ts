// Gzips long answers for callers that accept it. API only: no other site can make a browser call the API with someone's
// credentials, so compressed lengths leak nothing (BREACH).
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { App } from './types.ts';

const zip = promisify(gzip);
/** Shorter answers fit into a packet or two uncompressed. */
const WORTH_BYTES = 2048;
/** A search of 100 homes is a seventh larger than at the default of 6, in three fifths of the time. */
const LEVEL = 4;
const COMPRESSED_TYPES = /^(application\/(json|problem\+json|geo\+json|x-ndjson|vnd\.mapbox-vector-tile)|text\/csv)\b/;

/** Must be the last hook that reads the payload. */
export function compressAnswers(app: App): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (!isWorthIt(payload) || !COMPRESSED_TYPES.test(String(reply.getHeader('content-type')))) return payload;
    if (reply.hasHeader('content-encoding')) return payload;
    reply.header('vary', [reply.getHeader('vary'), 'accept-encoding'].filter(Boolean).join(', '));
    if (!accepts(request.headers['accept-encoding'], 'gzip')) return payload;
    const zipped = await zip(payload, { level: LEVEL });
    reply.header('content-encoding', 'gzip').removeHeader('content-length');
    // The same answer, but not the same bytes.
    const etag = reply.getHeader('etag');
    if (typeof etag === 'string' && !etag.startsWith('W/')) reply.header('etag', `W/${etag}`);
    return zipped;
  });
}

function isWorthIt(payload: unknown): payload is string | Buffer {
  return (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length >= WORTH_BYTES;
}

/** Per RFC 9110: listed with a weight other than 0, or covered by `*`. */
export function accepts(header: string | string[] | undefined, coding: 'gzip' | 'br'): boolean {
  const weights = new Map(
    String(header ?? '')
      .split(',')
      .map((part): [string, number] => {
        const [name, ...parameters] = part.split(';').map((word) => word.trim().toLowerCase());
        const weight = parameters.find((word) => word.startsWith('q='));
        return [name, weight === undefined ? 1 : Number(weight.slice(2))];
      }),
  );
  return (weights.get(coding) ?? weights.get('*') ?? 0) > 0;
}
