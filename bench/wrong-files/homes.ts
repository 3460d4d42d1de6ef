// Invented homes with their sales: the truth that files are made of and that a load is compared with.
import { seededRandom } from '../../src/base/math/random.ts';

/** A row of a file, by what its columns mean. */
export type Cells = Record<Column, string>;

export const COLUMNS =
  'parcel address city state county zip lat lon sqft lot beds baths year use sold price land building total owner last'.split(
    ' ',
  ) as Column[];
export type Column =
  | 'parcel' | 'address' | 'city' | 'state' | 'county' | 'zip' | 'lat' | 'lon' | 'sqft' | 'lot' | 'beds' | 'baths'
  | 'year' | 'use' | 'sold' | 'price' | 'land' | 'building' | 'total' | 'owner' | 'last'; // prettier-ignore

const STREETS = 'OAK MAPLE ELM CEDAR PINE WALNUT WASHINGTON LINCOLN JEFFERSON LAKEVIEW'.split(' ');
const TYPES = ['ST', 'AVE', 'RD', 'DR', 'LN'];

/** Homes of one town. Parcel numbers have sixteen digits and some begin with a zero, as in many counties. */
export function makeHomes(count: number, seed = 7): Cells[] {
  const random = seededRandom(seed);
  const between = (low: number, high: number) => Math.floor(low + random() * (high - low));
  return Array.from({ length: count }, (_, i): Cells => {
    const sqft = between(850, 3400);
    const total = Math.round((60_000 + sqft * (95 + random() * 30)) / 100) * 100;
    const land = Math.round(total * (0.15 + random() * 0.15));
    const [month, day] = [between(1, 13), between(1, 29)];
    const two = (value: number) => String(value).padStart(2, '0');
    return {
      parcel: `${i % 3 === 0 ? '0' : ''}${7 + (i % 2)}0${String(10_007 + i * 13).padStart(i % 3 === 0 ? 13 : 14, '0')}`,
      address: `${101 + i * 2} ${STREETS[i % 10]} ${TYPES[Math.floor(i / 10) % 5]}`,
      city: 'FRIENDSHIP',
      state: 'WI',
      county: 'ADAMS',
      zip: '53934',
      lat: (43.95 + random() * 0.08).toFixed(6),
      lon: (-89.85 + random() * 0.1).toFixed(6),
      sqft: String(sqft),
      lot: String(between(5200, 24_000)),
      beds: String(Math.min(6, 2 + Math.floor(sqft / 900))),
      baths: String(1 + Math.floor(sqft / 1300) * 0.5),
      year: String(between(1905, 2012)),
      use: i % 12 === 0 ? 'TWO FAMILY' : 'SINGLE FAMILY',
      sold: `20${two(between(13, 23))}-${two(month)}-${two(day)}`,
      price: String(Math.round(total * (0.85 + random() * 0.3))),
      land: String(land),
      building: String(total - land),
      total: String(total),
      owner: `PRIVATE OWNER ${String(i).padStart(4, '0')}`,
      last: '',
    };
  });
}
