// Compares a load with the one before: how full each field is, where its middle lies, and how far it spreads.
import { withWords, type Found } from './check.ts';
import type { Finding } from './finding.ts';
import { present } from './present.ts';
import type { FieldSummary } from './sample.ts';

type Figures = Record<string, FieldSummary>;

interface Comparison {
  id: string;
  compare(now: FieldSummary, before: FieldSummary): Omit<Found, 'about'> | undefined;
}

const FEW = 50;
const fill = ({ records, filled }: FieldSummary) => filled / Math.max(1, records);
const percent = (share: number) => `${Math.round(share * 100)}%`;
const number = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 1 });
const spreadOf = ({ low, high }: FieldSummary) => (high ?? 0) - (low ?? 0);

export const BEFORE_CHECKS = withWords<Comparison>([
  {
    id: 'filled-less',
    compare(now, before) {
      const lost = fill(before) - fill(now);
      return {
        count: Math.round(lost * now.records),
        total: now.records,
        examples: [`${percent(fill(before))} before, ${percent(fill(now))} now`],
        limits: { warn: 0.05, stop: Math.min(0.2, fill(before) / 2) },
      };
    },
  },
  {
    id: 'moved',
    compare(now, before) {
      if (now.median === null || before.median === null) return undefined;
      // Homes are all alike in a few fields: half of the median stands in for a spread of nothing.
      const spread = Math.max(spreadOf(before), Math.abs(before.median) * 0.02);
      const moved = Math.abs(now.median - before.median) / spread;
      return {
        count: moved < 0.5 ? 0 : now.filled,
        total: now.records,
        examples: [`median ${number(before.median)} before, ${number(now.median)} now`],
        limits: { warn: 0, ...(moved >= 1 && { stop: 0 }) },
      };
    },
  },
  {
    id: 'spread',
    compare(now, before) {
      const [wide, was] = [spreadOf(now), spreadOf(before)];
      if (was <= 0 || (wide < was * 3 && wide > was / 3)) return undefined;
      return {
        count: now.filled,
        total: now.records,
        examples: [
          `from ${number(before.low ?? 0)} to ${number(before.high ?? 0)} before, ${number(now.low ?? 0)} to ${number(now.high ?? 0)} now`,
        ],
        limits: { warn: 0 },
      };
    },
  },
  {
    id: 'older',
    compare(now, before) {
      if (now.newest === null || before.newest === null || now.newest >= before.newest) return undefined;
      return {
        count: now.filled,
        total: now.records,
        examples: [`${before.newest} before, ${now.newest} now`],
        limits: { warn: 0 },
      };
    },
  },
]);

export const compareFigures = (now: Figures, before: Figures): Finding[] =>
  Object.entries(now).flatMap(([path, summary]) => {
    const earlier = before[path];
    if (!earlier || earlier.records < FEW || summary.records < FEW) return [];
    return BEFORE_CHECKS.flatMap((check) => {
      const found = check.compare(summary, earlier);
      return found ? present(check, { ...found, about: path.split('.')[1] }) : [];
    });
  });
