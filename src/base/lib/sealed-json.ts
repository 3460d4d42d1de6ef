// Storage format for JSON that may hold secrets: compressed, then encrypted for one purpose.
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Secrets } from './secrets.ts';

const zip = promisify(gzip) as (text: string) => Promise<Buffer>;
const unzip = promisify(gunzip) as (packed: Buffer) => Promise<Buffer>;

type Purpose = Parameters<Secrets['encrypt']>[0];

export const sealJson = async (secrets: Secrets, purpose: Purpose, value: object): Promise<Buffer> =>
  secrets.encrypt(purpose, (await zip(JSON.stringify(value))).toString('base64'));

export async function openJson<Value>(secrets: Secrets, purpose: Purpose, sealed: Buffer): Promise<Value> {
  const packed = Buffer.from(secrets.decrypt(purpose, sealed), 'base64');
  return JSON.parse((await unzip(packed)).toString()) as Value;
}
