// The maps of the island as records: tracts with their census, ZIP codes, opportunity zones, flood zones, neighborhoods,
// water and streets.
import { NO_COUNTY, type Ring } from '../src/base/lib/geo.ts';
import type { MadeRecord } from '../src/supply/ingest/source.ts';
import type { Area } from './land/areas.ts';
import type { World } from './world.ts';

export function censusOf({ tractAreas, tracts, zips }: World): MadeRecord[] {
  return [
    ...tractAreas.map((area) => areaRecord('tract', area)),
    ...zips.map(({ id, polygons }) => areaRecord('zip', { fips: NO_COUNTY, id, vintage: 2026, polygons })),
    ...tracts.map((tract): MadeRecord => ({
      into: 'census_tracts',
      fields: {
        fips: tract.fips,
        geoid: tract.geoid,
        vintage: tract.vintage,
        population: tract.population,
        median_household_income: tract.medianHouseholdIncome,
        per_capita_income: tract.perCapitaIncome,
        median_home_value: tract.medianHomeValue,
        owner_occupied_rate: tract.ownerOccupiedRate,
        vacancy_rate: tract.vacancyRate,
        poverty_rate: tract.povertyRate,
        unemployment_rate: tract.unemploymentRate,
        housing_units: tract.housingUnits,
        internet_rate: tract.internetRate,
        white_share: tract.composition?.white ?? null,
        black_share: tract.composition?.black ?? null,
        asian_share: tract.composition?.asian ?? null,
        hispanic_share: tract.composition?.hispanic ?? null,
      },
    })),
  ];
}

export function zonesOf({ zones }: World): MadeRecord[] {
  return zones.map(({ fips, geoid, tractType, designatedOn }) => ({
    into: 'opportunity_zones',
    fields: { fips, tract_geoid: geoid, tract_vintage: 2010, tract_type: tractType, designated_on: designatedOn },
  }));
}

export const floodMapOf = (zones: Area[]): MadeRecord[] => zones.map((area) => areaRecord('flood', area));

export function baseMapOf({ neighborhoods, water, roads }: World): MadeRecord[] {
  return [
    ...neighborhoods.map((area) => areaRecord('neighborhood', area)),
    ...water.map((area) => areaRecord('water', { ...area, vintage: 2026 })),
    ...roads.map(({ fips, kind, id, name, rank, path }): MadeRecord => ({
      into: 'map_lines',
      fields: { fips, kind, id, name, importance: rank, path },
    })),
  ];
}

type Drawn = Pick<Area, 'fips' | 'id' | 'vintage'> &
  Partial<Pick<Area, 'name' | 'attributes' | 'rings'>> & { polygons?: Ring[][] };

function areaRecord(kind: string, { fips, id, vintage, name, attributes, rings, polygons }: Drawn): MadeRecord {
  return {
    into: 'areas',
    fields: { fips, kind, id, vintage, name: name ?? null, attributes: attributes ?? {}, rings: polygons ?? [rings] },
  };
}
