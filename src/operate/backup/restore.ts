// Restores a backup: everything is read, verified and recovered in a separate folder, and only then moved into place.
// The previous contents are kept in another folder.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import type { Config } from '../../base/config.ts';
import { RESTORING } from '../../base/db/embedded.ts';
import { openRecovery, type RecoveryPlace } from '../../base/db/recovery.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import { readPassphrase } from './backup.ts';
import { unpack } from './entries.ts';
import { unseal, type BackupHeader, type Sealed } from './seal.ts';
import type { Target } from './targets.ts';

/** Reads and verifies a whole backup without writing anything. */
export async function verifyBackup(config: Config, target: Target): Promise<BackupHeader> {
  const sealed = await unseal(await target.read(), await readPassphrase(config));
  for await (const _chunk of contentOf(sealed));
  return sealed.header;
}

/** `keptAside` is the folder that now holds the previous contents. */
export async function restore(config: Config, target: Target, options: { replaces: boolean }) {
  const sealed = await unseal(await target.read(), await readPassphrase(config));
  await mkdir(config.home, { recursive: true, mode: 0o700 });
  const recovery = openRecovery(config.home);
  await refuseUnfit(config, recovery, sealed.header, options);
  const tag = randomBytes(4).toString('hex');
  const cluster = `${recovery.cluster}-restore-${tag}`;
  const files = join(config.home, `.restore-${tag}`);
  try {
    await unpack(contentOf(sealed), (path) => {
      if (path.startsWith('postgres/')) return join(cluster, path.slice('postgres/'.length));
      return join(files, path.slice('home/'.length));
    });
    await refuseOtherSecret(config, files);
    const password = (await readFile(join(files, 'postgres.password'), 'utf8')).trim();
    await recovery.recover(cluster, password);
    return { header: sealed.header, keptAside: await putInPlace(config.home, recovery, { cluster, files }) };
  } finally {
    await rm(cluster, { recursive: true, force: true });
    await rm(files, { recursive: true, force: true });
  }
}

const contentOf = ({ content }: Sealed): AsyncIterable<Buffer> =>
  Readable.from(content).compose(createZstdDecompress());

/** Files that the server creates by itself are not worth protecting. */
const MADE_ANEW = new Set(['postgres-binaries', 'postgres.log']);

async function refuseUnfit(
  { home }: Config,
  recovery: RecoveryPlace,
  header: BackupHeader,
  { replaces }: { replaces: boolean },
): Promise<void> {
  if (header.postgres !== recovery.postgres) {
    throw new CommandError(
      `The backup is of PostgreSQL ${header.postgres}, and this Platbook runs ${recovery.postgres}. ` +
        `Restore it with Platbook ${header.version}.`,
    );
  }
  if (recovery.isRunning()) throw new CommandError(`A Platbook is running on ${home}. Stop it first.`);
  const isUsed = (await readdir(home)).some((name) => !MADE_ANEW.has(name)) || existsSync(recovery.cluster);
  if (isUsed && !replaces) {
    throw new CommandError(
      `${home} already holds data. Restore into another PLATBOOK_HOME, or add --replace: what is there is then kept aside.`,
    );
  }
}

async function refuseOtherSecret({ secret }: Config, files: string): Promise<void> {
  if (secret === undefined || secret === (await readFile(join(files, 'secret'), 'utf8'))) return;
  throw new CommandError(
    'PLATBOOK_SECRET is not the secret of the backup, so its keys and stored secrets could not be read. Unset it, or set it to that one.',
  );
}

/** While the marker exists nothing starts on this home, so that nobody sees a mix of old and restored files. */
async function putInPlace(
  home: string,
  recovery: RecoveryPlace,
  staged: { cluster: string; files: string },
): Promise<string | undefined> {
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const aside = join(home, `before-restore-${stamp}`);
  const old = (await readdir(home)).filter(
    (name) =>
      !MADE_ANEW.has(name) &&
      !name.startsWith('.restore-') &&
      !name.startsWith('before-restore-') &&
      !name.startsWith('postgres-'),
  );
  await writeFile(join(home, RESTORING), '');
  const hadCluster = existsSync(recovery.cluster);
  const isReplaced = hadCluster || old.some((name) => name !== RESTORING);
  if (isReplaced) await mkdir(aside, { recursive: true, mode: 0o700 });
  if (hadCluster) await rename(recovery.cluster, `${recovery.cluster}-before-restore-${stamp}`);
  for (const name of old) {
    if (name !== RESTORING && existsSync(join(home, name))) await rename(join(home, name), join(aside, name));
  }
  for (const name of await readdir(staged.files)) await rename(join(staged.files, name), join(home, name));
  await rename(staged.cluster, recovery.cluster);
  await chmod(join(home, 'secret'), 0o600);
  await rm(join(home, RESTORING));
  return isReplaced ? aside : undefined;
}
