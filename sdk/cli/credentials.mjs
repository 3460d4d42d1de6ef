// Where the command line keeps its sign-in: the system's keychain where there is one, else a file that only its owner reads.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const FOLDER = join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'platbook');
const FILE = join(FOLDER, 'credentials.json');
const LOCK = join(FOLDER, 'refresh.lock');
const LOCK_WAIT_MS = 10_000;

/** A secret travels by standard input, never as an argument that other users could list. */
function run(command, args, input) {
  const { status, stdout } = spawnSync(command, args, { input, encoding: 'utf8', timeout: 5_000 });
  return status === 0 ? stdout.trim() : undefined;
}

const KEYCHAINS = {
  darwin: {
    read: () => run('security', ['find-generic-password', '-s', 'platbook', '-a', 'cli', '-w']),
    write: (text) => run('security', ['-i'], `add-generic-password -U -s platbook -a cli -w ${text}\n`),
    clear: () => run('security', ['delete-generic-password', '-s', 'platbook', '-a', 'cli']),
  },
  linux: {
    read: () => run('secret-tool', ['lookup', 'service', 'platbook']),
    write: (text) => run('secret-tool', ['store', '--label=Platbook', 'service', 'platbook'], text),
    clear: () => run('secret-tool', ['clear', 'service', 'platbook']),
  },
};
const keychain = process.env.PLATBOOK_KEYCHAIN === 'off' ? undefined : KEYCHAINS[process.platform];

const pack = (value) => Buffer.from(JSON.stringify(value)).toString('base64');
const unpack = (text) => JSON.parse(Buffer.from(text, 'base64').toString());

export function readCredentials() {
  const kept = keychain?.read();
  if (kept) return unpack(kept);
  try {
    return JSON.parse(readFileSync(FILE, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Tells where they are. */
export function saveCredentials(credentials) {
  if (keychain?.write(pack(credentials)) !== undefined && keychain.read() === pack(credentials)) {
    rmSync(FILE, { force: true });
    return 'the system keychain';
  }
  mkdirSync(FOLDER, { recursive: true, mode: 0o700 });
  writeFileSync(FILE, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  chmodSync(FILE, 0o600);
  return FILE;
}

export function clearCredentials() {
  keychain?.clear();
  rmSync(FILE, { force: true });
}

/** One process at a time: a refresh token works once, and two that use it at once would end the sign-in. */
export async function alone(work) {
  mkdirSync(FOLDER, { recursive: true, mode: 0o700 });
  for (let waited = 0; ; waited += 100) {
    try {
      mkdirSync(LOCK);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      // Left behind by a process that was killed.
      if (waited >= LOCK_WAIT_MS) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  try {
    return await work();
  } finally {
    rmSync(LOCK, { recursive: true, force: true });
  }
}
