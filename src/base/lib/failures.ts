// A failure as logged: the code, one cause, the cause chain, and a fingerprint shared by equal failures. Callers' input
// is redacted: PostgreSQL puts values into `detail`, `where` and some messages.
import { hash } from 'node:crypto';
import { lastOf } from './must.ts';

interface FailureLog {
  error: { code: string; cause: string; chain: string[]; fingerprint: string };
  err: { type: string; message: string; stack: string | undefined };
}

const MAX_CHAIN = 5;
/** Class 22 (data exceptions) and 23 (constraints) quote values in their message. */
const QUOTES_VALUES = /^2[23]/;

export function describeError(error: Error): FailureLog['err'] & { code: string; chain: string[] } {
  const message = safeMessage(error);
  const chain = chainOf(error).map(causeOf);
  return {
    type: error.name,
    code: chain[0],
    message,
    chain,
    stack: error.stack?.replace(error.message, () => message),
  };
}

export function describeFailure(error: Error & { code?: unknown }): FailureLog {
  const chain = chainOf(error);
  const root = lastOf(chain);
  const code = typeof error.code === 'string' ? error.code : 'internal_error';
  const { type, message, stack } = describeError(chain.length > 1 ? chain[1] : error);
  return {
    error: { code, cause: causeOf(root), chain: chain.map(causeOf), fingerprint: fingerprintOf(code, root) },
    err: { type, message, stack },
  };
}

function chainOf(error: Error): Error[] {
  const chain = [error];
  while (chain.length < MAX_CHAIN) {
    const last = lastOf(chain);
    // Node reports a connection tried at several IPs as one error with several inside.
    const next = last instanceof AggregateError ? last.errors[0] : last.cause;
    if (!(next instanceof Error) || chain.includes(next)) break;
    chain.push(next);
  }
  return chain;
}

/** PostgreSQL's code, the system's or ours; otherwise the class. */
function causeOf(error: Error): string {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  const name = typeof code === 'string' && code !== '' ? code : error.name;
  return typeof constraint === 'string' ? `${name} ${constraint}` : name;
}

function safeMessage(error: Error): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && QUOTES_VALUES.test(code)
    ? error.message.replace(/"(?:[^"\\]|\\.)*"/g, '"…"')
    : error.message;
}

/** Identifies the cause and the location in our code, ignoring numbers and names in the message. */
function fingerprintOf(code: string, root: Error): string {
  const stack = root.stack ?? '';
  const place = /\n {4}of .+/.exec(stack)?.[0] ?? /\/src\/([\w/.-]+\.ts)/.exec(stack)?.[1] ?? '';
  return hash('sha1', `${code} ${causeOf(root)} ${place}`).slice(0, 12);
}
