// A fourth wave of wrong files: what was met in files of strangers, and the small habits of spreadsheets, listings and old
// programs.
import { all, every, type Kind, lines } from './kind.ts';

const halfAsOne = (baths: string) => (baths.endsWith('.5') ? `${Math.floor(Number(baths))}.1` : baths);

export const FOURTH_KINDS: Kind[] = [
  {
    name: 'prices as accountants write them',
    rows: all(({ price }, i) => ({ price: i % 9 === 0 ? ' $-   ' : ` $${Number(price).toLocaleString('en')}.00 ` })),
    isRight: true,
  },
  {
    name: 'city, state and ZIP code run on from the street',
    rows: all(({ address, city, state, zip }) => ({ address: `${address} ${city} ${state} ${zip}` })),
    isRight: true,
  },
  {
    name: 'every row in quotes as a whole',
    text: lines((list) => list.map((line) => (line === '' ? line : `"${line.replaceAll('"', '""')}"`))),
  },
  {
    name: 'blanks that do not break',
    rows: all(({ address, price }) => ({
      address: address.replaceAll(' ', '\u00a0'),
      price: price.replace(/(\d)(\d{3})$/, '$1\u00a0$2'),
    })),
    isRight: true,
  },
  { name: 'the parcel as a formula', rows: all(({ parcel }) => ({ parcel: `="${parcel}"` })), isRight: true },
  {
    name: 'entities of HTML in addresses',
    rows: every(3, ({ address }) => ({ address: address.replace(' ', '&nbsp;') })),
  },
  {
    name: 'coordinates with decimal commas',
    rows: all(({ lat, lon }) => ({ lat: lat.replace('.', ','), lon: lon.replace('.', ',') })),
  },
  {
    name: 'lots in acres by name, a fifth',
    rows: every(5, ({ lot }) => ({ lot: `${(Number(lot) / 43_560).toFixed(2)} AC` })),
  },
  {
    name: 'a date of zeros for none, some',
    rows: every(9, () => ({ sold: '00/00/0000', price: '' })),
    truth: 'file',
    isRight: true,
  },
  {
    name: 'each home again with the value and area of an older year',
    rows: (rows) => [
      ...rows.map((row) => ({ ...row, sqft: String(Number(row.sqft) - 120), total: String(Number(row.total) * 0.8) })),
      ...rows,
    ],
  },
  { name: 'half baths as .1', rows: all(({ baths }) => ({ baths: halfAsOne(baths) })) },
  { name: 'bedrooms with BR', rows: all(({ beds }) => ({ beds: `${beds} BR` })), isRight: true },
  {
    name: 'coordinates with letters of their directions',
    rows: all(({ lat, lon }) => ({ lat: `${lat} N`, lon: `${lon.slice(1)} W` })),
    isRight: true,
  },
  { name: 'ZIP codes with .0', rows: all(({ zip }) => ({ zip: `${zip}.0` })), isRight: true },
  {
    name: 'tabs within cells',
    rows: every(4, ({ address }) => ({ address: address.replace(' ', ' \t') })),
    isRight: true,
  },
  { name: 'prices with a sign behind', rows: every(10, ({ price }) => ({ price: `${price}-` })) },
];
