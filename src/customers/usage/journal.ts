// A process's journal: one line per finished request, appended to a local file once the response is sent, and one before
// it is sent if it will be charged. A killed process leaves its file behind; whoever finds it books the rest, from the
// offset recorded in the database, and what was promised to be sent and not recorded as finished.
import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { MeterName } from '../accounts/plans.ts';

/** Short names, because a line is written on every request. */
export interface JournalLine {
  /** Time, in epoch milliseconds. */
  t: number;
  /** Account, key, mode. */
  a: string;
  k: string | null;
  m: 'live' | 'test';
  /** Request id, method, route, status, duration, error code. */
  r: string;
  v: string;
  p: string;
  s: number;
  d: number;
  e?: string;
  /** The charge: meter, units and period (epoch milliseconds); absent if there is none. */
  c?: { m: MeterName; u: number; p: number };
  /** The hold that ends with this line. */
  h?: string;
  /** The promise that this line keeps or takes back. */
  n?: number;
}

/** Written just before a charged response is sent: what its line will be, should the process not live to write it. */
interface JournalPromise {
  n: number;
  o: JournalLine;
}

export interface JournalEntry extends JournalLine {
  /** Journal and byte offset: unique, and the same whenever the line is read. */
  id: string;
}

const READ_BYTES = 512 * 1024;

export interface Journal {
  id: string;
  /** Throws if the disk is full; the file then ends with the line before. */
  append(line: JournalLine | JournalPromise): void;
  /** Appends it with the next line or when settled, whichever comes first: for what a promise already stands for. */
  appendLater(line: JournalLine): void;
  /** Writes what is to be appended later. Throws if the disk is full; it then still is. */
  settle(): void;
  /** Bytes written so far. */
  size(): number;
  close(): void;
}

export const journalPath = (folder: string, id: string): string => join(folder, `${id}.ndjson`);

export function openJournal(folder: string, id: string): Journal {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = openSync(journalPath(folder, id), 'a', 0o600);
  let bytes = 0;
  let later = '';

  /** One write: it survives `kill -9`, which loses no page the kernel already has. */
  function write(lines: string): void {
    const text = Buffer.from(lines);
    const written = writeSync(file, text);
    if (written < text.length) {
      ftruncateSync(file, bytes);
      throw Object.assign(new Error('The disk is full.'), { code: 'ENOSPC' });
    }
    bytes += written;
    later = '';
  }

  return {
    id,
    append: (line) => write(`${later}${JSON.stringify(line)}\n`),
    appendLater: (line) => {
      later += `${JSON.stringify(line)}\n`;
    },
    settle: () => {
      if (later !== '') write(later);
    },
    size: () => bytes,
    close: () => closeSync(file),
  };
}

/** Whole lines from an offset, as many as fit one read, and where they end. A torn last line is left unread. */
export function readJournal(folder: string, id: string, from: number): { entries: JournalEntry[]; to: number } {
  const file = openSync(journalPath(folder, id), 'r');
  try {
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    const bytes = readSync(file, buffer, 0, READ_BYTES, from);
    const entries: JournalEntry[] = [];
    let start = 0;
    for (let end = buffer.indexOf(10); end !== -1 && end < bytes; end = buffer.indexOf(10, start)) {
      const line = JSON.parse(buffer.toString('utf8', start, end)) as JournalLine | JournalPromise;
      if (!('o' in line)) entries.push({ ...line, id: `${id}:${from + start}` });
      start = end + 1;
    }
    return { entries, to: from + start };
  } finally {
    closeSync(file);
  }
}

/** Promises of a dead process that no line keeps or takes back. Their responses were on their way, so they count as sent. */
export function readOpenPromises(folder: string, id: string): JournalEntry[] {
  const open = new Map<number, JournalEntry>();
  for (const text of readFileSync(journalPath(folder, id), 'utf8').split('\n').slice(0, -1)) {
    const line = JSON.parse(text) as JournalLine | JournalPromise;
    if ('o' in line) open.set(line.n, { ...line.o, id: `${id}:promise:${line.n}` });
    else if (line.n !== undefined) open.delete(line.n);
  }
  return [...open.values()];
}

export function removeJournal(folder: string, id: string): void {
  rmSync(journalPath(folder, id), { force: true });
}
