// Lists the members of a ZIP archive from its directory and reads one of them as a stream.
import { CommandError } from './command-error.ts';
import { contentAt, findDirectory, LONGEST_ENDING, readDirectory, type ZipMember } from './zip-directory.ts';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { createInflateRaw } from 'node:zlib';

export async function listZip(path: string): Promise<ZipMember[]> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const tail = Buffer.alloc(Math.min(size, LONGEST_ENDING));
    await file.read(tail, 0, tail.length, size - tail.length);
    const found = findDirectory(tail);
    if (!found) throw new CommandError(`${basename(path)} is not a whole ZIP archive.`);
    const directory = Buffer.alloc(found.size);
    await file.read(directory, 0, directory.length, found.at);
    return readDirectory(directory);
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
  const start = contentAt(member, header);
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
