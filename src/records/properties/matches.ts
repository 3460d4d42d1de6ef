// Whether a record matches a filter, decided in memory with the conditions of the search query: for watchlists and the
// change feed, which see one record at a time. Pure; a test keeps the two in agreement.
import { DAY_MS } from '../../base/lib/clock.ts';
import { distanceMiles, polygonsHold, type Point } from '../../base/lib/geo.ts';
import type { Filter, Place, RangeName } from './filter.ts';
import type { PropertyRow } from './sql.ts';

export function matchesFilter(filter: Filter, row: PropertyRow): boolean {
  const among = (list: readonly unknown[], value: unknown) => list.length === 0 || list.includes(value);
  const equal = (wanted: unknown, value: unknown) => wanted === undefined || wanted === value;
  return (
    row.status === 'active' &&
    among(filter.markets, row.market) &&
    among(filter.states, row.state) &&
    among(filter.counties, row.fips) &&
    among(filter.cities, row.city?.toUpperCase()) &&
    among(filter.zips, row.zip) &&
    among(filter.tracts, row.census_tract) &&
    among(filter.types, row.property_type) &&
    filter.ranges.every(({ name, min, max }) => isWithin(amountOf(row, name), min, max)) &&
    equal(filter.ownerOccupied, row.owner_occupied) &&
    equal(filter.ownerType, row.owner_type) &&
    equal(filter.floodSfha, row.flood_sfha) &&
    equal(filter.opportunityZone, row.opportunity_zone) &&
    isOpen(filter.hasOpenTaxLien, row.open_tax_liens) &&
    isOpen(filter.hasOpenViolation, row.open_violations) &&
    (filter.permitSince === undefined ||
      (row.last_permit_date !== null && row.last_permit_date >= filter.permitSince)) &&
    (filter.updatedSince === undefined || row.updated_at >= new Date(filter.updatedSince)) &&
    isAt(filter.place, row)
  );
}

function amountOf(row: PropertyRow, name: RangeName): number | string | null {
  const { value, sqft, value_fsd, valued_on, last_sale_price: price, last_sale_date: soldOn } = row;
  if (name === 'uncertainty') return value_fsd;
  if (name === 'value_per_sqft') return value === null || !sqft ? null : value / sqft;
  if (name !== 'growth') return row[name];
  if (value === null || price === null || valued_on === null || soldOn === null || price < 10_000) return null;
  const days = (Date.parse(valued_on) - Date.parse(soldOn)) / DAY_MS;
  return days < 365 ? null : (value / price) ** (365.25 / days) - 1;
}

function isWithin(value: number | string | null, min?: number | string, max?: number | string): boolean {
  if (value === null) return false;
  return (min === undefined || value >= min) && (max === undefined || value <= max);
}

/** Unknown counts as neither open nor none. */
function isOpen(wanted: boolean | undefined, count: number | null): boolean {
  if (wanted === undefined) return true;
  return count !== null && (wanted ? count > 0 : count === 0);
}

function isAt(place: Place | undefined, row: PropertyRow): boolean {
  if (!place) return true;
  if (row.latitude === null || row.longitude === null) return false;
  const point = row as Point;
  const { box } = place;
  const isInBox =
    point.latitude >= box.minLatitude &&
    point.latitude <= box.maxLatitude &&
    point.longitude >= box.minLongitude &&
    point.longitude <= box.maxLongitude;
  if (!isInBox || place.kind === 'box') return isInBox;
  return place.kind === 'circle'
    ? distanceMiles(place.center, point) <= place.radiusMiles
    : polygonsHold(place.polygons, point);
}
