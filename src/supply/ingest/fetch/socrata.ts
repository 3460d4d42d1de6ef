// Downloads the rows of a Socrata portal in pages by row id, because a full export is generated on the fly, without a
// length, and cannot be resumed.
import * as fs from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cachePath, download, readNote, readPage, Refused, retry, Unwell, type DownloadOptions } from './download.ts';

const EXPORT = /^\/(?:api\/views|resource)\/(\w{4}-\w{4})(?:\/rows)?\.csv$/;
const PAGE = 50_000;
const PAUSE_MS = 100;

interface Column {
  name: string;
  fieldName: string;
}

interface Facts {
  rowsUpdatedAt?: number;
  columns?: Column[];
}

/** Change detection and progress of a table's download. */
interface Begun {
  updated: number | null;
  total: number;
  rows: number;
  bytes: number;
}

/** Downloads a file; from a Socrata portal in pages. */
export async function downloadFile(url: string, options: DownloadOptions): Promise<string> {
  const { pathname, searchParams } = new URL(url);
  const isTable = EXPORT.test(pathname) && !searchParams.has('$limit');
  const facts = isTable ? await readFacts(url, options).catch(() => undefined) : undefined;
  return facts?.columns ? retry(options, () => downloadRows(url, facts, options)) : download(url, options);
}

const at = (url: string, path: string): string => {
  const [, id] = EXPORT.exec(new URL(url).pathname)!;
  return new URL(path.replace('ID', id), url).href;
};

const readFacts = async (url: string, options: DownloadOptions) =>
  JSON.parse(await readPage(at(url, '/api/views/ID.json'), options)) as Facts;

async function downloadRows(url: string, known: Facts, options: DownloadOptions): Promise<string> {
  const { pathname, searchParams } = new URL(url);
  const asked = new URLSearchParams([...searchParams].filter(([name]) => name.startsWith('$')));
  const path = `${cachePath(url, options.cache)}-rows.csv`;
  const [part, partNote, note] = [`${path}.part`, `${path}.part.json`, `${path}.json`];
  const counting = `${at(url, '/resource/ID.json')}?${new URLSearchParams([...asked, ['$select', 'count(*) as count']])}`;
  const count = async () => Number((JSON.parse(await readPage(counting, options)) as { count: string }[])[0]?.count);
  const stamp = { updated: known.rowsUpdatedAt ?? null, total: await count() };
  const isOf = (begun: Begun | undefined) => begun?.updated === stamp.updated && begun.total === stamp.total;
  if (stamp.updated !== null && fs.existsSync(path) && isOf(readNote<Begun>(note))) return path;
  const earlier = fs.existsSync(part) ? readNote<Begun>(partNote) : undefined;
  const begun: Begun = earlier && isOf(earlier) ? earlier : { ...stamp, rows: 0, bytes: 0 };
  fs.closeSync(fs.openSync(part, 'a'));
  fs.truncateSync(part, begun.bytes);
  // A whole export has the full names of the columns.
  const columns = pathname.includes('/rows.') ? known.columns! : [];
  for (let page = PAGE; begun.rows < stamp.total;) {
    const where = new URLSearchParams([
      ...asked,
      ['$order', ':id'],
      ['$limit', String(page)],
      ['$offset', String(begun.rows)],
    ]);
    const text = await readRows(`${at(url, '/resource/ID.csv')}?${where}`, options).catch((error: unknown) => {
      // A page may be too long for the server; one row is not.
      if (error instanceof Refused || page === 1) throw error;
      page = Math.ceil(page / 8);
    });
    if (!text) continue;
    if (text.count === 0) break;
    fs.appendFileSync(part, begun.bytes === 0 ? text.header(columns) + text.rows : text.rows);
    Object.assign(begun, { rows: begun.rows + text.count, bytes: fs.statSync(part).size });
    fs.writeFileSync(partNote, JSON.stringify(begun));
    options.onBytes?.(basename(path), begun.rows, stamp.total);
    await sleep(options.pauseMs ?? PAUSE_MS);
  }
  const after = await readFacts(url, options);
  Object.assign(known, after);
  if ((after.rowsUpdatedAt ?? null) !== stamp.updated || begun.rows !== stamp.total) {
    fs.rmSync(part);
    throw new Unwell(`${url} changed while it was read, or sent ${begun.rows} of ${stamp.total} rows.`);
  }
  fs.writeFileSync(note, JSON.stringify(begun));
  fs.renameSync(part, path);
  fs.rmSync(partNote, { force: true });
  return path;
}

/** One complete page; a truncated row or an HTML page is requested again. */
const readRows = (url: string, options: DownloadOptions) =>
  retry(options, async () => {
    const text = await readPage(url, { ...options, attempts: 1 });
    const [isWeb, lines] = [/^\s*[<{]/.test(text), countLines(text)];
    if (isWeb || lines === undefined)
      throw new Unwell(`${url} sent ${isWeb ? 'something else than' : 'a part of'} its rows.`);
    const end = text.indexOf('\n') + 1;
    const header = (columns: Column[]) =>
      columns.reduce(
        (line, { name, fieldName }) => line.replace(`"${fieldName}"`, () => `"${name.replaceAll('"', '""')}"`),
        text.slice(0, end),
      );
    return { header, rows: text.slice(end), count: lines - 1 };
  });

/** Undefined if the last line is incomplete; a line break in quotes is part of a cell. */
function countLines(text: string): number | undefined {
  let [lines, isQuoted] = [0, false];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 34) isQuoted = !isQuoted;
    else if (code === 10 && !isQuoted) lines++;
  }
  return isQuoted || !text.endsWith('\n') ? undefined : lines;
}
