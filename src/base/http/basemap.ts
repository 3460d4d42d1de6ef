// The operator's own basemap, a PMTiles file, served in ranges from a local file or proxied from its URL, so browsers
// never leave our origin.
import { createReadStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { fail } from '../lib/errors.ts';
import type { App } from './types.ts';

export const BASEMAP_PATH = '/basemap.pmtiles';
/** A map reads directories and single tiles, never the whole country at once. */
const MAX_RANGE_BYTES = 16 * 1024 * 1024;
const FETCH_TIMEOUT_MS = 20_000;

interface Range {
  from: number;
  to: number;
}

export function basemapRoutes(app: App, basemap: string | undefined): void {
  app.get(BASEMAP_PATH, { config: { isHidden: true } }, async (request, reply) => {
    if (!basemap) fail('route_not_found', 'This server has no basemap. Operators: set BASEMAP.');
    const range = readRange(request.headers.range);
    void reply.type('application/octet-stream').header('cache-control', 'public, max-age=3600').code(206);
    return /^https?:/.test(basemap) ? fetchRange(basemap, range, reply) : readRangeOf(basemap, range, reply);
  });
}

function readRange(header: string | undefined): Range {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(header ?? '') ?? [];
  const range = { from: Number(from), to: Number(to) };
  if (from === undefined || range.to < range.from || range.to - range.from >= MAX_RANGE_BYTES)
    fail('invalid_request', 'Ask for a part of the file: `Range: bytes=0-16383`, up to 16 MB at once.');
  return range;
}

type Answer = { header(name: string, value: string): unknown };

function readRangeOf(path: string, { from, to }: Range, reply: Answer): Readable {
  const { size, mtimeMs } = statSync(path);
  if (from >= size) fail('invalid_request', `The file ends at byte ${size}.`);
  const end = Math.min(to, size - 1);
  reply.header('content-range', `bytes ${from}-${end}/${size}`);
  reply.header('etag', `"${size}-${Math.round(mtimeMs)}"`);
  return createReadStream(path, { start: from, end });
}

async function fetchRange(url: string, { from, to }: Range, reply: Answer): Promise<Readable> {
  const answer = await fetch(url, {
    headers: { range: `bytes=${from}-${to}` },
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
  }).catch((error: Error) => fail('unavailable', 'The basemap does not answer.', {}, { cause: error }));
  // A server that ignores ranges would send the whole country.
  if (answer.status !== 206 || !answer.body) {
    await answer.body?.cancel();
    fail('unavailable', `The basemap answered ${answer.status} instead of a range.`);
  }
  for (const name of ['content-range', 'etag']) {
    const value = answer.headers.get(name);
    if (value) reply.header(name, value);
  }
  return Readable.fromWeb(answer.body as never);
}
