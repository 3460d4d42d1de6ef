// Lists a run's skipped tests by reason. A skipped block is a single event, so its tests are counted in the source.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

export interface Skipped {
  count: number;
  reason: string;
  file: string;
}

/** Counts the tests of the block starting on this line (from 1); its end has the same indentation. */
export function countTests(source: string, line: number): number {
  const lines = source.split('\n').slice(line - 1);
  const indentation = /^\s*/.exec(lines[0])![0];
  const end = lines.findIndex((text, at) => at > 0 && text.startsWith(`${indentation}})`));
  return lines.slice(0, end === -1 ? undefined : end).filter((text) => /^\s*(for \(.*\) )?(it|test)\(/.test(text))
    .length;
}

export function skippedBlock(file: string, line: number, reason: string): Skipped {
  return { count: countTests(readFileSync(file, 'utf8'), line), reason, file };
}

/** The closing lines: how many, and for each reason how many of them in which files. */
export function describeSkipped(skipped: readonly Skipped[]): string {
  const count = (some: readonly Skipped[]) => some.reduce((sum, one) => sum + one.count, 0);
  const reasons = [...Map.groupBy(skipped, ({ reason }) => reason)].map(([reason, some]) => {
    const files = [...new Set(some.map(({ file }) => basename(file, '.test.ts')))].toSorted();
    return `  ${count(some)} skipped: ${reason} (${files.join(', ')})\n`;
  });
  return reasons.join('');
}

export const countSkipped = (skipped: readonly Skipped[]) => skipped.reduce((sum, { count }) => sum + count, 0);
