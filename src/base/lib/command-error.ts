// The error for a command that cannot run as given, and the message for a failed one: one sentence if the operator can
// fix it, the full error if only we can.
import { ApiError } from './errors.ts';

/** Shown by its message, without a stack trace. */
export class CommandError extends Error {}

interface SystemError extends Error {
  code?: string;
  path?: string;
  address?: string;
  port?: number;
}

/** By the code of the operating system or of PostgreSQL. */
const SENTENCES: Record<string, (error: SystemError) => string> = {
  EADDRINUSE: ({ port }) => `Port ${port} is in use. Stop what listens there, or set PORT to another.`,
  EACCES: (error) => `No permission: ${error.message}.`,
  EPERM: (error) => `No permission: ${error.message}.`,
  ENOTDIR: ({ path }) => `${path} is not a directory, or lies in something that is not a directory.`,
  EROFS: ({ path }) => `${path ?? 'The data directory'} is on a read-only file system.`,
  ENOSPC: () => 'The disk is full. Free some space and run the command again.',
  ECONNREFUSED: unreachable,
  ECONNRESET: unreachable,
  ETIMEDOUT: unreachable,
  EHOSTUNREACH: unreachable,
  ENOTFOUND: unreachable,
  EAI_AGAIN: unreachable,
  '28000': refused,
  '28P01': refused,
  '3D000': (error) => `The database does not exist: ${error.message}. Create it, or correct DATABASE_URL.`,
  '53100': () => 'The disk of the database is full. Free some space and run the command again.',
  '53300': () => 'The database has no free connection. Lower POOL_SIZE, or raise its max_connections.',
  '57P03': () => 'The database is starting or stopping. Run the command again shortly.',
};

function unreachable({ message, address, port }: SystemError): string {
  const where = address ? ` at ${address}:${port}` : '';
  return `The server${where} cannot be reached (${message || 'connection refused'}). Is DATABASE_URL right, and is it running?`;
}

function refused({ message }: SystemError): string {
  return `The database refused the connection: ${message}. Check the user and password in DATABASE_URL.`;
}

/** The driver gives broken connections no error code. */
const BROKEN = /^(Connection terminated|timeout exceeded when trying to connect)/;

export function explain(error: unknown): unknown {
  if (error instanceof CommandError || error instanceof ApiError) return error.message;
  if (error instanceof Error && BROKEN.test(error.message))
    return 'The connection to the database was lost. Nothing is left half done: run the command again.';
  const code = (error as SystemError | undefined)?.code;
  // Node appends advice about alternative argument syntax.
  if (error instanceof Error && code?.startsWith('ERR_PARSE_ARGS')) return error.message.split(/\.\s|\n/)[0];
  const sentence = code === undefined ? undefined : SENTENCES[code];
  return sentence ? sentence(error as SystemError) : error;
}
