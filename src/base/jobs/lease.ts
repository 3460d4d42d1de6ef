// Leases: a claim owns a row until an instant and is renewed while working, so another process can take over from a
// dead one. And backoff: the wait before a retry.

/** A lease survives fifty seconds of a blocked event loop; the work of a killed process waits a minute. */
const LEASE_MS = 60_000;

export const leaseFrom = (now: Date, ms: number = LEASE_MS): Date => new Date(now.getTime() + ms);

/** Doubles from `firstMs` after the first attempt to at most an hour. */
export const backoffMs = (attempts: number, firstMs: number): number =>
  Math.min(firstMs * 2 ** (attempts - 1), 3_600_000);

/** Calls `renew` until stopped. An error is ignored: an unreachable database has the rest of the lease to come back. */
export function keepRenewing(renew: () => Promise<void>, everyMs: number): { stop(): void } {
  const timer = setInterval(() => void renew().catch(() => {}), everyMs);
  return { stop: () => clearInterval(timer) };
}
