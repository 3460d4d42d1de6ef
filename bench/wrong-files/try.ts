// Tries one wrong file as an operator would: begins a recipe, loads what it says, and compares the records with the truth.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool } from '../../src/base/db/postgres.ts';
import { addresses } from '../../src/records/address/filing.ts';
import { ingest, removeMarket } from '../../src/supply/ingest/ingest.ts';
import { parseRecipe } from '../../src/supply/ingest/recipes.ts';
import { scaffoldSource } from '../../src/supply/ingest/scaffold.ts';
import type { Cells, Column } from './homes.ts';
import type { Kind } from './kind.ts';
import { cellsOf, type Shape } from './shapes.ts';

export type Verdict = 'right' | 'refused' | 'warned' | 'silent';

export interface Trial {
  kind: Kind;
  shape: Shape;
  verdict: Verdict;
  /** Findings beyond those of the file as it was, or why it was refused. */
  told: string[];
  /** Wrong values that were served. */
  wrong: string[];
}

const FIPS = 55_001;
const TODAY = '2024-06-30';
const PLACE = { id: 'friendship-wi', name: 'Friendship, Wisconsin', state: 'WI', fips: FIPS, county: 'Adams County' };

export const appliesTo = ({ text, needs }: Kind, { separator, columns }: Shape): boolean =>
  !(text && separator === '') && (needs === undefined || columns.some(([column]) => column === needs));

function writeFile(path: string, { rows, header, text }: Kind, shape: Shape, homes: Cells[]): void {
  const names = shape.columns.map(([, name]) => name);
  const written = shape.write(header?.(names) ?? names, cellsOf(shape, rows?.(homes) ?? homes));
  writeFileSync(path, text?.(written, shape) ?? written);
}

interface Bench {
  data: Pool;
  folder: string;
  homes: Cells[];
  /** Findings of the file as it was, by shape. */
  usual: Map<Shape, string[]>;
}

export async function tryFile(bench: Bench, kind: Kind, shape: Shape): Promise<Trial> {
  const { data, folder, homes } = bench;
  mkdirSync(folder, { recursive: true });
  const path = join(folder, shape.file);
  const told: string[] = [];
  let seen = 0;
  const refused = (error: unknown): Trial => ({
    kind,
    shape,
    verdict: 'refused',
    told: [(error as Error).message.split('\n')[0].slice(0, 160)],
    wrong: [],
  });
  const load = async (recipe: string) => {
    const source = parseRecipe(recipe, 'recipe');
    const deps = { data, clock: () => new Date(`${TODAY}T12:00:00Z`), cacheFolder: folder, addresses };
    for (const report of await ingest(deps, [source], [source], { from: folder })) {
      told.push(...(report.findings ?? []).map(({ id }) => id));
      seen += report.rowsQuarantined + report.rowsSkipped + report.rowsUnused;
    }
  };
  const begin = () => scaffoldSource({ files: [path], cacheFolder: folder, place: PLACE, today: TODAY, addresses });
  try {
    writeFile(path, kind.isNext ? { name: 'before' } : kind, shape, homes);
    const { recipe, findings } = await begin();
    if (recipe.includes('FILL IN')) throw new Error('the recipe has lines to fill in');
    await load(recipe);
    if (kind.isNext) {
      writeFile(path, kind, shape, homes);
      await load(recipe);
    } else told.push(...(findings ?? []).map(({ id }) => id));
    const truth = kind.truth === 'file' ? (kind.rows?.(homes) ?? homes) : homes;
    const wrong = await compare(data, truth, { seen, columns: shape.columns.map(([column]) => column) });
    const news = [...new Set(told)].filter((id) => !bench.usual.get(shape)?.includes(id));
    const verdict = wrong.length === 0 ? 'right' : news.length > 0 ? 'warned' : 'silent';
    return { kind, shape, verdict, told: news, wrong };
  } catch (error) {
    return refused(error);
  } finally {
    await removeMarket({ data }, PLACE.id, [FIPS]);
  }
}

const NUMBERS: [column: Column, field: string, tolerance: number][] = [
  ['lat', 'latitude', 0.00001],
  ['lon', 'longitude', 0.00001],
  ['sqft', 'sqft', 1],
  ['lot', 'lot_sqft', 25],
  ['beds', 'bedrooms', 0],
  ['baths', 'bathrooms', 0],
  ['year', 'year_built', 0],
  ['land', 'land', 0],
  ['building', 'improvements', 0],
  ['total', 'total', 0],
];

const TYPES: Record<string, string> = {
  'SINGLE FAMILY': 'single_family',
  'TWO FAMILY': 'multi_family',
  'VACANT LAND': 'land',
  'COMMON AREA': 'other',
  'NON-RESIDENTIAL STRUCTURE': 'other',
  'GARAGE - RESIDENTIAL': 'other',
};

/** What is served and is not so. A value that is unknown is not wrong, and neither is a home that was said to be refused. */
async function compare(
  data: Pool,
  truth: Cells[],
  { seen, columns }: { seen: number; columns: Column[] },
): Promise<string[]> {
  const homes = new Map(truth.map((home) => [home.parcel, home]));
  const wrong: string[] = [];
  const note = (text: string) => void wrong.push(text);
  const served = await data.query<Record<string, string | number | null>>(
    `select p.id, apn, address_line1, city, zip, latitude, longitude, sqft, lot_sqft, bedrooms, bathrooms, year_built,
       property_type, a.land, a.improvements, a.total, o.names[1] as owner
     from properties p
     left join lateral (
       select land, improvements, total from assessments a where a.fips = p.fips and a.property_id = p.id
       order by year desc, known_on desc limit 1
     ) a on true
     left join lateral (
       select names from owners o where o.fips = p.fips and o.property_id = p.id and o.ended_on is null
       order by known_on desc limit 1
     ) o on true
     where p.fips = $1 and status = 'active'`,
    [FIPS],
  );
  for (const row of served.rows) {
    const home = homes.get(String(row.apn));
    if (!home) note(`parcel ${row.apn}`);
    if (!home) continue;
    for (const [column, field, tolerance] of NUMBERS)
      if (row[field] !== null && Math.abs(Number(row[field]) - Number(home[column])) > tolerance)
        note(`${row.apn} ${field} ${row[field]}, not ${home[column]}`);
    for (const [column, field] of [
      ['address', 'address_line1'],
      ['city', 'city'],
      ['zip', 'zip'],
      ['owner', 'owner'],
    ] as const)
      if (row[field] !== null && columns.includes(column) && row[field] !== home[column])
        note(`${row.apn} ${field} ${row[field]}, not ${home[column]}`);
    if (row.property_type !== TYPES[home.use]) note(`${row.apn} ${row.property_type}, not ${home.use}`);
  }
  if (homes.size - served.rows.length > seen)
    note(`${homes.size - served.rows.length} homes are missing, ${seen} were told`);
  const sales = await data.query<{ apn: string; sale_date: string; date_precision: string; price: number }>(
    `select p.apn, t.sale_date, t.date_precision, t.price from transactions t join properties p on p.fips = t.fips and p.id = t.property_id
     where t.fips = $1 and t.retired_at is null and p.status = 'active'`,
    [FIPS],
  );
  for (const { apn, sale_date, date_precision, price } of sales.rows) {
    const home = homes.get(apn);
    const told = date_precision === 'month' ? 7 : 10;
    if (
      home &&
      (home.sold.slice(0, told) !== sale_date.slice(0, told) || Number(home.price) !== Number(price)) &&
      Number(price) > 0
    )
      note(`${apn} sold ${sale_date} for ${price}, not ${home.sold} for ${home.price}`);
  }
  return wrong;
}
