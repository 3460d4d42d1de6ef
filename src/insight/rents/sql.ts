// Queries of rents: nearby home values, leases of rent rolls, and each market's calibration.
import type { Queryable } from '../../base/db/postgres.ts';
import { replaceRow } from '../../base/db/rows.ts';
import { changeRows, findValue, listRows, part, raw } from '../../base/db/statements.ts';
import { boxAround, cellsOfBox, FINE_DEGREES, type Point } from '../../base/lib/geo.ts';
import { listCountiesOf } from '../../records/markets/sql.ts';
import type { PropertyRow } from '../../records/properties/sql.ts';
import type { ValuedHome } from '../../supply/layers/values.ts';
import { VALUED_TYPES } from '../valuations/sql.ts';
import type { Calibration } from './area-rent.ts';

/** The median of fewer homes is too noisy. */
const LEAST_HOMES = 10;
const AREA = { tract: 'census_tract', zip: 'zip' } as const;
export type AreaKind = keyof typeof AREA;

/** Median values by size in areas with enough homes, for a market or one home. */
export const listAreaValues = (
  db: Queryable,
  kind: AreaKind,
  counties: readonly number[],
  of: { market: string; home?: Pick<PropertyRow, 'census_tract' | 'zip'>; bedrooms?: number },
) =>
  listRows<{ key: string; bedrooms: number; value: number }>(db)`
    select p.${raw(AREA[kind])} as key, p.bedrooms, percentile_cont(0.5) within group (order by p.value) as value
    from properties p
    where p.fips = any (${counties}) and p.market = ${of.market} and p.status = 'active' and p.value is not null
      and p.property_type = any (${VALUED_TYPES}) and coalesce(p.units, 1) = 1 and p.bedrooms is not null
      and p.${raw(AREA[kind])} ${of.home ? part`= ${of.home[AREA[kind]]}` : raw('is not null')}
      ${of.bedrooms === undefined ? raw('') : part`and p.bedrooms = ${of.bedrooms}`}
    group by p.fips, p.${raw(AREA[kind])}, p.bedrooms having count(*) >= ${LEAST_HOMES}`;

export interface LeaseRow extends ValuedHome {
  rent: number;
  leased_on: string;
  bedrooms: number | null;
  value: number | null;
  units: number | null;
}

const LEASE = raw(
  `r.rent, r.leased_on, coalesce(r.bedrooms, case when coalesce(p.units, 1) = 1 then p.bedrooms end) as bedrooms`,
);

export const listLeases = async (db: Queryable, market: string) =>
  listRows<LeaseRow>(db)`
    select ${LEASE}, p.fips, p.id, p.zip, p.census_tract, p.census_tract_2010, p.block_group, p.value, p.units
    from rents r join properties p on p.fips = r.fips and p.id = r.property_id
    where r.fips = any (${await listCountiesOf(db, market)}) and p.market = ${market} and r.rent > 0
    order by r.leased_on, p.id, r.unit`;

/** Leases farther away are in other neighborhoods. */
export const REACH_MILES = 1.5;
const MOST_DAYS = 1_100;

/** Leases near a point up to a day, of homes with about as many bedrooms. */
export const listLeasesNear = (
  db: Queryable,
  place: Point & { fips: number; market: string },
  { bedrooms, day }: { bedrooms: number | null; day: string },
) =>
  listRows<
    Point & { property_id: string; rent: number; leased_on: string; bedrooms: number | null; sqft: number | null }
  >(db, 'list_leases_near')`
    select r.property_id, ${LEASE}, coalesce(r.sqft, case when coalesce(p.units, 1) = 1 then p.sqft end) as sqft, p.latitude,
      p.longitude
    from properties p join rents r on r.fips = p.fips and r.property_id = p.id
    where p.cell_fine = any (${cellsOfBox(boxAround(place, REACH_MILES), FINE_DEGREES)}) and p.fips = ${place.fips}
      and p.market = ${place.market} and p.status = 'active' and r.leased_on <= ${day}::date
      and r.leased_on > ${day}::date - ${MOST_DAYS}::int
      and (${bedrooms}::real is null or abs(coalesce(r.bedrooms, p.bedrooms) - ${bedrooms}::real) <= 1)`;

export const findCalibration = (db: Queryable, market: string) =>
  findValue<Calibration>(db)`select calibration from rent_calibrations where market = ${market}`;

/** An undefined calibration, with too few leases, deletes the stored one. */
export const saveCalibration = (db: Queryable, market: string, calibration: Calibration | undefined, at: Date) =>
  calibration
    ? replaceRow(db, 'rent_calibrations', 'market', { market, calibration, measured_at: at })
    : changeRows(db)`delete from rent_calibrations where market = ${market}`;
