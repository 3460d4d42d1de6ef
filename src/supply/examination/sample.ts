// Samples a stream of values evenly in bounded memory, and sums a field of a load up for the next load to compare.
import { quantile } from '../../base/math/quantiles.ts';

const MOST = 4096;

/** Every value until there are too many, then every second of them, and so on: the same rows give the same sample. */
export class Sample<Value> {
  readonly values: Value[] = [];
  seen = 0;
  #step = 1;

  add(value: Value): void {
    if (this.seen++ % this.#step !== 0) return;
    this.values.push(value);
    if (this.values.length < MOST) return;
    const half = this.values.filter((_, i) => i % 2 === 0);
    this.values.splice(0, MOST, ...half);
    this.#step *= 2;
  }

  /** The most frequent value and its share of the sample. */
  get top(): { value: Value; share: number } | undefined {
    const counts = new Map<Value, number>();
    for (const value of this.values) counts.set(value, (counts.get(value) ?? 0) + 1);
    let best: [Value, number] | undefined;
    for (const entry of counts) if (!best || entry[1] > best[1]) best = entry;
    return best && { value: best[0], share: best[1] / this.values.length };
  }
}

/** A field of the records of one load, for the next to compare. */
export type FieldSummary = FieldProfile['summary'];

export class FieldProfile {
  records = 0;
  filled = 0;
  /** The latest day, of dates. */
  newest: string | null = null;
  /** Values that are true. */
  trues = 0;
  readonly sample = new Sample<number | string>();

  add(value: unknown): void {
    this.records++;
    if (value === null || value === undefined || value === '') return;
    this.filled++;
    if (value === true) this.trues++;
    if (typeof value === 'number') this.sample.add(value);
    else if (typeof value === 'string') {
      this.sample.add(value);
      if (value[4] === '-' && (this.newest === null || value > this.newest)) this.newest = value;
    }
  }

  get numbers(): number[] {
    return this.sample.values.filter((value) => typeof value === 'number').toSorted((a, b) => a - b);
  }

  get texts(): string[] {
    return this.sample.values.filter((value) => typeof value === 'string');
  }

  /** Low, median and high are those of numbers; null for anything else. */
  get summary() {
    const { numbers, records, filled, newest } = this;
    const at = (share: number) => (numbers.length === 0 ? null : quantile(numbers, share));
    return { records, filled, low: at(0.1), median: at(0.5), high: at(0.9), newest };
  }
}
