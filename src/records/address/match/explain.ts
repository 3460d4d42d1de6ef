// Explains why an address was not resolved and what to do next; the one place that turns an outcome into an error.
import { type CoveredPlace, fail } from '../../../base/lib/errors.ts';
import { STATE as SANDBOX_STATE } from '../../../supply/sandbox/geography.ts';
import type { AmbiguousReason } from './decide.ts';
import explanations from './explanations.json' with { type: 'json' };
import type { NotResolvedReason, Resolution } from './resolve.ts';

const AMBIGUOUS: Record<AmbiguousReason, string> = explanations.ambiguous;
const NOT_RESOLVED: Record<NotResolvedReason, string> = explanations.not_resolved;

const OUTSIDE: ReadonlySet<NotResolvedReason> = new Set(['not_covered', 'puerto_rico', 'us_territory']);

/** A resolution with the name of the covered place nearest to an address outside. */
export type Explained = Resolution & { nearest?: CoveredPlace };

/** Returns the match, or throws the error an API caller should see. */
export function requireMatch(resolution: Explained): Extract<Resolution, { outcome: 'match' }> {
  if (resolution.outcome === 'match') return resolution;
  const { reason } = resolution;
  if (resolution.outcome === 'ambiguous') {
    fail('address_ambiguous', AMBIGUOUS[resolution.reason], { reason, candidates: resolution.candidates });
  }
  if (OUTSIDE.has(resolution.reason)) {
    const { nearest } = resolution;
    const detail = [NOT_RESOLVED[resolution.reason], ...(nearest ? [directTo(nearest)] : []), 'See /coverage.'].join(
      ' ',
    );
    fail('out_of_coverage', detail, { reason, ...(nearest && { nearest_covered: nearest }) });
  }
  fail('address_not_resolved', NOT_RESOLVED[resolution.reason], { reason, suggestions: resolution.suggestions });
}

function directTo({ city, state, zip }: CoveredPlace): string {
  const where = [city, `${state} ${zip}`].filter(Boolean).join(', ');
  return state === SANDBOX_STATE
    ? `Test keys see the sandbox only, such as ${where}.`
    : `The nearest covered place is ${where}.`;
}
