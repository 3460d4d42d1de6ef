// What the evidence says in words: the rule, the controls that hold by construction, and what the data cannot say.
import { DRAWS, LEAST_SALES, LEAST_TRACTS, PERMUTATIONS } from './composition.ts';
import { SAMPLE_HOMES, SAMPLE_SALT } from './sample.ts';
import type { FigureName } from './schema.ts';

export const RULE = {
  name: 'Quality Control Standards for Automated Valuation Models (interagency final rule)',
  citation: '89 FR 64538',
  in_force_since: '2025-10-01',
};

export const CONTROLS = [
  'Every account is served by the same model of a market; no account has parameters of its own.',
  'A model learns from recorded sales and property records only. Requests, loan amounts, customers and what they pay are not among its inputs.',
  'A model is released by its error on sales it had not seen. Releasing one against that test is possible, recorded here as forced, and shown in its decision.',
  'A charge does not depend on the value returned.',
];

export const SAMPLE_METHOD =
  `Homes with the smallest SHA-256 of \`${SAMPLE_SALT}\` followed by the property id: ${SAMPLE_HOMES.toLocaleString('en-US')} of a market, or all of a smaller one. ` +
  'Their values on record are put aside once a month and at every new model, and sealed before any later sale is known. ' +
  'A sale is compared with the last value put aside before its date, which is not carried forward to it.';

export const LIMITS = [
  'Figures are of census tracts, not of the people who own, buy or sell a home: nothing here says how an individual was treated.',
  'A price may itself reflect discrimination. A model that matches prices exactly would show no difference here and would repeat it.',
  'Only homes that sold are tested. Homes that rarely sell, and tracts with few sales, weigh little or nothing.',
  'Shares and incomes are survey estimates over five years with sampling errors of their own, which the bands do not include.',
  'Composition goes along with price, age and type of homes; a slope is a description, not the effect of composition at equal homes.',
  `Bands come from ${DRAWS} draws of whole tracts, p-values from ${PERMUTATIONS} permutations between tracts. Neighboring tracts resemble each other, so true uncertainty is somewhat larger.`,
  `With fewer than ${LEAST_TRACTS} tracts or ${LEAST_SALES} sales, nothing is reported.`,
  'The model does read where a home is, down to its tract as the name of a place: prices nearby are its evidence, and they are not free of history.',
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
