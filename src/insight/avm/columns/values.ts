// Dictionary-encoded columns: each distinct value once, and a code per row in one, two or four bytes. Numbers with too
// many distinct values are stored as they are.
import { grown, openTextBuilder, textReader, type Texts } from './texts.ts';

type Codes = Uint8Array | Uint16Array | Uint32Array;

/** NaN stands for null. */
export type NumberColumn = { values: Float64Array; codes?: Codes };

export type NumberBuilder = { put(value: number): void; close(order?: Uint32Array): NumberColumn };

const MAX_CODED = 1 << 16;

export function openNumberBuilder(): NumberBuilder {
  const codeOf = new Map<number, number>();
  let codes: Uint16Array | undefined = new Uint16Array(256);
  let values = new Float64Array(256);
  let count = 0;
  return {
    put(value) {
      if (codes) {
        const code = codeOf.get(value) ?? codeOf.size;
        if (code < MAX_CODED) {
          if (code === codeOf.size) codeOf.set(value, code);
          if (count === codes.length) codes = grown(codes);
          codes[count++] = code;
          return;
        }
        const distinct = [...codeOf.keys()];
        values = new Float64Array(2 * codes.length);
        for (let i = 0; i < count; i++) values[i] = distinct[codes[i]];
        codes = undefined;
        codeOf.clear();
      }
      if (count === values.length) values = grown(values);
      values[count++] = value;
    },
    close(order) {
      if (!codes) return { values: inOrder(values.slice(0, count), order) };
      return {
        values: Float64Array.from(codeOf.keys()),
        codes: inOrder(narrowed(codes.subarray(0, count), codeOf.size), order),
      };
    },
  };
}

export const numberAt = ({ values, codes }: NumberColumn, i: number): number => values[codes ? codes[i] : i];

/** Code 0 is null, code n the n-th text. */
export type TextColumn = { texts: Texts; codes: Codes };

type TextBuilder = { put(value: string | null): void; close(order?: Uint32Array): TextColumn };

export function openTextColumnBuilder(): TextBuilder {
  const codeOf = new Map<string, number>();
  const texts = openTextBuilder();
  let codes = new Uint32Array(256);
  let count = 0;
  return {
    put(value) {
      let code = value === null ? 0 : codeOf.get(value);
      if (code === undefined) {
        codeOf.set(value!, (code = codeOf.size + 1));
        texts.put(value!);
      }
      if (count === codes.length) codes = grown(codes);
      codes[count++] = code;
    },
    close: (order) => ({
      texts: texts.close(),
      codes: inOrder(narrowed(codes.subarray(0, count), codeOf.size + 1), order),
    }),
  };
}

/** Columns with at most this many distinct texts cache them once read. */
const MAX_CACHED = 1 << 12;

export function textColumnReader({ texts, codes }: TextColumn): (i: number) => string | null {
  const read = textReader(texts);
  const isCached = texts.starts.length <= MAX_CACHED;
  const cached: (string | null)[] = [null];
  return (i) => {
    const code = codes[i];
    if (!isCached) return code === 0 ? null : read(code - 1);
    return cached[code] === undefined ? (cached[code] = read(code - 1)) : cached[code];
  };
}

function narrowed(codes: Codes, distinct: number): Codes {
  if (distinct <= 1 << 8) return Uint8Array.from(codes);
  return distinct <= 1 << 16 ? Uint16Array.from(codes) : codes.slice();
}

export function inOrder<Values extends Codes | Int32Array | Float64Array>(values: Values, order?: Uint32Array): Values {
  if (!order) return values;
  const sorted = new (values.constructor as new (length: number) => Values)(order.length);
  for (let k = 0; k < order.length; k++) sorted[k] = values[order[k]];
  return sorted;
}
