// What the evidence says in words: the rule, the controls that hold by construction, and what the data cannot say.
import { DRAWS, LEAST_SALES, LEAST_TRACTS, PERMUTATIONS } from './composition.ts';
import { SAMPLE_HOMES, SAMPLE_SALT } from './sample.ts';
import type { FigureName } from './schema.ts';
import written from './wording.json' with { type: 'json' };

export const SAMPLE_METHOD =
  `Homes with the smallest SHA-256 of \`${SAMPLE_SALT}\` followed by the property id: ${SAMPLE_HOMES.toLocaleString('en-US')} of a market, or all of a smaller one. ` +
  'Their values on record are put aside once a month and at every new model, and sealed before any later sale is known. ' +
  'A sale is compared with the last value put aside before its date, which is not carried forward to it.';

export const { RULE, CONTROLS } = written;

export const LIMITS = [
  ...written.LIMITS,
  `Bands come from ${DRAWS} draws of whole tracts, p-values from ${PERMUTATIONS} permutations between tracts. Neighboring tracts resemble each other, so true uncertainty is somewhat larger.`,
  `With fewer than ${LEAST_TRACTS} tracts or ${LEAST_SALES} sales, nothing is reported.`,
];

const BY_ORIGIN: FigureName[] = ['white_share', 'black_share', 'asian_share', 'hispanic_share'];

/** What a report cannot say because figures are missing. */
export function limitsOf(figures: { figure: FigureName; status: string }[]): string[] {
  if (figures.some(({ figure, status }) => BY_ORIGIN.includes(figure) && status === 'measured')) return [];
  return [
    'Shares by race and ethnicity are not measured for this market: nothing here says whether errors, bias or coverage go along with them.',
  ];
}

interface FigureWords {
  name: string;
  unit: string;
  /** From the figure to the units of a slope. */
  scale: (figure: number) => number;
}

const perTenPoints = { unit: '10 percentage points', scale: (figure: number) => 10 * figure };

export const FIGURE_WORDS: Record<FigureName, FigureWords> = {
  income: {
    name: 'Median household income (per capita where that is all there is)',
    unit: 'doubling',
    scale: Math.log2,
  },
  white_share: { name: 'Share of non-Hispanic white residents', ...perTenPoints },
  black_share: { name: 'Share of non-Hispanic Black residents', ...perTenPoints },
  asian_share: { name: 'Share of non-Hispanic Asian residents', ...perTenPoints },
  hispanic_share: { name: 'Share of Hispanic or Latino residents', ...perTenPoints },
  minority_rank: {
    name: 'National rank of minority status and language (Social Vulnerability Index)',
    unit: '10 points of rank',
    scale: (figure) => 10 * figure,
  },
};
