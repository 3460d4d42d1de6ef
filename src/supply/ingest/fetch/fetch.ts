// Gets the files of a dataset: read in place from a folder, or downloaded from the recipe's URLs.
import * as fs from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { CommandError } from '../../../base/lib/command-error.ts';
import type { Dataset, FileSpec } from '../source.ts';
import { downloadFeatures, type LayerOptions } from './arcgis.ts';
import { digestOf, filesAt, NotThere, readPage } from './download.ts';
import { isOpenName, matchName, ofYear } from './names.ts';
import { downloadFile } from './socrata.ts';

export interface FetchedFile {
  spec: FileSpec;
  /** The file's current path, and its name in reports. */
  path: string;
  name: string;
  bytes: number;
  sha256: string;
  /** The year in its name, if the recipe declares one. */
  year?: number;
}

export interface FetchPlace extends LayerOptions {
  /** A folder, a base URL for the paths, or `publisher` for the URLs the source declares. */
  from: string;
  /** Files with a year in their URL are requested up to this year. */
  thisYear?: number;
}

export const isRemote = (from: string) => from === 'publisher' || /^https?:/.test(from);

export async function fetchFiles(dataset: Dataset, files: FileSpec[], place: FetchPlace): Promise<FetchedFile[]> {
  const found: FetchedFile[] = [];
  for (const spec of files) {
    const some = isRemote(place.from)
      ? await fetchRemote(dataset, spec, place)
      : await readFolder(dataset, spec, place.from);
    found.push(...some);
  }
  return found;
}

async function readFolder(dataset: Dataset, spec: FileSpec, from: string): Promise<FetchedFile[]> {
  const named = [spec.path, ...(spec.alternatives ?? [])].map((path) =>
    expand(folderAbove(from, path), { ...spec, path }),
  );
  const paths = named.find((list) => list.length > 0) ?? [];
  if (paths.length === 0 && !spec.optional)
    throw new CommandError(`${dataset.id}: ${join(from, spec.path)} does not exist.`);
  const files: FetchedFile[] = [];
  for (const { path, year } of newestOnly(spec, paths)) {
    const name = path.startsWith(from) ? relative(from, path) : basename(path);
    files.push(await describe(ofYear(spec, year), { path, name, year }));
  }
  return files;
}

/** `--from data/milwaukee` works like `--from data` for `milwaukee/sales.csv`. */
function folderAbove(from: string, path: string): string {
  const [first] = path.split('/');
  const isItself = path.includes('/') && basename(resolve(from)) === first && !fs.existsSync(join(from, first));
  return isItself ? dirname(resolve(from)) : from;
}

/** Sorted by year; of editions that replace each other, only the last. */
function newestOnly<Item extends { year?: number }>({ years, newest: isLast }: FileSpec, items: Item[]): Item[] {
  if (isLast) return items.slice(-1);
  if (!years?.newestOnly) return items;
  const newest = Math.max(...items.map(({ year }) => year ?? 0));
  return items.filter(({ year }) => year === newest);
}

/** Files matching `sales/*.csv.gz` under a folder, sorted by name. */
function expand(folder: string, { path, years }: FileSpec): { path: string; year?: number }[] {
  const parent = join(folder, dirname(path));
  if (!fs.existsSync(parent)) return [];
  return fs
    .readdirSync(parent)
    .sort()
    .flatMap((file) => {
      const match = matchName({ path, years }, file);
      return match ? [{ path: join(parent, file), ...match }] : [];
    });
}

async function fetchRemote(dataset: Dataset, spec: FileSpec, place: FetchPlace): Promise<FetchedFile[]> {
  const files: FetchedFile[] = [];
  const listed = await listUrls(dataset, spec, place);
  const urls = spec.newest ? listed.slice(-1) : listed;
  // Newest first, so the first one found is the last edition.
  for (const { url, year } of spec.years?.newestOnly ? urls.toReversed() : urls) {
    if (files.length > 0 && spec.years?.newestOnly) break;
    try {
      const path = await (spec.paging
        ? downloadFeatures(url, { ...place, keepsCodes: spec.paging === 'arcgis-codes' })
        : downloadFile(url, place));
      files.push(await describe(ofYear(spec, year), { path, name: nameOf(url, spec), year }));
    } catch (error) {
      // A file of this year may not be out yet.
      if (!(error instanceof NotThere) || !(spec.optional || spec.years)) throw error;
    }
  }
  if (files.length === 0 && !spec.optional) throw new CommandError(`${dataset.id}: the publisher has no ${spec.path}.`);
  return files;
}

/** A query URL takes the name of the recipe's path, since all queries end in the same word. */
const nameOf = (url: string, spec: FileSpec): string =>
  isOpenName(spec.path) || new URL(url).search === '' ? basename(new URL(url).pathname) : basename(spec.path);

async function listUrls(
  dataset: Dataset,
  spec: FileSpec,
  place: FetchPlace,
): Promise<{ url: string; year?: number }[]> {
  const base = place.from === 'publisher' ? undefined : place.from.replace(/\/$/, '');
  const listing = base && isOpenName(spec.path) ? `${base}/${dirname(spec.path)}/` : base ? undefined : spec.listing;
  if (listing) return findLinks(listing, spec, place);
  const url = base ? `${base}/${spec.path}` : spec.url;
  if (!url) throw new CommandError(`${dataset.id}: the publisher offers no URL for ${spec.path}; use --from <folder>.`);
  if (!url.includes('{year}')) return [{ url }];
  const [first, last] = [spec.years?.from ?? 2000, place.thisYear ?? new Date().getUTCFullYear()];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => {
    const year = first + i;
    return { url: ofYear({ ...spec, url }, year).url!, year };
  });
}

/** Links on a page, or URLs in a JSON catalog, that end in a name matching the recipe. */
async function findLinks(
  listing: string,
  spec: FileSpec,
  place: FetchPlace,
): Promise<{ url: string; year?: number }[]> {
  const page = await readPage(listing, place).catch((error: unknown) => {
    if (error instanceof NotThere && spec.optional) return '';
    throw error;
  });
  const links = new Map<string, { url: string; year?: number; day: string }>();
  for (const { 1: quoted, index } of page.matchAll(/["']([^"'<>\s]+)["']/g)) {
    const address = quoted.replaceAll('\\/', '/').replaceAll('&amp;', '&');
    // A catalog also states the bare names of its files.
    if (!URL.canParse(address, listing) || (isJson(page) && !address.includes('/'))) continue;
    const url = new URL(address, listing);
    const match = matchName(spec, decodeURIComponent(basename(url.pathname)));
    if (match) links.set(url.href, { url: url.href, ...match, day: dayBeside(page, index) });
  }
  return [...links.values()].toSorted(
    (a, b) => (a.year ?? 0) - (b.year ?? 0) || compare(a.day, b.day) || compare(a.url, b.url),
  );
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

const isJson = (page: string) => /^\s*[[{]/.test(page);

const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';

/** The modification date next to a link, in a directory line or a catalog entry. */
function dayBeside(page: string, index: number): string {
  const [open, close] = isJson(page) ? ['{', '}'] : ['\n', '\n'];
  const end = page.indexOf(close, index);
  const text = page.slice(page.lastIndexOf(open, index) + 1, end < 0 ? page.length : end);
  const stated = isJson(page)
    ? (/"(?:last_)?modified": ?"([^"]+)"/.exec(text) ?? /"created": ?"([^"]+)"/.exec(text))
    : null;
  const said = stated?.[1] ?? text.replaceAll(/<[^>]*>/g, ' ');
  const iso = /\d{4}-\d\d-\d\d[T ]?[\d:]*/.exec(said);
  if (iso) return iso[0].replace('T', ' ');
  const [, day, month, year, time = ''] = /(\d\d)-([A-Z][a-z]{2})-(\d{4}) ?([\d:]*)/.exec(said) ?? [];
  if (day) return `${year}-${String(MONTHS.indexOf(month) / 3 + 1).padStart(2, '0')}-${day} ${time}`;
  const [, m, d, y] = /(\d{1,2})\/(\d{1,2})\/(\d{4})/.exec(said) ?? [];
  return y ? `${y}-${m.padStart(2, '0')}-${d.padStart(2, '0')}` : '';
}

const describe = async (
  spec: FileSpec,
  { path, name, year }: { path: string; name: string; year?: number },
): Promise<FetchedFile> => {
  const bytes = filesAt(path).reduce((sum, file) => sum + fs.statSync(file).size, 0);
  return { spec, path, name, bytes, sha256: await digestOf(path), year };
};
