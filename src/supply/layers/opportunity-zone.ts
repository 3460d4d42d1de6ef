// Qualified opportunity zones: those of 2018 by 2010 tract, those of the second round by 2020 tract.
import { DASH } from '../../base/lib/figures.ts';
import { day, defineLayer, flag, whole, words, type LayerHome } from './layer.ts';
import { listOfTracts, listZonesOf2027 } from './sql.ts';

interface Designation {
  tract_geoid: string;
  tract_vintage: number;
  tract_type: string | null;
  designated_on: string | null;
}

/** The property's tract by the numbers of the 2020 census. */
const newTractOf = ({ fips, census_tract: geoid, census_tract_vintage: vintage }: LayerHome) =>
  geoid === null || (vintage ?? 0) < 2020 ? undefined : { fips, geoid };

export const opportunityZone = defineLayer({
  name: 'opportunity_zone',
  title: 'Opportunity zone',
  plural: 'Opportunity zones',
  component: 'OpportunityZoneLayer',
  description: 'Qualified opportunity zones, designated on 2010 tracts.',
  members: {
    is_opportunity_zone: flag(),
    tract_geoid: words(11),
    tract_vintage: whole(),
    tract_type: words(80),
    designated_on: day(),
    is_zone_from_2027: flag({
      description:
        'Designated in the second round, in effect from 2027 to 2036, by 2020 tract; null while that list or that tract is not loaded.',
    }),
  },
  read: async (db, homes) => {
    const oldTracts = homes.flatMap(({ fips, census_tract_2010: geoid }) => (geoid ? [{ fips, geoid }] : []));
    const columns = ['tract_geoid', 'tract_vintage', 'tract_type', 'designated_on'];
    const [zones, zonesOf2027] = await Promise.all([
      listOfTracts<Designation>(db, oldTracts, { table: 'opportunity_zones', key: 'tract_geoid', columns }),
      listZonesOf2027(
        db,
        homes.flatMap((home) => newTractOf(home) ?? []),
      ),
    ]);
    return (home) => {
      const geoid = home.census_tract_2010;
      const newTract = newTractOf(home);
      const is_zone_from_2027 = newTract && zonesOf2027 ? zonesOf2027.has(newTract.geoid) : null;
      const always = { is_opportunity_zone: null, is_zone_from_2027 };
      if (geoid === null) return { always };
      const zone = zones.get(geoid);
      if (zone) return { found: { is_opportunity_zone: true, ...zone, is_zone_from_2027 } };
      return { always, none: { is_opportunity_zone: false, tract_geoid: geoid, tract_vintage: 2010 } };
    };
  },
  columns: { opportunity_zone: flag() },
  filters: {
    opportunity_zone: {
      column: 'opportunity_zone',
      test: 'is',
      description: 'Inside a designated opportunity zone.',
    },
  },
  exports: { opportunity_zone: 'is_opportunity_zone' },
  batchColumns: ['opportunity_zone'],
  pointAttributes: { opportunity_zone: { column: 'opportunity_zone', as: 'flag' } },
  exposure: { column: 'opportunity_zone' },
  tracts: { table: 'opportunity_zones', tract: 'census_tract_2010', column: 'opportunity_zone' },
  countedIn: 'opportunity_zones',
  describe: ({ is_opportunity_zone, tract_geoid }) =>
    is_opportunity_zone
      ? `In a qualified opportunity zone (tract ${tract_geoid ?? DASH}).`
      : 'Not in a qualified opportunity zone.',
  rules: {},
});
