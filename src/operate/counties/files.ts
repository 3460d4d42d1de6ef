// The files of a draft: each draft has a folder under the program's home, and file names that cannot leave it.
import { mkdir, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Deps } from '../../base/deps.ts';

const LONGEST_NAME = 100;

export const folderOf = (deps: Pick<Deps, 'config'>, draftId: string): string =>
  join(deps.config.home, 'counties', draftId);

/** The last path segment of an uploaded or linked name, without characters that a path or a shell interprets. */
export function safeName(name: string): string {
  const last = name.split(/[/\\]/).at(-1)!;
  const plain = last
    .normalize('NFKD')
    .replace(/[^\w.-]+/g, '_')
    .replace(/^[._-]+/, '');
  // The extension indicates the file type, so a long name loses its middle.
  const short = plain.length <= LONGEST_NAME ? plain : plain.slice(0, LONGEST_NAME - 20) + plain.slice(-20);
  return short === '' ? 'file' : short;
}

/** Writes a part of a file at its offset; the first part truncates the file. */
export async function writePart(path: string, offset: number, part: Buffer): Promise<void> {
  const file = await open(path, offset === 0 ? 'w' : 'r+', 0o600);
  try {
    for (let written = 0; written < part.length;) {
      const { bytesWritten } = await file.write(part, written, part.length - written, offset + written);
      written += bytesWritten;
    }
  } finally {
    await file.close();
  }
}

export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
}

export const sizeOf = async (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
