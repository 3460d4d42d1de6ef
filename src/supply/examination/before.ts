// Compares a load with the one before: how full each field is, where its middle lies, and how far it spreads.
import { withWords, type Found } from './check.ts';
import type { Finding } from './finding.ts';
import { present } from './present.ts';
import type { FieldSummary } from './sample.ts';

type Figures = Record<string, FieldSummary>;

interface Comparison {
  id: string;
  /** What was before, what is now, and in how many of the records, if not in all that tell the field. */
  compare(now: FieldSummary, before: FieldSummary): [before: string, now: string, found?: Partial<Found>] | undefined;
}

const FEW = 50;
const fill = ({ records, filled }: FieldSummary) => filled / Math.max(1, records);
const percent = (share: number) => `${Math.round(share * 100)}%`;
const number = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 1 });
const spreadOf = ({ low, high }: FieldSummary) => (high ?? 0) - (low ?? 0);
const reach = ({ low, high }: FieldSummary) => `from ${number(low ?? 0)} to ${number(high ?? 0)}`;

export const BEFORE_CHECKS = withWords<Comparison>([
  {
    id: 'filled-less',
    compare(now, before) {
      const count = Math.round((fill(before) - fill(now)) * now.records);
      const limits = { warn: 0.05, stop: Math.min(0.2, fill(before) / 2) };
      return [percent(fill(before)), percent(fill(now)), { count, limits }];
    },
  },
  {
    id: 'moved',
    compare(now, before) {
      if (now.median === null || before.median === null) return undefined;
      // Homes are all alike in a few fields: half of the median stands in for a spread of nothing.
      const spread = Math.max(spreadOf(before), Math.abs(before.median) * 0.02);
      const moved = Math.abs(now.median - before.median) / spread;
      const limits = { warn: 0, ...(moved >= 1 && { stop: 0 }) };
      return moved < 0.5 ? undefined : [`median ${number(before.median)}`, number(now.median), { limits }];
    },
  },
  {
    id: 'spread',
    compare(now, before) {
      const [wide, was] = [spreadOf(now), spreadOf(before)];
      return was <= 0 || (wide < was * 3 && wide > was / 3) ? undefined : [reach(before), reach(now)];
    },
  },
  {
    id: 'older',
    compare(now, before) {
      if (now.newest === null || before.newest === null || now.newest >= before.newest) return undefined;
      return [before.newest, now.newest];
    },
  },
]);

export const compareFigures = (now: Figures, before: Figures): Finding[] =>
  Object.entries(now).flatMap(([path, summary]) => {
    const earlier = before[path];
    if (!earlier || earlier.records < FEW || summary.records < FEW) return [];
    return BEFORE_CHECKS.flatMap((check) => {
      const [was, is, found] = check.compare(summary, earlier) ?? [];
      if (was === undefined) return [];
      const usual = { count: summary.filled, total: summary.records, limits: { warn: 0 } };
      return present(check, { ...usual, ...found, about: path.split('.')[1], examples: [`${was} before, ${is} now`] });
    });
  });
