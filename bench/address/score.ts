// Counts answers: right, wrong, unanswered, false matches and guesses, with the time each took.
import type { Answerer } from './baselines.ts';
import type { Case } from './cases.ts';

export interface Tally {
  asked: number;
  right: number;
  wrong: number;
  ambiguous: number;
  unresolved: number;
}

export interface Score {
  byKind: Map<Case['kind'], Tally>;
  byType: Map<string, Tally>;
  microseconds: number[];
  failures: { case: Case; got: string }[];
}

export async function score(cases: readonly Case[], answer: Answerer): Promise<Score> {
  const result: Score = { byKind: new Map(), byType: new Map(), microseconds: [], failures: [] };
  for (const each of cases) {
    const start = performance.now();
    const got = await answer(each.text);
    result.microseconds.push((performance.now() - start) * 1000);
    const verdict = judge(each, got.outcome, got.outcome === 'match' ? got.propertyId : undefined);
    for (const tally of [tallyOf(result.byKind, each.kind), tallyOf(result.byType, `${each.kind} ${each.type}`)]) {
      tally.asked++;
      tally[verdict]++;
    }
    if (verdict !== 'right')
      result.failures.push({ case: each, got: got.outcome === 'match' ? got.propertyId : got.outcome });
  }
  result.microseconds.sort((a, b) => a - b);
  return result;
}

function judge(
  { kind, propertyId }: Case,
  outcome: string,
  found?: string,
): 'right' | 'wrong' | 'ambiguous' | 'unresolved' {
  if (outcome === 'match') return kind === 'positive' && found === propertyId ? 'right' : 'wrong';
  if (kind === 'positive') return outcome === 'ambiguous' ? 'ambiguous' : 'unresolved';
  if (kind === 'ambiguous') return outcome === 'ambiguous' ? 'right' : 'unresolved';
  return 'right';
}

function tallyOf<K>(tallies: Map<K, Tally>, key: K): Tally {
  const known = tallies.get(key);
  if (known) return known;
  const fresh = { asked: 0, right: 0, wrong: 0, ambiguous: 0, unresolved: 0 };
  tallies.set(key, fresh);
  return fresh;
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** One line of the table: positives, then what must not happen with the others, then the time. */
export function describe(name: string, { byKind, microseconds }: Score): string {
  const share = (count: number, of: number): string => (of ? `${((100 * count) / of).toFixed(2)}%` : '–');
  const kind = (which: Case['kind']): Tally => tallyOf(byKind, which);
  const positive = kind('positive');
  return [
    name.padEnd(34),
    `right ${share(positive.right, positive.asked)} of ${positive.asked}`.padEnd(26),
    `wrong ${positive.wrong}`.padEnd(12),
    `absent matched ${kind('negative').wrong}/${kind('negative').asked}`.padEnd(28),
    `ambiguous recognized ${kind('ambiguous').right}/${kind('ambiguous').asked}, guessed ${kind('ambiguous').wrong}`.padEnd(
      46,
    ),
    `similar names matched ${kind('adversarial').wrong}/${kind('adversarial').asked}`.padEnd(36),
    `p50 ${percentile(microseconds, 0.5).toFixed(0)} µs, p99 ${percentile(microseconds, 0.99).toFixed(0)} µs`,
  ].join('');
}
