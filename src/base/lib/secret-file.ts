// A secret that is kept in a file of its own, made the first time anyone asks for it.
import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/** Of processes that ask at once, one decides for all: the file is written aside and linked into its place whole. */
export function readOrMakeSecret(file: string, bytes: number): string {
  if (!existsSync(file)) {
    const own = `${file}-${process.pid}-${randomBytes(4).toString('hex')}`;
    writeFileSync(own, randomBytes(bytes).toString('hex'), { mode: 0o600 });
    try {
      linkSync(own, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(own);
    }
  }
  return readFileSync(file, 'utf8').trim();
}
