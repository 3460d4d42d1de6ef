// Reads the public sales files of the benchmark markets into the valuation's sale records.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { noAttributes, type Attributes, type Sale } from '../src/avm/attributes.ts';

const LAG_DAYS = 14;

export function findDataFolder(): string | undefined {
  const folder = process.env.PLATBOOK_DATA ?? join(import.meta.dirname, '../../shared/data');
  return existsSync(folder) ? folder : undefined;
}

export const readers: Record<string, (folder: string) => Sale[]> = {
  'king-county': readKingCounty,
  seattle: readSeattle,
  milwaukee: readMilwaukee,
  nyc: readNyc,
  philadelphia: readPhiladelphia,
};

type Row = Record<string, string>;

export function readCells(path: string): string[][] {
  const bytes = readFileSync(path);
  return splitCsv((path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').replace(/^\uFEFF/, ''));
}

export function readCsv(path: string): Row[] {
  const records = readCells(path);
  const header = records[0].map((name) => name.trim().toLowerCase());
  return records.slice(1).map((cells) => Object.fromEntries(header.map((name, i) => [name, (cells[i] ?? '').trim()])));
}

function splitCsv(text: string): string[][] {
  const records: string[][] = [];
  let cells: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      for (;;) {
        const close = text.indexOf('"', at + 1);
        cell += text.slice(at + 1, close);
        at = close + 1;
        if (text[at] !== '"') break;
        cell += '"';
      }
    } else {
      let end = at;
      while (end < text.length && text[end] !== ',' && text[end] !== '\n' && text[end] !== '\r') end++;
      cell = text.slice(at, end);
      at = end;
    }
    cells.push(cell);
    if (text[at] === ',') {
      at++;
      if (at === text.length || text[at] === '\n' || text[at] === '\r') cells.push('');
      else continue;
    }
    while (text[at] === '\r' || text[at] === '\n') at++;
    if (cells.length > 1) records.push(cells);
    cells = [];
  }
  return records;
}

/** A positive number, or null: these files write 0, NULL and blanks for "unknown". */
function positive(text: string | undefined): number | null {
  const value = Number((text ?? '').replace(/[$,]/g, ''));
  return Number.isFinite(value) && value > 0 ? value : null;
}

function dayOf(year: number, month: number, day: number): number {
  return Math.floor(Date.UTC(year, month - 1, day) / 86_400_000);
}

function isoDay(text: string): number {
  return dayOf(Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8, 10)));
}

function sale(id: string, propertyId: string, soldDay: number, priceUsd: number, known: Partial<Attributes>): Sale {
  const attributes = { ...noAttributes, ...known };
  return { id, propertyId, soldDay, knownDay: soldDay + LAG_DAYS, priceUsd, attributes, address: null };
}

function bySoldDay(sales: Sale[]): Sale[] {
  return sales.toSorted((a, b) => a.soldDay - b.soldDay || (a.id < b.id ? -1 : 1));
}

function readKingCounty(folder: string): Sale[] {
  return bySoldDay(
    readCsv(join(folder, 'king-county/kc_house_sales.csv.gz')).map((row, i) => {
      const soldDay = dayOf(+row.date.slice(0, 4), +row.date.slice(4, 6), +row.date.slice(6, 8));
      const renovated = positive(row.yr_renovated);
      const soldYear = +row.date.slice(0, 4);
      return sale(`kc${i}`, row.id, soldDay, Number(row.price), {
        propertyType: 'single_family',
        latitude: Number(row.lat),
        longitude: Number(row.long),
        sqft: positive(row.sqft_living),
        lotSqft: positive(row.sqft_lot),
        bedrooms: Number(row.bedrooms),
        bathrooms: Number(row.bathrooms),
        yearBuilt: positive(row.yr_built),
        effectiveYearBuilt: renovated !== null && renovated <= soldYear ? renovated : positive(row.yr_built),
        stories: positive(row.floors),
        condition: row.condition,
        quality: row.grade,
        zip: row.zipcode,
        extras: {
          waterfront: Number(row.waterfront),
          view: Number(row.view),
          sqft_above: Number(row.sqft_above),
          sqft_basement: Number(row.sqft_basement),
          neighbor_sqft: Number(row.sqft_living15),
          neighbor_lot_sqft: Number(row.sqft_lot15),
        },
      });
    }),
  );
}

function readSeattle(folder: string): Sale[] {
  return bySoldDay(
    readCsv(join(folder, 'king-county/seattle_sales.csv.gz')).map((row) => {
      const soldYear = Number(row.sale_date.slice(0, 4));
      return sale(row.sale_id + row.pinx, row.pinx, isoDay(row.sale_date), Number(row.sale_price), {
        propertyType: row.use_type === 'townhouse' ? 'townhouse' : 'single_family',
        latitude: Number(row.latitude),
        longitude: Number(row.longitude),
        sqft: positive(row.tot_sf),
        lotSqft: positive(row.lot_sf),
        bedrooms: Number(row.beds),
        bathrooms: Number(row.baths),
        yearBuilt: soldYear - Number(row.age),
        effectiveYearBuilt: soldYear - Number(row.eff_age),
        quality: row.bldg_grade,
        neighborhood: row.area,
        extras: { waterfront: Number(row.wfnt) },
      });
    }),
  );
}

/** Milwaukee writes `2013-01`, `3/11/2019` and `2022-04-01`; a sale dated by month counts once the month is over. */
function milwaukeeDay(text: string): { soldDay: number; knownDay: number } {
  const slashed = /^(\d+)\/(\d+)\/(\d{4})/.exec(text);
  if (slashed) {
    const soldDay = dayOf(+slashed[3], +slashed[1], +slashed[2]);
    return { soldDay, knownDay: soldDay + LAG_DAYS };
  }
  if (text.length === 7) {
    const [year, month] = [+text.slice(0, 4), +text.slice(5, 7)];
    return { soldDay: dayOf(year, month, 15), knownDay: dayOf(year, month + 1, 1) + LAG_DAYS };
  }
  return { soldDay: isoDay(text), knownDay: isoDay(text) + LAG_DAYS };
}

function readMilwaukee(folder: string): Sale[] {
  const parcels = new Map(readCsv(join(folder, 'milwaukee/parcels.csv.gz')).map((row) => [row.taxkey, row]));
  const seen = new Set<string>();
  const sales: Sale[] = [];
  for (const file of readdirSync(join(folder, 'milwaukee/sales')).toSorted()) {
    for (const row of readCsv(join(folder, 'milwaukee/sales', file))) {
      if (row.proptype !== 'Residential' && row.proptype !== 'Condominium') continue;
      const price = positive(row.sale_price);
      const taxkey = row.taxkey.padStart(10, '0');
      const sqft = positive(row.fin_sqft ?? row.finishedsqft);
      if (price === null || price < 10_000 || sqft === null || sqft < 300) continue;
      const days = milwaukeeDay(row.sale_date);
      const key = `${taxkey} ${Math.floor(days.soldDay / 31)} ${price}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const parcel = parcels.get(taxkey);
      const units = positive(row.units);
      const full = Number(row.fbath) || 0;
      const half = Number(row.hbath) || 0;
      const condo = row.proptype === 'Condominium';
      sales.push({
        ...sale(key, taxkey, days.soldDay, price, {
          propertyType: condo ? 'condo' : (units ?? 1) > 1 ? 'multi_family' : 'single_family',
          latitude: parcel ? positive(parcel.lat) : null,
          longitude: parcel?.lon ? Number(parcel.lon) : null,
          sqft,
          lotSqft: positive(row.lotsize),
          bedrooms: Number(row.bdrms) || null,
          bathrooms: full + half / 2 || null,
          bathsFull: full || null,
          bathsHalf: half,
          yearBuilt: positive(row.year_built),
          stories: positive(row.stories),
          units,
          rooms: positive(row.nr_of_rms ?? row.rooms),
          style: row.style || null,
          exterior: row.extwall.replaceAll(' ', '') || null,
          zip: parcel?.zip || null,
          neighborhood: row.nbhd.replace(/^0+/, '') || null,
          subdivision: row.condoproject || null,
        }),
        knownDay: days.knownDay,
        // The city publishes only sales that it has validated.
        isVouched: true,
      });
    }
  }
  return bySoldDay(sales);
}

function readNyc(folder: string): Sale[] {
  const families = ['01 ONE FAMILY DWELLINGS', '02 TWO FAMILY DWELLINGS', '03 THREE FAMILY DWELLINGS'];
  return bySoldDay(
    readCsv(join(folder, 'nyc/rolling_sales.csv.gz'))
      .filter(
        (row) =>
          families.includes(row.building_class_category) &&
          Number(row.sale_price) >= 100_000 &&
          positive(row.gross_square_feet),
      )
      .map((row, i) =>
        sale(`nyc${i}`, row.bbl, isoDay(row.sale_date), Number(row.sale_price), {
          propertyType: row.building_class_category.startsWith('01') ? 'single_family' : 'multi_family',
          sqft: positive(row.gross_square_feet),
          lotSqft: positive(row.land_square_feet),
          yearBuilt: positive(row.year_built),
          units: positive(row.total_units),
          style: row.building_class_at_time_of_sale || null,
          zip: row.zip_code.slice(0, 5) || null,
          neighborhood: row.neighborhood || null,
          city: row.borough,
          subdivision: `${row.borough}-${row.block}`,
        }),
      ),
  );
}

function readPhiladelphia(folder: string): Sale[] {
  return bySoldDay(
    readCsv(join(folder, 'philadelphia/opa_properties_public.csv.gz'))
      .filter(
        (row) =>
          /^[12]\b/.test(row.category_code) &&
          row.sale_date >= '2010' &&
          row.sale_date < '2026' &&
          Number(row.sale_price) >= 15_000 &&
          positive(row.total_livable_area),
      )
      .map((row) =>
        sale(row.parcel_number, row.parcel_number, isoDay(row.sale_date), Number(row.sale_price), {
          propertyType: row.category_code.startsWith('2') ? 'multi_family' : 'single_family',
          latitude: Number(row.lat) || null,
          longitude: Number(row.lng) || null,
          sqft: positive(row.total_livable_area),
          lotSqft: positive(row.total_area),
          bedrooms: positive(row.number_of_bedrooms),
          bathrooms: positive(row.number_of_bathrooms),
          yearBuilt: positive(row.year_built),
          stories: positive(row.number_stories),
          garageSpaces: row.garage_spaces ? Number(row.garage_spaces) : null,
          condition: row.interior_condition || null,
          zip: row.zip_code.slice(0, 5) || null,
          neighborhood: row.geographic_ward || null,
          censusTract: row.census_tract || null,
          style: row.building_code_description || null,
          exterior: row.exterior_condition || null,
        }),
      ),
  );
}
