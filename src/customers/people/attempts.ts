// Lockout: a password or code attempt takes a slot in PostgreSQL before it is checked, so parallel attempts across
// processes and forms cannot exceed the slots.
import type { Deps } from '../../base/deps.ts';
import { ApiError, fail } from '../../base/lib/errors.ts';
import { isLoopback, networkOf } from '../../base/lib/ips.ts';
import { digestOfToken } from './sessions.ts';
import * as proofs from './proof-sql.ts';

type AttemptDeps = Pick<Deps, 'control' | 'clock' | 'secrets'>;

/**
 * Runs `judge` if the mailbox has a try left. Unknown emails are counted like known ones, so being locked says nothing
 * about whether an account exists.
 *
 * A wrong answer (`invalid_credentials`) keeps its slot; any other failure gives it back. Success gives back its own
 * slot as well, and `isComplete` forgives the earlier failures: only a sign-in that passed every factor may do that, or
 * a form that asks for the password alone would reset the count of guesses at the code.
 */
export async function tryOnce<Result>(
  deps: AttemptDeps,
  emailNormalized: string,
  judge: () => Promise<Result>,
  { isComplete }: { isComplete: boolean },
): Promise<Result> {
  const subject = digestOfToken(deps.secrets, 'attempts', emailNormalized);
  const now = deps.clock();
  if (!(await proofs.takeAttempt(deps.control, subject, now))) {
    const until = await proofs.findLock(deps.control, subject);
    const wait = Math.max(1, Math.ceil(((until ?? now).getTime() - now.getTime()) / 1000));
    fail('rate_limited', `Too many failed attempts. Try again in ${wait} s.`, { retryAfterSeconds: wait });
  }
  let result: Result;
  try {
    result = await judge();
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'invalid_credentials')) {
      await proofs.returnAttempt(deps.control, subject);
    }
    throw error;
  }
  if (isComplete) await proofs.clearAttempts(deps.control, subject);
  else await proofs.returnAttempt(deps.control, subject);
  return result;
}

/** Counts across all processes how often `subject` did `action` in the current window. */
export async function limitAction(
  deps: AttemptDeps,
  action: string,
  subject: string,
  { limit, windowMs }: { limit: number; windowMs: number },
): Promise<void> {
  const now = deps.clock().getTime();
  const start = now - (now % windowMs);
  const digest = digestOfToken(deps.secrets, action, subject);
  if ((await proofs.countAction(deps.control, digest, new Date(start))) <= limit) return;
  const wait = Math.ceil((start + windowMs - now) / 1000);
  fail('rate_limited', `Too many requests. Try again in ${wait} s.`, { retryAfterSeconds: wait });
}

/** Called before the work, so parallel attempts cannot exceed the limit. This machine is exempt, as everywhere. */
export async function limitNetwork(
  deps: AttemptDeps,
  action: string,
  ip: string,
  bound: { limit: number; windowMs: number },
): Promise<void> {
  if (!isLoopback(ip)) await limitAction(deps, action, networkOf(ip), bound);
}
