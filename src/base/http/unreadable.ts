// Refuses requests that are not readable HTTP or arrive too slowly, in the same shape as every other error.
// There is a socket, but no request to reply to.
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorCode } from '../lib/errors.ts';
import { randomHex } from '../lib/ids.ts';
import { bodyOf } from './errors.ts';

const REASONS: Record<string, [code: ErrorCode, detail: string]> = {
  HPE_HEADER_OVERFLOW: [
    'headers_too_large',
    'Headers and address together may have 16 kB. Send what is long as a body.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request had not arrived completely after a minute.'],
};
const OTHERS: [code: ErrorCode, detail: string] = ['invalid_request', 'This is not a valid HTTP request.'];

export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const [code, detail] = REASONS[error.code ?? ''] ?? OTHERS;
  const body = bodyOf(code, detail, {}, '/', `req_${randomHex(10)}`);
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${body.status} ${STATUS_CODES[body.status]}`,
    'content-type: application/problem+json; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
    `x-request-id: ${body.request_id}`,
    'connection: close',
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${text}`);
  socket.destroy();
}
