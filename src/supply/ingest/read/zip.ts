// Lists the members of a ZIP archive from its directory and reads one of them as a stream.
import { CommandError } from '../../../base/lib/command-error.ts';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { createInflateRaw } from 'node:zlib';

export interface ZipMember {
  name: string;
  method: number;
  compressedSize: number;
  size: number;
  headerAt: number;
}

const END_SIGNATURE = 0x06054b50;
const MEMBER_SIGNATURE = 0x02014b50;

export async function listZip(path: string): Promise<ZipMember[]> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const tail = Buffer.alloc(Math.min(size, 65_557));
    await file.read(tail, 0, tail.length, size - tail.length);
    let end = tail.length - 22;
    while (end >= 0 && tail.readUInt32LE(end) !== END_SIGNATURE) end--;
    if (end < 0) throw new CommandError(`${basename(path)} is not a whole ZIP archive.`);
    const directory = Buffer.alloc(tail.readUInt32LE(end + 12));
    await file.read(directory, 0, directory.length, tail.readUInt32LE(end + 16));
    const members: ZipMember[] = [];
    for (let at = 0; at < directory.length && directory.readUInt32LE(at) === MEMBER_SIGNATURE;) {
      const nameLength = directory.readUInt16LE(at + 28);
      members.push({
        name: directory.toString('utf8', at + 46, at + 46 + nameLength),
        method: directory.readUInt16LE(at + 10),
        compressedSize: directory.readUInt32LE(at + 20),
        size: directory.readUInt32LE(at + 24),
        headerAt: directory.readUInt32LE(at + 42),
      });
      at += 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
    }
    return members;
  } finally {
    await file.close();
  }
}

export async function* readZipMember(
  path: string,
  member: ZipMember,
  onBytes?: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const file = await open(path);
  const header = Buffer.alloc(30);
  await file.read(header, 0, 30, member.headerAt);
  await file.close();
  const start = member.headerAt + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  if (member.compressedSize === 0) return;
  const raw = createReadStream(path, { start, end: start + member.compressedSize - 1 });
  const stream = member.method === 0 ? raw : raw.pipe(createInflateRaw());
  raw.on('error', (error) => stream.destroy(error));
  let counted = 0;
  for await (const chunk of stream) {
    onBytes?.(raw.bytesRead - counted);
    counted = raw.bytesRead;
    yield chunk as Buffer;
  }
}
