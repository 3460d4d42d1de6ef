// Writes Mapbox vector tiles of points, lines and polygons by hand: the format is a small protobuf. Pure.
import type { Box, MultiPolygon, Point } from '../../base/lib/geo.ts';
import { areaOf, clipLine, clipRing, thinLine, thinRing, type GridRing } from './clip.ts';

const EXTENT = 4096;

/** Zoom, column and row. */
export interface TilePlace {
  z: number;
  x: number;
  y: number;
}

export interface TilePoint {
  longitude: number;
  latitude: number;
  properties: Record<string, string | number | boolean | null>;
}

export interface TilePolygons {
  polygons: MultiPolygon;
  properties: TilePoint['properties'];
}

export interface TileLines {
  lines: [longitude: number, latitude: number][][];
  properties: TilePoint['properties'];
}

export interface Layer {
  name: string;
  points?: TilePoint[];
  lines?: TileLines[];
  areas?: TilePolygons[];
}

// Lines along a tile's edge are drawn by both neighbors; beyond this margin they are clipped.
const MARGIN = 64;
const [MOVE_TO, LINE_TO, CLOSE_PATH] = [1, 2, 7];

export function boundsOfTile(z: number, x: number, y: number): Box {
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

export function encodeTile(layers: Layer[], place: TilePlace): Buffer {
  const tile = new Writer();
  for (const layer of layers) tile.bytes(3, encodeLayer(layer, place));
  return tile.finish();
}

function encodeLayer({ name, points = [], lines = [], areas = [] }: Layer, place: TilePlace): Buffer {
  const layer = new Writer();
  const keys = new Map<string, number>();
  const values = new Map<string | number | boolean, number>();
  layer.uint(15, 2);
  layer.bytes(1, Buffer.from(name));
  const write = (properties: TilePoint['properties'], type: number, commands: number[]) => {
    const feature = new Writer();
    const tags: number[] = [];
    for (const [key, value] of Object.entries(properties)) {
      if (value === null) continue;
      tags.push(indexIn(keys, key), indexIn(values, value));
    }
    feature.packed(2, tags);
    feature.uint(3, type);
    feature.packed(4, commands);
    layer.bytes(2, feature.finish());
  };
  for (const point of points) {
    const [column, row] = project(point, place).map(Math.round);
    write(point.properties, 1, [command(MOVE_TO, 1), zigzag(column), zigzag(row)]);
  }
  for (const line of lines) {
    const commands = drawLines(line.lines, place);
    if (commands.length > 0) write(line.properties, 2, commands);
  }
  for (const area of areas) {
    const commands = drawPolygons(area.polygons, place);
    if (commands.length > 0) write(area.properties, 3, commands);
  }
  for (const key of keys.keys()) layer.bytes(3, Buffer.from(key));
  for (const value of values.keys()) layer.bytes(4, encodeValue(value));
  layer.uint(5, EXTENT);
  return layer.finish();
}

function project({ longitude, latitude }: Point, { z, x, y }: TilePlace): [number, number] {
  const tiles = 2 ** z;
  const sine = Math.sin((latitude * Math.PI) / 180);
  const column = ((longitude + 180) / 360) * tiles - x;
  const row = (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * tiles - y;
  return [column * EXTENT, row * EXTENT];
}

function drawLines(lines: TileLines['lines'], place: TilePlace): number[] {
  const commands: number[] = [];
  const pen: [number, number] = [0, 0];
  for (const line of lines) {
    const placed = line.map(([longitude, latitude]) => project({ longitude, latitude }, place));
    for (const part of clipLine(placed, EXTENT, MARGIN)) {
      const seen = thinLine(part, 4);
      if (seen.length > 0) drawPath(commands, pen, seen);
    }
  }
  return commands;
}

/** Each polygon as its outer ring and then its holes, wound as the format requires. */
function drawPolygons(polygons: MultiPolygon, place: TilePlace): number[] {
  const commands: number[] = [];
  const pen: [number, number] = [0, 0];
  for (const polygon of polygons) {
    for (const [index, ring] of polygon.entries()) {
      const placed = ring.map(([longitude, latitude]) => project({ longitude, latitude }, place));
      const seen = thinRing(clipRing(placed, EXTENT, MARGIN), 4);
      if (seen.length === 0 && index === 0) break;
      if (seen.length > 0) drawRing(commands, pen, areaOf(seen) > 0 === (index === 0) ? seen : seen.toReversed());
    }
  }
  return commands;
}

function drawRing(commands: number[], pen: [number, number], ring: GridRing): void {
  drawPath(commands, pen, ring);
  commands.push(command(CLOSE_PATH, 1));
}

function drawPath(commands: number[], pen: [number, number], ring: GridRing): void {
  const step = ([column, row]: [number, number]) => {
    commands.push(zigzag(column - pen[0]), zigzag(row - pen[1]));
    pen[0] = column;
    pen[1] = row;
  };
  commands.push(command(MOVE_TO, 1));
  step(ring[0]);
  commands.push(command(LINE_TO, ring.length - 1));
  for (const point of ring.slice(1)) step(point);
}

const command = (id: number, count: number): number => count * 8 + id;

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

const zigzag = (value: number): number => (value >= 0 ? value * 2 : -value * 2 - 1);

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
