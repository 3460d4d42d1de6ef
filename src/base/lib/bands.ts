// Free live data is coarse: values in bands, counts in steps. Bands are wide enough that no combination of free calls
// reveals a value to within 10%: every value in a band gives the same response. Pure.

const EDGES = [1, 1.5, 2, 3, 5, 7];
/** Smaller counts are all reported as 0. */
export const FEWEST = 10;
const STEPS = [1, 2, 5];

/** The edges of the band that holds the amount: 1, 1.5, 2, 3, 5 or 7 times a power of ten. */
export function bandOf(amount: number): [from: number, to: number] {
  if (amount < 1) return [0, 1];
  const power = 10 ** Math.floor(Math.log10(amount) + 1e-12);
  const edges = [...EDGES, 10].map((edge) => Math.round(edge * power * 10) / 10);
  const index = edges.findLastIndex((edge) => edge <= amount);
  return [edges[index], edges[index + 1]];
}

/** One representative amount for a whole band. */
export function middleOfBand(amount: number): number {
  const [from, to] = bandOf(amount);
  const middle = Math.sqrt(Math.max(1, from) * to);
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(middle)) - 1);
  return Math.round(middle / unit) * unit;
}

/** Rounded down to 10, 20, 50, 100, 200 …; 0 for fewer than 10. */
export function stepOf(count: number): number {
  if (count < FEWEST) return 0;
  const power = 10 ** Math.floor(Math.log10(count) + 1e-12);
  return power * STEPS.findLast((step) => step * power <= count)!;
}
