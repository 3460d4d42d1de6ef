// Boosted regression trees as they are stored and evaluated: a few typed arrays and a walk from root to leaf.

export type Trees = {
  /** Prediction before any tree. */
  base: number;
  columns: number;
  /** Node number of each tree's root. */
  roots: Int32Array;
  /** Column a node asks about, −1 for a leaf. */
  column: Int16Array;
  /** Values up to and including the threshold go left. */
  threshold: Float32Array;
  left: Int32Array;
  right: Int32Array;
  /** 1 when a missing value (NaN) goes left. */
  missingLeft: Uint8Array;
  /** What a leaf adds to the prediction. */
  value: Float64Array;
  /** Drop in squared error that the node's split brought; 0 for a leaf. */
  gain: Float32Array;
};

/**
 * The same trees laid out for walking. A node is four words: which key of the row it asks for, the threshold's key, and where
 * to go when the row's key is not larger and when it is; a leaf leads to itself. Keys are integers in the order of the numbers
 * they stand for, and a row has two for each column, which differ only where the number is missing: it then is smaller or
 * larger than every threshold. So a step is one comparison, and nothing that the processor has to guess.
 */
type Walk = { roots: Int32Array; nodes: Int32Array; value: Float64Array };

const WORDS = 4;
/** So many walks go on at once: while one waits for memory the others step. */
const ABREAST = 4;
/** Rows that take turns at a tree: they and the tree stay in the processor's first cache. */
const BLOCK = 64;
const SMALLEST = -0x80000000;
const LARGEST = 0x7fffffff;

const number = new Float32Array(1);
const bits = new Int32Array(number.buffer);

/** Of a number in single precision; adding 0 makes one zero of the two. */
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

/** A last leaf that adds nothing stands in for the trees that are missing to a multiple of four. */
function layOut({ roots, column, threshold, left, right, missingLeft, value }: Trees): Walk {
  const nothing = column.length;
  const nodes = new Int32Array(WORDS * (nothing + 1));
  for (let node = 0; node <= nothing; node++) {
    const isLeaf = node === nothing || column[node] < 0;
    const words = isLeaf
      ? [0, LARGEST, WORDS * node, WORDS * node]
      : [2 * column[node] + 1 - missingLeft[node], keyOf(threshold[node]), WORDS * left[node], WORDS * right[node]];
    nodes.set(words, WORDS * node);
  }
  const padded = new Int32Array(ABREAST * Math.ceil(roots.length / ABREAST)).fill(WORDS * nothing);
  padded.set(roots.map((root) => WORDS * root));
  const values = new Float64Array(nothing + 1);
  values.set(value);
  return { roots: padded, nodes, value: values };
}

const ends = new Int32Array(ABREAST);

/** Walks from four nodes to four leaves, whose numbers are then in `ends`; the keys of the second row begin `step` after the first's. */
function walkAbreast(
  nodes: Int32Array,
  rootA: number,
  rootB: number,
  rootC: number,
  rootD: number,
  row: number,
  step: number,
): void {
  let [a, b, c, d] = [rootA, rootB, rootC, rootD];
  const [rowB, rowC, rowD] = [row + step, row + 2 * step, row + 3 * step];
  for (;;) {
    const nextA = nodes[a + 2 + Number(keys[row + nodes[a]] > nodes[a + 1])];
    const nextB = nodes[b + 2 + Number(keys[rowB + nodes[b]] > nodes[b + 1])];
    const nextC = nodes[c + 2 + Number(keys[rowC + nodes[c]] > nodes[c + 1])];
    const nextD = nodes[d + 2 + Number(keys[rowD + nodes[d]] > nodes[d + 1])];
    if (((nextA ^ a) | (nextB ^ b) | (nextC ^ c) | (nextD ^ d)) === 0) break;
    a = nextA;
    b = nextB;
    c = nextC;
    d = nextD;
  }
  ends[0] = a >> 2;
  ends[1] = b >> 2;
  ends[2] = c >> 2;
  ends[3] = d >> 2;
}

/** Four trees at a time. */
export function predictTrees(trees: Trees, row: ArrayLike<number>, offset = 0): number {
  const { roots, nodes, value } = walkOf(trees);
  writeKeys(row, offset, trees.columns, 0);
  let sum = trees.base;
  for (let tree = 0; tree < roots.length; tree += ABREAST) {
    walkAbreast(nodes, roots[tree], roots[tree + 1], roots[tree + 2], roots[tree + 3], 0, 0);
    for (let k = 0; k < ABREAST; k++) sum += value[ends[k]];
  }
  return sum;
}

/** Predictions for every row of a row-major matrix, four rows at a time; the same to the last bit as one by one. */
export function predictRows(trees: Trees, values: Float32Array): Float64Array {
  const { columns } = trees;
  const { roots, nodes, value } = walkOf(trees);
  const rows = values.length / columns;
  const out = new Float64Array(BLOCK * Math.ceil(rows / BLOCK)).fill(trees.base);
  for (let first = 0; first < rows; first += BLOCK) {
    const count = Math.min(BLOCK, rows - first);
    for (let n = 0; n < count; n++) writeKeys(values, (first + n) * columns, columns, n);
    for (const root of roots) {
      for (let n = 0; n < count; n += ABREAST) {
        walkAbreast(nodes, root, root, root, root, 2 * columns * n, 2 * columns);
        for (let k = 0; k < ABREAST; k++) out[first + n + k] += value[ends[k]];
      }
    }
  }
  return out.subarray(0, rows);
}
