// Begins a recipe for a new place: reads a file, guesses its columns and writes the recipe they suggest.
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { CommandError } from '../lib/command-error.ts';
import { guessFormat } from './read/kind.ts';
import { download } from './fetch/download.ts';
import { openTable } from './read/table.ts';
import { guessColumns, type Guesses, type Meanings } from './scaffold/guess.ts';
import { profileTable, type FileProfile } from './scaffold/profile.ts';
import { ROLES } from './scaffold/roles.ts';
import { writeRecipe, type Place } from './scaffold/write.ts';
import type { FileFormat } from './source.ts';

export type { Meanings } from './scaffold/guess.ts';
export type { Place } from './scaffold/write.ts';

/** Everything a column can be read as. */
export const MEANINGS: string[] = ROLES.map(({ name }) => name);

export interface ScaffoldOptions {
  /** A path or a URL. */
  file: string;
  /** Where the publisher offers a file that is already here. */
  url?: string;
  cacheFolder: string;
  place: Place;
  /** What the file does not state: lines above the header, a projection, a sheet, a layer. */
  format?: Partial<FileFormat>;
  /** What a person said of its columns. */
  meanings?: Meanings;
  today: string;
}

export interface Scaffold {
  recipe: string;
  format: FileFormat;
  columns: ColumnReport[];
  rows: number;
  hasMore: boolean;
  shapes: number;
}

export interface ColumnReport {
  column: string;
  /** Empty for columns about people. */
  example: string;
  role: string | null;
  certainty: 'stated' | 'sure' | 'check' | 'personal' | 'unused';
}

export async function scaffoldSource(options: ScaffoldOptions): Promise<Scaffold> {
  const isUrl = /^https?:/.test(options.file);
  const path = isUrl ? await download(options.file, { cache: options.cacheFolder }) : options.file;
  const name = basename(isUrl ? new URL(options.file).pathname : options.file);
  const format: FileFormat = { type: await guessFormat(path, name), ...options.format };
  const table = await openTable(path, format);
  const profile = await profileTable(table);
  if (profile.rows === 0) throw new CommandError(`${name} has no rows.`);
  const guesses = guessColumns(profile, options.meanings);
  const recipe = writeRecipe(options.place, {
    path: name,
    url: isUrl ? options.file : options.url,
    format: describeFormat(format),
    publishedOn: publishedOn(path, guesses, options.today),
    profile,
    guesses,
  });
  return {
    recipe,
    format,
    columns: reportColumns(profile, guesses, options.meanings),
    rows: profile.rows,
    hasMore: profile.hasMore,
    shapes: profile.shapes.points + profile.shapes.polygons,
  };
}

function describeFormat({ skipLines, ...format }: FileFormat): Record<string, unknown> {
  return { ...format, ...(skipLines !== undefined && { skip_lines: skipLines }) };
}

/** The file's own date, unless a sale in it is later. */
function publishedOn(path: string, { byRole }: Guesses, today: string): string {
  const written = statSync(path).mtime.toISOString().slice(0, 10);
  const latest = byRole.get('sale_date')?.column.latestDate ?? '';
  return latest > written && latest <= today ? latest : written;
}

function reportColumns(profile: FileProfile, { byRole, personal }: Guesses, meanings: Meanings = {}): ColumnReport[] {
  const roles = new Map([...byRole.values()].map((guess) => [guess.column.name, guess]));
  return profile.columns.map((column) => {
    const guess = roles.get(column.name);
    const isPersonal = personal.includes(column.name);
    return {
      column: column.name,
      example: isPersonal ? '' : (column.values[0]?.[0] ?? '').slice(0, 30),
      role: guess?.role ?? null,
      certainty: Object.hasOwn(meanings, column.name) ? 'stated' : certaintyOf(guess, isPersonal),
    };
  });
}

function certaintyOf(guess: { isSure: boolean } | undefined, isPersonal: boolean): ColumnReport['certainty'] {
  if (guess) return guess.isSure ? 'sure' : 'check';
  return isPersonal ? 'personal' : 'unused';
}
