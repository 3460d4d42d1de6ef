// Figures that a map can be colored by and a range can filter, as SQL over `properties p`. Pure.

/** The midpoint of an amount's band, as in lib/bands.ts; the number of digits gives the power of ten. */
const bandSql = (column: string): string => {
  const power = `10.0 ^ (length(${column}::bigint::text) - 1)`;
  const steps = [1, 1.5, 2, 3, 5, 7, 10];
  const cases = steps
    .slice(1)
    .map((to, index) => `when ${column} < ${to} * ${power} then ${Math.sqrt(steps[index] * to)}`);
  return `(case ${cases.join(' ')} end * ${power})::float8`;
};

/** Derived figures. Rough ones are computed from bands and years only and reveal no more than those. */
export const DERIVED_SQL = {
  value_per_sqft: 'p.value::float8 / nullif(p.sqft, 0)',
  // At least a year, and no token price: growth over days or from a few dollars is meaningless.
  growth: `case when p.last_sale_price >= 10000 and p.valued_on - p.last_sale_date >= 365
    then power(p.value::float8 / p.last_sale_price, 365.25 / (p.valued_on - p.last_sale_date)) - 1 end`,
  uncertainty: 'p.value_fsd::float8',
} as const;
export const ROUGH_DERIVED_SQL: Record<keyof typeof DERIVED_SQL, string> = {
  value_per_sqft: `${bandSql('p.value')} / nullif(${bandSql('p.sqft')}, 0)`,
  growth: `case when p.last_sale_price >= 10000 and extract(year from p.valued_on) > extract(year from p.last_sale_date)
    then power(${bandSql('p.value')} / ${bandSql('p.last_sale_price')},
      1 / (extract(year from p.valued_on) - extract(year from p.last_sale_date))::float8) - 1 end`,
  uncertainty: DERIVED_SQL.uncertainty,
};

const FIGURES_SQL = {
  value: 'p.value::float8',
  last_sale_price: 'p.last_sale_price::float8',
  assessed_value: 'p.assessed_value::float8',
  year_built: 'p.year_built::float8',
  ...DERIVED_SQL,
} as const;
export type Figure = keyof typeof FIGURES_SQL;

export const FIGURES = Object.keys(FIGURES_SQL) as Figure[];

const ROUGH_FIGURES_SQL: Record<Figure, string> = { ...FIGURES_SQL, ...ROUGH_DERIVED_SQL };

export const figureSql = (figure: Figure, isRough: boolean): string =>
  (isRough ? ROUGH_FIGURES_SQL : FIGURES_SQL)[figure];
