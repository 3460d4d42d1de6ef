// A zero-copy binary layout: a JSON header with the position of each typed array, then the arrays, read as views.
import { mapValues } from '../../../base/lib/pick.ts';

const TYPES = { Float64Array, Float32Array, Int32Array, Uint32Array, Int16Array, Uint16Array, Uint8Array } as const;
type TypeName = keyof typeof TYPES;
type View = InstanceType<(typeof TYPES)[TypeName]>;
/** An array's path in the object, its type, and its offset after the head. */
type Place = [path: (string | number)[], type: TypeName, offset: number, length: number];
type Head = { value: unknown; places: Place[] };

const ALIGNMENT = 8;
const HEAD_BYTES = 16;
const paddingOf = (size: number): number => (ALIGNMENT - (size % ALIGNMENT)) % ALIGNMENT;

/** The bytes as consecutive pieces. An array that occurs twice is stored once. */
export function layOut(value: unknown, magic: string): { size: number; pieces: Uint8Array[] } {
  const places: Place[] = [];
  const offsets = new Map<View, number>();
  const arrays: Uint8Array[] = [];
  let size = 0;
  const lift = (member: unknown, path: (string | number)[]): unknown => {
    if (ArrayBuffer.isView(member)) {
      const view = member as View;
      let offset = offsets.get(view);
      if (offset === undefined) {
        offsets.set(view, (offset = size));
        const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
        arrays.push(bytes, new Uint8Array(paddingOf(bytes.length)));
        size += bytes.length + paddingOf(bytes.length);
      }
      places.push([path, view.constructor.name as TypeName, offset, view.length]);
      return null;
    }
    if (Array.isArray(member)) return member.map((each, k) => (isPlain(each) ? each : lift(each, [...path, k])));
    if (isPlain(member)) return member;
    return mapValues(member as Record<string, unknown>, (each, name) =>
      isPlain(each) ? each : lift(each, [...path, name]),
    );
  };
  const head: Head = { value: lift(value, []), places };
  const json = Buffer.from(JSON.stringify(head));
  const start = Buffer.alloc(HEAD_BYTES);
  start.write(magic, 'latin1');
  start.writeUInt32LE(json.length, 8);
  const pieces = [start, json, Buffer.alloc(paddingOf(json.length)), ...arrays].filter(({ length }) => length > 0);
  return { size: HEAD_BYTES + json.length + paddingOf(json.length) + size, pieces };
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;

/** The arrays are views of `bytes`, which must start at a multiple of eight. */
export function readLayout(bytes: Uint8Array, magic: string): unknown {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (start.toString('latin1', 0, magic.length) !== magic) throw new Error('These bytes have another layout.');
  const length = start.readUInt32LE(8);
  const { value, places } = JSON.parse(start.toString('utf8', HEAD_BYTES, HEAD_BYTES + length)) as Head;
  const first = bytes.byteOffset + HEAD_BYTES + length + paddingOf(length);
  for (const [path, type, offset, count] of places) {
    let holder = value as Record<string | number, unknown>;
    for (const name of path.slice(0, -1)) holder = holder[name] as Record<string | number, unknown>;
    holder[path[path.length - 1]] = new TYPES[type](bytes.buffer as ArrayBuffer, first + offset, count);
  }
  return value;
}
