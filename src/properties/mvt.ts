// Mapbox vector tiles of points, written by hand: the format is a small protobuf and points need no clipping. Pure.

export const EXTENT = 4096;

export interface TileBounds {
  minLongitude: number;
  minLatitude: number;
  maxLongitude: number;
  maxLatitude: number;
}

export interface TilePoint {
  longitude: number;
  latitude: number;
  properties: Record<string, string | number | boolean | null>;
}

export function boundsOfTile(z: number, x: number, y: number): TileBounds {
  const tiles = 2 ** z;
  const longitudeAt = (column: number) => (column / tiles) * 360 - 180;
  const latitudeAt = (row: number) => (Math.atan(Math.sinh(Math.PI * (1 - (2 * row) / tiles))) * 180) / Math.PI;
  return {
    minLongitude: longitudeAt(x),
    maxLongitude: longitudeAt(x + 1),
    minLatitude: latitudeAt(y + 1),
    maxLatitude: latitudeAt(y),
  };
}

export function encodeTile(layers: { name: string; points: TilePoint[] }[], z: number, x: number, y: number): Buffer {
  const tile = new Writer();
  for (const { name, points } of layers) tile.bytes(3, encodeLayer(name, points, z, x, y));
  return tile.finish();
}

function encodeLayer(name: string, points: TilePoint[], z: number, x: number, y: number): Buffer {
  const layer = new Writer();
  const keys = new Map<string, number>();
  const values = new Map<string | number | boolean, number>();
  layer.uint(15, 2);
  layer.bytes(1, Buffer.from(name));
  for (const point of points) {
    const feature = new Writer();
    const tags: number[] = [];
    for (const [key, value] of Object.entries(point.properties)) {
      if (value === null) continue;
      tags.push(indexIn(keys, key), indexIn(values, value));
    }
    feature.packed(2, tags);
    feature.uint(3, 1);
    const [column, row] = project(point, z, x, y);
    // One MoveTo command, then the zigzag-coded position.
    feature.packed(4, [9, zigzag(column), zigzag(row)]);
    layer.bytes(2, feature.finish());
  }
  for (const key of keys.keys()) layer.bytes(3, Buffer.from(key));
  for (const value of values.keys()) layer.bytes(4, encodeValue(value));
  layer.uint(5, EXTENT);
  return layer.finish();
}

function project({ longitude, latitude }: TilePoint, z: number, x: number, y: number): [number, number] {
  const tiles = 2 ** z;
  const sine = Math.sin((latitude * Math.PI) / 180);
  const column = ((longitude + 180) / 360) * tiles - x;
  const row = (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * tiles - y;
  return [Math.round(column * EXTENT), Math.round(row * EXTENT)];
}

function encodeValue(value: string | number | boolean): Buffer {
  const writer = new Writer();
  if (typeof value === 'string') writer.bytes(1, Buffer.from(value));
  else if (typeof value === 'boolean') writer.uint(7, value ? 1 : 0);
  else if (Number.isInteger(value) && value >= 0) writer.uint(5, value);
  else writer.double(3, value);
  return writer.finish();
}

function indexIn<Key>(map: Map<Key, number>, key: Key): number {
  let index = map.get(key);
  if (index === undefined) map.set(key, (index = map.size));
  return index;
}

function zigzag(value: number): number {
  return value >= 0 ? value * 2 : -value * 2 - 1;
}

class Writer {
  private readonly parts: number[] = [];
  private readonly chunks: Buffer[] = [];

  uint(field: number, value: number): void {
    this.varint(field << 3);
    this.varint(value);
  }

  double(field: number, value: number): void {
    this.varint((field << 3) | 1);
    const buffer = Buffer.alloc(8);
    buffer.writeDoubleLE(value);
    this.parts.push(...buffer);
  }

  bytes(field: number, content: Buffer): void {
    this.varint((field << 3) | 2);
    this.varint(content.length);
    this.flush();
    this.chunks.push(content);
  }

  packed(field: number, values: number[]): void {
    const inner = new Writer();
    for (const value of values) inner.varint(value);
    this.bytes(field, inner.finish());
  }

  varint(value: number): void {
    let rest = value;
    while (rest > 127) {
      this.parts.push((rest % 128) | 128);
      rest = Math.floor(rest / 128);
    }
    this.parts.push(rest);
  }

  finish(): Buffer {
    this.flush();
    return Buffer.concat(this.chunks);
  }

  private flush(): void {
    if (this.parts.length > 0) this.chunks.push(Buffer.from(this.parts.splice(0)));
  }
}
