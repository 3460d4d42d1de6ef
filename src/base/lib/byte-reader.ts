// Takes exact numbers of bytes from a stream of chunks.

export interface ByteReader {
  /** Undefined if the stream ends first. */
  take(bytes: number): Promise<Buffer | undefined>;
}

export function createByteReader(source: AsyncIterable<Buffer>): ByteReader {
  const chunks = source[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  return {
    async take(bytes) {
      const parts = [held];
      let length = held.length;
      while (length < bytes) {
        const next = await chunks.next();
        if (next.done) return undefined;
        parts.push(next.value);
        length += next.value.length;
      }
      const all = parts.length === 1 ? held : Buffer.concat(parts, length);
      held = all.subarray(bytes);
      return all.subarray(0, bytes);
    },
  };
}

/** Four bytes, the most significant first. */
export function uint32Bytes(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
