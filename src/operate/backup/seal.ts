// The envelope of a backup file: a header, then authenticated frames (the frame index, the header and a last-frame flag
// are associated data). A file that was truncated, changed or spliced does not open.
import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt, type ScryptOptions } from 'node:crypto';
import { promisify } from 'node:util';
import { CommandError } from '../../base/lib/command-error.ts';
import { isSameBytes } from '../../base/lib/secrets.ts';
import { createByteReader, uint32Bytes, type ByteReader } from '../../base/lib/byte-reader.ts';

export interface BackupHeader {
  version: string;
  created_at: string;
  /** The major version of PostgreSQL, which must be the same at the restore. */
  postgres: number;
  /** The salt for deriving the key from the passphrase with scrypt; null if the content is not encrypted. */
  salt: string | null;
}

const MAGIC = Buffer.from('PLATBOOK-BACKUP1');
const FRAME_BYTES = 1024 * 1024;
const LAST_FRAME = 0x8000_0000;
const MOST_HEADER_BYTES = 64 * 1024;
/** 128 MB and about half a second per guess of a passphrase. */
const SCRYPT: ScryptOptions = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };

interface Sealer {
  proofBytes: number;
  seal(frame: Buffer, place: Buffer): [body: Buffer, proof: Buffer];
  /** Undefined if the frame does not authenticate. */
  open(body: Buffer, proof: Buffer, place: Buffer): Buffer | undefined;
}

export const newHeader = (header: Omit<BackupHeader, 'salt'>, isEncrypted: boolean): BackupHeader => ({
  ...header,
  salt: isEncrypted ? randomBytes(16).toString('base64') : null,
});

export async function* seal(
  source: AsyncIterable<Buffer>,
  header: BackupHeader,
  passphrase: string | undefined,
  cost = SCRYPT,
): AsyncGenerator<Buffer> {
  const text = Buffer.from(JSON.stringify(header));
  const sealer = await sealerFor(header, passphrase, cost);
  yield Buffer.concat([MAGIC, uint32Bytes(text.length), text]);
  let index = 0;
  const sealFrame = (frame: Buffer, isLast: boolean) => {
    const [body, proof] = sealer.seal(frame, placeOf(text, index++, isLast));
    return Buffer.concat([uint32Bytes((isLast ? LAST_FRAME : 0) + body.length), body, proof]);
  };
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    waiting.push(chunk);
    bytes += chunk.length;
    if (bytes < FRAME_BYTES) continue;
    let rest = Buffer.concat(waiting);
    for (; rest.length >= FRAME_BYTES; rest = rest.subarray(FRAME_BYTES))
      yield sealFrame(rest.subarray(0, FRAME_BYTES), false);
    waiting = [rest];
    bytes = rest.length;
  }
  yield sealFrame(Buffer.concat(waiting), true);
}

export interface Sealed {
  header: BackupHeader;
  content: AsyncGenerator<Buffer>;
}

export async function unseal(
  source: AsyncIterable<Buffer>,
  passphrase: string | undefined,
  cost = SCRYPT,
): Promise<Sealed> {
  const reader = createByteReader(source);
  const start = await reader.take(MAGIC.length + 4);
  if (!start?.subarray(0, MAGIC.length).equals(MAGIC)) throw new CommandError('This file is not a Platbook backup.');
  const headerBytes = start.readUInt32BE(MAGIC.length);
  const text = headerBytes <= MOST_HEADER_BYTES ? await reader.take(headerBytes) : undefined;
  if (!text) throw new CommandError(CUT);
  const header = parseHeader(text);
  const sealer = await sealerFor(header, passphrase, cost);
  return { header, content: openFrames(reader, text, sealer) };
}

const CUT = 'The backup is cut short. Use another copy of it.';
const CHANGED = 'The backup was changed or damaged after it was made. Use another copy of it.';

function parseHeader(text: Buffer): BackupHeader {
  try {
    return JSON.parse(text.toString()) as BackupHeader;
  } catch {
    throw new CommandError(CHANGED);
  }
}

async function* openFrames(reader: ByteReader, text: Buffer, sealer: Sealer) {
  for (let index = 0; ; index++) {
    const size = (await reader.take(4))?.readUInt32BE(0);
    if (size === undefined) throw new CommandError(CUT);
    const isLast = size >= LAST_FRAME;
    const length = isLast ? size - LAST_FRAME : size;
    if (length > FRAME_BYTES) throw new CommandError(CHANGED);
    const body = await reader.take(length);
    const proof = await reader.take(sealer.proofBytes);
    if (!body || !proof) throw new CommandError(CUT);
    const frame = sealer.open(body, proof, placeOf(text, index, isLast));
    if (!frame) throw new CommandError(index === 0 ? sealerProblem(sealer) : CHANGED);
    yield frame;
    if (!isLast) continue;
    if (await reader.take(1)) throw new CommandError(CHANGED);
    return;
  }
}

const sealerProblem = (sealer: Sealer) =>
  sealer.proofBytes === GCM_TAG_BYTES
    ? 'The passphrase is wrong, or the backup was changed after it was made.'
    : CHANGED;

/** The associated data of a frame. */
function placeOf(header: Buffer, index: number, isLast: boolean): Buffer {
  const place = Buffer.alloc(9);
  place.writeBigUInt64BE(BigInt(index));
  place[8] = isLast ? 1 : 0;
  return Buffer.concat([place, createHash('sha256').update(header).digest()]);
}

async function sealerFor({ salt }: BackupHeader, passphrase: string | undefined, cost: ScryptOptions): Promise<Sealer> {
  if (salt === null) return plainSealer;
  if (passphrase === undefined)
    throw new CommandError('The backup is encrypted. Set BACKUP_PASSPHRASE_FILE to the file with its passphrase.');
  const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);
  return gcmSealer(await derive(passphrase, Buffer.from(salt, 'base64'), 32, cost));
}

const plainSealer: Sealer = {
  proofBytes: 32,
  seal: (frame, place) => [frame, createHash('sha256').update(place).update(frame).digest()],
  open: (body, proof, place) =>
    isSameBytes(createHash('sha256').update(place).update(body).digest(), proof) ? body : undefined,
};

const GCM_TAG_BYTES = 16;

/** A key encrypts one file only, so the frame index is a unique nonce. */
function gcmSealer(key: Buffer): Sealer {
  const nonceOf = (place: Buffer) => Buffer.concat([Buffer.alloc(4), place.subarray(0, 8)]);
  return {
    proofBytes: GCM_TAG_BYTES,
    seal: (frame, place) => {
      const cipher = createCipheriv('aes-256-gcm', key, nonceOf(place)).setAAD(place);
      const body = Buffer.concat([cipher.update(frame), cipher.final()]);
      return [body, cipher.getAuthTag()];
    },
    open: (body, proof, place) => {
      const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(place)).setAAD(place).setAuthTag(proof);
      try {
        return Buffer.concat([decipher.update(body), decipher.final()]);
      } catch {
        return undefined;
      }
    },
  };
}
