// Boosted regression trees as stored and evaluated: a few typed arrays and a walk from root to leaf.

export type Trees = {
  /** Prediction before any tree. */
  base: number;
  columns: number;
  /** Node number of each tree's root. */
  roots: Int32Array;
  /** Column that a node tests; −1 for a leaf. */
  column: Int16Array;
  /** Values up to and including the threshold go left. */
  threshold: Float32Array;
  left: Int32Array;
  right: Int32Array;
  /** 1 if a missing value (NaN) goes left. */
  missingLeft: Uint8Array;
  /** Contribution of a leaf to the prediction. */
  value: Float64Array;
  /** Drop in squared error that the node's split brought; 0 for a leaf. */
  gain: Float32Array;
};

/**
 * The same trees laid out for walking: nodes level by level with siblings side by side, so that a walk touches few
 * cache lines. A node is two words: the position of its children combined with the index of the row key it tests, and
 * the threshold's key. A larger key goes to the second child. A leaf leads to itself. Keys are integers in the order
 * of the numbers they stand for. A row has two keys per column, which differ only where the number is missing: it is
 * then smaller or larger than every threshold. So a step is one comparison, without a branch for the processor to
 * predict.
 */
type Walk = { roots: Int32Array; nodes: Int32Array; value: Float64Array };

/** The low bits of a node's first word select the key (up to 512 columns), the others the node (up to 4 million). */
const KEY_BITS = 10;
const KEY_MASK = (1 << KEY_BITS) - 1;
/** Walks run interleaved: while one waits for memory, the others step. */
const ABREAST = 4;
/** With one row there is less to read per step: eight trees at a time take three quarters as long as four. */
const TREES_ABREAST = 8;
/** Rows that share one pass over a tree, so that they and the tree stay in the L1 cache. */
const BLOCK = 64;
const SMALLEST = -0x80000000;
const LARGEST = 0x7fffffff;

const number = new Float32Array(1);
const bits = new Int32Array(number.buffer);

/** Sort key of a single-precision number. Adding 0 turns −0 into 0. */
function keyOf(value: number): number {
  number[0] = value + 0;
  return bits[0] ^ ((bits[0] >> 31) & LARGEST);
}

let keys = new Int32Array(0);

/** Writes the keys of a row as the `n`-th of a block. */
function writeKeys(row: ArrayLike<number>, offset: number, columns: number, n: number): void {
  if (keys.length < 2 * columns * BLOCK) keys = new Int32Array(2 * columns * BLOCK);
  let at = 2 * columns * n;
  for (let column = 0; column < columns; column++) {
    const value = row[offset + column];
    const isMissing = value !== value;
    const key = keyOf(value);
    keys[at++] = isMissing ? SMALLEST : key;
    keys[at++] = isMissing ? LARGEST : key;
  }
}

const walks = new WeakMap<Trees, Walk>();

function walkOf(trees: Trees): Walk {
  let walk = walks.get(trees);
  if (!walk) walks.set(trees, (walk = layOut(trees)));
  return walk;
}

/** Pads the trees to a multiple of eight with single leaves that add nothing. */
function layOut({ roots, column, threshold, left, right, missingLeft, value }: Trees): Walk {
  const order: number[] = [];
  const words: number[] = [];
  const begin = Array.from(roots, (root) => {
    const first = order.push(root) - 1;
    for (let at = first; at < order.length; at++) {
      const node = order[at];
      const isLeaf = column[node] < 0;
      const key = isLeaf ? 0 : 2 * column[node] + 1 - missingLeft[node];
      words.push(((isLeaf ? at : order.length) << KEY_BITS) | key, isLeaf ? LARGEST : keyOf(threshold[node]));
      if (!isLeaf) order.push(left[node], right[node]);
    }
    return first;
  });
  words.push(order.length << KEY_BITS, LARGEST);
  while (begin.length % TREES_ABREAST > 0) begin.push(order.length);
  return {
    roots: Int32Array.from(begin),
    nodes: Int32Array.from(words),
    value: Float64Array.from([...order.map((node) => value[node]), 0]),
  };
}

/** The child that a row goes to; the row's keys begin at `row`. */
function step(nodes: Int32Array, node: number, row: number): number {
  const word = nodes[2 * node];
  return (word >>> KEY_BITS) + Number(keys[row + (word & KEY_MASK)] > nodes[2 * node + 1]);
}

const ends = new Int32Array(ABREAST);

/** Walks from four nodes to four leaves and puts their numbers in `ends`. Each row's keys begin `width` later. */
function walkAbreast(
  nodes: Int32Array,
  rootA: number,
  rootB: number,
  rootC: number,
  rootD: number,
  row: number,
  width: number,
): void {
  let [a, b, c, d] = [rootA, rootB, rootC, rootD];
  for (;;) {
    const nextA = step(nodes, a, row);
    const nextB = step(nodes, b, row + width);
    const nextC = step(nodes, c, row + 2 * width);
    const nextD = step(nodes, d, row + 3 * width);
    if (((nextA ^ a) | (nextB ^ b) | (nextC ^ c) | (nextD ^ d)) === 0) break;
    a = nextA;
    b = nextB;
    c = nextC;
    d = nextD;
  }
  ends[0] = a;
  ends[1] = b;
  ends[2] = c;
  ends[3] = d;
}

/** Walks eight trees at a time. */
export function predictTrees(trees: Trees, row: ArrayLike<number>, offset = 0): number {
  const { roots, nodes, value } = walkOf(trees);
  writeKeys(row, offset, trees.columns, 0);
  let sum = trees.base;
  for (let tree = 0; tree < roots.length; tree += TREES_ABREAST) {
    let a = roots[tree];
    let b = roots[tree + 1];
    let c = roots[tree + 2];
    let d = roots[tree + 3];
    let e = roots[tree + 4];
    let f = roots[tree + 5];
    let g = roots[tree + 6];
    let h = roots[tree + 7];
    for (;;) {
      const nextA = step(nodes, a, 0);
      const nextB = step(nodes, b, 0);
      const nextC = step(nodes, c, 0);
      const nextD = step(nodes, d, 0);
      const nextE = step(nodes, e, 0);
      const nextF = step(nodes, f, 0);
      const nextG = step(nodes, g, 0);
      const nextH = step(nodes, h, 0);
      const moved = (nextA ^ a) | (nextB ^ b) | (nextC ^ c) | (nextD ^ d);
      if ((moved | (nextE ^ e) | (nextF ^ f) | (nextG ^ g) | (nextH ^ h)) === 0) break;
      a = nextA;
      b = nextB;
      c = nextC;
      d = nextD;
      e = nextE;
      f = nextF;
      g = nextG;
      h = nextH;
    }
    sum += value[a];
    sum += value[b];
    sum += value[c];
    sum += value[d];
    sum += value[e];
    sum += value[f];
    sum += value[g];
    sum += value[h];
  }
  return sum;
}

/**
 * Predictions for every row of a row-major matrix, four rows at a time, identical to the last bit to predicting one
 * by one. Rows may be wider than the trees need.
 */
export function predictRows(trees: Trees, values: Float32Array, width = trees.columns): Float64Array {
  const { columns } = trees;
  const { roots, nodes, value } = walkOf(trees);
  const rows = values.length / width;
  const out = new Float64Array(BLOCK * Math.ceil(rows / BLOCK)).fill(trees.base);
  for (let first = 0; first < rows; first += BLOCK) {
    const count = Math.min(BLOCK, rows - first);
    for (let n = 0; n < count; n++) writeKeys(values, (first + n) * width, columns, n);
    for (const root of roots) {
      for (let n = 0; n < count; n += ABREAST) {
        walkAbreast(nodes, root, root, root, root, 2 * columns * n, 2 * columns);
        for (let k = 0; k < ABREAST; k++) out[first + n + k] += value[ends[k]];
      }
    }
  }
  return out.subarray(0, rows);
}
