// Documents stored unchanged as compressed JSON.
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export const packJson = (value: unknown): Promise<Buffer> => compress(Buffer.from(JSON.stringify(value)));

export const unpackJson = async <Value>(bytes: Buffer): Promise<Value> =>
  JSON.parse((await decompress(bytes)).toString('utf8')) as Value;
