// The filters on facts of tenure that are derived from owners, deeds and loans.
import type { LayerFilter } from '../../supply/layers/layer.ts';
import { LAYER_FILTERS, type LayerColumns, type LayerFilterName } from '../../supply/layers/layers.ts';
import { FORECLOSURE_STAGES, OCCUPANCIES, TAX_STAGES, VESTINGS, type TenureColumns } from './schema.ts';

/** Columns of `properties` derived from names or mailing addresses: only for keys with `owners:read`. */
export const OWNER_FACTS = ['occupancy', 'vesting'] as const;

const BEHIND_SCOPE = 'Requires the scope `owners:read`.';
const TENURE_FILTERS = {
  occupancy: {
    test: 'among',
    column: 'occupancy',
    words: OCCUPANCIES,
    description: `Where the owner lives, by the mailing address. ${BEHIND_SCOPE}`,
  },
  vesting: {
    test: 'among',
    column: 'vesting',
    words: VESTINGS,
    description: `How title is held, by the words of the deed. ${BEHIND_SCOPE}`,
  },
  free_and_clear: {
    test: 'is',
    column: 'free_and_clear',
    description: 'Whether no loan or lien is open. Unknown where the records do not reach matches neither.',
  },
  foreclosure_stage: {
    test: 'among',
    column: 'foreclosure_stage',
    words: FORECLOSURE_STAGES,
    description: 'The stage of a foreclosure on record.',
  },
  tax_delinquency: {
    test: 'among',
    column: 'tax_delinquency',
    words: TAX_STAGES,
    description: 'Unpaid property taxes: delinquent, a lien, or a lien that was sold.',
  },
} as const satisfies Record<string, LayerFilter<keyof TenureColumns>>;

export type ColumnFilterName = LayerFilterName | keyof typeof TENURE_FILTERS;
/** Filters on one column of `properties`. */
export const COLUMN_FILTERS: Record<ColumnFilterName, LayerFilter<keyof (LayerColumns & TenureColumns)>> = {
  ...LAYER_FILTERS,
  ...TENURE_FILTERS,
};
