// Compresses documents one after the other by one compressor: a new one for each document costs as much again, and leaves
// kilobytes behind that only a full collection of garbage finds.
import { constants, createZstdCompress, type ZstdCompress } from 'node:zlib';

/** Level 1 makes 5 kB of 22; higher levels take twice as long for a few percent, and a wider window its time to allocate. */
const FAST = {
  params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_windowLog]: 15 },
  chunkSize: 32_768,
  // Each write is a whole document, and ends its frame.
  flush: constants.ZSTD_e_end,
};

/** The document as one Zstandard frame, made on another thread. */
type Compress = (document: Buffer) => Promise<Buffer>;

export function createCompressor(): Compress {
  let stream: ZstdCompress | undefined;
  let chunks: Buffer[] = [];
  let last: Promise<unknown> = Promise.resolve();

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

  return (document) => {
    const next = last.then(() => compressNext(document));
    last = next.catch(() => {});
    return next;
  };
}
