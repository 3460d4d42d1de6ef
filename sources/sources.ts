// Every source that `platbook ingest --all` loads, in this order: nationwide layers first, so that places are stamped
// as they load.
import { fileURLToPath } from 'node:url';
import { readRecipe } from '../src/supply/ingest/recipes.ts';
import type { Source } from '../src/supply/ingest/source.ts';

const RECIPES = [
  'us/census',
  'us/opportunity-zones',
  'us/fhfa',
  'us/nfhl',
  'us/tiger',
  'us/nri',
  'us/hazards',
  'us/ground',
  'us/rents',
  'us/lending',
  'us/mortgage-rates',
  'us/addresses',
  'us/buildings',
  'wi/milwaukee',
  'wa/king-county',
  'ny/new-york',
  'pa/philadelphia',
  'ma/cambridge',
  'il/chicago',
  'nh/lyme',
  'dc/washington',
];

const known = new Map<string, Source>();

function readSource(name: string): Source {
  const { folder: _, ...source } = readRecipe(fileURLToPath(new URL(`${name}.yaml`, import.meta.url)));
  known.set(name, source);
  return source;
}

/** Read on first use: a process that loads nothing starts without compiling every recipe, which takes two seconds. */
export const readSources = (names: readonly string[] = RECIPES): Source[] =>
  names.map((name) => known.get(name) ?? readSource(name));
