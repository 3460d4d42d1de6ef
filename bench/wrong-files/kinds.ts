// What clerks, spreadsheets, exporters and migrations do to a file: each kind changes the rows, the header or the text.
import { type Kind, every, all, swap, scale, sortedBy, dayFirst, monthFirst, addDays, dotted, lines } from './kind.ts';
import { EIGHTH_KINDS } from './eighth-kinds.ts';
import { NINTH_KINDS } from './ninth-kinds.ts';
import { TENTH_KINDS } from './tenth-kinds.ts';
import { FIFTH_KINDS } from './fifth-kinds.ts';
import { FOURTH_KINDS } from './fourth-kinds.ts';
import { MORE_KINDS } from './more-kinds.ts';
import { SEVENTH_KINDS } from './seventh-kinds.ts';
import { SIXTH_KINDS } from './sixth-kinds.ts';
import { THIRD_KINDS } from './third-kinds.ts';

export const KINDS: Kind[] = [
  { name: 'untouched', isRight: true },
  // The file itself.
  {
    name: 'a quote that is never closed, in some rows',
    text: lines((list, { separator }) =>
      list.map((line, i) => (i > 0 && i % 40 === 0 ? line.replace(separator, `${separator}"`) : line)),
    ),
  },
  { name: 'cut off in the middle of a row', text: (text) => text.slice(0, Math.floor(text.length * 0.9) - 17) },
  { name: 'no header', text: lines((list) => list.slice(1)) },
  { name: 'lines that end in CR', text: (text) => text.replaceAll('\n', '\r'), isRight: true },
  { name: 'UTF-16', text: (text) => Buffer.from(`\ufeff${text}`, 'utf16le'), isRight: true },
  { name: 'a byte-order mark', text: (text) => `\ufeff${text}`, isRight: true },
  { name: 'zero bytes', text: (text) => text.replaceAll('FRIENDSHIP', 'FRIEND\u0000SHIP'), isRight: true },
  {
    name: 'the header again every hundred rows',
    text: lines((list) => list.flatMap((line, i) => (i > 0 && i % 100 === 0 ? [list[0], line] : [line]))),
    isRight: true,
  },
  { name: 'empty lines', text: lines((list) => list.flatMap((line) => [line, ''])), isRight: true },
  { name: 'a title above the header', text: (text) => `Adams County Assessor\nprinted 2024\n${text}`, isRight: true },
  {
    name: 'every row ends with a separator',
    text: lines((list, { separator }) => list.map((line, i) => (i > 0 && line !== '' ? `${line}${separator}` : line))),
    isRight: true,
  },
  {
    name: 'an unquoted separator in some addresses',
    text: lines((list, { separator }) =>
      list.map((line, i) => (i > 0 && i % 9 === 0 ? line.replace(/(OAK|ELM|PINE|CEDAR) /, `$1${separator} `) : line)),
    ),
  },
  { name: 'columns of fixed width', text: (text, { separator }) => text.replaceAll(separator, '      ') },
  { name: 'a web page', text: () => '<!doctype html><html><body>Please sign in</body></html>' },
  {
    name: 'a second table with other columns below',
    text: (text, { separator }) =>
      text +
      ['CODE', 'MEANING', '', '1', 'RESIDENTIAL'].reduce((sum, cell, i) => sum + cell + (i % 2 ? '\n' : separator), ''),
  },
  {
    name: 'one name too few in the header',
    text: lines((list, { separator }) => [list[0].slice(0, list[0].lastIndexOf(separator)), ...list.slice(1)]),
  },
  // Parcel numbers.
  {
    name: 'parcels in scientific notation, some',
    rows: every(20, ({ parcel }) => ({ parcel: Number(parcel).toExponential(5).toUpperCase() })),
  },
  {
    name: 'parcels in scientific notation, all',
    rows: all(({ parcel }) => ({ parcel: Number(parcel).toExponential(5).toUpperCase() })),
  },
  { name: 'parcels without leading zeros', rows: all(({ parcel }) => ({ parcel: parcel.replace(/^0+/, '') })) },
  { name: 'parcels rounded to fifteen digits', rows: all(({ parcel }) => ({ parcel: `${parcel.slice(0, 15)}0` })) },
  { name: 'parcels turned into dates, some', rows: every(25, (_, i) => ({ parcel: `${1 + (i % 28)}-Mar` })) },
  { name: 'parcels with .0', rows: all(({ parcel }) => ({ parcel: `${parcel}.0` })), isRight: true },
  { name: 'parcels after an apostrophe', rows: all(({ parcel }) => ({ parcel: `'${parcel}` })), isRight: true },
  { name: 'parcels left out, some', rows: every(15, () => ({ parcel: '' })) },
  { name: 'one parcel number for eight condos', rows: all((_, i, rows) => ({ parcel: rows[i - (i % 8)].parcel })) },
  {
    name: 'one parcel number for some condos',
    rows: (rows) => rows.map((row, i) => (i > 370 ? { ...row, parcel: rows[370].parcel } : row)),
  },
  { name: 'rows twice', rows: (rows) => [...rows, ...rows], isRight: true },
  {
    name: 'a total at the end',
    rows: (rows) => [
      ...rows,
      { ...rows[0], parcel: 'TOTAL', address: '', sold: rows[0].sold, price: '93000000', sqft: '800000' },
    ],
  },
  {
    name: 'test rows',
    rows: (rows) => [...rows, ...[1, 2, 3].map(() => ({ ...rows[0], parcel: 'TEST', address: '1 TEST ST' }))],
  },
  // Units and columns.
  { name: 'living area in square meters', rows: scale('sqft', 1 / 10.7639) },
  {
    name: 'living area in square meters, a fifth',
    rows: every(5, ({ sqft }) => ({ sqft: (Number(sqft) / 10.7639).toFixed(0) })),
  },
  { name: 'lots in acres', rows: scale('lot', 1 / 43_560, 3) },
  { name: 'lots in square meters', rows: scale('lot', 1 / 10.7639) },
  { name: 'prices in thousands', rows: scale('price', 0.001, 1) },
  {
    name: 'prices in thousands, a tenth',
    rows: every(10, ({ price }) => ({ price: (Number(price) / 1000).toFixed(0) })),
  },
  { name: 'prices in cents', rows: scale('price', 100) },
  { name: 'prices with points between thousands', rows: all(({ price }) => ({ price: dotted(price) })) },
  { name: 'prices with points between thousands, some', rows: every(10, ({ price }) => ({ price: dotted(price) })) },
  { name: 'bathrooms with decimal commas', rows: all(({ baths }) => ({ baths: baths.replace('.', ',') })) },
  { name: 'prices as words', rows: every(10, ({ price }) => ({ price: `${(Number(price) / 1e6).toFixed(2)}M` })) },
  { name: 'negative prices, some', rows: every(12, ({ price }) => ({ price: `-${price}` })) },
  { name: 'area and year exchanged', rows: swap('sqft', 'year') },
  { name: 'price and year exchanged', rows: swap('price', 'year') },
  { name: 'bedrooms and bathrooms exchanged', rows: swap('beds', 'baths') },
  { name: 'area and lot exchanged', rows: swap('sqft', 'lot') },
  { name: 'the assessed value in place of the price', needs: 'total', rows: all(({ total }) => ({ price: total })) },
  { name: 'years of two digits', rows: all(({ year }) => ({ year: year.slice(2) })) },
  { name: 'years of the future, some', rows: every(20, () => ({ year: '2087' })) },
  { name: 'one sale date filled down', rows: all(() => ({ sold: '2019-05-06' })) },
  { name: 'one sale date for a third', rows: every(3, () => ({ sold: '2000-01-01' })) },
  { name: 'one price filled down', rows: all(() => ({ price: '250000' })) },
  { name: 'one living area filled down', rows: all(() => ({ sqft: '1500' })) },
  { name: 'prices sorted apart from the rest', rows: sortedBy('price') },
  {
    name: 'prices pasted one row too low',
    rows: all((_, i, rows) => ({ price: rows[(i + rows.length - 1) % rows.length].price })),
  },
  {
    name: 'cells shifted to the left, some rows',
    rows: every(12, (row) => ({
      sqft: row.lot,
      lot: row.beds,
      beds: row.baths,
      baths: row.year,
      year: row.use,
      use: '',
    })),
  },
  // Cells.
  { name: 'failed formulas, some', rows: every(10, () => ({ sqft: '#REF!', city: '#N/A' })), isRight: true },
  { name: 'HTML in addresses', rows: every(6, ({ address }) => ({ address: address.replace(' ', '&nbsp;') })) },
  { name: 'dictionaries as addresses', rows: all(({ address }) => ({ address: `{'line': '${address}'}` })) },
  { name: 'dictionaries as owners', needs: 'owner', rows: all(({ owner }) => ({ owner: `{'names': ['${owner}']}` })) },
  {
    name: 'letters broken by an encoding',
    rows: all(({ address }) => ({ address: address.replace('OAK', 'CA\u00c3\u00b1ON') })),
  },
  {
    name: 'NULL, N/A and blanks',
    rows: every(4, (_, i) => ({ beds: ['NULL', 'N/A', ' ', '-'][i % 4] })),
    isRight: true,
  },
  {
    name: 'prices with dollar signs',
    rows: all(({ price }) => ({ price: `$${Number(price).toLocaleString('en')}` })),
    isRight: true,
  },
  {
    name: 'numbers in scientific notation',
    rows: every(8, ({ price }) => ({ price: Number(price).toExponential(2) })),
  },
  // Dates.
  {
    name: 'day first in a fifth of the dates',
    rows: all(({ sold }, i) => ({ sold: i % 5 === 0 ? dayFirst(sold) : monthFirst(sold) })),
  },
  { name: 'day first in all dates', rows: all(({ sold }) => ({ sold: dayFirst(sold) })) },
  { name: 'month first in all dates', rows: all(({ sold }) => ({ sold: monthFirst(sold) })), isRight: true },
  { name: 'dates without separators', rows: all(({ sold }) => ({ sold: sold.replaceAll('-', '') })), isRight: true },
  { name: '1900-01-01 for none', rows: every(7, () => ({ sold: '1900-01-01', price: '0' })), isRight: true },
  {
    name: 'days of a spreadsheet, some',
    rows: every(9, ({ sold }) => ({ sold: String(Date.parse(sold) / 86_400_000 + 25_569) })),
  },
  { name: 'days that do not exist', rows: every(14, ({ sold }) => ({ sold: `${sold.slice(0, 4)}-02-31` })) },
  { name: 'sales of the future, some', rows: every(10, () => ({ sold: '2094-05-05' })) },
  // The place.
  {
    name: 'rows of another county',
    rows: every(4, (_, i) => ({
      county: 'JUNEAU',
      city: 'MAUSTON',
      zip: '53948',
      parcel: `29${String(i).padStart(14, '0')}`,
    })),
  },
  { name: 'rows of another state', rows: every(6, () => ({ state: 'IL', city: 'PEORIA', zip: '61602' })) },
  { name: 'latitude and longitude exchanged', rows: swap('lat', 'lon'), isRight: true },
  { name: 'longitudes without a sign', rows: all(({ lon }) => ({ lon: lon.slice(1) })), isRight: true },
  { name: 'coordinates of zero', rows: every(5, () => ({ lat: '0', lon: '0' })), isRight: true },
  {
    name: 'coordinates in feet of a state plane',
    rows: all(({ lat, lon }) => ({
      lat: (Number(lat) * 10_000).toFixed(2),
      lon: (Math.abs(Number(lon)) * 20_000).toFixed(2),
    })),
  },
  { name: 'one point for all homes', rows: all(() => ({ lat: '43.970000', lon: '-89.820000' })) },
  {
    name: 'coordinates rounded to two decimals',
    rows: all(({ lat, lon }) => ({ lat: Number(lat).toFixed(2), lon: Number(lon).toFixed(2) })),
  },
  { name: 'coordinates of another state', rows: all(({ lat }) => ({ lat: (Number(lat) - 9).toFixed(6) })) },
  { name: 'coordinates far away, some', rows: every(10, ({ lon }) => ({ lon: (Number(lon) + 2.4).toFixed(6) })) },
  { name: 'the ZIP code of the owner', rows: every(3, (_, i) => ({ zip: ['60601', '85037', '33101'][i % 3] })) },
  // Addresses.
  {
    name: 'city and ZIP code in the street line',
    rows: all(({ address, city, zip }) => ({ address: `${address} ${city} ${zip}` })),
    isRight: true,
  },
  {
    name: 'street lines cut at twelve letters',
    rows: all(({ address }) => ({ address: address.slice(0, 12).trim() })),
  },
  { name: 'street before number', rows: all(({ address }) => ({ address: address.replace(/^(\d+) (.*)$/, '$2 $1') })) },
  { name: 'placeholders for addresses', rows: every(6, () => ({ address: 'XXX UNDETERMINED SITUS' })), isRight: true },
  { name: 'a county for a city', rows: all(() => ({ city: 'ADAMS COUNTY' })) },
  // The next edition.
  { name: 'next: nothing new', isNext: true, rows: (rows) => rows.toReversed(), isRight: true },
  { name: 'next: price and year exchanged', isNext: true, rows: swap('price', 'year') },
  { name: 'next: bedrooms and lot exchanged', isNext: true, rows: swap('beds', 'lot') },
  { name: 'next: price and assessed value exchanged', isNext: true, rows: swap('price', 'total') },
  { name: 'next: an empty column', isNext: true, rows: all(() => ({ year: '' })) },
  { name: 'next: half of a column empty', isNext: true, rows: every(2, () => ({ sqft: '' })) },
  { name: 'next: living area in square meters', isNext: true, rows: scale('sqft', 1 / 10.7639) },
  { name: 'next: prices in thousands', isNext: true, rows: scale('price', 0.001, 1) },
  {
    name: 'next: parcels written otherwise',
    isNext: true,
    rows: all(({ parcel }) => ({ parcel: `${parcel.slice(0, 4)}-${parcel.slice(4)}` })),
  },
  { name: 'next: sales moved by a day', isNext: true, rows: all(({ sold }) => ({ sold: addDays(sold, -1) })) },
  { name: 'next: areas sorted apart from the rest', isNext: true, rows: sortedBy('sqft') },
  { name: 'next: half of the rows', isNext: true, rows: (rows) => rows.slice(0, rows.length / 2) },
  {
    name: 'next: homes of another place',
    isNext: true,
    rows: all(({ parcel, address }) => ({ parcel: `9${parcel.slice(1)}`, address: `9${address}` })),
  },
  {
    name: 'next: a column renamed',
    isNext: true,
    header: (header) => header.map((name) => name.replace(/^(YEAR_BUILT|yearBuilt)$/, 'CONSTR')),
  },
  { name: 'next: columns in another order', isNext: true, isRight: true },
  {
    name: 'next: prices corrected, some',
    isNext: true,
    rows: every(30, ({ price }) => ({ price: String(Number(price) + 1000) })),
    isRight: true,
    truth: 'file',
  },
  ...MORE_KINDS,
  ...THIRD_KINDS,
  ...FOURTH_KINDS,
  ...FIFTH_KINDS,
  ...SIXTH_KINDS,
  ...SEVENTH_KINDS,
  ...EIGHTH_KINDS,
  ...NINTH_KINDS,
  ...TENTH_KINDS,
];
