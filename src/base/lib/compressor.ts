// Compresses documents sequentially with one shared compressor: a new one per document doubles the cost and leaves
// kilobytes that only a full garbage collection frees.
import { createTurns } from './turns.ts';
import { constants, createZstdCompress, type ZstdCompress } from 'node:zlib';

/** Level 1 turns 22 kB into 5; higher levels take twice as long for a few percent, and wider windows are slow to allocate. */
const FAST = {
  params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_windowLog]: 15 },
  chunkSize: 32_768,
  // Each write is a whole document and ends its frame.
  flush: constants.ZSTD_e_end,
};

/** Returns the document as one Zstandard frame, compressed on another thread. */
type Compress = (document: Buffer) => Promise<Buffer>;

export function createCompressor(): Compress {
  let stream: ZstdCompress | undefined;
  let chunks: Buffer[] = [];
  const inTurn = createTurns();

  function openStream(): ZstdCompress {
    return createZstdCompress(FAST)
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('error', () => {
        stream = undefined;
        chunks = [];
      });
  }

  function compressNext(document: Buffer): Promise<Buffer> {
    const compressor = (stream ??= openStream());
    return new Promise((resolve, reject) => {
      compressor.write(document, (error) => {
        if (error) return reject(error);
        resolve(Buffer.concat(chunks));
        chunks = [];
      });
    });
  }

  return (document) => inTurn(() => compressNext(document));
}
