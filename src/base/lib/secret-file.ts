// A secret in its own file, created on first use.
import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/** Among concurrent processes one wins: the file is written to a temporary name and linked into place atomically. */
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
