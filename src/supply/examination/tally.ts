// Counts what is wrong among what was asked, with three examples.
export interface Tally {
  count: number;
  total: number;
  examples: string[];
}

export const emptyTally = (): Tally => ({ count: 0, total: 0, examples: [] });

export function note(tally: Tally, isWrong: boolean, example: () => string): void {
  tally.total++;
  if (!isWrong) return;
  tally.count++;
  if (tally.examples.length < 3) tally.examples.push(example());
}
