// Figures of the property's census tract. The tract itself is a column of every record and is stamped with it.
import { asMoney, asNumber, asShare, DASH } from '../../base/lib/figures.ts';
import { defineLayer, rate, whole, words, type Body } from './layer.ts';
import { listOfTracts } from './sql.ts';

const figures = {
  vintage: whole(),
  population: whole(),
  median_household_income: whole(),
  per_capita_income: whole(),
  median_home_value: whole(),
  owner_occupied_rate: rate(),
  vacancy_rate: rate(),
  poverty_rate: rate(),
  unemployment_rate: rate(),
  housing_units: whole(),
  internet_rate: rate(),
};
const columns = Object.keys(figures);
/** All except the survey year, and members added after the columns were fixed. */
const EXPORTED = columns.slice(1, -2) as (keyof typeof figures)[];

export const census = defineLayer({
  name: 'census',
  title: 'Census tract',
  plural: 'Census figures',
  component: 'CensusLayer',
  description: 'Demographics of the census tract.',
  members: { tract_geoid: words(11), block_group_geoid: words(12), ...figures },
  read: async (db, homes) => {
    const wanted = homes.flatMap(({ fips, census_tract: geoid }) => (geoid ? [{ fips, geoid }] : []));
    const newest = { table: 'census_tracts', key: 'geoid', columns, order: 't.vintage desc' };
    const tracts = await listOfTracts<Body<typeof figures>>(db, wanted, newest);
    return ({ census_tract, block_group }) => {
      const always = { tract_geoid: census_tract, block_group_geoid: block_group };
      const found = census_tract === null ? undefined : tracts.get(census_tract);
      if (found) return { found: { ...always, ...found } };
      return census_tract === null ? { always } : { always, none: {} };
    };
  },
  columns: {},
  filters: {},
  exports: {
    census_tract: 'tract_geoid',
    block_group: 'block_group_geoid',
    ...Object.fromEntries(EXPORTED.map((name) => [name, name])),
  },
  batchColumns: ['census_tract'],
  pointAttributes: {},
  countedIn: 'census_tracts',
  describe: (tract) =>
    `Tract ${tract.tract_geoid ?? DASH}, ${tract.vintage ?? DASH}: population ${asNumber(tract.population)}, median household income ${asMoney(tract.median_household_income)}, median home value ${asMoney(tract.median_home_value)}, owner-occupied ${asShare(tract.owner_occupied_rate)}, vacant ${asShare(tract.vacancy_rate)}. For information: neither the value nor the rules read it.`,
  rules: {},
});
