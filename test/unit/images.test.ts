// Logos of strangers: what is taken, what is dropped from it, and what is refused.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import { readImage } from '../../src/base/lib/images.ts';

const chunk = (type: string, data: Buffer) => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
};

function png(width: number, height: number, { color = 6, depth = 8, interlace = 0, filter = 0, rows = height } = {}) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, color, 0, 0, interlace], 8);
  const channels = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }[color] ?? 4;
  const stride = 1 + width * channels;
  const pixels = Buffer.alloc(rows * stride, 120);
  for (let row = 0; row < rows; row++) pixels[row * stride] = filter;
  const parts = [
    chunk('IHDR', header),
    chunk('tEXt', Buffer.from('Author\0Mallory')),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts]);
}

/** One gray pixel, with an EXIF segment. */
const JPEG = Buffer.from(
  'ffd8ffe1000c457869660000474c4f42ffdb004300' +
    '01'.repeat(64) +
    'ffc0000b080001000101011100' +
    'ffc400140001000000000000000000000000000000' +
    '03' +
    'ffc40014100100000000000000000000000000000000' +
    'ffda0008010100003f0037ffd9',
  'hex',
);

const refused = (bytes: Buffer, what: RegExp) =>
  assert.throws(
    () => readImage(bytes),
    (error: Error) => what.test(error.message),
  );

describe('an image', () => {
  it('is taken by its content, and loses its comments, places and whatever follows it', () => {
    const read = readImage(Buffer.concat([png(20, 10), Buffer.from('<script>alert(1)</script>')]));
    assert.equal(read.type, 'image/png');
    assert.ok(!read.bytes.includes('Mallory') && !read.bytes.includes('script'));
    assert.deepEqual(readImage(read.bytes), read);
    const photo = readImage(JPEG);
    assert.equal(photo.type, 'image/jpeg');
    assert.ok(!photo.bytes.includes('Exif') && !photo.bytes.includes('GLOB'));
    assert.deepEqual(readImage(photo.bytes), photo);
  });

  it('is refused if it is another format, whatever it is called', () => {
    for (const text of [
      '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>',
      'GIF89a……………',
      '%PDF-1.7',
      '',
      'RIFF0000WEBP',
    ])
      refused(Buffer.from(text), /neither a PNG nor a JPEG/);
  });

  it('is refused if it is cut off anywhere', () => {
    for (const whole of [png(20, 10), JPEG])
      for (let length = 0; length < whole.length; length++)
        assert.throws(
          () => readImage(whole.subarray(0, length)),
          (error: Error & { status?: number }) => error.status === 400,
          String(length),
        );
  });

  it('is refused if it is too large, or unpacks to more or less than its sides say', () => {
    refused(Buffer.concat([png(2, 2), Buffer.alloc(200_001)]), /larger than 200 kB/);
    for (const [width, height] of [
      [1001, 1],
      [1, 1001],
      [0, 5],
      [4_000_000_000, 4_000_000_000],
    ])
      refused(sized(width, height), /at most 1000 pixels/);
    refused(png(10, 10, { rows: 9 }), /not whole/);
    refused(png(10, 10, { rows: 5_000 }), /not whole/);
    refused(png(10, 10, { filter: 9 }), /not whole/);
  });

  it('is refused if it is of a kind that a PDF cannot hold', () => {
    for (const options of [{ depth: 16 }, { interlace: 1 }, { color: 5 }])
      refused(png(4, 4, options), /8 bits per color/);
  });
});

/** Small pixels under a header that lies. */
function sized(width: number, height: number): Buffer {
  const bytes = png(2, 2);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}
