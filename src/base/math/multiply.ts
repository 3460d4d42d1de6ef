// Products of matrices and sigmoids in WebAssembly (multiply.wat), four numbers at a time: V8 does not vectorize JavaScript.
import { readFileSync } from 'node:fs';
import { mapValues } from '../lib/pick.ts';

/** The few members used here; the language's own library does not declare them. */
type Assembly = {
  Memory: new (size: { initial: number }) => { buffer: ArrayBuffer };
  Module: new (bytes: Uint8Array) => object;
  Instance: new (
    module: object,
    imports: Record<string, Record<string, unknown>>,
  ) => { exports: Record<string, unknown> };
};
const { WebAssembly } = globalThis as unknown as { WebAssembly: Assembly };

/** Named, zero-initialized arrays in WebAssembly memory, and the operations on them. */
export type Workbench<Name extends string> = {
  arrays: Record<Name, Float32Array>;
  addProduct(product: Product): void;
  /** Writes 1 ÷ (1 + e⁻ˣ) of each number, accurate to 1e-6; the length must be a multiple of 4. */
  writeSigmoids(of: Float32Array, to: Float32Array): void;
};

/**
 * Adds the product of `a` (m × k) and `b` (k × n) to `sum` (m × n). `m` must be a multiple of 4 and `n` of 8. With
 * `isTransposed`, `a` is stored as k rows of m numbers.
 */
type Product = {
  a: Float32Array;
  b: Float32Array;
  sum: Float32Array;
  m: number;
  k: number;
  n: number;
  isTransposed?: boolean;
};

const PAGE_BYTES = 65_536;
const FLOAT_BYTES = 4;
/** Lanes of one vector. */
const LANES = 4;

const compiled = new WebAssembly.Module(readFileSync(new URL('./multiply.wasm', import.meta.url)));

export function openWorkbench<Name extends string>(lengths: Record<Name, number>): Workbench<Name> {
  const padded = (length: number): number => LANES * Math.ceil(length / LANES);
  const total = Object.values<number>(lengths).reduce((sum, length) => sum + padded(length), 0);
  const memory = new WebAssembly.Memory({ initial: Math.ceil((total * FLOAT_BYTES) / PAGE_BYTES) });
  const { exports } = new WebAssembly.Instance(compiled, { own: { memory } });
  const { multiply, sigmoids } = exports as Record<'multiply' | 'sigmoids', (...numbers: number[]) => void>;
  let at = 0;
  const arrays = mapValues(lengths, (length) => {
    const array = new Float32Array(memory.buffer, at * FLOAT_BYTES, length);
    at += padded(length);
    return array;
  });
  return {
    arrays,
    addProduct: ({ a, b, sum, m, k, n, isTransposed = false }) => {
      const [aRow, aStep] = isTransposed ? [1, m] : [k, 1];
      multiply(a.byteOffset, FLOAT_BYTES * aRow, FLOAT_BYTES * aStep, b.byteOffset, sum.byteOffset, m, k, n);
    },
    writeSigmoids: (of, to) => sigmoids(of.byteOffset, to.byteOffset, of.length),
  };
}
