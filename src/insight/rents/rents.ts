// Estimates the rent of a home from the rents of its areas and, if an operator has loaded rent rolls, from leases.
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { Deps } from '../../base/deps.ts';
import { dayNumber } from '../../base/lib/clock.ts';
import { distanceMiles } from '../../base/lib/geo.ts';
import { locate } from '../../records/address/locate.ts';
import { newestCoverage, todayIn, type CoveredCatalog } from '../../records/markets/catalog.ts';
import { listTaxes, type PropertyRow } from '../../records/properties/sql.ts';
import { areaKeyOf, readLayerValues } from '../../supply/layers/values.ts';
import { isValuedType } from '../valuations/records.ts';
import { ASSUMED, estimateUnit, LEVEL, logOfAreas, relativeValue, RENT_LAYERS, rentOfSize } from './area-rent.ts';
import type { Calibration } from './area-rent.ts';
import { calibrate, type FittedLease } from './calibrate.ts';
import { coverageOf, returnsOf } from './returns.ts';
import type { ComparableLease, RentArea, RentEstimate, RentRequest } from './schema.ts';
import * as sql from './sql.ts';
import WORDING from './wording.json' with { type: 'json' };

type RentDeps = Pick<Deps, 'data' | 'clock' | 'catalog' | 'records' | 'places'>;
type Layer = keyof typeof RENT_LAYERS;
const LAYERS = Object.entries(RENT_LAYERS).map(([name, join]) => ({ name: name as Layer, join }));
const MAX_COMPARABLES = 10;

export async function estimateRent(deps: RentDeps, mode: KeyMode, request: RentRequest): Promise<RentEstimate> {
  const { bedrooms: _bedrooms, value: _value, purchase_price: _price, match, ...locators } = request.property;
  const { row } = await locate(deps, mode, locators, { match });
  return estimateRentOf(deps, row, request);
}

type Stated = Pick<RentRequest, 'expenses' | 'loan'> & {
  property: Pick<RentRequest['property'], 'bedrooms' | 'value' | 'purchase_price'>;
};

/** The row's value is used if the request does not state one. */
export async function estimateRentOf(
  deps: Pick<RentDeps, 'data' | 'clock' | 'catalog'>,
  row: PropertyRow,
  { property: stated, expenses = {}, loan }: Stated,
): Promise<RentEstimate> {
  const catalog = await deps.catalog.readCovered([row]);
  const asOf = todayIn(catalog, row.market, deps.clock);
  const units = Math.max(1, row.property_type === 'multi_family' ? (row.units ?? 1) : 1);
  const bedrooms = stated.bedrooms ?? sizeOf(row.bedrooms, units);
  const value = stated.value ?? row.value;
  const isRented = isValuedType(row.property_type);
  const [areas, bills, calibration, neighbors, leases] = await Promise.all([
    isRented ? readAreas(deps, catalog, row, bedrooms) : [],
    listTaxes(deps.data, [row]),
    sql.findCalibration(deps.data, row.market),
    isRented && units === 1 && bedrooms !== null ? findAround(deps, row, bedrooms) : undefined,
    isRented && row.latitude !== null ? listComparables(deps, row, { bedrooms, day: asOf }) : [],
  ]);
  const relative = units === 1 ? relativeValue(value, neighbors?.value ?? null) : null;
  const isSized = areas.some((area) => area.bedrooms !== null);
  const found = areas.length === 0 ? undefined : areas.map(({ rent }) => rent);
  const unit = found && estimateUnit(found, { relative, isSized, day: dayNumber(asOf) }, calibration);
  const whole = (amount: number) => Math.round(amount) * units;
  const rent = unit ? whole(unit.rent) : null;
  const bill = bills.find(({ amount_cents }) => amount_cents !== null);
  const earning = {
    rent,
    low: unit ? whole(unit.low) : null,
    on: onOf(stated, row.value),
    stated: expenses,
    bill: bill && { year: bill.year, amount: Number(bill.amount_cents) / 100 },
  };
  const returns = returnsOf(earning);
  return {
    object: 'rent_estimate',
    property_id: row.id,
    market: row.market,
    as_of: asOf,
    rent,
    interval: unit ? { level: LEVEL, low: whole(unit.low), high: whole(unit.high) } : null,
    reason: unit
      ? null
      : !isRented
        ? 'unsupported_property_type'
        : bedrooms === null
          ? 'bedrooms_unknown'
          : 'not_covered',
    units,
    bedrooms,
    basis: {
      ...describeBasis(calibration, units),
      areas,
      value,
      area_value: neighbors?.value ?? null,
      area_kind: neighbors?.kind ?? null,
      relative_value: relative && Math.round(relative * 1e4) / 1e4,
    },
    comparables: leases,
    returns,
    loan: loan ? coverageOf(loan, earning, returns) : null,
  };
}

/** Bedrooms of one unit; the record of a building has those of all units. */
const sizeOf = (bedrooms: number | null, units: number): number | null =>
  bedrooms === null ? null : Math.round(bedrooms / units);

function onOf({ purchase_price, value }: RentRequest['property'], stored: number | null) {
  if (purchase_price !== undefined) return { on: purchase_price, on_basis: 'purchase_price' as const };
  if (value !== undefined) return { on: value, on_basis: 'stated_value' as const };
  return { on: stored, on_basis: stored === null ? null : ('estimated_value' as const) };
}

async function readAreas(
  { data }: Pick<Deps, 'data'>,
  catalog: CoveredCatalog,
  row: PropertyRow,
  bedrooms: number | null,
): Promise<RentArea[]> {
  const loaded = LAYERS.filter(({ name }) => catalog.layers.has(name));
  const valsOf = await readLayerValues(data, loaded, [row]);
  return loaded.flatMap(({ name, join }) => {
    const found = rentOfSize(name, valsOf(row, name) ?? {}, bedrooms);
    const covering = newestCoverage(catalog, row, ({ layer }) => layer === name);
    const about = { source: covering?.source_id ?? null, published_on: covering?.published_on ?? null };
    return found ? [{ layer: name, kind: join, id: areaKeyOf(join, row) ?? '', ...found, ...about }] : [];
  });
}

/** The median value of homes of the size in the tract, or in the ZIP code if the tract has too few. */
async function findAround({ data }: Pick<Deps, 'data'>, row: PropertyRow, bedrooms: number) {
  for (const kind of ['tract', 'zip'] as const) {
    const [found] = await sql.listAreaValues(data, kind, [row.fips], { market: row.market, home: row, bedrooms });
    if (found) return { kind, value: Math.round(found.value) };
  }
  return undefined;
}

async function listComparables(
  { data }: Pick<Deps, 'data'>,
  row: PropertyRow,
  wanted: { bedrooms: number | null; day: string },
): Promise<ComparableLease[]> {
  const place = { fips: row.fips, market: row.market, latitude: row.latitude!, longitude: row.longitude! };
  return (await sql.listLeasesNear(data, place, wanted))
    .map(({ latitude, longitude, ...lease }) => ({
      ...lease,
      distance_miles: Math.round(distanceMiles(place, { latitude, longitude }) * 100) / 100,
    }))
    .filter(({ distance_miles: miles }) => miles <= sql.REACH_MILES)
    .sort((a, b) => a.distance_miles - b.distance_miles || b.leased_on.localeCompare(a.leased_on) || b.rent - a.rent)
    .slice(0, MAX_COMPARABLES);
}

function describeBasis(calibration: Calibration | undefined, units: number) {
  const from = calibration ? ('leases' as const) : ('assumption' as const);
  const { areas, leases, scaled, of_units } = WORDING;
  const parts = [calibration ? leases : areas, ...(units > 1 ? [of_units] : calibration ? [] : [scaled])];
  return {
    kind: calibration ? ('areas_and_leases' as const) : ('areas' as const),
    statement: parts.join(' '),
    elasticity: Math.round((calibration?.fit ?? ASSUMED).elasticity * 1_000) / 1_000,
    elasticity_from: from,
    interval_from: from,
    accuracy: calibration?.accuracy ?? null,
  };
}

/** Fits the leases of a market, if it has enough, and returns the measurements. */
export async function calibrateRents(deps: Pick<Deps, 'data' | 'clock' | 'catalog'>, market: string) {
  const calibration = calibrate(await gatherLeases(deps, market));
  await sql.saveCalibration(deps.data, market, calibration, deps.clock());
  return calibration;
}

async function gatherLeases({ data, catalog }: Pick<Deps, 'data' | 'catalog'>, market: string): Promise<FittedLease[]> {
  const leases = await sql.listLeases(data, market);
  if (leases.length === 0) return [];
  const { layers } = await catalog.read();
  const loaded = LAYERS.filter(({ name }) => layers.has(name));
  const valsOf = await readLayerValues(data, loaded, leases);
  const counties = [...new Set(leases.map(({ fips }) => fips))];
  const worthIn = async (kind: sql.AreaKind) =>
    new Map(
      (await sql.listAreaValues(data, kind, counties, { market })).map((row) => [
        `${row.key} ${row.bedrooms}`,
        row.value,
      ]),
    );
  const [tracts, zips] = [await worthIn('tract'), await worthIn('zip')];
  return leases.flatMap((lease) => {
    const { bedrooms, zip, census_tract: tract, value } = lease;
    const rents = loaded.flatMap(({ name }) => rentOfSize(name, valsOf(lease, name) ?? {}, bedrooms)?.rent ?? []);
    const neighbors = tracts.get(`${tract} ${bedrooms}`) ?? zips.get(`${zip} ${bedrooms}`) ?? null;
    const relative = (lease.units ?? 1) > 1 ? null : relativeValue(value, neighbors);
    if (rents.length === 0) return [];
    return [{ day: dayNumber(lease.leased_on), rent: lease.rent, logArea: logOfAreas(rents), relative }];
  });
}
