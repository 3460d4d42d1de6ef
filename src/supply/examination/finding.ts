// A finding: what the examination of a load noticed, in numbers, with what it probably is and the line that mends it.
import type { Static } from 'typebox';
import { CommandError } from '../../base/lib/command-error.ts';
import { list, named, nullable, oneOf, presentRow, text, wholeNumber } from '../../base/lib/schema.ts';

export const Finding = named('Finding', {
  id: text(120, { description: 'The check, and the field it is about: `filled-less:year_built`.' }),
  severity: oneOf(['stop', 'warn'], { description: 'A `stop` ends the load unless an operator accepts it.' }),
  title: text(300),
  count: wholeNumber({ minimum: 0 }),
  total: wholeNumber({ minimum: 0, description: 'Out of so many.' }),
  examples: list(text(200), { maxItems: 3, description: 'Never with names of people.' }),
  cause: text(300, { description: 'Its probable cause.' }),
  mend: text(300, { description: 'The line of the recipe, or the step, that mends it.' }),
  accepted_by: nullable(text(200)),
  accepted_at: nullable(text(30)),
});
export type Finding = Static<typeof Finding>;

/** Without the examples, for customers: how far the records of a source can be relied on. */
export const FindingSummary = named(
  'FindingSummary',
  (({ id, severity, title, count, total, cause }) => ({ id, severity, title, count, total, cause }))(
    Finding.properties,
  ),
);
export type FindingSummary = Static<typeof FindingSummary>;

export const summarize = (finding: Finding): FindingSummary => presentRow(FindingSummary, finding);

/** Who takes which findings on. */
export interface Acceptance {
  ids: string[];
  by: string;
  at: Date;
}

/** A load that an unaccepted finding ended. */
export class LoadStopped extends CommandError {
  readonly findings: Finding[];
  constructor(subject: string, findings: Finding[]) {
    const stops = findings.filter(isStop);
    super(
      `${subject}: not loaded: ${stops.map(({ title, count, total }) => `${title} (${shareOf(count, total)})`).join('; ')}.\n` +
        `${stops.map(formatFinding).join('')}` +
        `  If the file is right all the same: ${stops.map(({ id }) => `--accept ${id}`).join(' ')}`,
    );
    this.findings = findings;
  }
}

export const isStop = ({ severity, accepted_by }: Finding) => severity === 'stop' && accepted_by === null;

/** A finding that grew by more than this since it was accepted has to be accepted again. */
const GROWN = 1.2;

/** Marks what is accepted: now, or with the load before if it has not grown since. */
export const acceptFindings = (findings: Finding[], acceptance: Acceptance | undefined, before: Finding[]): Finding[] =>
  findings.map((finding) => {
    if (finding.severity !== 'stop') return finding;
    if (acceptance?.ids.includes(finding.id))
      return { ...finding, accepted_by: acceptance.by, accepted_at: acceptance.at.toISOString() };
    const earlier = before.find(({ id, accepted_by }) => id === finding.id && accepted_by !== null);
    const share = ({ count, total }: Finding) => count / Math.max(1, total);
    if (!earlier || share(finding) > share(earlier) * GROWN) return finding;
    return { ...finding, accepted_by: earlier.accepted_by, accepted_at: earlier.accepted_at };
  });

const shareOf = (count: number, total: number): string => {
  const share = (count / Math.max(1, total)) * 100;
  const digits = share >= 10 || share === 0 ? 0 : 1;
  return `${count.toLocaleString('en')} of ${total.toLocaleString('en')}, ${share > 0 && share < 0.1 ? 'under 0.1' : share.toFixed(digits)}%`;
};

function formatFinding(finding: Finding): string {
  const { id, severity, title, count, total, examples, cause, mend, accepted_by, accepted_at } = finding;
  const mark = severity === 'warn' ? 'warning' : accepted_by === null ? 'STOP' : 'accepted';
  return [
    `  ${mark.padEnd(9)} ${id}: ${title} (${shareOf(count, total)})\n`,
    ...(examples.length > 0 ? [`            for example ${examples.join('; ')}\n`] : []),
    `            probably: ${cause}\n`,
    `            mend: ${mend}\n`,
    ...(accepted_by === null ? [] : [`            accepted by ${accepted_by} at ${accepted_at}\n`]),
  ].join('');
}

export const formatFindings = (findings: Finding[]): string =>
  findings.length === 0
    ? '  examined: nothing was found\n'
    : findings
        .toSorted((a, b) => Number(isStop(b)) - Number(isStop(a)))
        .map(formatFinding)
        .join('');

/** How much of a kind it takes to warn and to stop, as shares. */
export interface Limits {
  warn: number;
  stop?: number;
  /** Fewer rows than this are no statistics: they never stop a load. */
  least?: number;
  /** A larger share is how the publisher writes. */
  most?: number;
}

const LEAST_TO_STOP = 50;
/** Shares from here on are those of a few rows by chance. */
const [STATISTICS, LEAST_TO_WARN] = [0.1, 10];

/** Undefined below both limits. */
export function severityOf(count: number, total: number, { warn, stop, least = LEAST_TO_STOP, most = 1 }: Limits) {
  const share = count / total;
  if (count === 0 || total === 0 || share > most) return undefined;
  if (stop !== undefined && share >= stop && total >= least) return 'stop' as const;
  return share >= warn && total >= (warn < STATISTICS ? 1 : LEAST_TO_WARN) ? ('warn' as const) : undefined;
}
