// Builds ZIP archives and shapefiles as publishers pack them.
import { crc32, deflateRawSync } from 'node:zlib';

export function zip(files: Record<string, string | Buffer>): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, text] of Object.entries(files)) {
    const raw = Buffer.from(text);
    const packed = deflateRawSync(raw);
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(8, 8);
    head.writeUInt32LE(crc32(raw), 14);
    head.writeUInt32LE(packed.length, 18);
    head.writeUInt32LE(raw.length, 22);
    head.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(crc32(raw), 16);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(raw.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    locals.push(head, Buffer.from(name), packed);
    directory.push(entry, Buffer.from(name));
    at += 30 + name.length + packed.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, list, end]);
}

function shpHeader(): Buffer {
  const header = Buffer.alloc(100);
  header.writeInt32BE(9994, 0);
  return header;
}

/** Polygons as rings, or with type 3 lines as parts. */
export function shp(shapes: number[][][][], type: 3 | 5 = 5): Buffer {
  const records = shapes.map((rings, i) => {
    const points = rings.flat();
    const content = Buffer.alloc(44 + rings.length * 4 + points.length * 16);
    content.writeInt32LE(type, 0);
    content.writeInt32LE(rings.length, 36);
    content.writeInt32LE(points.length, 40);
    let start = 0;
    rings.forEach((ring, j) => {
      content.writeInt32LE(start, 44 + j * 4);
      start += ring.length;
    });
    points.forEach(([x, y], j) => {
      content.writeDoubleLE(x, 44 + rings.length * 4 + j * 16);
      content.writeDoubleLE(y, 52 + rings.length * 4 + j * 16);
    });
    const head = Buffer.alloc(8);
    head.writeInt32BE(i + 1, 0);
    head.writeInt32BE(content.length / 2, 4);
    return Buffer.concat([head, content]);
  });
  return Buffer.concat([shpHeader(), ...records]);
}

export function dbf(names: string[], rows: string[][], width = 10): Buffer {
  const head = Buffer.alloc(32);
  head.writeUInt16LE(32 + names.length * 32 + 1, 8);
  head.writeUInt16LE(1 + names.length * width, 10);
  const fields = names.map((name) => {
    const field = Buffer.alloc(32);
    field.write(name, 0, 'latin1');
    field[16] = width;
    return field;
  });
  const records = rows.map((row) => Buffer.from(` ${row.map((cell) => cell.padEnd(width)).join('')}`));
  return Buffer.concat([head, ...fields, Buffer.from([0x0d]), ...records]);
}
