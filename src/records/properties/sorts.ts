// The orders of a search, apart from the search: the desktop extension names them without a database.

export const SORT_TYPES = {
  value: 'bigint',
  sqft: 'integer',
  year_built: 'smallint',
  last_sale_date: 'date',
  last_sale_price: 'bigint',
  updated_at: 'timestamptz',
} as const;

const SORTED_BY = Object.keys(SORT_TYPES) as (keyof typeof SORT_TYPES)[];
/** With `-` before it, descending. */
export const SORTS = [...SORTED_BY.flatMap((name) => [name, `-${name}` as const]), 'distance' as const];
