// Signed, stateless cursors: a position and a digest of its query. They cannot be forged, and a cursor from a different
// query is rejected.
import { hash } from 'node:crypto';
import { fail } from './errors.ts';
import { isSameBytes, type Secrets } from './secrets.ts';

const SIGNATURE_BYTES = 12;
const QUERY_BYTES = 6;

export type CursorPosition = (string | number | null)[];

export function encodeCursor(secrets: Secrets, query: unknown, position: CursorPosition): string {
  const body = Buffer.concat([digestOf(query), Buffer.from(JSON.stringify(position))]);
  const signature = secrets.sign('cursors', body.toString('latin1')).subarray(0, SIGNATURE_BYTES);
  return Buffer.concat([signature, body]).toString('base64url');
}

export function decodeCursor(secrets: Secrets, query: unknown, cursor: string): CursorPosition {
  const bytes = Buffer.from(cursor, 'base64url');
  const body = bytes.subarray(SIGNATURE_BYTES);
  const signature = secrets.sign('cursors', body.toString('latin1')).subarray(0, SIGNATURE_BYTES);
  if (bytes.toString('base64url') !== cursor || !isSameBytes(signature, bytes.subarray(0, SIGNATURE_BYTES))) {
    fail('invalid_cursor', 'Pass `next_cursor` from the previous page unchanged, or start again without a cursor.');
  }
  if (!isSameBytes(digestOf(query), body.subarray(0, QUERY_BYTES))) {
    fail(
      'cursor_mismatch',
      'A cursor works only with the query that returned it. Keep every filter and the sort order the same.',
    );
  }
  return JSON.parse(body.subarray(QUERY_BYTES).toString()) as CursorPosition;
}

const digestOf = (query: unknown): Buffer => hash('sha256', JSON.stringify(query), 'buffer').subarray(0, QUERY_BYTES);
