// The dictionary of a property's fields: where the API shows each, which layer brings it, and what it says.
interface StatedField {
  /** The member of a property. */
  name: string;
  /** The coverage that tells its source and its newest day. */
  layer: 'properties' | 'owners' | 'assessments' | 'transactions' | 'flood' | 'census';
  says: string;
}

const ofHome = (name: string, says: string): StatedField => ({ name, layer: 'properties', says });

/** By the column of `properties`. */
export const STATED_FIELDS: Record<string, StatedField> = {
  address_line1: ofHome('address.line1', 'House number and street.'),
  address_unit: ofHome('address.unit', 'Apartment or unit.'),
  city: ofHome('address.city', 'City of the address.'),
  zip: ofHome('address.zip', 'ZIP code.'),
  latitude: ofHome('latitude', 'Coordinates, with `longitude`.'),
  sqft: ofHome('sqft', 'Living area.'),
  bedrooms: ofHome('bedrooms', 'Bedrooms.'),
  bathrooms: ofHome('bathrooms', 'Bathrooms, half ones as 0.5.'),
  lot_sqft: ofHome('parcel.lot_sqft', 'Area of the lot.'),
  land_use_code: ofHome('parcel.land_use_code', 'Use of the land as the assessor writes it.'),
  zoning: ofHome('parcel.zoning', 'Zoning district.'),
  legal_description: ofHome('parcel.legal_description', 'Legal description.'),
  subdivision: ofHome('parcel.subdivision', 'Subdivision.'),
  neighborhood: ofHome('parcel.neighborhood', 'Neighborhood.'),
  year_built: ofHome('structure.year_built', 'Year of construction.'),
  effective_year_built: ofHome('structure.effective_year_built', 'Year that accounts for renovation.'),
  stories: ofHome('structure.stories', 'Stories.'),
  units: ofHome('structure.units', 'Dwelling units.'),
  garage_spaces: ofHome('structure.garage_spaces', 'Cars that the garage holds.'),
  heating: ofHome('structure.heating', 'Heating.'),
  cooling: ofHome('structure.cooling', 'Cooling.'),
  exterior: ofHome('structure.exterior', 'Outer walls.'),
  condition: ofHome('structure.condition', 'Condition.'),
  quality: ofHome('structure.quality', 'Quality of construction.'),
  style: ofHome('structure.style', 'Style.'),
  owner_type: { name: 'owner', layer: 'owners', says: 'The owner, and whether a person, a company or a government.' },
  assessed_value: { name: 'assessments', layer: 'assessments', says: 'Assessed value.' },
  last_sale_date: { name: 'last_sale', layer: 'transactions', says: 'The last sale.' },
  last_sale_price: { name: 'last_sale.price', layer: 'transactions', says: 'Price of the last sale.' },
  census_tract: { name: 'parcel.census_tract', layer: 'census', says: 'Census tract.' },
  flood_zone: { name: 'risk_summary.flood_zone', layer: 'flood', says: 'FEMA flood zone.' },
};

/** Before the name of a layer by recipe, where its homes are counted. */
export const LAYER_FIELD = 'risk.';

/** Of a county's properties: how many state a field, and the source of most of them. */
export type FieldCounts = Record<string, { stated: number; source: string | null }>;
