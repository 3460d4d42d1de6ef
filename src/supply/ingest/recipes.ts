// Reads recipes: YAML or JSON files, anywhere, that state where the records of a place come from and what they mean.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { isPair, LineCounter, parseDocument, visit, type Document } from 'yaml';
import { CommandError } from '../../base/lib/command-error.ts';
import { nearestWord } from '../../base/lib/suggest.ts';
import { columnsOf } from './map/targets.ts';
import { compileRecipe, RecipeProblem } from './recipe/compile.ts';
import { Recipe } from './recipe/schema.ts';
import type { Source, Target } from './source.ts';

export { Recipe as RECIPE_SCHEMA } from './recipe/schema.ts';

let compiled: ValidateFunction | undefined;

/** Compiled on use: the schema is large, and most processes read no recipe. */
const shapeOfRecipe = () => (compiled ??= new Ajv({ allErrors: true, strict: false, verbose: true }).compile(Recipe));

/** A name with a recipe's extension, or a path, is a file rather than a known source. */
export const isRecipePath = (name: string) => /\.(ya?ml|json)$/i.test(name);

export function readRecipe(path: string): Source {
  if (!existsSync(path)) throw new CommandError(`There is no recipe ${path}.`);
  return { ...parseRecipe(readFileSync(path, 'utf8'), path), folder: dirname(resolve(path)) };
}

/** Throws one error that lists every problem with its line. */
export function parseRecipe(text: string, name: string): Source {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, merge: true });
  if (document.errors.length > 0)
    throw refuse(
      name,
      document.errors.map((error) => error.message.split('\n')[0]),
    );
  const recipe = document.toJS({ maxAliasCount: 1000 }) as Recipe;
  const at = (path: (string | number)[], message: string) =>
    `line ${lineOf(document, lines, path)}, ${path.join('.') || 'top'}: ${message}`;
  const validate = shapeOfRecipe();
  if (!validate(recipe)) {
    const errors = worthTelling(validate.errors!).map((error) => at(...explain(error)));
    throw refuse(name, [...new Set(errors)].slice(0, 12));
  }
  const open = listOpen(document).map((path) => at(path, 'is still to be filled in'));
  if (open.length > 0) throw refuse(name, open);
  const unknown = listUnknownFields(recipe).map(([path, message]) => at(path, message));
  if (unknown.length > 0) throw refuse(name, unknown);
  try {
    return compileRecipe(recipe);
  } catch (error) {
    if (error instanceof RecipeProblem) throw refuse(name, [at(error.path, error.message)]);
    throw error;
  }
}

/** Paths where a drafted recipe still says `FILL IN`. */
function listOpen(document: Document): (string | number)[][] {
  const open: (string | number)[][] = [];
  visit(document, {
    Scalar(key, { value }, ancestors) {
      if (value !== 'FILL IN') return;
      const names = ancestors.flatMap((node) => (isPair(node) ? [String(node.key)] : []));
      open.push(typeof key === 'number' ? [...names, key] : names);
    },
  });
  return open;
}

const refuse = (name: string, problems: string[]): CommandError =>
  new CommandError(`${name} is not a valid recipe.\n${problems.map((problem) => `  ${problem}`).join('\n')}`);

/** The line of a path, or of the nearest part of it that the file has. */
function lineOf(document: Document, lines: LineCounter, path: (string | number)[]): number {
  for (let length = path.length; length >= 0; length--) {
    const node = document.getIn(path.slice(0, length), true) as { range?: [number, number, number] } | undefined;
    if (node?.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

/** A value that matches none of several schemas fails all of them; only the errors of the nearest schema are helpful. */
function worthTelling(errors: ErrorObject[]): ErrorObject[] {
  const inner = errors.filter(({ keyword }) => keyword !== 'anyOf');
  const kept = inner.filter(
    (error) => !(error.keyword === 'type' && inner.some((other) => other !== error && isDeeper(other, error))),
  );
  return kept.length > 0 ? kept : errors;
}

const isDeeper = (a: ErrorObject, b: ErrorObject) =>
  a.instancePath.startsWith(b.instancePath) && (a.keyword !== 'type' || a.instancePath.length > b.instancePath.length);

function explain(error: ErrorObject): [path: (string | number)[], message: string] {
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const { keyword, params, parentSchema, data } = error;
  if (keyword === 'additionalProperties') {
    const known = Object.keys((parentSchema as { properties?: object }).properties ?? {});
    const word = String(params.additionalProperty);
    return [[...path, word], `unknown word \`${word}\`; ${suggest(word, known)}`];
  }
  if (keyword === 'const' || keyword === 'enum') {
    const known = allowedValues(error);
    return [path, `\`${String(data)}\` is not known; ${suggest(data, known, 'be')}`];
  }
  if (keyword === 'required') return [path, `needs \`${params.missingProperty}\``];
  return [path, `${error.message}${typeof data === 'object' ? '' : `, not ${JSON.stringify(data)}`}`];
}

function suggest(word: unknown, known: string[], verb = 'have'): string {
  const nearest = typeof word === 'string' ? nearestWord(word, known) : undefined;
  return nearest ? `did you mean \`${nearest}\`?` : `it can ${verb} ${known.join(', ')}`;
}

/** Literals of a union are reported one by one; collects all of them. */
function allowedValues(error: ErrorObject): string[] {
  if (Array.isArray(error.schema)) return error.schema.map(String);
  const siblings = (shapeOfRecipe().errors ?? []).filter(
    ({ instancePath, keyword }) => instancePath === error.instancePath && keyword === 'const',
  );
  return siblings.map(({ params }) => String(params.allowedValue));
}

/** Names that only the engine reads, next to the columns of a table. */
const EXTRA_FIELDS: Partial<Record<Target, string[]>> = {
  properties: ['rank'],
  transactions: ['stated_valid', 'part_interest', 'several_parcels'],
  owners: [],
};
const NOT_FIELDS = new Set(['row_hash', 'apn_normalized', 'unit_key', 'source_key', 'creates', 'apn']);

function fieldNames(target: Target): string[] {
  const own = columnsOf(target).filter((name) => target !== 'properties' || !NOT_FIELDS.has(name));
  return [...new Set([...own, 'rank', 'fips', ...(EXTRA_FIELDS[target] ?? [])])];
}

function listUnknownFields(recipe: Recipe): [(string | number)[], string][] {
  const found: [(string | number)[], string][] = [];
  for (const [id, dataset] of Object.entries(recipe.datasets)) {
    dataset.records.forEach(({ into, fields }, i) => {
      // Its fields come from its layer, checked by the compiler.
      if (into === 'layer_values') return;
      const known = fieldNames(into);
      for (const name of Object.keys(fields)) {
        if (known.includes(name)) continue;
        const help = suggest(name, known);
        found.push([['datasets', id, 'records', i, 'fields', name], `${into} has no field \`${name}\`; ${help}`]);
      }
    });
  }
  return found;
}
