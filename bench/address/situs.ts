// Real situs addresses from six places, split into components by each publisher's own format, not by our parser.
import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { createInterface } from 'node:readline';
import type { SitusAddress, SuffixMap } from '../../src/records/address/parse/canonical.ts';

export interface Components {
  number: string;
  pre: string;
  name: string;
  suffix: string;
  unit: string;
  city: string;
  state: string;
  zip: string;
}

export interface Situs extends SitusAddress {
  unit: string;
  zip: string;
  suffixes?: SuffixMap;
  /** Undefined if the publisher's format does not separate the parts; such records are searched but not queried. */
  parts?: Components;
}

type Row = Record<string, string>;

const MILWAUKEE: SuffixMap = { TR: 'TER', CR: 'CIR', PK: 'PKWY', WA: 'WAY', BL: 'BLVD', AV: 'AVE', LA: 'LN' };
const BOROUGHS: Record<string, [city: string, fips: number]> = {
  1: ['NEW YORK', 36061],
  2: ['BRONX', 36005],
  3: ['BROOKLYN', 36047],
  4: ['QUEENS', 36081],
  5: ['STATEN ISLAND', 36085],
};

export async function loadSitus(dataDir: string): Promise<Situs[]> {
  if (!existsSync(dataDir)) return [];
  const all = [
    ...(await milwaukee(dataDir)),
    ...(await newYork(dataDir)),
    ...(await philadelphia(dataDir)),
    ...(await cambridge(dataDir)),
    ...(await chicago(dataDir)),
    ...(await lyme(dataDir)),
  ];
  const ordinals = new Map<string, number>();
  const unique = new Map(all.map((situs) => [`${situs.propertyId}|${situs.line1}|${situs.unit}`, situs]));
  return [...unique.values()].map((situs) => {
    const ordinal = ordinals.get(situs.propertyId) ?? 0;
    ordinals.set(situs.propertyId, ordinal + 1);
    return { ...situs, ordinal };
  });
}

async function milwaukee(dataDir: string): Promise<Situs[]> {
  const place = { fips: 55079, city: 'MILWAUKEE', state: 'WI', suffixes: MILWAUKEE };
  const units = new Map<string, Row>();
  for (const file of readdirSync(join(dataDir, 'milwaukee/sales')).filter((name) => name.startsWith('armslength'))) {
    for await (const row of readCsv(join(dataDir, 'milwaukee/sales', file))) {
      if (row.PropType === 'Condominium' && /, Unit \S+$/.test(row.Address))
        units.set(row.taxkey.padStart(10, '0'), row);
    }
  }
  const result: Situs[] = [];
  for await (const row of readCsv(join(dataDir, 'milwaukee/parcels.csv.gz'))) {
    if (!row.address) continue;
    const [, street = row.address, unit = ''] = /^(.*), Unit (\S+)$/.exec(units.get(row.taxkey)?.Address ?? '') ?? [];
    result.push(situsOf(row.taxkey, street, unit, { ...place, zip: row.zip }));
  }
  return result;
}

async function newYork(dataDir: string): Promise<Situs[]> {
  const result: Situs[] = [];
  for await (const row of readCsv(join(dataDir, 'nyc/rolling_sales.csv.gz'))) {
    const [street, unitInAddress = ''] = row.address.split(',').map((part) => part.trim());
    if (!/^\d/.test(street)) continue;
    const [city, fips] = BOROUGHS[row.borough];
    const unit = unitInAddress || row.apartment_number.trim();
    result.push(
      situsOf(row.bbl, street.replace(/\s+/g, ' '), unit, { fips, city, state: 'NY', zip: zipOf(row.zip_code) }),
    );
  }
  return result;
}

async function philadelphia(dataDir: string): Promise<Situs[]> {
  const result: Situs[] = [];
  for await (const row of readCsv(join(dataDir, 'philadelphia/opa_properties_public.csv.gz'))) {
    const place = { fips: 42101, city: 'PHILADELPHIA', state: 'PA', zip: zipOf(row.zip_code) };
    const situs = situsOf(row.parcel_number, row.location, row.unit.trim(), place);
    const [number, pre, name, suffix] = [
      row.house_number,
      row.street_direction,
      row.street_name,
      row.street_designation,
    ].map((part) => part.trim());
    const isPlain = row.location === [number, pre, name, suffix].filter(Boolean).join(' ');
    result.push({
      ...situs,
      parts: isPlain ? { number, pre, name, suffix, unit: situs.unit, ...cityOf(place) } : undefined,
    });
  }
  return result;
}

async function cambridge(dataDir: string): Promise<Situs[]> {
  const result: Situs[] = [];
  for await (const row of readCsv(join(dataDir, 'cambridge/tax_fy2014.csv.gz'))) {
    const [street, unit = ''] = row.Location.replace(/\s+/g, ' ')
      .split('#')
      .map((part) => part.trim());
    if (!/^\d/.test(street)) continue;
    result.push(situsOf(`${row.ML}#${unit}`, street, unit, { fips: 25017, city: 'CAMBRIDGE', state: 'MA', zip: '' }));
  }
  return result;
}

/** Buildings with ranges; a parcel may have several buildings. */
async function chicago(dataDir: string): Promise<Situs[]> {
  const pins = new Map<string, string>();
  for await (const row of readCsv(join(dataDir, 'chicago/building_to_pin10.csv.gz'))) pins.set(row.bldg_id, row.pin10s);
  const place = { fips: 17031, city: 'CHICAGO', state: 'IL', zip: '' };
  const result: Situs[] = [];
  for await (const row of readCsv(join(dataDir, 'chicago/buildings.csv.gz'))) {
    if (!row.st_name1 || Number(row.f_add1) === 0) continue;
    const [low, high] = [Number(row.f_add1), Number(row.t_add1)];
    const number = high > low ? `${low}-${high}` : String(low);
    const parts = { number, pre: row.pre_dir1, name: row.st_name1, suffix: row.st_type1, unit: '', ...cityOf(place) };
    const line1 = [number, parts.pre, parts.name, parts.suffix].filter(Boolean).join(' ');
    result.push({ ...place, propertyId: pins.get(row.bldg_id) ?? row.bldg_id, line1, unit: '', parts });
  }
  return result;
}

async function lyme(dataDir: string): Promise<Situs[]> {
  const result: Situs[] = [];
  for await (const row of readCsv(join(dataDir, 'lyme/parcels.csv.gz'))) {
    if (!/^\d/.test(row.SD_Street_Address)) continue;
    result.push(
      situsOf(`lyme${row.SD_PID}`, row.SD_Street_Address, '', { fips: 33009, city: 'LYME', state: 'NH', zip: '03768' }),
    );
  }
  return result;
}

type Placed = Pick<Situs, 'fips' | 'city' | 'state' | 'zip' | 'suffixes'>;

function situsOf(propertyId: string, line1: string, unit: string, place: Placed): Situs {
  const line = line1
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/^(\d+) ?[+&] ?(\d+)/, '$1-$2');
  return { propertyId, line1: line, unit, ...place, parts: splitLine(line, unit, place) };
}

const cityOf = ({ city, state, zip }: Placed) => ({ city, state, zip });
const zipOf = (text: string): string => /^\d{5}/.exec(text)?.[0] ?? '';

const DIRECTION = /^(N|S|E|W|NORTH|SOUTH|EAST|WEST)$/;
const SUFFIX =
  /^(ST|STREET|AV|AVE|AVENUE|PL|PLACE|DR|DRIVE|RD|ROAD|BL|BLVD|BOULEVARD|CT|COURT|LA|LN|LANE|TR|TER|TERRACE|CR|CIR|PK|PKWY|PARKWAY|WA|WAY|SQ)$/;

/** `NUMBER [DIRECTION] NAME SUFFIX`; anything else is skipped. */
function splitLine(line: string, unit: string, place: Placed): Components | undefined {
  const [number, ...words] = line.split(' ');
  const suffix = words.pop() ?? '';
  if (!/^\d+(-\d+)?$/.test(number) || !SUFFIX.test(suffix) || words.length === 0) return undefined;
  const pre = words.length > 1 && DIRECTION.test(words[0]) ? words.shift()! : '';
  if (
    !/^[A-Z0-9' ]+$/.test(words.join(' ')) ||
    words.some((word, index) => DIRECTION.test(word) || (SUFFIX.test(word) && !(index === 0 && word === 'ST')))
  )
    return undefined;
  return { number, pre, name: words.join(' '), suffix: place.suffixes?.[suffix] ?? suffix, unit, ...cityOf(place) };
}

export async function* readCsv(path: string): AsyncGenerator<Row> {
  const lines = createInterface({ input: createReadStream(path).pipe(createGunzip()) });
  let header: string[] | undefined;
  let open = '';
  for await (const line of lines) {
    const text = open ? `${open}\n${line}` : line;
    if ((text.match(/"/g)?.length ?? 0) % 2 === 1) {
      open = text;
      continue;
    }
    open = '';
    const cells = splitCsv(text.replace(/^\uFEFF/, ''));
    if (!header) header = cells;
    else yield Object.fromEntries(header.map((name, index) => [name, cells[index] ?? '']));
  }
}

function splitCsv(line: string): string[] {
  if (!line.includes('"')) return line.split(',');
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((cell) =>
    (cell[1] ?? cell[2]).replaceAll('""', '"'),
  );
}
