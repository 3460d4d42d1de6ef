// Drafts a recipe for a new place: reads a file, guesses its columns and writes the recipe.
import { statSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { isoDate } from '../../base/lib/clock.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import type { Finding } from '../examination/finding.ts';
import { examineFile } from './examine.ts';
import type { AddressFacts } from '../examination/subject.ts';
import { parseRecipe } from './recipes.ts';
import { guessFormat } from './read/kind.ts';
import { guessLayout } from './read/layout.ts';
import { downloadFeatures } from './fetch/arcgis.ts';
import { downloadFile } from './fetch/socrata.ts';
import { openTable } from './read/table.ts';
import { isLayerUrl, layerFileName } from './service.ts';
import { guessColumns, wordsOf, type Guesses, type Meanings } from './scaffold/guess.ts';
import { pointFormat } from './scaffold/points.ts';
import { profileTable, type FileProfile } from './scaffold/profile.ts';
import { readYaml, ROLES } from './scaffold/roles.ts';
import { writeRecipe, type FileAt, type Place } from './scaffold/write.ts';
import type { FileFormat } from './source.ts';
import { lastOf } from '../../base/lib/must.ts';

export type { FileAt, Place } from './scaffold/write.ts';
export type { Meanings } from './scaffold/guess.ts';

/** Everything a column can be read as. */
export const MEANINGS: string[] = ROLES.map(({ name }) => name);

interface ScaffoldOptions {
  /** Paths, URLs or both, of one place. */
  files: (string | FileAt)[];
  cacheFolder: string;
  /** The recipe's folder, which file paths are relative to. Default: next to the files. */
  recipeFolder?: string;
  place: Place;
  /** Facts that the file does not state: lines above the header, a projection, a sheet, a layer. */
  format?: Partial<FileFormat>;
  /** Column meanings stated by a person. */
  meanings?: Meanings;
  today: string;
  /** Address parsing and normalization. */
  addresses?: AddressFacts;
}

export interface ColumnReport {
  column: string;
  /** Empty for columns about people. */
  example: string;
  role: string | null;
  /** The role suggested by its name, if its cells do not fit. */
  resembles?: string;
  certainty: 'stated' | 'sure' | 'check' | 'personal' | 'unused';
}

export type Scaffold = Awaited<ReturnType<typeof scaffoldSource>>;

export async function scaffoldSource(options: ScaffoldOptions) {
  const read = [];
  for (const file of options.files) read.push(await readFile(file, options));
  const newest = lastOf(read.map(({ latest }) => latest).toSorted());
  const missing = listMissing(read);
  const recipe = writeRecipe(
    { ...options.place, missing, addresses: options.addresses },
    // A file without dates is assumed to be published with the others.
    read.map((file) => ({ ...file, publishedOn: file.latest || newest || file.writtenOn })),
  );
  const findings = await examine(recipe, read, options.addresses);
  const found = [...new Set(read.flatMap(({ guesses }) => [...guesses.byRole.keys()]))];
  return {
    recipe,
    /** Facts without a column, and facts that were found. */
    missing,
    found,
    files: read.map((file) => reportFile(file, options.meanings)),
    /** Findings of an examination of all rows; null while the recipe has lines to fill in. */
    findings,
  };
}

/** Reads every row with the drafted recipe. */
async function examine(recipe: string, read: ReadFile[], addresses?: AddressFacts): Promise<Finding[] | null> {
  if (recipe.includes('FILL IN')) return null;
  const source = parseRecipe(recipe, 'the recipe');
  const findings: Finding[] = [];
  for (const dataset of source.datasets) {
    const file = read.find(({ path }) => path === dataset.files[0].path);
    if (file) findings.push(...(await examineFile(source, dataset, file.local, addresses)));
  }
  return findings;
}

async function arrive(file: string | FileAt, { cacheFolder, recipeFolder }: ScaffoldOptions) {
  if (typeof file !== 'string') return { ...file, name: basename(file.path), named: basename(file.path) };
  if (!/^https?:/.test(file))
    return { path: file, name: basename(file), named: recipeFolder ? relative(recipeFolder, file) : basename(file) };
  if (isLayerUrl(file)) {
    const [path, name] = [await downloadFeatures(file, { cache: cacheFolder }), layerFileName(file)];
    return { path, name, named: name, url: file, paging: 'arcgis' as const };
  }
  const name = basename(new URL(file).pathname);
  return { path: await downloadFile(file, { cache: cacheFolder }), name, named: name, url: file };
}

async function readFile(file: string | FileAt, options: ScaffoldOptions) {
  const arrived: FileAt & { name: string; named: string } = await arrive(file, options);
  const { path, name } = arrived;
  const said: FileFormat = { type: await guessFormat(path, name), ...options.format };
  const stated: FileFormat = { ...said, ...(await guessLayout(path, said)), ...options.format };
  const profile = await profileTable(await openTable(path, stated));
  if (profile.rows === 0) throw new CommandError(`${name} has no rows.`);
  if (profile.columns.length === 1 && profile.shapes.points + profile.shapes.polygons === 0)
    throw new CommandError(
      `${name} has one column. Are its columns of fixed width, or separated by something else than , ; | or a tab? ` +
        'Cut them apart first.',
    );
  const guesses = guessColumns(profile, options.meanings);
  // The shapes of GeoJSON are in degrees.
  const isPlaced = stated.type === 'geojson' && profile.shapes.points + profile.shapes.polygons > 0;
  const format = { ...stated, ...(!isPlaced && pointFormat(guesses, stated, options.place.state)) };
  const [writtenOn] = [isoDate(statSync(path).mtime), options.today].toSorted();
  const latest = newestDate(profile, guesses, options.today);
  return { ...arrived, local: path, path: arrived.named, format, profile, guesses, writtenOn, latest };
}

type ReadFile = Awaited<ReturnType<typeof readFile>>;

/** Facts that a home and its sale need, each with the column roles that supply it. */
const NEEDED = Object.entries(readYaml<Record<string, string[]>>('needed'));

function listMissing(files: ReadFile[]): string[] {
  const roles = new Set(files.flatMap(({ guesses }) => [...guesses.byRole.keys()]));
  if (files.some(({ profile }) => profile.shapes.points + profile.shapes.polygons > 0)) roles.add('point');
  const isKnown = (told: string) => told.split(' ').every((role) => roles.has(role));
  return NEEDED.filter(([, tell]) => !tell.some(isKnown)).map(([what]) => what);
}

const reportFile = ({ name, format, profile, guesses }: ReadFile, meanings?: Meanings) => ({
  name,
  format,
  columns: reportColumns(profile, guesses, meanings),
  rows: profile.rows,
  hasMore: profile.hasMore,
  shapes: profile.shapes.points + profile.shapes.polygons,
});

/** The newest date in the data, which is closer to publication than the day of the copy; empty if there is none. Sales
    dated by year count as of its end. */
function newestDate({ columns }: FileProfile, { byRole }: Guesses, today: string): string {
  const isDate = (name: string) => /\b(date|dt|day|sold|sale|edit|updated|recorded)\b/.test(wordsOf(name));
  const dates = columns.filter(({ name, dated }) => dated > 0.8 && isDate(name)).map(({ latestDate }) => latestDate);
  const year = byRole.get('sale_year')?.column.max;
  const ends = year ? [`${year}-12-31`] : [];
  return (
    [...dates, ...ends]
      .filter((date) => date !== null && date <= today)
      .toSorted()
      .at(-1) ?? ''
  );
}

function reportColumns(
  profile: FileProfile,
  { byRole, misfits, personal }: Guesses,
  meanings: Meanings = {},
): ColumnReport[] {
  const roles = new Map([...byRole.values()].map((guess) => [guess.column.name, guess]));
  return profile.columns.map((column) => {
    const guess = roles.get(column.name);
    const isPersonal = personal.includes(column.name);
    return {
      column: column.name,
      example: isPersonal ? '' : (column.values[0]?.[0] ?? '').slice(0, 30),
      role: guess?.role ?? null,
      ...(!guess && misfits.has(column.name) && { resembles: misfits.get(column.name) }),
      certainty: Object.hasOwn(meanings, column.name) ? 'stated' : certaintyOf(guess, isPersonal),
    };
  });
}

function certaintyOf(guess: { isSure: boolean } | undefined, isPersonal: boolean): ColumnReport['certainty'] {
  if (guess) return guess.isSure ? 'sure' : 'check';
  return isPersonal ? 'personal' : 'unused';
}
