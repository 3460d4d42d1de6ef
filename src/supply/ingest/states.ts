// The states, and the datasets that exist once for each of them.
import { CommandError } from '../../base/lib/command-error.ts';
import { STATE_OF_FIPS } from './state-codes.ts';
import type { Dataset, Source, State } from './source.ts';

/** In the order of their FIPS codes; the territories are not in the files by state. */
const NAMES =
  `Alabama, Alaska, Arizona, Arkansas, California, Colorado, Connecticut, Delaware, District of Columbia, Florida,
  Georgia, Hawaii, Idaho, Illinois, Indiana, Iowa, Kansas, Kentucky, Louisiana, Maine, Maryland, Massachusetts, Michigan,
  Minnesota, Mississippi, Missouri, Montana, Nebraska, Nevada, New Hampshire, New Jersey, New Mexico, New York,
  North Carolina, North Dakota, Ohio, Oklahoma, Oregon, Pennsylvania, Rhode Island, South Carolina, South Dakota, Tennessee,
  Texas, Utah, Vermont, Virginia, Washington, West Virginia, Wisconsin, Wyoming`
    .split(',')
    .map((name) => name.trim());

export const STATES: State[] = Object.entries(STATE_OF_FIPS)
  .slice(0, NAMES.length)
  .map(([fips, code], i) => ({ code: code!, fips: fips.padStart(2, '0'), name: NAMES[i] }));

/** `WI,IL` or `all`. */
export function readStates(text: string): State[] {
  if (text.toLowerCase() === 'all') return STATES;
  return text.split(',').map((word) => {
    const code = word.trim().toUpperCase();
    const state = STATES.find((item) => item.code === code);
    if (!state) throw new CommandError(`--state takes codes such as WI or WI,IL, or all; ${word.trim()} is not one.`);
    return state;
  });
}

/** The source with each of its datasets by state replaced by those of the given states. */
export function inStates(source: Source, states: State[]): Source {
  return {
    ...source,
    datasets: source.datasets.flatMap((dataset) => (dataset.ofState ? states.map(dataset.ofState) : [dataset])),
  };
}

/** What was named, for these states only. */
export function chooseStates(
  { sources, datasets }: { sources: Source[]; datasets: string[] | undefined },
  states: State[],
): { sources: Source[]; datasets: string[] | undefined } {
  const inAll = (id: string) => {
    const dataset = sources.flatMap((source) => source.datasets).find((item) => item.id === id);
    return dataset?.ofState ? states.map((state) => dataset.ofState!(state).id) : [id];
  };
  return { sources: sources.map((source) => inStates(source, states)), datasets: datasets?.flatMap(inAll) };
}

/** The dataset that was loaded under an id, which ends in a state where it came by state. */
export function findDataset(all: Source[], id: string): { source: Source; dataset: Dataset } | undefined {
  for (const source of all) {
    if (!id.startsWith(`${source.id}/`)) continue;
    for (const dataset of source.datasets) {
      if (dataset.id === id) return { source, dataset };
      const state = dataset.ofState && STATES.find(({ code }) => id === `${dataset.id}-${code.toLowerCase()}`);
      if (state) return { source, dataset: dataset.ofState!(state) };
    }
  }
  return undefined;
}
