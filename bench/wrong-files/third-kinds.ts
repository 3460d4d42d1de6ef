// A third wave of wrong files: what only a part of a file has, stand-ins for what is unknown, and odd shapes that are right.
import { gzipSync } from 'node:zlib';
import { all, every, inHalf, type Kind, lines } from './kind.ts';

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const partsOf = (date: string) => date.split('-').map(Number);
const slashed = (date: string): string => {
  const [year, month, day] = partsOf(date);
  return `${month}/${day}/${year}`;
};
const dayAndMonthExchanged = (date: string): string => {
  const [year, month, day] = date.split('-');
  return Number(day) <= 12 ? `${year}-${day}-${month}` : date;
};
const quoteAll = (text: string, separator: string) =>
  text.replaceAll(/[^\n]+/g, (line) => `"${line.replaceAll('"', '""').split(separator).join(`"${separator}"`)}"`);

export const THIRD_KINDS: Kind[] = [
  // Stand-ins for what is unknown.
  { name: 'a price of 999999999 for none, some', rows: every(10, () => ({ price: '999999999' })) },
  { name: 'a price of 9999999 for none, some', rows: every(10, () => ({ price: '9999999' })) },
  { name: '99 bedrooms for none, some', rows: every(10, () => ({ beds: '99' })) },
  { name: 'a living area of 1 for none, some', rows: every(10, () => ({ sqft: '1' })) },
  { name: 'a living area of 9999 for none, some', rows: every(6, () => ({ sqft: '9999' })) },
  { name: 'built in 9999 for none, some', rows: every(10, () => ({ year: '9999' })) },
  { name: 'built in 1900 for none, a third', rows: every(3, () => ({ year: '1900' })) },
  {
    name: 'the middle of the county for no point, some',
    rows: every(8, () => ({ lat: '43.970000', lon: '-89.770000' })),
  },
  // Only a part of the file.
  { name: 'latitude and longitude exchanged, half', rows: inHalf(({ lat, lon }) => ({ lat: lon, lon: lat })) },
  { name: 'longitudes without a sign, half', rows: inHalf(({ lon }) => ({ lon: lon.slice(1) })) },
  {
    name: 'coordinates in feet, half',
    rows: inHalf(({ lat, lon }) => ({
      lat: (Number(lat) * 10_000).toFixed(2),
      lon: (Math.abs(Number(lon)) * 20_000).toFixed(2),
    })),
  },
  { name: 'bedrooms and bathrooms exchanged, half', rows: inHalf(({ beds, baths }) => ({ beds: baths, baths: beds })) },
  { name: 'area and lot exchanged, a tenth', rows: every(10, ({ sqft, lot }) => ({ sqft: lot, lot: sqft })) },
  {
    name: 'cells shifted to the right from a row on',
    rows: inHalf((row) => ({
      sqft: '',
      lot: row.sqft,
      beds: row.lot,
      baths: row.beds,
      year: row.baths,
      use: row.year,
    })),
  },
  { name: 'prices ten times too large, a tenth', rows: every(10, ({ price }) => ({ price: `${price}0` })) },
  { name: 'lots in square meters, half', rows: inHalf(({ lot }) => ({ lot: (Number(lot) / 10.7639).toFixed(0) })) },
  {
    name: 'years of two digits expanded into this century',
    rows: all(({ year }) => ({ year: Number(year) < 1930 ? String(Number(year) + 100) : year })),
  },
  {
    name: 'a block of rows pasted over another, but for the parcels',
    rows: (rows) => rows.map((row, i) => (i >= 200 && i < 260 ? { ...rows[i - 100], parcel: row.parcel } : row)),
  },
  {
    name: 'a block of rows again with other prices',
    rows: (rows) => [...rows, ...rows.slice(50, 150).map((row) => ({ ...row, price: String(Number(row.price) * 2) }))],
  },
  {
    name: 'sale dates of two digits',
    rows: all(({ sold }) => ({ sold: slashed(sold).replace(/\/20(\d\d)$/, '/$1') })),
    isRight: true,
  },
  { name: 'prices in parentheses, some', rows: every(9, ({ price }) => ({ price: `(${price})` })) },
  {
    name: 'prices with a K, a tenth',
    rows: every(10, ({ price }) => ({ price: `${(Number(price) / 1000).toFixed(0)}K` })),
  },
  { name: 'cities misspelled, some', rows: every(9, () => ({ city: 'FREINDSHIP' })), needs: 'city' },
  {
    name: 'one address filled down for fifty rows',
    rows: (rows) => rows.map((row, i) => (i > 300 && i <= 350 ? { ...row, address: rows[300].address } : row)),
  },
  // Two files in one, and what is no table.
  {
    name: 'two files joined, the second with a byte-order mark and its header',
    text: lines((list) => [...list.slice(0, 200), `\ufeff${list[0]}`, ...list.slice(200)]),
    isRight: true,
  },
  { name: 'a gzip of a web page', text: () => gzipSync('<!doctype html><html><body>Not found</body></html>') },
  {
    name: 'an answer that tells of an error',
    text: () => '{"error":{"code":500,"message":"Unable to complete operation."}}',
  },
  {
    name: 'cut off and continued from another row',
    text: (text) =>
      `${text.slice(0, Math.floor(text.length * 0.4) + 11)}${text.slice(Math.floor(text.length * 0.6) - 7)}`,
  },
  // The next edition.
  {
    name: 'next: day and month exchanged where both fit',
    isNext: true,
    rows: all(({ sold }) => ({ sold: dayAndMonthExchanged(sold) })),
  },
  {
    name: 'next: bedrooms of the row below',
    isNext: true,
    rows: all((_, i, rows) => ({ beds: rows[(i + 1) % rows.length].beds })),
  },
  {
    name: 'next: homes moved by a mile',
    isNext: true,
    rows: all(({ lat }) => ({ lat: (Number(lat) + 0.0145).toFixed(6) })),
  },
  {
    name: 'next: a tenth of the rows twice with another area',
    isNext: true,
    rows: (rows) => [...rows, ...rows.slice(0, 40).map((row) => ({ ...row, sqft: String(Number(row.sqft) + 700) }))],
  },
  // Odd, and right.
  { name: 'every cell in quotes', text: (text, { separator }) => quoteAll(text, separator), isRight: true },
  { name: 'lines within quoted remarks', rows: every(7, () => ({ last: 'SOLD AS IS\nSEE "DEED"' })), isRight: true },
  {
    name: 'line ends of both kinds',
    text: lines((list) => list.map((line, i) => (i % 2 ? line : `${line}\r`))),
    isRight: true,
  },
  {
    name: 'cells padded with blanks',
    rows: all((row) => ({ address: `${row.address}   `, price: `  ${row.price}`, sold: `${row.sold} ` })),
    isRight: true,
  },
  { name: 'the mark of an end of file', text: (text) => `${text}\u001a`, isRight: true },
  {
    name: 'a rule below the header and a count of rows below the table',
    text: lines((list, { separator }) => [
      list[0],
      list[0]
        .split(separator)
        .map((name) => '-'.repeat(name.length))
        .join(separator),
      ...list.slice(1),
      '400 rows selected.',
    ]),
    isRight: true,
  },
  { name: 'a gzip', text: (text) => gzipSync(text), isRight: true },
  {
    name: 'sale dates in words',
    rows: all(({ sold }) => {
      const [year, month, day] = partsOf(sold);
      return { sold: `${MONTHS[month - 1]} ${day} ${year}` };
    }),
    isRight: true,
  },
  {
    name: 'sale dates at midnight',
    rows: all(({ sold }) => ({ sold: `${slashed(sold)} 12:00:00 AM` })),
    isRight: true,
  },
  { name: 'sale dates in milliseconds', rows: all(({ sold }) => ({ sold: String(Date.parse(sold)) })), isRight: true },
  {
    name: 'thousands separated by blanks',
    rows: all(({ price }) => ({ price: price.replace(/(\d)(\d{3})$/, '$1 $2') })),
    isRight: true,
  },
  {
    name: 'areas with their unit',
    rows: all(({ sqft }) => ({ sqft: `${Number(sqft).toLocaleString('en')} sq ft` })),
    isRight: true,
  },
  { name: 'sold for a dollar, some', rows: every(6, () => ({ price: '1' })), isRight: true, truth: 'file' },
  {
    name: 'columns nobody knows',
    header: (names) => names.map((name) => (/^(remarks|notes)$/i.test(name) ? 'XQ_17' : name)),
    rows: all((_, i) => ({ last: `q${i % 9}` })),
    isRight: true,
  },
];
