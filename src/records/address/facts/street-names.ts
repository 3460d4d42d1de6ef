// Known US street names, and those common enough that a typed one is meant as is, even if no loaded county has it.
// Stored as Bloom filters: no false negatives, and a false-positive rate of one in a thousand.
import { readFileSync } from 'node:fs';

const HASHES = 10;

const names = readFileSync(new URL('./street-names.bin', import.meta.url));
const commonNames = readFileSync(new URL('./common-names.bin', import.meta.url));

/** By name key, as `streetNameKey` builds it. */
export const isStreetName = (name: string): boolean => isIn(names, name);

/** A name found in at least two of ten counties far apart. */
export const isCommonName = (name: string): boolean => isIn(commonNames, name);

const isIn = (filter: Uint8Array, name: string): boolean =>
  bitsOf(name, filter.length * 8).every((bit) => (filter[bit >> 3] & (1 << (bit & 7))) !== 0);

/** The bits are set by `bench/address/facts.ts`. */
export function bitsOf(name: string, size: number): number[] {
  const [first, step] = [hash(name, 0x811c9dc5), hash(name, 0x9747b28c) | 1];
  return Array.from({ length: HASHES }, (_, round) => ((first + Math.imul(round, step)) >>> 0) % size);
}

/** FNV-1a with its bits mixed once more, because names differ in few letters. */
function hash(text: string, seed: number): number {
  let value = seed;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  return value ^ (value >>> 15);
}
