// `platbook source`: starts a recipe for a new place from one of its files, or checks a recipe.
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../../base/config.ts';
import { stateOfCounty } from '../../base/lib/states.ts';
import { readRecipe } from '../../supply/ingest/recipes.ts';
import { scaffoldSource, type ColumnReport, type Scaffold } from '../../supply/ingest/scaffold.ts';
import type { FileFormat } from '../../supply/ingest/source.ts';
import { addresses } from '../../records/address/filing.ts';
import { formatFindings } from '../../supply/examination/finding.ts';
import { slugOf } from '../../base/lib/slug.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import { FLAG, readArgs, TEXT } from '../../base/lib/command-args.ts';
import { isoDate, systemClock } from '../../base/lib/clock.ts';

const USAGE = `platbook source new <files or URLs> --fips 47037 --county "Davidson County" --place "Nashville, Tennessee"
  [--id nashville-tn] [--out nashville-tn.yaml] [--skip-lines 1] [--projection EPSG:2274] [--sheet …] [--layer …]
platbook source check <recipe>`;

export async function runSource(config: Config, [verb, ...args]: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    fips: TEXT,
    county: TEXT,
    place: TEXT,
    id: TEXT,
    out: TEXT,
    force: FLAG,
    'skip-lines': TEXT,
    projection: TEXT,
    sheet: TEXT,
    layer: TEXT,
  });
  const [file] = positionals;
  if (verb === 'check' && file) {
    refuseNoFile(file);
    const source = readRecipe(file);
    console.log(`${file} is a valid recipe: ${source.datasets.map(({ id }) => id).join(', ')}.`);
    return;
  }
  if (verb !== 'new' || !file) throw new CommandError(USAGE);
  for (const each of positionals) if (!/^https?:/.test(each)) refuseNoFile(each);
  const state = stateOfCounty(Number(values.fips)) ?? 'XX';
  if (values.fips !== undefined && (!/^\d{5}$/.test(values.fips) || state === 'XX'))
    throw new CommandError(`${values.fips} is not the FIPS code of a county: five digits, of which two for the state.`);
  if (values.fips === undefined && /^\d{5}$/.test(values.county ?? ''))
    throw new CommandError(`--county takes a name. Is ${values.county} its FIPS code? Then: --fips ${values.county}`);
  const fips = Number(values.fips ?? 0);
  const name = values.place ?? values.county ?? 'My county';
  const id = values.id ?? slugOf(`${name.split(',')[0]} ${state}`);
  const out = values.out ?? `${id}.yaml`;
  if (existsSync(out) && !values.force)
    throw new CommandError(`${out} exists already; name another with --out, or use --force.`);
  if (!existsSync(dirname(resolve(out)))) throw new CommandError(`There is no folder ${dirname(resolve(out))}.`);
  const skipLines = values['skip-lines'];
  if (skipLines !== undefined && !/^\d+$/.test(skipLines))
    throw new CommandError(`--skip-lines takes a number of lines, not ${skipLines}.`);
  const scaffold = await scaffoldSource({
    files: positionals,
    cacheFolder: join(config.home, 'downloads'),
    recipeFolder: dirname(resolve(out)),
    place: { id, name, state, fips, county: values.county ?? name },
    format: {
      ...(skipLines !== undefined && { skip_lines: Number(skipLines) }),
      ...(values.projection && { projection: values.projection }),
      ...(values.sheet && { sheet: values.sheet }),
      ...(values.layer && { layer: values.layer }),
    },
    today: isoDate(systemClock()),
    addresses,
  });
  writeFileSync(out, scaffold.recipe);
  for (const each of scaffold.files) {
    console.log(describeColumns(each.columns));
    console.log(
      `${each.name}: ${describeFormat(each.format)}, ${each.rows.toLocaleString('en')}${each.hasMore ? ' rows read of more' : ' rows'}` +
        `${each.shapes ? `, ${each.shapes.toLocaleString('en')} with a shape` : ''}.`,
    );
  }
  console.log(describeNext(out, scaffold));
}

function refuseNoFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new CommandError(`There is no file ${path}.`);
  if (found.isDirectory() && !existsSync(join(path, 'gdb')))
    throw new CommandError(`${path} is a folder. Name the files in it.`);
}

function describeFormat({ type, separator, sheet, skip_lines: skipped }: FileFormat): string {
  return [
    type,
    ...(separator ? [`separated by ${separator}`] : []),
    ...(sheet ? [`sheet ${sheet}`] : []),
    ...(skipped ? [`${skipped} lines above the header`] : []),
  ].join(', ');
}

/** The remaining steps, in order. */
function describeNext(out: string, { recipe, missing, files, findings }: Scaffold): string {
  const unused = files.filter(({ name }) => !recipe.includes(name));
  const lines = recipe.split('\n').map((line, i) => ({ line, number: i + 1 }));
  const open = lines.filter(({ line }) => line.includes('FILL IN'));
  const count = lines.filter(({ line }) => /# CHECK/.test(line)).length;
  return [
    `Wrote ${out}.`,
    ...unused.map(
      ({ name }) =>
        `${name} is not in it: its columns tell neither of properties nor of sales with a date and a price.`,
    ),
    ...(missing.length > 0
      ? [`Found no column for: ${missing.join(', ')}. If there is one, name it in the recipe.`]
      : []),
    ...open.map(({ line, number }) => `To fill in, line ${number}: ${line.trim()}`),
    ...(findings ? [formatFindings(findings).trimEnd()] : []),
    `${count > 0 ? `Look at the ${count} lines marked CHECK, then try it` : 'Try it'}: platbook ingest ${out} --dry-run`,
  ].join('\n');
}

const ORDER = { stated: 0, sure: 0, check: 1, personal: 2, unused: 3 };

function describeColumns(columns: ColumnReport[]): string {
  const rows = columns
    .toSorted((a, b) => ORDER[a.certainty] - ORDER[b.certainty])
    .map(({ column, role, certainty, example, resembles }) => [
      certainty,
      role ?? (resembles ? `${resembles}?` : ''),
      column,
      example,
    ]);
  const table = [['', 'read as', 'column', 'example'], ...rows];
  const widths = [0, 1, 2].map((i) => Math.min(34, Math.max(...table.map((row) => row[i].length))));
  const legend = columns.some(({ resembles }) => resembles)
    ? ['?: named like it, but its cells do not look like it']
    : [];
  return [
    ...table.map((row) => row.map((cell, i) => (i < 3 ? cell.slice(0, widths[i]).padEnd(widths[i]) : cell)).join('  ')),
    ...legend,
  ].join('\n');
}
