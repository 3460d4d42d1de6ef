// The folder of a test run: its database, its browser and whatever the test files write, all deleted at the end.
import { chmodSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** From now on `tmpdir()` of this process and of those it starts is inside, so that nothing is left on the machine. */
export function makeHome(prefix: string): string {
  const home = mkdtempSync(join(tmpdir(), prefix));
  const temporary = join(home, 'tmp');
  mkdirSync(temporary);
  // Some tests start the program as another user, who must get through.
  chmodSync(home, 0o755);
  chmodSync(temporary, 0o1777);
  process.env.TMPDIR = temporary;
  return home;
}
