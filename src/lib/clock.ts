// Time as an argument, so that tests can travel and nothing reads the wall clock behind our back.

export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

/** `2026-03-31` of an instant, in UTC. */
export function isoDate(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

export function addDays(date: string, days: number): string {
  return isoDate(new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000));
}

/** Whole days since 1970-01-01 of an ISO date. */
export function dayNumber(date: string): number {
  return Math.floor(Date.parse(`${date}T00:00:00Z`) / 86_400_000);
}
