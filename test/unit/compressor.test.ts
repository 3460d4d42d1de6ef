// The compressor behind valuation receipts: one zstd frame per document, from one shared compressor.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { createCompressor } from '../../src/base/lib/compressor.ts';

const compress = createCompressor();

describe('compressor', () => {
  it('makes one frame per document, however many arrive at once', async () => {
    const documents = Array.from({ length: 200 }, (_, i) =>
      Buffer.from(JSON.stringify(Array.from({ length: i * 20 }, (_, k) => `${i} and ${k ** 2}`))),
    );
    const frames = await Promise.all(documents.map(compress));
    frames.forEach((frame, i) => assert.ok(zstdDecompressSync(frame).equals(documents[i]), `document ${i}`));
    assert.ok(frames[199].length < documents[199].length / 2);
  });

  it('keeps working after invalid input', async () => {
    await assert.rejects(compress(null as never), /null/);
    assert.equal(zstdDecompressSync(await compress(Buffer.from('after'))).toString(), 'after');
    assert.equal(zstdDecompressSync(await compress(Buffer.alloc(0))).length, 0);
  });
});
