// Takes exact numbers of bytes from a stream of chunks.

export interface Reader {
  /** Undefined if the stream ends first. */
  take(bytes: number): Promise<Buffer | undefined>;
}

export function createReader(source: AsyncIterable<Buffer>): Reader {
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
