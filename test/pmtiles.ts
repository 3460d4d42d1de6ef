// Writes a small PMTiles archive (version 3): a header, one directory and tiles, none of them compressed.
import { zxyToTileId } from 'pmtiles';

const HEADER_BYTES = 127;
const [UNCOMPRESSED, VECTOR_TILES] = [1, 1];

export interface ArchiveTile {
  z: number;
  x: number;
  y: number;
  data: Buffer;
}

export function pmtiles(tiles: ArchiveTile[]): Buffer {
  const entries = tiles
    .map(({ z, x, y, data }) => ({ id: zxyToTileId(z, x, y), data }))
    .toSorted((a, b) => a.id - b.id);
  const ids = entries.map(({ id }, index) => id - (entries[index - 1]?.id ?? 0));
  const lengths = entries.map(({ data }) => data.length);
  // An offset of 0 means right after the previous tile.
  const offsets = entries.map((_, index) => (index === 0 ? 1 : 0));
  const runs = entries.map(() => 1);
  const directory = Buffer.concat([entries.length, ...ids, ...runs, ...lengths, ...offsets].map(varint));
  const metadata = Buffer.from('{}');
  const content = Buffer.concat(entries.map(({ data }) => data));
  const metadataAt = HEADER_BYTES + directory.length;
  const contentAt = metadataAt + metadata.length;
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('PMTiles');
  header.writeUInt8(3, 7);
  const places = [HEADER_BYTES, directory.length, metadataAt, metadata.length, contentAt, 0, contentAt, content.length];
  const counts = [entries.length, entries.length, entries.length];
  for (const [index, value] of [...places, ...counts].entries()) header.writeBigUInt64LE(BigInt(value), 8 + 8 * index);
  const zooms = tiles.map(({ z }) => z);
  for (const [at, value] of [
    [96, 1],
    [97, UNCOMPRESSED],
    [98, UNCOMPRESSED],
    [99, VECTOR_TILES],
    [100, Math.min(...zooms)],
    [101, Math.max(...zooms)],
  ])
    header.writeUInt8(value, at);
  for (const [index, degrees] of [-180, -85, 180, 85].entries()) header.writeInt32LE(degrees * 1e7, 102 + 4 * index);
  return Buffer.concat([header, directory, metadata, content]);
}

function varint(value: number): Buffer {
  const bytes = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}
