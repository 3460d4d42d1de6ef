// The report's wording: the rule, the controls by design, and the limitations of the data.
import { DRAWS, LEAST_SALES, LEAST_TRACTS, PERMUTATIONS } from './composition.ts';
import { SAMPLE_HOMES, SAMPLE_SALT } from './sample.ts';
import type { FigureName } from './schema.ts';
import written from './wording.json' with { type: 'json' };

export const SAMPLE_METHOD =
  `Homes with the smallest SHA-256 of \`${SAMPLE_SALT}\` followed by the property id: ${SAMPLE_HOMES.toLocaleString('en-US')} of a market, or all of a smaller one. ` +
  'Their values on record are put aside once a month and at every new model, and sealed before any later sale is known. ' +
  'A sale is compared with the last value put aside before its date, which is not carried forward to it.';

export const { RULE, CONTROLS, LENDING } = written;

export const LIMITS = [
  ...written.LIMITS,
  `Bands come from ${DRAWS} draws of whole tracts, p-values from ${PERMUTATIONS} permutations between tracts. Neighboring tracts resemble each other, so true uncertainty is somewhat larger.`,
  `With fewer than ${LEAST_TRACTS} tracts or ${LEAST_SALES} sales, nothing is reported.`,
];

const BY_ORIGIN: FigureName[] = ['white_share', 'black_share', 'asian_share', 'hispanic_share'];

/** Limits of a report that follow from missing figures. */
export function limitsOf(figures: { figure: FigureName; status: string }[]): string[] {
  if (figures.some(({ figure, status }) => BY_ORIGIN.includes(figure) && status === 'measured')) return [];
  return [
    'Shares by race and ethnicity are not measured for this market: nothing here says whether errors, bias or coverage go along with them.',
  ];
}

export const FIGURE_WORDS: Record<FigureName, { name: string; unit: string }> = written.FIGURES;

/** Converts a figure to the units of a slope. */
export const scaleOf = (figure: FigureName) => (figure === 'income' ? Math.log2 : (share: number) => 10 * share);
