// Serves files by range, so interrupted downloads can resume.
import { createReadStream, type Stats } from 'node:fs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../lib/errors.ts';

/** The first and last byte; undefined means the whole file: multiple or invalid ranges may be ignored. */
function readRange(header: string | undefined, size: number): { start: number; end: number } | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (!first && !last) return undefined;
  if (!first) return { start: Math.max(0, size - Number(last)), end: size - 1 };
  if (last && Number(last) < Number(first)) return undefined;
  return { start: Number(first), end: last ? Math.min(Number(last), size - 1) : size - 1 };
}

/** Sends the requested range of a file, unless the file has changed since. */
export function sendFile(request: FastifyRequest, reply: FastifyReply, path: string, { size, mtimeMs }: Stats) {
  const etag = `"${size.toString(36)}-${Math.round(mtimeMs).toString(36)}"`;
  const { range: requested, 'if-range': ifRange } = request.headers;
  const range = ifRange === undefined || ifRange === etag ? readRange(requested, size) : undefined;
  reply.headers({ 'accept-ranges': 'bytes', etag });
  if (range && range.start >= size) {
    reply.header('content-range', `bytes */${size}`);
    fail('range_not_satisfiable', `The file has ${size} bytes, and the range begins after them.`);
  }
  if (range === undefined) return reply.header('content-length', size).send(createReadStream(path));
  return reply
    .code(206)
    .headers({
      'content-range': `bytes ${range.start}-${range.end}/${size}`,
      'content-length': range.end - range.start + 1,
    })
    .send(createReadStream(path, range));
}
