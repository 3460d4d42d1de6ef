// Converts a model to bytes and back: JSON followed by the typed arrays, so that equal models have equal bytes.
import { createHash } from 'node:crypto';

const TYPES = { Float64Array, Float32Array, Int32Array, Int16Array, Uint8Array } as const;
type TypeName = keyof typeof TYPES;
type Lifted = { $array: [TypeName, offset: number, length: number] };

const MAGIC = 'PBM';
/** Follows the magic. Raise it whenever a `Model` that was packed earlier can no longer be read. */
const FORMAT_VERSION = 5;

/** The first bytes of every model that this version can read. */
export const MODEL_HEADER = Buffer.from([...Buffer.from(MAGIC, 'latin1'), FORMAT_VERSION]);

export function pack(value: unknown): Buffer {
  const arrays: Buffer[] = [];
  let size = 0;
  const text = JSON.stringify(value, (_key, member: unknown) => {
    if (!ArrayBuffer.isView(member)) return member;
    const array = member as unknown as Float64Array;
    const name = array.constructor.name as TypeName;
    const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
    const lifted: Lifted = { $array: [name, size, array.length] };
    const padding = (8 - (bytes.length % 8)) % 8;
    arrays.push(bytes, Buffer.alloc(padding));
    size += bytes.length + padding;
    return lifted;
  });
  const json = Buffer.from(text);
  const head = Buffer.alloc(8);
  MODEL_HEADER.copy(head);
  head.writeUInt32LE(json.length, 4);
  return Buffer.concat([head, json, Buffer.alloc((8 - (json.length % 8)) % 8), ...arrays]);
}

export function unpack<Value>(bytes: Buffer): Value {
  if (bytes.toString('latin1', 0, 3) !== MAGIC) throw new Error('These bytes are not a packed model.');
  if (bytes.readUInt8(3) !== FORMAT_VERSION)
    throw new Error('This model was packed by another version of Platbook and must be trained again.');
  const length = bytes.readUInt32LE(4);
  const start = 8 + length + ((8 - (length % 8)) % 8);
  return JSON.parse(bytes.toString('utf8', 8, 8 + length), (_key, member: unknown) => {
    const lifted = (member as Lifted | null)?.$array;
    if (!lifted) return member;
    const [name, offset, count] = lifted;
    const Type = TYPES[name];
    const own = new Uint8Array(count * Type.BYTES_PER_ELEMENT);
    own.set(bytes.subarray(start + offset, start + offset + own.length));
    return new Type(own.buffer, 0, count);
  }) as Value;
}

export const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
