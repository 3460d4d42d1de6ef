// Facts found when reading a catalog layer, stored under the program's home to distinguish read layers from merely
// listed ones.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Fact } from './catalog.ts';

export interface ReadingOf {
  day: string;
  rows: number;
  brings: Fact[];
}

const pathIn = (home: string): string => join(home, 'catalog', 'readings.json');

/** By the URL of the layer. */
export function listReadings(home: string): Record<string, ReadingOf> {
  const path = pathIn(home);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, ReadingOf>) : {};
}

export function noteReading(home: string, url: string, reading: ReadingOf): void {
  const path = pathIn(home);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, JSON.stringify({ ...listReadings(home), [url]: reading }, null, 1));
  renameSync(`${path}.new`, path);
}
