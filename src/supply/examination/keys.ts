// Remembers the parcel numbers of a file in a few bytes each, to tell rows that repeat from homes that share a number.

const NONE = 0;

/** Two numbers of 32 bits from a text; FNV with two seeds, never zero. */
function hashOf(text: string, seed: number): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 15;
  return hash >>> 0 || 1;
}

/** Open addressing over typed arrays: 16 bytes a parcel, 64 MB for two million of them. */
export class KeyTable {
  #size = 1 << 12;
  #used = 0;
  #keys = new Uint32Array(this.#size);
  #checks = new Uint32Array(this.#size);
  #doors = new Uint32Array(this.#size);
  #rows = new Uint32Array(this.#size);

  /** Rows that say the same as an earlier row, and rows that are about another door under a number already used. */
  copies = 0;
  clashes = 0;
  /** Further rows about the same door, as in a list of sales. */
  repeats = 0;
  readonly examples: string[] = [];

  /** `door` is empty where the row does not tell. */
  see(key: string, door: string, row: string, label: () => string): 'new' | 'same' | 'copy' | 'clash' {
    if (this.#used * 2 >= this.#size) this.#grow();
    const [hash, check] = [hashOf(key, 0), hashOf(key, 0x9e3779b9)];
    const [doorHash, rowHash] = [door === '' ? NONE : hashOf(door, 1), hashOf(row, 2)];
    const at = this.#find(hash, check);
    if (this.#keys[at] === NONE) {
      this.#put(at, hash, check, doorHash, rowHash);
      return 'new';
    }
    if (this.#rows[at] === rowHash) {
      this.copies++;
      return 'copy';
    }
    if (doorHash === NONE || this.#doors[at] === NONE || this.#doors[at] === doorHash) {
      if (this.#doors[at] === NONE) this.#doors[at] = doorHash;
      this.repeats++;
      return 'same';
    }
    this.clashes++;
    if (this.examples.length < 3) this.examples.push(label());
    return 'clash';
  }

  get distinct(): number {
    return this.#used;
  }

  #find(hash: number, check: number): number {
    let at = hash & (this.#size - 1);
    while (this.#keys[at] !== NONE && (this.#keys[at] !== hash || this.#checks[at] !== check))
      at = (at + 1) & (this.#size - 1);
    return at;
  }

  #put(at: number, hash: number, check: number, door: number, row: number): void {
    this.#keys[at] = hash;
    this.#checks[at] = check;
    this.#doors[at] = door;
    this.#rows[at] = row;
    this.#used++;
  }

  #grow(): void {
    const [keys, checks, doors, rows] = [this.#keys, this.#checks, this.#doors, this.#rows];
    this.#size *= 2;
    this.#used = 0;
    this.#keys = new Uint32Array(this.#size);
    this.#checks = new Uint32Array(this.#size);
    this.#doors = new Uint32Array(this.#size);
    this.#rows = new Uint32Array(this.#size);
    for (let i = 0; i < keys.length; i++)
      if (keys[i] !== NONE) this.#put(this.#find(keys[i], checks[i]), keys[i], checks[i], doors[i], rows[i]);
  }
}
