// The facts of tenure and equity that are derived from owners, deeds and loans: their words, their columns, and their filters.
import type { LayerFilter } from '../../supply/layers/layer.ts';
import { LAYER_FILTERS, type LayerFilterName } from '../../supply/layers/layers.ts';
import type { LayerColumns } from '../../supply/layers/layers.ts';

export const OCCUPANCIES = ['owner_occupied', 'absentee_in_state', 'absentee_out_of_state', 'absentee'] as const;
export const VESTINGS = [
  'sole',
  'joint_tenants',
  'tenants_in_common',
  'tenants_by_entirety',
  'community_property',
  'life_estate',
  'trustee',
] as const;
export const FORECLOSURE_STAGES = ['none', 'notice', 'sale_notice', 'ended_by_deed', 'ended_by_release'] as const;
export const TAX_STAGES = ['none', 'delinquent', 'lien', 'lien_sold'] as const;
export const EQUITY_REASONS = [
  'not_valued',
  'mortgages_not_covered',
  'mortgages_partly_covered',
  'balance_not_known',
] as const;

/** Columns of `properties` that follow from names or mailing addresses: for keys with `owners:read` only. */
export const OWNER_FACTS = ['occupancy', 'vesting'] as const;

export interface TenureColumns {
  owned_since: string | null;
  occupancy: (typeof OCCUPANCIES)[number] | null;
  vesting: (typeof VESTINGS)[number] | null;
  open_loans: number | null;
  loan_balance: number | null;
  ltv: number | null;
  ltv_low: number | null;
  ltv_high: number | null;
  equity: number | null;
  equity_low: number | null;
  equity_high: number | null;
  equity_reason: (typeof EQUITY_REASONS)[number] | null;
  free_and_clear: boolean | null;
  foreclosure_stage: (typeof FORECLOSURE_STAGES)[number] | null;
  foreclosure_on: string | null;
  foreclosure_ended_on: string | null;
  tax_delinquency: (typeof TAX_STAGES)[number] | null;
}

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
