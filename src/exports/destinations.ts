// Where files go: a folder of the operator, or a customer's S3-compatible bucket. A put is atomic.
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, rename } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { dirname, join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { Deps } from '../deps.ts';
import { createLookup, findUrlProblem } from '../lib/dial.ts';

const PART_BYTES = 8 * 1024 * 1024;
const REQUEST_TIMEOUT_MS = 120_000;

interface FolderDestination {
  type: 'folder';
}

interface BucketDestination {
  type: 's3';
  bucket: string;
  prefix?: string;
  region?: string;
  /** For storage other than AWS. */
  endpoint?: string;
}

export type Destination = FolderDestination | BucketDestination;

export interface Credentials {
  access_key_id: string;
  secret_access_key: string;
  session_token?: string;
}

export interface Target {
  put(key: string, file: string): Promise<void>;
  /** The location of a key as a warehouse would write it. */
  locate(key: string): string;
  close(): void;
}

export function openDestination(
  deps: Pick<Deps, 'config'>,
  accountId: string,
  destination: Destination,
  credentials: Credentials | undefined,
): Target {
  return destination.type === 'folder'
    ? openFolder(folderOf(deps, accountId))
    : openBucket(deps, destination, credentials);
}

export function folderOf(deps: Pick<Deps, 'config'>, accountId: string): string {
  return join(deps.config.exportFolder, accountId);
}

function openFolder(folder: string): Target {
  return {
    async put(key, file) {
      const path = join(folder, key);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await copyFile(file, `${path}.partial`);
      await rename(`${path}.partial`, path);
    },
    locate: (key) => join(folder, key),
    close: () => {},
  };
}

function openBucket(
  deps: Pick<Deps, 'config'>,
  { bucket, prefix = '', region = 'us-east-1', endpoint }: BucketDestination,
  credentials: Credentials | undefined,
): Target {
  const allowPrivate = deps.config.webhookAllowPrivate;
  const problem = endpoint === undefined ? undefined : findUrlProblem(endpoint, allowPrivate);
  if (problem) throw new Error(`The endpoint ${problem}.`);
  const lookup = createLookup(allowPrivate);
  const client = new S3Client({
    region,
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(credentials && {
      credentials: {
        accessKeyId: credentials.access_key_id,
        secretAccessKey: credentials.secret_access_key,
        sessionToken: credentials.session_token,
      },
    }),
    maxAttempts: 5,
    requestHandler: {
      requestTimeout: REQUEST_TIMEOUT_MS,
      httpAgent: new http.Agent({ keepAlive: true, lookup }),
      httpsAgent: new https.Agent({ keepAlive: true, lookup }),
    },
  });
  const root = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
  return {
    async put(key, file) {
      // Parts sent before a failure are aborted, so that nothing half-sent is kept or paid for.
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
