// Where backups are kept: a file or folder on this machine, or an S3-compatible bucket. An incomplete backup never has
// the name of a complete one.
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { BackupSettings } from '../../base/config.ts';
import { CommandError } from '../../base/lib/command-error.ts';

const PART_BYTES = 16 * 1024 * 1024;
const PARTIAL = '.partial';

/** One backup, by its full name. */
export interface Target {
  name: string;
  write(source: AsyncIterable<Buffer>): Promise<void>;
  read(): Promise<AsyncIterable<Buffer>>;
}

/** Where a schedule puts its backups. */
export interface BackupStore {
  target(name: string): Target;
  /** Names of complete backups, oldest first. */
  list(): Promise<string[]>;
  remove(name: string): Promise<void>;
  /** Deletes what an interrupted backup left. Call only while no other backup runs. */
  tidy(): Promise<void>;
}

const BUCKET_URL = /^s3:\/\/([^/]+)\/?(.*)$/;

export function openTarget(name: string, settings: BackupSettings): Target {
  const [, bucket, key] = BUCKET_URL.exec(name) ?? [];
  if (bucket === undefined) return fileTarget(resolve(name));
  if (!key || key.endsWith('/')) throw new CommandError(`Name the object: s3://${bucket}/<key>.`);
  return objectTarget(openBucket(settings), bucket, key);
}

export function openBackupStore(place: string, settings: BackupSettings): BackupStore {
  const [, bucket, prefix] = BUCKET_URL.exec(place) ?? [];
  return bucket === undefined ? folderStore(resolve(place)) : bucketStore(openBucket(settings), bucket, prefix);
}

function fileTarget(path: string): Target {
  return {
    name: path,
    async write(source) {
      const partial = `${path}${PARTIAL}`;
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await pipeline(source, createWriteStream(partial, { mode: 0o600, flush: true }));
        await rename(partial, path);
        await flushFolder(dirname(path));
      } catch (error) {
        await rm(partial, { force: true });
        throw explainDisk(error, path);
      }
    },
    async read() {
      const found = await stat(path).catch(() => undefined);
      if (!found?.isFile()) throw new CommandError(`There is no backup at ${path}.`);
      return createReadStream(path, { highWaterMark: 1024 * 1024 });
    },
  };
}

/** A rename is durable once the folder is synced too. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}

function explainDisk(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new CommandError(`No space is left for the backup in ${dirname(path)}. Free some, or name another place.`);
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new CommandError(`The backup cannot be written to ${dirname(path)}: ${(error as Error).message}.`);
  return error;
}

function folderStore(folder: string): BackupStore {
  const names = async () => (await readdir(folder).catch(() => [])).filter(isBackupName).sort();
  return {
    target: (name) => fileTarget(join(folder, name)),
    list: names,
    remove: (name) => rm(join(folder, name), { force: true }),
    async tidy() {
      const files = await readdir(folder).catch(() => []);
      const left = files.filter((name) => name.endsWith(PARTIAL) && isBackupName(name.slice(0, -PARTIAL.length)));
      for (const name of left) await rm(join(folder, name), { force: true });
    },
  };
}

/** The names that the schedule gives: nothing else at the target is ever deleted. */
export const scheduledName = (at: Date) => `platbook-${at.toISOString().replace(/[-:]|\.\d+/g, '')}.backup`;
const isBackupName = (name: string) => /^platbook-\d{8}T\d{6}Z\.backup$/.test(name);

/** The operator's own bucket: credentials and region come from the usual AWS settings. */
function openBucket({ s3Endpoint }: BackupSettings): S3Client {
  return new S3Client({
    ...(s3Endpoint !== undefined && { endpoint: s3Endpoint, forcePathStyle: true }),
    maxAttempts: 5,
  });
}

function objectTarget(client: S3Client, bucket: string, key: string): Target {
  const name = `s3://${bucket}/${key}`;
  return {
    name,
    async write(source) {
      // The object appears when its last part is uploaded; parts of a failed upload are deleted.
      const params = { Bucket: bucket, Key: key, Body: Readable.from(source, { objectMode: false }) };
      const upload = new Upload({ client, params, partSize: PART_BYTES, queueSize: 2, leavePartsOnError: false });
      await upload.done().catch((error: Error) => {
        throw new CommandError(`The backup could not be sent to ${name}: ${error.message}`, { cause: error });
      });
    },
    async read() {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
        return Body as Readable;
      } catch (error) {
        throw new CommandError(`The backup at ${name} cannot be read: ${(error as Error).message}`, { cause: error });
      }
    },
  };
}

function bucketStore(client: S3Client, bucket: string, prefix: string): BackupStore {
  const root = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
  return {
    target: (name) => objectTarget(client, bucket, root + name),
    async list() {
      const names: string[] = [];
      for (let token: string | undefined, isFirst = true; isFirst || token !== undefined; isFirst = false) {
        const page = await client.send(
          new ListObjectsV2Command({ Bucket: bucket, Prefix: root, ContinuationToken: token }),
        );
        names.push(...(page.Contents ?? []).map(({ Key = '' }) => basename(Key)));
        token = page.NextContinuationToken;
      }
      return names.filter(isBackupName).sort();
    },
    remove: async (name) => void (await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: root + name }))),
    tidy: async () => {},
  };
}
