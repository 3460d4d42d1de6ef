// Files that can be sent in part, so that whoever was interrupted goes on where they stopped.
import { createReadStream, type Stats } from 'node:fs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../lib/errors.ts';

/** The first and the last byte. */
export interface Range {
  start: number;
  end: number;
}

/** Undefined for all of it: several ranges at once, and what is no range, may be left unread. */
export function readRange(header: string | undefined, size: number): Range | 'outside' | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === undefined || (first === '' && last === '')) return undefined;
  const range =
    first === ''
      ? { start: Math.max(0, size - Number(last)), end: size - 1 }
      : { start: Number(first), end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
  if (last !== '' && first !== '' && Number(last) < Number(first)) return undefined;
  return range.start >= size ? 'outside' : range;
}

/** A file as its `range` asks for it, unless it has changed since. */
export function sendFile(request: FastifyRequest, reply: FastifyReply, path: string, { size, mtimeMs }: Stats) {
  const etag = `"${size.toString(36)}-${Math.round(mtimeMs).toString(36)}"`;
  const { range: asked, 'if-range': ifRange } = request.headers;
  const range = ifRange === undefined || ifRange === etag ? readRange(asked, size) : undefined;
  reply.headers({ 'accept-ranges': 'bytes', etag });
  if (range === 'outside') {
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
