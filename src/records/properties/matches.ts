// Whether a record matches a filter, decided in memory with the conditions of the search query: for watchlists and the
// change feed, which see one record at a time. A test keeps the two in agreement.
import { DAY_MS } from '../../base/lib/clock.ts';
import { boxHolds, distanceMiles, polygonsHold, type Point } from '../../base/lib/geo.ts';
import type { FilterValue } from '../../supply/layers/layer.ts';
import { COLUMN_FILTERS, type ColumnFilterName } from './tenure-filters.ts';
import { keepMeeting } from '../../supply/layers/values.ts';
import type { Deps } from '../../base/deps.ts';
import type { Filter, Place, RangeName } from './filter.ts';
import type { PropertyRow } from './sql.ts';

/** The records that match, conditions on layers by recipe included. */
export async function keepMatching(
  { data, catalog }: Pick<Deps, 'data' | 'catalog'>,
  filter: Filter,
  rows: PropertyRow[],
): Promise<PropertyRow[]> {
  const matching = rows.filter((row) => matchesFilter(filter, row));
  if (filter.conditions.length === 0) return matching;
  return keepMeeting(data, [...(await catalog.read()).layers.values()], filter.conditions, matching);
}

function matchesFilter(filter: Filter, row: PropertyRow): boolean {
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
    filter.layers.every(({ name, value }) => matchesLayer(name, value, row)) &&
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

/** An unknown value matches neither yes nor no. */
function matchesLayer(name: ColumnFilterName, wanted: FilterValue, row: PropertyRow): boolean {
  const { test, column } = COLUMN_FILTERS[name];
  const value = row[column];
  if (value === null) return false;
  if (test === 'any') return wanted ? Number(value) > 0 : value === 0;
  if (test === 'since') return value >= (wanted as string);
  return test === 'among' ? (wanted as string[]).includes(String(value)) : value === wanted;
}

function isAt(place: Place | undefined, row: PropertyRow): boolean {
  if (!place) return true;
  if (row.latitude === null || row.longitude === null) return false;
  const point = row as Point;
  const isInBox = boxHolds(place.box, point);
  if (!isInBox || place.kind === 'box') return isInBox;
  return place.kind === 'circle'
    ? distanceMiles(place.center, point) <= place.radiusMiles
    : polygonsHold(place.polygons, point);
}
