// Fits the additive model behind the adjustment grid: small trees, each reading one kind of attribute only.
import { columnNames, type FeatureSet } from '../../avm/features.ts';
import type { AdditivePart } from '../../avm/model.ts';
import { predictRows, type Trees } from '../../avm/trees.ts';
import type { Parameters } from '../parameters.ts';
import { growTrees } from './trees.ts';

/** Adjustments as a reader would name them, and their columns; a column in no group is an adjustment of its own. */
const GROUPS: Record<string, string[]> = {
  location: ['east', 'north', 'northeast', 'southeast', 'neighborhood', 'zip', 'city', 'census_tract', 'subdivision'],
  living_area: ['sqft', 'sqft_above', 'sqft_basement'],
  lot_size: ['lot_sqft'],
  age: ['year_built', 'effective_year_built'],
  bedrooms: ['bedrooms', 'rooms'],
  bathrooms: ['bathrooms', 'baths_full', 'baths_half'],
  condition: ['condition'],
  quality: ['quality'],
  type_and_style: ['is_condo', 'is_townhouse', 'is_multi_family', 'units', 'stories', 'style', 'exterior'],
  garage: ['garage_spaces'],
};
/** Price growth is a step of its own, ratios mix two attributes, and a reader could not check neighbors' sizes. */
const LEFT_OUT = [
  'day',
  'lot_per_sqft',
  'baths_per_bedroom',
  'sqft_per_bedroom',
  'sqft_per_unit',
  'neighbor_sqft',
  'neighbor_lot_sqft',
];

function additiveGroups(set: FeatureSet): Array<{ name: string; columns: number[] }> {
  const names = columnNames(set);
  const grouped = new Set([...Object.values(GROUPS).flat(), ...LEFT_OUT]);
  const own = names.filter((name) => !grouped.has(name)).map((name): [string, string[]] => [name, [name]]);
  return [...Object.entries(GROUPS), ...own]
    .map(([name, members]) => ({
      name,
      columns: members.map((member) => names.indexOf(member)).filter((column) => column >= 0),
    }))
    .filter(({ columns }) => columns.length > 0);
}

export function fitAdditive(
  set: FeatureSet,
  rows: Float32Array,
  target: Float64Array,
  parameters: Parameters,
): { parts: AdditivePart[]; center: number } {
  const columns = columnNames(set).length;
  const n = target.length;
  const parts = additiveGroups(set).map((group) => ({
    ...group,
    trees: [] as Trees[],
    values: pickColumns(rows, n, columns, group.columns),
  }));
  const center = target.reduce((sum, value) => sum + value, 0) / n;
  const rest = target.map((value) => value - center);
  const { cycles, rounds, learningRate } = parameters.additive;
  for (let cycle = 0; cycle < cycles; cycle++) {
    for (const part of parts) {
      const options = {
        ...parameters.base,
        rounds,
        learningRate,
        columnSample: 1,
        leaves: part.name === 'location' ? 31 : 8,
        minLeafWeight: 40,
        huber: parameters.huber * 3,
        seed: parameters.seed + cycle,
      };
      const trees = growTrees({ rows: n, columns: part.columns.length, values: part.values }, rest, options);
      // The group's mean belongs to the center, not to the group.
      trees.base = 0;
      predictRows(trees, part.values).forEach((value, i) => (rest[i] -= value));
      part.trees.push(trees);
    }
  }
  return { parts: parts.map(({ name, columns: own, trees }) => ({ name, columns: own, trees })), center };
}

function pickColumns(rows: Float32Array, n: number, columns: number, chosen: number[]): Float32Array {
  const out = new Float32Array(n * chosen.length);
  for (let i = 0; i < n; i++) chosen.forEach((column, k) => (out[i * chosen.length + k] = rows[i * columns + column]));
  return out;
}
