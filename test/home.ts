// The folder of a test run: its database, its browser and whatever the test files write, all deleted at the end.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** For the databases of a run and its log of 2 GB, and for its processes. */
const LEAST_FREE_BYTES = 12 * 1024 ** 3;

/** From now on `tmpdir()` of this process and its children is inside, so nothing is left on the machine. */
export function makeHome(prefix: string): string {
  const home = mkdtempSync(join(isRoomy(MEMORY) ? MEMORY : tmpdir(), prefix));
  const temporary = join(home, 'tmp');
  mkdirSync(temporary);
  // Some tests start the program as another user, who needs access.
  chmodSync(home, 0o755);
  chmodSync(temporary, 0o1777);
  process.env.TMPDIR = temporary;
  return home;
}

/** Whether files can be kept in memory and executed there: copying a database takes 0.1 s, against 0.8 s on disk,
    mostly spent finding free inodes for its 1,200 files. */
function isRoomy(folder: string): boolean {
  if (process.env.TMPDIR || !existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  if (Math.min(bavail * bsize, process.availableMemory()) < LEAST_FREE_BYTES) return false;
  const program = join(mkdtempSync(join(folder, 'platbook-try-')), 'program');
  try {
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    return spawnSync(program).status === 0;
  } finally {
    rmSync(join(program, '..'), { recursive: true });
  }
}
