// Parses the recipe of a draft: it must be valid, describe a new place, and read only the draft's own files.
import { stateOfCounty } from '../../base/lib/states.ts';
import { parseRecipe } from '../../supply/ingest/recipes.ts';
import type { Dataset, FileSpec, Source } from '../../supply/ingest/source.ts';
import { CommandError } from '../../base/lib/command-error.ts';

/** `taken` holds the ids of the program's sources and of the sandbox, which a draft must not use. */
export function readDraftRecipe(text: string, taken: ReadonlySet<string>): Source {
  const source = parseRecipe(text, 'This');
  if (taken.has(source.id))
    throw new CommandError(`The id \`${source.id}\` belongs to another source; choose another.`);
  if (!source.market) throw new CommandError('The recipe needs a `market`: its name, state and description.');
  const unknown = source.counties.find(({ fips }) => !isCounty(fips));
  if (unknown) throw new CommandError(`${unknown.fips} is not the FIPS code of a county: five digits, as in 37063.`);
  for (const dataset of source.datasets) {
    const outside = filesOf(dataset).find((path) => !isPlainName(path));
    if (outside !== undefined)
      throw new CommandError(
        `${dataset.id}: \`${outside}\` is not the name of an uploaded file. Name files without folders.`,
      );
  }
  return source;
}

/** The market of a recipe, or all of its problems. Runs on a thread: a few kilobytes of YAML can take minutes. */
export function checkDraftRecipe(text: string, taken: ReadonlySet<string>): { market?: string; problem?: string } {
  try {
    return { market: readDraftRecipe(text, taken).market?.id };
  } catch (error) {
    const { message } = error as Error;
    return { problem: error instanceof CommandError ? message : `The recipe cannot be read: ${message}.` };
  }
}

/** The first two digits name a state; the sandbox's counties are in none. */
export const isCounty = (fips: number): boolean => stateOfCounty(fips) !== undefined && fips % 1000 > 0;

const relatedTo = ({ related = [] }: Pick<Dataset, 'related'>): FileSpec[] =>
  related.flatMap((table) => [table.file, ...relatedTo(table)]);

function filesOf(dataset: Dataset): string[] {
  const specs = [...dataset.files, ...relatedTo(dataset)];
  return specs.flatMap(({ path, alternatives = [] }) => [path, ...alternatives]);
}

const isPlainName = (path: string) => !/[/\\\0]/.test(path) && !path.startsWith('.');
