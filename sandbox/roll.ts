// A parcel as the assessment roll describes it.
import type { MadeRecord } from '../src/supply/ingest/source.ts';
import type { Estate } from './estate.ts';
import { CONDITIONS, QUALITIES } from './homes.ts';
import type { PropertyType } from './land/district.ts';

export function parcelFields(estate: Estate, index: number, edition: 'may' | 'june'): MadeRecord['fields'] {
  const { home, disagreement, correction } = estate;
  const { district } = home;
  const early = edition === 'may' ? correction : {};
  const condition = early.condition ?? home.condition;
  return {
    address_line1: home.line1,
    address_unit: home.unit,
    city: district.city,
    zip: district.zip,
    zip4: home.zip4,
    latitude: home.latitude,
    longitude: home.longitude,
    property_type: home.type,
    sqft: early.sqft ?? home.sqft,
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
    condition: condition === null ? null : CONDITIONS[condition],
    quality: home.quality === null ? null : QUALITIES[home.quality],
    style: home.style,
    extras: extrasOf(estate),
    ...(disagreement && { [disagreement.field]: disagreement.onRoll }),
  };
}

function extrasOf({ home }: Estate): Record<string, number> {
  const waterfront = home.waterfront ? 1 : 0;
  if (home.yearBuilt === null && home.sqft === null) return { waterfront };
  const { view, fireplaces, basementSqft, floor } = home;
  return { waterfront, view, fireplaces, basement_sqft: basementSqft, ...(home.type === 'condo' && { floor }) };
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
