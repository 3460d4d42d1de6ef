// Texts as bytes off the heap, read by number, and a hash table from each text to its number.

/** Text i is bytes[starts[i] … starts[i + 1]), in UTF-8. */
export type Texts = { bytes: Uint8Array; starts: Uint32Array };

export function textReader({ bytes, starts }: Texts): (i: number) => string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (i) => buffer.toString('utf8', starts[i], starts[i + 1]);
}

export function openTextBuilder() {
  let bytes = Buffer.allocUnsafeSlow(1 << 12);
  let starts = new Uint32Array(1 << 8);
  let count = 0;
  return {
    put(text: string): void {
      const from = starts[count];
      // No character takes more than three bytes per unit of its string.
      const most = from + 3 * text.length;
      if (most > bytes.length) {
        const wider = Buffer.allocUnsafeSlow(2 * most);
        bytes.copy(wider);
        bytes = wider;
      }
      if (count + 2 > starts.length) starts = grown(starts);
      starts[++count] = from + bytes.write(text, from);
    },
    close(): Texts {
      const end = starts[count];
      return { bytes: new Uint8Array(bytes.subarray(0, end)), starts: starts.slice(0, count + 1) };
    },
  };
}

export function packTexts(list: Iterable<string>): Texts {
  const builder = openTextBuilder();
  for (const text of list) builder.put(text);
  return builder.close();
}

/** The same texts in another order. */
export function reordered({ bytes, starts }: Texts, order: Uint32Array): Texts {
  const [copy, from] = [new Uint8Array(bytes.length), new Uint32Array(order.length + 1)];
  for (let k = 0; k < order.length; k++) {
    const text = bytes.subarray(starts[order[k]], starts[order[k] + 1]);
    copy.set(text, from[k]);
    from[k + 1] = from[k] + text.length;
  }
  return { bytes: copy, starts: from };
}

/** Distinct texts with a table of their numbers, open-addressed by hash; −1 is a free slot. */
export type Lookup = { texts: Texts; slots: Int32Array };

export function packLookup(texts: Texts): Lookup {
  const count = texts.starts.length - 1;
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * count + 2))).fill(-1);
  for (let i = 0; i < count; i++) {
    let slot = hashOf(texts.bytes, texts.starts[i], texts.starts[i + 1]) & (slots.length - 1);
    while (slots[slot] >= 0) slot = (slot + 1) & (slots.length - 1);
    slots[slot] = i;
  }
  return { texts, slots };
}

/** The number of a text; undefined if the text is unknown. */
export type NumberOf = { get(text: string): number | undefined };

export function lookupReader({ texts: { bytes, starts }, slots }: Lookup): NumberOf {
  const stored = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    get(text) {
      const wanted = Buffer.from(text);
      let slot = hashOf(wanted, 0, wanted.length) & (slots.length - 1);
      for (; slots[slot] >= 0; slot = (slot + 1) & (slots.length - 1)) {
        const [from, to] = [starts[slots[slot]], starts[slots[slot] + 1]];
        if (to - from === wanted.length && stored.compare(wanted, 0, wanted.length, from, to) === 0) return slots[slot];
      }
      return undefined;
    },
  };
}

/** FNV-1a. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

export function grown<Values extends Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array>(
  values: Values,
): Values {
  const wider = new (values.constructor as new (length: number) => Values)(2 * values.length);
  wider.set(values);
  return wider;
}
