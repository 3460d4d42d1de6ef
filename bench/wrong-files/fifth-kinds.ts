// A fifth wave of wrong files: values and owners under the wrong names, units that stand in cells, dates of other calendars, and
// editions that are older than the last.
import { all, every, type Kind, swap } from './kind.ts';

const withWidth = (text: string) => text.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const monthOf = (date: string) => `${MONTHS[Number(date.slice(5, 7)) - 1]}-${date.slice(2, 4)}`;
const secondsOf = (date: string) => String(Date.parse(date) / 1000);
const withVacantLots = every(10, ({ total }) => ({
  use: 'VACANT LAND',
  sqft: '',
  beds: '',
  baths: '',
  year: '',
  land: total,
  building: '0',
}));

export const FIFTH_KINDS: Kind[] = [
  { name: 'owner and address exchanged', rows: swap('owner', 'address'), needs: 'owner' },
  {
    name: 'value of land and of the building exchanged',
    rows: (rows) => swap('land', 'building')(withVacantLots(rows)),
    needs: 'land',
  },
  { name: 'the value of the land in place of the total', rows: all(({ land }) => ({ total: land })), needs: 'total' },
  {
    name: 'values in thousands',
    rows: all(({ total }) => ({ total: (Number(total) / 1000).toFixed(1) })),
    needs: 'total',
  },
  { name: 'baths times ten', rows: all(({ baths }) => ({ baths: String(Number(baths) * 10) })) },
  { name: 'ages for years built', rows: all(({ year }) => ({ year: String(2024 - Number(year)) })) },
  { name: 'latitude and longitude in one cell', rows: all(({ lat, lon }) => ({ lat: `${lat}, ${lon}`, lon: '' })) },
  {
    name: 'longitudes with a typographic minus',
    rows: all(({ lon }) => ({ lon: lon.replace('-', '\u2212') })),
    isRight: true,
  },
  {
    name: 'prices with apostrophes',
    rows: all(({ price }) => ({ price: price.replace(/\d(?=(\d{3})+$)/g, "$&'") })),
    isRight: true,
  },
  {
    name: 'digits of full width',
    rows: all(({ sqft, price }) => ({ sqft: withWidth(sqft), price: withWidth(price) })),
  },
  {
    name: 'ranges of prices, some',
    rows: every(6, ({ price }) => ({ price: `${Number(price) - 5000}-${Number(price) + 5000}` })),
  },
  { name: 'words for prices that are not told', rows: every(5, () => ({ price: 'Undisclosed' })), truth: 'file' },
  { name: 'sale dates as month and year', rows: all(({ sold }) => ({ sold: monthOf(sold) })) },
  { name: 'sale dates in seconds', rows: all(({ sold }) => ({ sold: secondsOf(sold) })) },
  {
    name: 'sale dates with the hours from Greenwich',
    rows: all(({ sold }) => ({ sold: `${sold}T00:00:00-05:00` })),
    isRight: true,
  },
  {
    name: 'sale dates before midnight in Greenwich',
    rows: all(({ sold }) => ({ sold: `${sold}T23:30:00Z` })),
    isRight: true,
  },
  { name: 'baths in fractions', rows: all(({ baths }) => ({ baths: baths.replace('.5', ' 1/2') })) },
  { name: 'years built with circa', rows: every(4, ({ year }) => ({ year: `c. ${year}` })) },
  { name: 'lots by their sides', rows: all(({ lot }) => ({ lot: `10 X ${(Number(lot) / 10).toFixed(1)}` })) },
  { name: 'one ZIP code filled down from elsewhere', rows: all(() => ({ zip: '53701' })) },
  {
    name: 'one point for each street',
    rows: all((_row, i, rows) => ({ lat: rows[i % 10].lat, lon: rows[i % 10].lon })),
  },
  { name: 'addresses without numbers', rows: all(({ address }) => ({ address: address.replace(/^\d+ /, '') })) },
  { name: 'prices of the row above, every second', rows: every(2, (_row, i, rows) => ({ price: rows[i - 1].price })) },
  { name: 'no bedrooms for none known, a third', rows: every(3, () => ({ beds: '0' })) },
  {
    name: 'half of the homes again with hyphens in their parcels',
    rows: (rows) => [
      ...rows,
      ...rows.slice(0, rows.length / 2).map((row) => ({ ...row, parcel: row.parcel.replace(/^(.{4})/, '$1-') })),
    ],
  },
  {
    name: 'next: owners pasted one row too low',
    isNext: true,
    needs: 'owner',
    rows: all((_row, i, rows) => ({ owner: rows[Math.max(0, i - 1)].owner })),
  },
  {
    name: 'next: values pasted one row too low',
    isNext: true,
    needs: 'total',
    rows: all((_row, i, rows) => ({ total: rows[Math.max(0, i - 1)].total })),
  },
  { name: 'next: latitude and longitude exchanged', isNext: true, rows: swap('lat', 'lon') },
  { name: 'next: years ten too late', isNext: true, rows: all(({ year }) => ({ year: String(Number(year) + 10) })) },
  {
    name: 'next: prices rounded to thousands',
    isNext: true,
    rows: all(({ price }) => ({ price: String(Math.round(Number(price) / 1000) * 1000) })),
  },
];
