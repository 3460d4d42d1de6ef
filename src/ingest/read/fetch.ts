// Gets the files of a dataset: read in place from a folder, or downloaded conditionally, resumably and with a checksum.
import { CommandError } from '../../lib/command-error.ts';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dataset, FileSpec } from '../source.ts';

export interface FetchedFile {
  spec: FileSpec;
  /** Where the file is now, and the name reports use for it. */
  path: string;
  name: string;
  bytes: number;
  sha256: string;
}

export interface FetchPlace {
  /** A folder, a base URL for the paths, or `publisher` for the URLs the source declares. */
  from: string;
  /** Where downloads are cached. */
  cache: string;
  attempts?: number;
  waitMs?: number;
}

export async function fetchFiles(dataset: Dataset, files: FileSpec[], place: FetchPlace): Promise<FetchedFile[]> {
  const found: FetchedFile[] = [];
  for (const spec of files) {
    if (/^https?:/.test(place.from) || place.from === 'publisher') {
      const url = place.from === 'publisher' ? spec.url : `${place.from.replace(/\/$/, '')}/${spec.path}`;
      if (!url)
        throw new CommandError(`${dataset.id}: the publisher offers no URL for ${spec.path}; use --from <folder>.`);
      found.push(await describe(spec, await download(url, place), basename(new URL(url).pathname)));
      continue;
    }
    const named = [spec.path, ...(spec.alternatives ?? [])].map((pattern) => expand(place.from, pattern));
    const paths = named.find((list) => list.length > 0) ?? [];
    if (paths.length === 0 && !spec.optional)
      throw new CommandError(`${dataset.id}: ${join(place.from, spec.path)} does not exist.`);
    for (const path of paths) found.push(await describe(spec, path, path.slice(place.from.length).replace(/^\//, '')));
  }
  return found;
}

/** Files matching `sales/*.csv.gz` under a folder, sorted by name. A file may also be there uncompressed. */
function expand(folder: string, pattern: string): string[] {
  const parent = join(folder, dirname(pattern));
  if (!fs.existsSync(parent)) return [];
  const name = basename(pattern);
  const form = new RegExp(
    `^${name
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replace(/\\\.gz$/, '(\\.gz)?')}$`,
  );
  return fs
    .readdirSync(parent)
    .filter((file) => form.test(file))
    .sort()
    .map((file) => join(parent, file));
}

async function describe(spec: FileSpec, path: string, name: string): Promise<FetchedFile> {
  const digest = createHash('sha256');
  for await (const chunk of fs.createReadStream(path, { highWaterMark: 1 << 20 })) digest.update(chunk as Buffer);
  return { spec, path, name, bytes: fs.statSync(path).size, sha256: digest.digest('hex') };
}

interface Remembered {
  url: string;
  etag?: string;
  lastModified?: string;
  sha256: string;
}

/** Downloads a file unless the cached copy is current. Resumes an interrupted download. */
export async function download(url: string, place: Pick<FetchPlace, 'cache' | 'attempts' | 'waitMs'>): Promise<string> {
  fs.mkdirSync(place.cache, { recursive: true });
  const tag = createHash('sha256').update(url).digest('hex').slice(0, 16);
  const path = join(place.cache, `${tag}-${basename(new URL(url).pathname) || 'download'}`);
  const attempts = place.attempts ?? 5;
  for (let attempt = 1; ; attempt++) {
    try {
      await downloadOnce(url, path);
      return path;
    } catch (error) {
      if (attempt >= attempts || error instanceof Refused) throw error;
      await sleep((place.waitMs ?? 1000) * 2 ** (attempt - 1));
    }
  }
}

/** A response that a retry would not change. */
class Refused extends CommandError {}

async function downloadOnce(url: string, path: string): Promise<void> {
  const [part, partNote, note] = [`${path}.part`, `${path}.part.json`, `${path}.json`];
  const kept = fs.existsSync(path) ? readNote(note) : undefined;
  const begun = fs.existsSync(part) ? readNote(partNote) : undefined;
  const haveBytes = begun ? fs.statSync(part).size : 0;
  const headers: Record<string, string> = { 'accept-encoding': 'identity' };
  if (begun && haveBytes > 0) {
    headers.range = `bytes=${haveBytes}-`;
    headers['if-range'] = begun.etag ?? begun.lastModified ?? '';
  } else if (kept) {
    if (kept.etag) headers['if-none-match'] = kept.etag;
    if (kept.lastModified) headers['if-modified-since'] = kept.lastModified;
  }
  const response = await fetch(url, { headers });
  if (response.status === 304) return;
  if (response.status !== 200 && response.status !== 206) {
    const message = `${url} returned ${response.status}.`;
    throw response.status >= 500 || response.status === 429 ? new CommandError(message) : new Refused(message);
  }
  const isResumed = response.status === 206;
  const remembered: Remembered = {
    url,
    etag: response.headers.get('etag') ?? undefined,
    lastModified: response.headers.get('last-modified') ?? undefined,
    sha256: '',
  };
  // Without either header there is no way to tell whether the rest belongs to the same file.
  if (remembered.etag || remembered.lastModified) fs.writeFileSync(partNote, JSON.stringify(remembered));
  else fs.rmSync(partNote, { force: true });
  const file = fs.openSync(part, isResumed ? 'a' : 'w');
  let written = isResumed ? haveBytes : 0;
  try {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      fs.writeSync(file, chunk);
      written += chunk.length;
    }
  } finally {
    fs.closeSync(file);
  }
  const stated = Number(response.headers.get('content-length') ?? Number.NaN);
  const expected = isResumed ? haveBytes + stated : stated;
  if (Number.isFinite(expected) && expected !== written)
    throw new CommandError(`${url} ended after ${written} of ${expected} bytes.`);
  const { sha256 } = await describe({ path }, part, '');
  fs.writeFileSync(note, JSON.stringify({ ...remembered, sha256 }));
  fs.renameSync(part, path);
  fs.rmSync(partNote, { force: true });
}

function readNote(path: string): Remembered | undefined {
  return fs.existsSync(path) ? (JSON.parse(fs.readFileSync(path, 'utf8')) as Remembered) : undefined;
}
