// Files that can be sent in part, so that whoever was interrupted goes on where they stopped.
import { createReadStream, type Stats } from 'node:fs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../lib/errors.ts';

/** The first and the last byte; undefined for all: several ranges at once, and what is no range, may be left unread. */
function readRange(header: string | undefined, size: number): { start: number; end: number } | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (!first && !last) return undefined;
  if (!first) return { start: Math.max(0, size - Number(last)), end: size - 1 };
  if (last && Number(last) < Number(first)) return undefined;
  return { start: Number(first), end: last ? Math.min(Number(last), size - 1) : size - 1 };
}

/** A file as its `range` asks for it, unless it has changed since. */
export function sendFile(request: FastifyRequest, reply: FastifyReply, path: string, { size, mtimeMs }: Stats) {
  const etag = `"${size.toString(36)}-${Math.round(mtimeMs).toString(36)}"`;
  const { range: asked, 'if-range': ifRange } = request.headers;
  const range = ifRange === undefined || ifRange === etag ? readRange(asked, size) : undefined;
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
