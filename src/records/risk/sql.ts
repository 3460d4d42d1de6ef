// Every query on the risk layers, each for many properties at once.
import type { Queryable } from '../../base/db/postgres.ts';

interface PropertyKey {
  fips: number;
  id: string;
}

interface FloodRow {
  property_id: string;
  zone: string;
  zone_subtype: string | null;
  sfha: boolean;
  base_flood_elevation_ft: number | null;
  firm_panel: string | null;
  effective_date: string | null;
  zones: { zone: string; zone_subtype: string | null; sfha: boolean }[];
}

interface LienRow {
  property_id: string;
  type: string;
  amount: number | null;
  tax_year: number | null;
  filing_date: string | null;
  status: 'open' | 'released' | 'sold' | 'unknown';
  release_date: string | null;
  document_number: string | null;
}

interface PermitRow {
  property_id: string;
  number: string | null;
  type: string | null;
  description: string | null;
  status: string | null;
  issue_date: string | null;
  final_date: string | null;
  job_value: number | null;
}

interface ViolationRow {
  property_id: string;
  case_number: string | null;
  code_section: string | null;
  description: string | null;
  status: 'open' | 'closed' | 'unknown';
  opened_date: string | null;
  closed_date: string | null;
}

interface TractRow {
  geoid: string;
  vintage: number;
  population: number | null;
  median_household_income: number | null;
  per_capita_income: number | null;
  median_home_value: number | null;
  owner_occupied_rate: number | null;
  vacancy_rate: number | null;
  poverty_rate: number | null;
  unemployment_rate: number | null;
  housing_units: number | null;
  internet_rate: number | null;
}

interface ZoneRow {
  tract_geoid: string;
  tract_vintage: number;
  tract_type: string | null;
  designated_on: string | null;
}

async function listOf<Row extends object>(
  db: Queryable,
  properties: PropertyKey[],
  { table, columns, order }: { table: string; columns: string; order: string },
): Promise<Row[]> {
  const { rows } = await db.query<Row>({
    name: `list_${table}`,
    text: `select t.property_id, ${columns} from ${table} t
           join unnest($1::int[], $2::text[]) as p (fips, id) on t.fips = p.fips and t.property_id = p.id
           where t.fips = any($1) order by ${order}`,
    values: [properties.map((p) => p.fips), properties.map((p) => p.id)],
  });
  return rows;
}

export const listFloods = (db: Queryable, properties: PropertyKey[]) =>
  listOf<FloodRow>(db, properties, {
    table: 'flood_stamps',
    columns: 't.zone, t.zone_subtype, t.sfha, t.base_flood_elevation_ft, t.firm_panel, t.effective_date, t.zones',
    order: 't.property_id',
  });

export const listLiens = (db: Queryable, properties: PropertyKey[]) =>
  listOf<LienRow>(db, properties, {
    table: 'tax_liens',
    columns: 't.type, t.amount, t.tax_year, t.filing_date, t.status, t.release_date, t.document_number',
    order: 't.tax_year desc, t.id',
  });

export const listPermits = (db: Queryable, properties: PropertyKey[]) =>
  listOf<PermitRow>(db, properties, {
    table: 'permits',
    columns: 't.number, t.type, t.description, t.status, t.issue_date, t.final_date, t.job_value',
    order: 't.issue_date desc nulls last, t.id',
  });

export const listViolations = (db: Queryable, properties: PropertyKey[]) =>
  listOf<ViolationRow>(db, properties, {
    table: 'code_violations',
    columns: 't.case_number, t.code_section, t.description, t.status, t.opened_date, t.closed_date',
    order: 't.opened_date desc nulls last, t.id',
  });

/** The newest figures for each tract. */
export async function listTracts(db: Queryable, tracts: { fips: number; geoid: string }[]): Promise<TractRow[]> {
  const { rows } = await db.query<TractRow>({
    name: 'list_tracts',
    text: `select distinct on (t.fips, t.geoid) t.geoid, t.vintage, t.population, t.median_household_income, t.per_capita_income,
             t.median_home_value, t.owner_occupied_rate, t.vacancy_rate, t.poverty_rate, t.unemployment_rate, t.housing_units, t.internet_rate
           from census_tracts t join unnest($1::int[], $2::text[]) as w (fips, geoid) on t.fips = w.fips and t.geoid = w.geoid
           order by t.fips, t.geoid, t.vintage desc`,
    values: [tracts.map((tract) => tract.fips), tracts.map((tract) => tract.geoid)],
  });
  return rows;
}

/** Which of the tracts are zones of the second round; undefined while its list is not loaded. */
export async function listZonesOf2027(
  db: Queryable,
  tracts: { fips: number; geoid: string }[],
): Promise<Set<string> | undefined> {
  const { rows } = await db.query<{ is_loaded: boolean; zones: string[] }>({
    name: 'list_zones_2027',
    text: `select exists (select 1 from opportunity_zones_2027) as is_loaded, array(
             select z.tract_geoid from opportunity_zones_2027 z
             join unnest($1::int[], $2::text[]) as w (fips, geoid) on z.fips = w.fips and z.tract_geoid = w.geoid
           ) as zones`,
    values: [tracts.map((tract) => tract.fips), tracts.map((tract) => tract.geoid)],
  });
  return rows[0].is_loaded ? new Set(rows[0].zones) : undefined;
}

export async function listZones(db: Queryable, tracts: { fips: number; geoid: string }[]): Promise<ZoneRow[]> {
  const { rows } = await db.query<ZoneRow>({
    name: 'list_zones',
    text: `select z.tract_geoid, z.tract_vintage, z.tract_type, z.designated_on
           from opportunity_zones z join unnest($1::int[], $2::text[]) as w (fips, geoid) on z.fips = w.fips and z.tract_geoid = w.geoid`,
    values: [tracts.map((tract) => tract.fips), tracts.map((tract) => tract.geoid)],
  });
  return rows;
}
