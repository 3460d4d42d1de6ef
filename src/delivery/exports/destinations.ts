// Export destinations: an operator's folder, or a customer's S3-compatible bucket. A put is all or nothing.
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { Deps } from '../../base/deps.ts';
import { createAgents, findUrlProblem } from '../../base/lib/dial.ts';

const PART_BYTES = 8 * 1024 * 1024;
const REQUEST_TIMEOUT_MS = 120_000;

interface BucketDestination {
  type: 's3';
  bucket: string;
  prefix?: string;
  region?: string;
  /** For storage other than AWS. */
  endpoint?: string;
}

export type Destination = { type: 'folder' } | BucketDestination;

export interface Credentials {
  access_key_id: string;
  secret_access_key: string;
  session_token?: string;
}

export interface Target {
  put(key: string, file: string): Promise<void>;
  /** The location of a key in a warehouse's notation. */
  locate(key: string): string;
  close(): void;
}

export const openDestination = (
  deps: Pick<Deps, 'config'>,
  accountId: string,
  destination: Destination,
  credentials: Credentials | undefined,
): Target =>
  destination.type === 'folder' ? openFolder(folderOf(deps, accountId)) : openBucket(deps, destination, credentials);

export const folderOf = (deps: Pick<Deps, 'config'>, accountId: string): string =>
  join(deps.config.exportFolder, accountId);

const openFolder = (folder: string): Target => ({
  async put(key, file) {
    const path = join(folder, key);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await copyFile(file, `${path}.partial`);
    await rename(`${path}.partial`, path);
  },
  locate: (key) => join(folder, key),
  close: () => {},
});

function openBucket(
  deps: Pick<Deps, 'config'>,
  { bucket, prefix = '', region = 'us-east-1', endpoint }: BucketDestination,
  credentials: Credentials | undefined,
): Target {
  const allowPrivate = deps.config.webhookAllowPrivate;
  const problem = endpoint === undefined ? undefined : findUrlProblem(endpoint, allowPrivate);
  if (problem) throw new Error(`The endpoint ${problem}.`);
  // Without keys the SDK would use those of this machine.
  if (!credentials) throw new Error('The destination has no access key.');
  const agents = createAgents({ allow: allowPrivate, dnsServers: deps.config.dnsServers }, { keepAlive: true });
  const client = new S3Client({
    region,
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    credentials: {
      accessKeyId: credentials.access_key_id,
      secretAccessKey: credentials.secret_access_key,
      sessionToken: credentials.session_token,
    },
    followRegionRedirects: false,
    maxAttempts: 5,
    requestHandler: {
      requestTimeout: REQUEST_TIMEOUT_MS,
      httpAgent: agents.http,
      httpsAgent: agents.https,
    },
  });
  const root = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
  return {
    async put(key, file) {
      // Parts sent before a failure are aborted, so no incomplete upload is stored or billed.
      const upload = new Upload({
        client,
        params: { Bucket: bucket, Key: root + key, Body: createReadStream(file) },
        partSize: PART_BYTES,
        queueSize: 2,
        leavePartsOnError: false,
      });
      await upload.done();
    },
    locate: (key) => `s3://${bucket}/${root}${key}`,
    close: () => client.destroy(),
  };
}
