// Datasets that exist once for each state.
import { CommandError } from '../../base/lib/command-error.ts';
import { STATES as ALL, type State } from '../../base/lib/states.ts';
import type { Dataset, Source } from './source.ts';

/** The territories are not in the files by state. */
const STATES = ALL.filter(({ fips }) => Number(fips) <= 56);

/** `WI,IL` or `all`. */
export function readStates(text: string): readonly State[] {
  if (text.toLowerCase() === 'all') return STATES;
  return text.split(',').map((word) => {
    const code = word.trim().toUpperCase();
    const state = STATES.find((item) => item.code === code);
    if (!state) throw new CommandError(`--state takes codes such as WI or WI,IL, or all; ${word.trim()} is not one.`);
    return state;
  });
}

/** The source with its by-state datasets expanded to the given states. */
export const inStates = (source: Source, states: readonly State[]): Source => ({
  ...source,
  datasets: source.datasets.flatMap((dataset) => (dataset.ofState ? states.map(dataset.ofState) : [dataset])),
});

/** The named sources and datasets, limited to these states. */
export function chooseStates(
  { sources, datasets }: { sources: Source[]; datasets: string[] | undefined },
  states: readonly State[],
): { sources: Source[]; datasets: string[] | undefined } {
  const inAll = (id: string) => {
    const dataset = sources.flatMap((source) => source.datasets).find((item) => item.id === id);
    const ofState = dataset?.ofState;
    return ofState ? states.map((state) => ofState(state).id) : [id];
  };
  return { sources: sources.map((source) => inStates(source, states)), datasets: datasets?.flatMap(inAll) };
}

/** The dataset loaded under an id, which ends in a state if it is split by state. */
export function findDataset(all: Source[], id: string): { source: Source; dataset: Dataset } | undefined {
  for (const source of all) {
    if (!id.startsWith(`${source.id}/`)) continue;
    for (const dataset of source.datasets) {
      if (dataset.id === id) return { source, dataset };
      const state = STATES.find(({ code }) => id === `${dataset.id}-${code.toLowerCase()}`);
      if (state && dataset.ofState) return { source, dataset: dataset.ofState(state) };
    }
  }
  return undefined;
}
