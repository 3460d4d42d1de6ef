// A ZIP archive of a few small files, uncompressed and dated 1980, so builds are reproducible.
import { crc32 } from 'node:zlib';

/** The first day of 1980, the earliest that the format knows. */
const DATE = 0x21;

export function makeZip(files: [name: string, body: Buffer][]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, body] of files) {
    const path = Buffer.from(name);
    const about = describe(path, body);
    const local = Buffer.concat([word(0x04034b50), about, path]);
    // Made by Unix, readable by everyone.
    const where = Buffer.concat([half(0), half(0), half(0), word((0o100644 << 16) >>> 0), word(offset)]);
    directory.push(Buffer.concat([word(0x02014b50), half((3 << 8) | 20), about, where, path]));
    parts.push(local, body);
    offset += local.length + body.length;
  }
  const index = Buffer.concat(directory);
  const count = half(files.length);
  const end = [word(0x06054b50), half(0), half(0), count, count, word(index.length), word(offset), half(0)];
  return Buffer.concat([...parts, index, ...end]);
}

/** The fields shared by the local header and the directory: version 2.0, UTF-8 name, stored. */
function describe(path: Buffer, body: Buffer): Buffer {
  const fields = [half(20), half(1 << 11), half(0), half(0), half(DATE), word(crc32(body))];
  return Buffer.concat([...fields, word(body.length), word(body.length), half(path.length), half(0)]);
}

function half(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
