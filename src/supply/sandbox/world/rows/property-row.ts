// One property as a row of the wide table that searches read, including the last sale, flags and counts kept for
// search.
import type { CopyValue } from '../../../../base/db/copy.ts';
import { compactApn } from '../../../../base/lib/ids.ts';
import type { PropertyType } from '../land/district.ts';
import { MARKET, STATE } from '../../geography.ts';
import { CONDITIONS, QUALITIES } from '../homes.ts';
import type { Estate } from '../estate.ts';
import type { Transaction } from '../sales.ts';
import { loadedAt, type FindLoad } from '../sources.ts';

/** Loads write a hundred properties per second: timestamps differ, in the order of the market. */
export function changedAt(loadDay: string, index: number): string {
  return new Date(Date.parse(loadedAt(loadDay)) + index * 10).toISOString();
}

export function propertyRow(estate: Estate, index: number, findLoad: FindLoad): Record<string, CopyValue> {
  const { home, life, layers } = estate;
  const { district } = home;
  const lastSale = findLastSale(life.transactions);
  const owner = life.owners.at(-1)!;
  const assessment = estate.assessments.at(-1);
  const lastChange = estate.changes.at(-1)!;
  const isBuilt = home.yearBuilt !== null || home.sqft !== null;
  return {
    fips: home.fips,
    id: home.id,
    market: MARKET,
    state: STATE,
    status: estate.isRetired ? 'retired' : 'active',
    apn: home.apn,
    apn_normalized: compactApn(home.apn),
    unit_key: home.unitKey,
    address_line1: home.line1,
    address_unit: home.unit,
    city: district.city,
    zip: district.zip,
    zip4: home.zip4,
    latitude: home.latitude,
    longitude: home.longitude,
    geo_precision: 'parcel',
    cell_fine: home.cellFine,
    cell_coarse: home.cellCoarse,
    property_type: home.type,
    sqft: home.sqft,
    bedrooms: home.bedrooms,
    bathrooms: home.bathsFull === null ? null : home.bathsFull + home.bathsHalf! / 2,
    lot_sqft: home.lotSqft,
    zoning: district.zoning,
    land_use_code: LAND_USE[home.type][0],
    land_use: LAND_USE[home.type][1],
    legal_description:
      home.subdivision &&
      `${home.subdivision.toUpperCase()} LOT ${(index % 40) + 1} BLK ${(Math.floor(index / 40) % 30) + 1}`,
    subdivision: home.subdivision,
    neighborhood: district.name,
    census_tract: estate.tract2020,
    census_tract_vintage: estate.tract2020 && 2020,
    census_tract_2010: estate.tract2010,
    block_group: estate.blockGroup,
    year_built: home.yearBuilt,
    effective_year_built: home.effectiveYearBuilt,
    stories: home.stories,
    units: home.units,
    rooms: home.rooms,
    baths_full: home.bathsFull,
    baths_half: home.bathsHalf,
    garage_spaces: home.garageSpaces,
    pool: home.pool,
    heating: home.heating,
    cooling: home.cooling,
    exterior: home.exterior,
    foundation: home.foundation,
    condition: home.condition === null ? null : CONDITIONS[home.condition],
    quality: home.quality === null ? null : QUALITIES[home.quality],
    style: home.style,
    extras: isBuilt
      ? {
          waterfront: home.waterfront ? 1 : 0,
          view: home.view,
          fireplaces: home.fireplaces,
          basement_sqft: home.basementSqft,
          ...(home.type === 'condo' && { floor: home.floor }),
        }
      : { waterfront: home.waterfront ? 1 : 0 },
    owner_type: owner.type,
    owner_occupied: owner.isOccupant,
    assessed_value: assessment?.total,
    assessed_year: assessment?.year,
    last_sale_date: lastSale?.soldOn,
    last_sale_price: lastSale?.priceUsd,
    last_sale_id: lastSale?.id,
    flood_zone: layers.flood.zone,
    flood_sfha: layers.flood.sfha,
    opportunity_zone: estate.isOpportunityZone,
    open_tax_liens: layers.liens.filter(({ status }) => status === 'open').length,
    open_violations: layers.violations ? layers.violations.filter(({ status }) => status === 'open').length : null,
    permit_count: layers.permits.length,
    last_permit_date: layers.permits.at(-1)?.issuedOn,
    provenance: estate.provenance,
    load_id: findLoad(lastChange.source, lastChange.loadDay),
    created_at: changedAt(estate.changes[0].loadDay, index),
    updated_at: changedAt(lastChange.loadDay, index),
  };
}

const LAND_USE: Record<PropertyType, [code: string, name: string]> = {
  single_family: ['100', 'Single-family dwelling'],
  condo: ['120', 'Condominium unit'],
  townhouse: ['110', 'Attached dwelling'],
  multi_family: ['200', 'Two to four dwellings'],
  apartment: ['210', 'Apartments, five or more'],
  manufactured: ['130', 'Manufactured home'],
  land: ['900', 'Vacant land'],
  commercial: ['400', 'Commercial building'],
  other: ['700', 'Institutional'],
};

function findLastSale(transactions: readonly Transaction[]): Transaction | undefined {
  return transactions.filter(({ armsLength }) => armsLength).sort((a, b) => (a.soldOn! < b.soldOn! ? 1 : -1))[0];
}
