// Leases: whoever claims a row owns it until an instant and renews that while working, so that the work of a process
// that died is claimed by another. And backoff: how long to wait before trying again.

/** Fifty seconds of a blocked event loop cost no lease; the work of a killed process waits a minute. */
const LEASE_MS = 60_000;

export const leaseFrom = (now: Date, ms: number = LEASE_MS): Date => new Date(now.getTime() + ms);

/** Doubles from `firstMs` after the first attempt to at most an hour. */
export const backoffMs = (attempts: number, firstMs: number): number =>
  Math.min(firstMs * 2 ** (attempts - 1), 3_600_000);

/** Calls `renew` until stopped. An error is ignored: a database that is away has the rest of the lease to come back. */
export function keepRenewing(renew: () => Promise<void>, everyMs: number): { stop(): void } {
  const timer = setInterval(() => void renew().catch(() => {}), everyMs);
  return { stop: () => clearInterval(timer) };
}
