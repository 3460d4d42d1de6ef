// The content of a backup: folders and files in sequence. File sizes are not stated in advance, because files of a
// running database grow and shrink while they are read; the write-ahead log repairs that at the restore.
import { createWriteStream } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname, normalize } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CommandError } from '../../base/lib/command-error.ts';
import { createByteReader, uint32Bytes, type ByteReader } from '../../base/lib/byte-reader.ts';

const CHUNK_BYTES = 256 * 1024;

export type Entry =
  | { kind: 'folder'; path: string }
  | { kind: 'file'; path: string; content: AsyncIterable<Buffer> | Iterable<Buffer> };

/** The chunks of a file up to its current end; none if it was deleted. */
export async function* readFileChunks(path: string): AsyncGenerator<Buffer> {
  let handle: FileHandle;
  try {
    handle = await open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  try {
    yield* readHandle(handle);
  } finally {
    await handle.close();
  }
}

export async function* readHandle(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ;) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

export async function* pack(entries: AsyncIterable<Entry>): AsyncGenerator<Buffer> {
  for await (const entry of entries) {
    const head = Buffer.from(JSON.stringify({ kind: entry.kind, path: entry.path }));
    yield Buffer.concat([uint32Bytes(head.length), head]);
    if (entry.kind === 'folder') continue;
    // A length of 0 ends the file.
    for await (const chunk of entry.content)
      if (chunk.length > 0) yield Buffer.concat([uint32Bytes(chunk.length), chunk]);
    yield uint32Bytes(0);
  }
  yield uint32Bytes(0);
}

/** Unpacks a backup and syncs every file to disk; `placeOf` maps its paths. */
export async function unpack(source: AsyncIterable<Buffer>, placeOf: (path: string) => string): Promise<void> {
  const reader = createByteReader(source);
  for (;;) {
    const head = await takeBlock(reader);
    if (head.length === 0) break;
    const { kind, path } = JSON.parse(head.toString()) as { kind: string; path: string };
    if (normalize(path) !== path || path.startsWith('/') || path.startsWith('..'))
      throw new CommandError(`The backup names a file outside of itself: ${path}`);
    const place = placeOf(path);
    await mkdir(kind === 'folder' ? place : dirname(place), { recursive: true, mode: 0o700 });
    if (kind === 'file')
      await pipeline(Readable.from(fileChunks(reader)), createWriteStream(place, { mode: 0o600, flush: true }));
  }
  // Read to the end, because the last frame is authenticated when it is read.
  if (await reader.take(1)) throw new CommandError('The backup holds more than it says.');
}

async function* fileChunks(reader: ByteReader): AsyncGenerator<Buffer> {
  for (;;) {
    const chunk = await takeBlock(reader);
    if (chunk.length === 0) return;
    yield chunk;
  }
}

async function takeBlock(reader: ByteReader): Promise<Buffer> {
  const size = await reader.take(4);
  const block = size && (await reader.take(size.readUInt32BE(0)));
  if (!block) throw new CommandError('The backup is cut short. Use another copy of it.');
  return block;
}
