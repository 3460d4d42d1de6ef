// Products of matrices and sigmoids in WebAssembly, four numbers at a time: V8 does not vectorize JavaScript.

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

/** Named arrays in memory that WebAssembly reads too, all zero at first, and what it computes among them. */
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

export function openWorkbench<Name extends string>(lengths: Record<Name, number>): Workbench<Name> {
  const padded = (length: number): number => LANES * Math.ceil(length / LANES);
  const total = Object.values<number>(lengths).reduce((sum, length) => sum + padded(length), 0);
  const memory = new WebAssembly.Memory({ initial: Math.ceil((total * FLOAT_BYTES) / PAGE_BYTES) });
  const { exports } = new WebAssembly.Instance(compile(), { own: { memory } });
  const { multiply, sigmoids } = exports as Record<'multiply' | 'sigmoids', (...numbers: number[]) => void>;
  let at = 0;
  const arrays = Object.fromEntries(
    Object.entries<number>(lengths).map(([name, length]) => {
      const array = new Float32Array(memory.buffer, at * FLOAT_BYTES, length);
      at += padded(length);
      return [name, array];
    }),
  ) as Record<Name, Float32Array>;
  return {
    arrays,
    addProduct: ({ a, b, sum, m, k, n, isTransposed = false }) => {
      const [aRow, aStep] = isTransposed ? [1, m] : [k, 1];
      multiply(a.byteOffset, FLOAT_BYTES * aRow, FLOAT_BYTES * aStep, b.byteOffset, sum.byteOffset, m, k, n);
    },
    writeSigmoids: (of, to) => sigmoids(of.byteOffset, to.byteOffset, of.length),
  };
}

let compiledModule: object | undefined;

function compile(): object {
  compiledModule ??= new WebAssembly.Module(writeModule());
  return compiledModule;
}

// What follows writes the binary form of the two functions.

type Code = number[];

const I32 = 0x7f;
const V128 = 0x7b;

const unsigned = (value: number): Code => (value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)]);
const signed = (value: number): Code => (value < 64 ? [value] : [(value & 127) | 128, ...signed(value >> 7)]);
const constant = (value: number): Code => [0x41, ...signed(value)];
const add = (x: Code, y: Code): Code => [...x, ...y, 0x6a];
const times = (x: Code, y: Code): Code => [...x, ...y, 0x6c];
const minus = (x: Code, y: Code): Code => [...x, ...y, 0x6b];
const and = (x: Code, y: Code): Code => [...x, ...y, 0x71];
const when = (condition: Code, body: Code): Code => [...condition, 0x04, 0x40, ...body, 0x0b];

const simd = (operation: number, ...rest: Code): Code => [0xfd, ...unsigned(operation), ...rest];
const load = (from: Code, offset: number): Code => [...from, ...simd(0x00, 2, ...unsigned(offset))];
const loadToAll = (from: Code): Code => [...from, ...simd(0x09, 2, 0)];
const store = (to: Code, offset: number, value: Code): Code => [...to, ...value, ...simd(0x0b, 2, ...unsigned(offset))];
const all = (value: number): Code => [0x43, ...new Uint8Array(Float32Array.of(value).buffer), ...simd(0x13)];
const vectors = {
  nearest: (x: Code): Code => [...x, ...simd(0x6a)],
  add: (x: Code, y: Code): Code => [...x, ...y, ...simd(0xe4)],
  subtract: (x: Code, y: Code): Code => [...x, ...y, ...simd(0xe5)],
  times: (x: Code, y: Code): Code => [...x, ...y, ...simd(0xe6)],
  over: (x: Code, y: Code): Code => [...x, ...y, ...simd(0xe7)],
  least: (x: Code, y: Code): Code => [...x, ...y, ...simd(0xe8)],
  most: (x: Code, y: Code): Code => [...x, ...y, ...simd(0xe9)],
  /** 2 to the power of whole numbers: they are added to the exponent of 1. */
  powerOfTwo: (x: Code): Code => [
    ...x,
    ...simd(0xf8),
    ...constant(127),
    ...simd(0x11),
    ...simd(0xae),
    ...constant(23),
    ...simd(0xab),
  ],
};

/** Names the parameters and variables of a function, and writes what reads and sets them. */
function namesOf(parameters: string[], numbers: string[], registers: string[]) {
  const names = [...parameters, ...numbers, ...registers];
  const get = (name: string): Code => [0x20, names.indexOf(name)];
  const set = (name: string, value: Code): Code => [...value, 0x21, names.indexOf(name)];
  const increase = (name: string, by: Code): Code => set(name, add(get(name), by));
  /** Repeats the body while the counter, raised by `by` after each round, is below the limit. */
  const repeat = (counter: string, limit: string, by: number, body: Code): Code => [
    ...set(counter, constant(0)),
    0x03,
    0x40,
    ...body,
    ...increase(counter, constant(by)),
    ...get(counter),
    ...get(limit),
    0x49,
    0x0d,
    0x00,
    0x0b,
  ];
  const define = (body: Code): Func => ({
    parameters: parameters.length,
    code: [
      ...list([
        [numbers.length, I32],
        [registers.length, V128],
      ]),
      ...body,
      0x0b,
    ],
  });
  return { get, set, increase, repeat, define };
}

type Func = { parameters: number; code: Code };

const list = (items: Code[]): Code => [...unsigned(items.length), ...items.flat()];

/**
 * Each tile of the result, 4 rows of 16 columns (of 8 where no more are left), stays in registers while `a` and `b`
 * stream by:
 *
 *     for each 4 rows of `sum`, for each 16 of its columns:
 *       load the tile; for each step k: tile += a[4 rows, k] × b[k, 16 columns]; store the tile
 */
function writeMultiply(): Func {
  const rows = [0, 1, 2, 3];
  const wide = [0, 1, 2, 3];
  const narrow = [0, 1];
  const bytes = FLOAT_BYTES * LANES;
  const { get, set, increase, repeat, define } = namesOf(
    ['a', 'aRow', 'aStep', 'b', 'sum', 'm', 'k', 'n'],
    ['row', 'column', 'wholeTiles', 'step', 'width', 'from', 'to', ...rows.map((r) => `a${r}`)],
    ['factor', ...wide.map((v) => `b${v}`), ...rows.flatMap((r) => wide.map((v) => `t${r}${v}`))],
  );
  const tileOf = (vectorsAcross: number[]): Code => {
    const inMemory = (visit: (tile: string, offset: number) => Code): Code => [
      ...set('to', add(get('sum'), add(times(get('row'), get('width')), times(get('column'), constant(FLOAT_BYTES))))),
      ...rows.flatMap((r) => [
        ...vectorsAcross.flatMap((v) => visit(`t${r}${v}`, v * bytes)),
        ...increase('to', get('width')),
      ]),
    ];
    const oneStep = [
      ...vectorsAcross.flatMap((v) => set(`b${v}`, load(get('from'), v * bytes))),
      ...rows.flatMap((r) => [
        ...set('factor', loadToAll(get(`a${r}`))),
        ...vectorsAcross.flatMap((v) =>
          set(`t${r}${v}`, vectors.add(get(`t${r}${v}`), vectors.times(get('factor'), get(`b${v}`)))),
        ),
        ...increase(`a${r}`, get('aStep')),
      ]),
      ...increase('from', get('width')),
    ];
    return [
      ...inMemory((tile, offset) => set(tile, load(get('to'), offset))),
      ...rows.flatMap((r) => set(`a${r}`, add(get('a'), times(add(get('row'), constant(r)), get('aRow'))))),
      ...set('from', add(get('b'), times(get('column'), constant(FLOAT_BYTES)))),
      ...repeat('step', 'k', 1, oneStep),
      ...inMemory((tile, offset) => store(get('to'), offset, get(tile))),
    ];
  };
  const rest = and(get('n'), constant(narrow.length * LANES));
  const oneBand = [
    ...set('column', constant(0)),
    ...when(get('wholeTiles'), repeat('column', 'wholeTiles', wide.length * LANES, tileOf(wide))),
    // The counter has stopped where the last columns begin.
    ...when(rest, tileOf(narrow)),
  ];
  return define([
    ...set('width', times(get('n'), constant(FLOAT_BYTES))),
    ...set('wholeTiles', minus(get('n'), rest)),
    ...repeat('row', 'm', rows.length, oneBand),
  ]);
}

/** e⁻ˣ is 2 to a whole power times 2 to a rest within ±½, whose series of seven terms is exact to a float. */
function writeSigmoid(): Func {
  const { get, set, repeat, define } = namesOf(['of', 'to', 'count'], ['at', 'offset'], ['power', 'whole', 'rest']);
  const LN2 = Math.LN2;
  const series = [1, LN2, LN2 ** 2 / 2, LN2 ** 3 / 6, LN2 ** 4 / 24, LN2 ** 5 / 120, LN2 ** 6 / 720];
  const restPower = series.reduceRight<Code>(
    (sum, term) => (sum.length === 0 ? all(term) : vectors.add(vectors.times(sum, get('rest')), all(term))),
    [],
  );
  const bounded = vectors.most(
    vectors.least(vectors.times(load(add(get('of'), get('offset')), 0), all(-1 / LN2)), all(126)),
    all(-126),
  );
  return define(
    repeat('at', 'count', LANES, [
      ...set('offset', times(get('at'), constant(FLOAT_BYTES))),
      ...set('power', bounded),
      ...set('whole', vectors.nearest(get('power'))),
      ...set('rest', vectors.subtract(get('power'), get('whole'))),
      ...store(
        add(get('to'), get('offset')),
        0,
        vectors.over(all(1), vectors.add(all(1), vectors.times(restPower, vectors.powerOfTwo(get('whole'))))),
      ),
    ]),
  );
}

function writeModule(): Uint8Array<ArrayBuffer> {
  const functions = { multiply: writeMultiply(), sigmoids: writeSigmoid() };
  const text = (words: string): Code => [words.length, ...Buffer.from(words, 'latin1')];
  const section = (id: number, content: Code): Code => [id, ...unsigned(content.length), ...content];
  const each = (visit: (func: Func, name: string, at: number) => Code): Code =>
    list(Object.entries(functions).map(([name, func], at) => visit(func, name, at)));
  const header = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
  return Uint8Array.from([
    ...header,
    ...section(
      1,
      each(({ parameters }) => [0x60, ...list(Array.from({ length: parameters }, () => [I32])), 0x00]),
    ),
    ...section(2, list([[...text('own'), ...text('memory'), 0x02, 0x00, 0x00]])),
    ...section(
      3,
      each((_, _name, at) => [at]),
    ),
    ...section(
      7,
      each((_, name, at) => [...text(name), 0x00, at]),
    ),
    ...section(
      10,
      each(({ code }) => [...unsigned(code.length), ...code]),
    ),
  ]);
}
