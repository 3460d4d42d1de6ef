// Remembers the parcel numbers of a file in a few bytes each, to tell rows that repeat from homes that share a number.

const NONE = 0;

/** Two numbers of 32 bits from a text; FNV with two seeds, never zero. */
function hashOf(text: string, seed: number): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 15;
  return hash >>> 0 || 1;
}

/** What a row says of a home, as far as it tells rows apart. */
export interface SeenKey {
  key: string;
  /** Empty where the row does not tell. */
  door: string;
  row: string;
  /** The day of its sale, and what must then be the same in all rows of the home. */
  day: string;
  facts: string;
}

/** Numbers kept of each parcel, behind one another: its key in two hashes, door, row, day and facts. */
const WIDTH = 6;

/** Open addressing over a typed array: 24 bytes a parcel, 96 MB for two million of them. */
export class KeyTable {
  #size = 1 << 12;
  #used = 0;
  #slots = new Uint32Array(this.#size * WIDTH);

  /** Rows that say the same as an earlier row, and rows that are about another door under a number already used. */
  copies = 0;
  clashes = 0;
  /** Further rows about the same door, as in a list of sales. */
  repeats = 0;
  readonly examples: string[] = [];
  /** Of those, rows that tell the same day and other facts. */
  disagreements = 0;
  readonly disagreeing: string[] = [];

  see({ key, door, row, day, facts }: SeenKey, label: () => string): 'new' | 'same' | 'copy' | 'clash' {
    if (this.#used * 2 >= this.#size) this.#grow();
    const slot = [
      hashOf(key, 0),
      hashOf(key, 0x9e3779b9),
      door === '' ? NONE : hashOf(door, 1),
      ...[row, day, facts].map((text, i) => hashOf(text, 2 + i)),
    ];
    const at = this.#find(slot[0], slot[1]);
    const known = this.#slots.subarray(at, at + WIDTH);
    if (known[0] === NONE) {
      this.#put(at, slot);
      return 'new';
    }
    if (known[3] === slot[3]) {
      this.copies++;
      return 'copy';
    }
    if (slot[2] === NONE || known[2] === NONE || known[2] === slot[2]) {
      if (known[2] === NONE) known[2] = slot[2];
      this.repeats++;
      if (known[4] === slot[4] && known[5] !== slot[5] && this.disagreements++ < 3) this.disagreeing.push(label());
      return 'same';
    }
    if (this.clashes++ < 3) this.examples.push(label());
    return 'clash';
  }

  get distinct(): number {
    return this.#used;
  }

  /** Where a key is, or would be put. */
  #find(hash: number, check: number): number {
    let at = hash & (this.#size - 1);
    while (
      this.#slots[at * WIDTH] !== NONE &&
      (this.#slots[at * WIDTH] !== hash || this.#slots[at * WIDTH + 1] !== check)
    )
      at = (at + 1) & (this.#size - 1);
    return at * WIDTH;
  }

  #put(at: number, slot: ArrayLike<number>): void {
    this.#slots.set(slot, at);
    this.#used++;
  }

  #grow(): void {
    const slots = this.#slots;
    this.#size *= 2;
    this.#used = 0;
    this.#slots = new Uint32Array(this.#size * WIDTH);
    for (let at = 0; at < slots.length; at += WIDTH)
      if (slots[at] !== NONE) this.#put(this.#find(slots[at], slots[at + 1]), slots.subarray(at, at + WIDTH));
  }
}
