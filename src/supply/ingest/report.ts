// The numbers of a load: stored with it and printed when it ends.
import { formatFindings, type Finding } from '../examination/finding.ts';
import type { Target } from './source.ts';
import { must } from '../../base/lib/must.ts';

export const emptyCounts = () => ({
  staged: 0,
  duplicates: 0,
  unjoined: 0,
  inserted: 0,
  updated: 0,
  unchanged: 0,
  retired: 0,
});
type TargetCounts = ReturnType<typeof emptyCounts>;

export const emptyReport = (sourceId: string, market: string | null) => ({
  sourceId,
  market,
  loadId: 0,
  outcome: 'completed' as 'completed' | 'unchanged',
  files: 0,
  rowsRead: 0,
  rowsSkipped: 0,
  /** Rows that yielded at least one record; with skipped, rejected and unused rows they sum to all rows read. */
  rowsUsed: 0,
  /** Rows that yielded nothing because of errors. */
  rowsRefused: 0,
  /** Rows that the recipe excludes from every record. */
  rowsUnused: 0,
  rowsQuarantined: 0,
  quarantinedByReason: {} as Record<string, number>,
  targets: {} as Partial<Record<Target, TargetCounts>>,
  /** Share of staged records whose property was found. */
  joinRate: null as number | null,
  /** Sales whose price the source has corrected since the previous load. */
  salesCorrected: 0,
  superseded: 0,
  stamped: 0,
  seconds: 0,
  /** Files with a truncated last row. */
  cutOff: [] as string[],
  /** Null if the load is not examined: a nationwide layer, or records made in memory. */
  findings: null as Finding[] | null,
  /** The first record of each target, without columns that may hold names. */
  examples: {} as Partial<Record<Target, Record<string, unknown>>>,
});
export type LoadReport = ReturnType<typeof emptyReport>;

const NUMBER = new Intl.NumberFormat('en');

export function formatReport(report: LoadReport): string {
  const n = (value: number) => NUMBER.format(value);
  if (report.outcome === 'unchanged')
    return `${report.sourceId}: files unchanged since load ${report.loadId}; nothing to do (--accept unchanged loads them again)\n`;
  const lines = [
    `${report.sourceId}: ${n(report.rowsRead)} rows from ${report.files} file(s) in ${report.seconds.toFixed(1)} s` +
      `${report.rowsSkipped ? `, ${n(report.rowsSkipped)} skipped` : ''}, ${n(report.rowsQuarantined)} quarantined` +
      `${report.joinRate === null ? '' : `, ${(report.joinRate * 100).toFixed(1)}% joined`}`,
  ];
  for (const [target, counts] of Object.entries(report.targets)) {
    const parts = Object.entries(counts)
      .filter(([name, value]) => value > 0 || name === 'inserted')
      .map(([name, value]) => `${name} ${n(value)}`);
    lines.push(`  ${target.padEnd(17)} ${parts.join(', ')}`);
  }
  if (report.superseded) lines.push(`  superseded        ${n(report.superseded)}`);
  if (report.stamped) lines.push(`  layers stamped    ${n(report.stamped)}`);
  for (const [reason, count] of Object.entries(report.quarantinedByReason))
    lines.push(`  quarantine        ${reason}: ${n(count)}`);
  for (const [target, example] of Object.entries(report.examples))
    lines.push(`  e.g. ${target} ${JSON.stringify(example)}`);
  return `${lines.join('\n')}\n${report.findings ? formatFindings(report.findings) : ''}`;
}

/** Columns that may hold a person's name or mailing address. */
const PERSONAL = /^(?:names|mailing_address|buyers|sellers|lender|rings|shape|extras|attributes|row_hash)$/;

export function makeExample(columns: string[], values: unknown[]): Record<string, unknown> {
  const isShown = (name: string, i: number) => (values[i] ?? '') !== '' && !PERSONAL.test(name);
  return Object.fromEntries(columns.flatMap((name, i) => (isShown(name, i) ? [[name, values[i]]] : [])));
}

/** Of a target that the load writes. */
export const countsOf = (report: LoadReport, target: Target): TargetCounts =>
  must(report.targets[target], `count of ${target}`);
