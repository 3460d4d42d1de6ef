// What is usual for a field, and whether a file is.
import { readWritten, type Found } from './check.ts';
import type { Limits } from './finding.ts';
import type { FieldProfile } from './sample.ts';

type Range = [low: number, high: number];
/** By `table.field`. */
export const FIELDS = readWritten<{
  usual?: Range;
  possible?: Range;
  counts?: boolean;
  fact?: boolean;
  derived?: boolean;
  changes?: number;
  repeated?: Limits & { words: string };
}>('fields');
const FEW = 30;

/** Half of the values lie on the wrong side of the range; amounts of nothing are left out. */
export function usual(path: string, profile: FieldProfile): Found[] {
  const range = FIELDS.get(path);
  const numbers = profile.numbers.filter((value) => value > 0 || path === 'properties.bedrooms');
  if (!range?.usual || !range.possible || numbers.length < FEW) return [];
  const middle = numbers[Math.floor(numbers.length / 2)];
  const isOutside = ([low, high]: Range) => middle < low || middle > high;
  if (!isOutside(range.usual)) return [];
  const [low, high] = range.usual;
  const said = (value: number) => value.toLocaleString('en');
  const outside = numbers.filter((value) => value < low || value > high).length;
  const total = Math.max(profile.filled, 1);
  return [
    {
      about: path.split('.')[1],
      count: Math.round((outside / numbers.length) * total),
      total,
      examples: [`median ${said(middle)}; usual is ${said(low)} to ${said(high)}`],
      limits: { warn: 0, ...(isOutside(range.possible) && { stop: 0 }) },
    },
  ];
}
