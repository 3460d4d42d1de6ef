// Integer shares that add up exactly: cents over a term, allowances over a month. No floating point.

export interface Stretch {
  start: Date;
  end: Date;
}

/** Prorates an amount over part of a period. Rounded on the running total, so the parts of a period, split any way, add
    up to exactly the amount. */
export function prorate(amount: number, whole: Stretch, part: Stretch): number {
  const upTo = (instant: Date) =>
    roundedShare(amount, instant.getTime() - whole.start.getTime(), whole.end.getTime() - whole.start.getTime());
  return upTo(part.end) - upTo(part.start);
}

/** amount × part ÷ whole, rounded half up, in integers. */
export function roundedShare(amount: number, part: number, whole: number): number {
  const numerator = 2n * BigInt(amount) * BigInt(part) + BigInt(whole);
  const denominator = 2n * BigInt(whole);
  const floor = numerator / denominator;
  return Number(numerator < 0n && numerator % denominator !== 0n ? floor - 1n : floor);
}

/** Splits a total over weights: each within one of its share, and together exactly the total. */
export function distribute(total: number, weights: number[]): number[] {
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  if (whole === 0) return weights.map(() => 0);
  let before = 0;
  let given = 0;
  return weights.map((weight) => {
    before += weight;
    const share = roundedShare(total, before, whole) - given;
    given += share;
    return share;
  });
}
