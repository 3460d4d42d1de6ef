// Downloads a file with a conditional request, resumes interruptions, and verifies it before it replaces the last good
// copy.
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from '../../../base/lib/command-error.ts';
import { VERSION } from '../../../base/version.ts';

export interface DownloadOptions {
  /** Where downloads are cached. */
  cache: string;
  attempts?: number;
  waitMs?: number;
  /** A download that stalls for this long is aborted and resumed. */
  stallMs?: number;
  /** Called as bytes arrive; the total is unknown if the server does not state it. */
  onBytes?: (name: string, bytes: number, total: number | undefined) => void;
  /** A larger file is rejected, with the name of the setting. */
  limit?: { bytes: number; setting: string };
  /** Pause between requests to a paged service. */
  pauseMs?: number;
  /** The fetch function, if not every host may be reached. */
  fetch?: typeof globalThis.fetch;
}

const ATTEMPTS = 5;
const WAIT_MS = 1_000;
const STALL_MS = 60_000;
/** Identifies us to publishers. */
const AGENT = `Platbook/${VERSION} (public records)`;

/** A response that a retry would not change. */
export class Refused extends CommandError {}
export class NotThere extends Refused {}
/** A transient failure: overloaded, restarting, in maintenance. */
export class Unwell extends CommandError {
  /** The wait requested by the server. */
  readonly waitMs: number;
  constructor(message: string, waitMs = 0) {
    super(message);
    this.waitMs = waitMs;
  }
}

/** Downloads a file unless the cached copy is current. */
export async function download(url: string, options: DownloadOptions): Promise<string> {
  const path = cachePath(url, options.cache);
  await retry(options, () => downloadOnce(url, path, options));
  return path;
}

export function cachePath(url: string, cache: string): string {
  fs.mkdirSync(cache, { recursive: true });
  const tag = createHash('sha256').update(url).digest('hex').slice(0, 16);
  return join(cache, `${tag}-${basename(new URL(url).pathname) || 'download'}`);
}

export async function retry<Result>(
  { attempts = ATTEMPTS, waitMs = WAIT_MS }: DownloadOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= attempts || error instanceof Refused) throw error;
      await sleep(Math.max(waitMs * 2 ** (attempt - 1), error instanceof Unwell ? error.waitMs : 0));
    }
  }
}

/** Reads a whole page or catalog. */
export const readPage = (url: string, options: DownloadOptions): Promise<string> =>
  retry(options, async () => {
    const { response, watch } = await request(url, {}, options);
    try {
      refuseStatus(url, response);
      return await response.text();
    } finally {
      watch.end();
    }
  });

/** Sends a request that is aborted when nothing arrives for a while; `watch.seen` resets the timer. */
async function request(
  url: string,
  headers: Record<string, string>,
  { stallMs = STALL_MS, fetch = globalThis.fetch }: DownloadOptions,
) {
  const stalled = new AbortController();
  const giveUp = () => stalled.abort(new CommandError(`${url} sent nothing for ${Math.round(stallMs / 1000)} s.`));
  let timer = setTimeout(giveUp, stallMs);
  const watch = {
    seen() {
      clearTimeout(timer);
      timer = setTimeout(giveUp, stallMs);
    },
    end: () => clearTimeout(timer),
  };
  try {
    return {
      response: await fetch(url, { headers: { 'user-agent': AGENT, ...headers }, signal: stalled.signal }),
      watch,
    };
  } catch (error) {
    watch.end();
    if (error instanceof CommandError) throw error;
    const cause = (error as { cause?: Error }).cause ?? (error as Error);
    throw new CommandError(`${url} cannot be reached: ${cause.message}.`);
  }
}

/** Caps the server's requested wait. */
const LONGEST_WAIT_MS = 120_000;

function refuseStatus(url: string, { status, headers }: Response): void {
  if (status === 200 || status === 206) return;
  const message = `${url} returned ${status}.`;
  if (status === 404 || status === 410) throw new NotThere(message);
  if (status !== 416 && status !== 429 && status < 500) throw new Refused(message);
  throw new Unwell(message, Math.min(LONGEST_WAIT_MS, (Number(headers.get('retry-after')) || 0) * 1000));
}

interface Remembered {
  url: string;
  etag?: string;
  lastModified?: string;
  sha256: string;
}

async function downloadOnce(url: string, path: string, options: DownloadOptions): Promise<void> {
  const [part, partNote, note] = [`${path}.part`, `${path}.part.json`, `${path}.json`];
  const kept = fs.existsSync(path) ? readNote<Remembered>(note) : undefined;
  const begun = fs.existsSync(part) ? readNote<Remembered>(partNote) : undefined;
  const haveBytes = begun ? fs.statSync(part).size : 0;
  const headers: Record<string, string> = { 'accept-encoding': 'identity' };
  if (begun && haveBytes > 0) {
    headers.range = `bytes=${haveBytes}-`;
    headers['if-range'] = begun.etag ?? begun.lastModified ?? '';
  } else if (kept) {
    if (kept.etag) headers['if-none-match'] = kept.etag;
    if (kept.lastModified) headers['if-modified-since'] = kept.lastModified;
  }
  const { response, watch } = await request(url, headers, options);
  try {
    if (response.status === 304) return;
    // The range is past the end: the file had fully arrived, or has become shorter.
    if (response.status === 416) fs.rmSync(part, { force: true });
    refuseStatus(url, response);
    const isResumed = response.status === 206;
    const remembered: Remembered = {
      url,
      etag: response.headers.get('etag') ?? undefined,
      lastModified: response.headers.get('last-modified') ?? undefined,
      sha256: '',
    };
    // Without either header, it is unknown whether the rest belongs to the same file.
    if (remembered.etag || remembered.lastModified) fs.writeFileSync(partNote, JSON.stringify(remembered));
    else fs.rmSync(partNote, { force: true });
    const stated = Number(response.headers.get('content-length') ?? Number.NaN);
    const expected = Number.isFinite(stated) ? stated + (isResumed ? haveBytes : 0) : undefined;
    refuseLarge(part, expected ?? 0, options);
    const written = await receive(url, response, {
      part,
      start: isResumed ? haveBytes : 0,
      onBytes: (bytes) => {
        watch.seen();
        refuseLarge(part, bytes, options);
        options.onBytes?.(basename(new URL(url).pathname), bytes, expected);
      },
    });
    if (expected !== undefined && expected !== written)
      throw new CommandError(`${url} ended after ${written} of ${expected} bytes.`);
    refuseWebPage(url, part, partNote);
    const sha256 = await digestOf(part);
    fs.writeFileSync(note, JSON.stringify({ ...remembered, sha256 }));
    fs.renameSync(part, path);
    fs.rmSync(partNote, { force: true });
  } finally {
    watch.end();
  }
}

function refuseLarge(part: string, bytes: number, { limit }: DownloadOptions): void {
  if (!limit || bytes <= limit.bytes) return;
  fs.rmSync(part, { force: true });
  throw new Refused(`The file is larger than ${Math.round(limit.bytes / 1024 / 1024)} MB (${limit.setting}).`);
}

interface Receiving {
  part: string;
  /** Bytes of the part that are already there. */
  start: number;
  onBytes: (bytes: number) => void;
}

async function receive(url: string, response: Response, { part, start, onBytes }: Receiving): Promise<number> {
  const file = fs.openSync(part, start > 0 ? 'a' : 'w');
  let written = start;
  try {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      fs.writeSync(file, chunk);
      written += chunk.length;
      onBytes(written);
    }
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${url} broke off after ${written} bytes.`);
  } finally {
    fs.closeSync(file);
  }
  return written;
}

/** Publishers that are down or require sign-in return an HTML page with status 200, which must not replace a good copy. */
function refuseWebPage(url: string, part: string, partNote: string): void {
  const head = Buffer.alloc(256);
  const file = fs.openSync(part, 'r');
  fs.readSync(file, head);
  fs.closeSync(file);
  if (!/^[\s\u00ef\u00bb\u00bf]*<(!doctype html|html|head|body)\b/i.test(head.toString('latin1'))) return;
  for (const path of [part, partNote]) fs.rmSync(path, { force: true });
  throw new Refused(
    `${basename(new URL(url).pathname)} is a web page instead of the file; open ${url} in a browser to see what the publisher says.`,
  );
}

/** The file itself, or those of a geodatabase, which is a folder. */
export const filesAt = (path: string): string[] =>
  fs.statSync(path).isDirectory()
    ? fs
        .readdirSync(path)
        .toSorted()
        .map((name) => join(path, name))
    : [path];

export async function digestOf(path: string): Promise<string> {
  const digest = createHash('sha256');
  for (const file of filesAt(path))
    for await (const chunk of fs.createReadStream(file, { highWaterMark: 1 << 20 })) digest.update(chunk as Buffer);
  return digest.digest('hex');
}

export const readNote = <Note>(path: string): Note | undefined =>
  fs.existsSync(path) ? (JSON.parse(fs.readFileSync(path, 'utf8')) as Note) : undefined;
