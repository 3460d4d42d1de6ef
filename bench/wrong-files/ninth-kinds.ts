// A ninth wave of wrong files: fills that count on, what exporters cap, mask and append, tables that were pivoted or set side by
// side, marks of deleted rows, letters of other alphabets, zeros for unknown, and editions with a tenth changed.
import type { Cells } from './homes.ts';
import { addDays, all, every, inHalf, type Kind, lines, scale } from './kind.ts';

const renamed = (pattern: RegExp, name: string) => (names: string[]) =>
  names.map((each) => (pattern.test(each) ? name : each));
const LAST = /^(?:remarks|notes)$/i;
const share = (value: string, by: number) => String(Math.round(Number(value) * by));
const valuesAt = ({ land, building, total }: Cells, by: number) => ({
  land: share(land, by),
  building: share(building, by),
  total: share(total, by),
});
const guidOf = (i: number) =>
  `{${(i * 2_654_435_761)
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})(.{4}).*/, '$1-$2')}-4C1D-9B5E-0A1B2C3D4E5F}`;
/** Letters of the Cyrillic alphabet that look like Latin ones. */
const lookalike = (text: string) => text.replace(/[AEOPCTX]/g, (letter) => 'АЕОРСТХ'['AEOPCTX'.indexOf(letter)]);
const ORACLE = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ');
/** ASCII as mainframes write it: code page 37, as far as tables need it. */
const EBCDIC: Record<string, number> = Object.fromEntries(
  [
    ['ABCDEFGHI', 0xc1],
    ['JKLMNOPQR', 0xd1],
    ['STUVWXYZ', 0xe2],
    ['abcdefghi', 0x81],
    ['jklmnopqr', 0x91],
    ['stuvwxyz', 0xa2],
    ['0123456789', 0xf0],
    [' ', 0x40],
    ['.', 0x4b],
    ['|', 0x4f],
    ['-', 0x60],
    [',', 0x6b],
    ['_', 0x6d],
    ['\t', 0x05],
    ['\n', 0x15],
  ].flatMap(([letters, code]) => [...String(letters)].map((letter, i) => [letter, Number(code) + i])),
);
const withFraction = (date: string) => `${Date.parse(date) / 86_400_000 + 25_569}.5417`;

export const NINTH_KINDS: Kind[] = [
  // What a spreadsheet counts on or rounds.
  { name: 'sale dates counted up by a spreadsheet', rows: all((_, i) => ({ sold: addDays('2019-03-04', i) })) },
  { name: 'prices counted up by a spreadsheet', rows: all((_, i) => ({ price: String(245_000 + i) })) },
  { name: 'row numbers in place of parcels', rows: all((_, i) => ({ parcel: String(i + 1) })) },
  {
    name: 'living areas rounded to hundreds',
    rows: all(({ sqft }) => ({ sqft: String(Math.round(Number(sqft) / 100) * 100) })),
  },
  { name: 'years built rounded to decades', rows: all(({ year }) => ({ year: `${year.slice(0, 3)}0` })) },
  {
    name: 'sale dates on the first of their months, half',
    rows: inHalf(({ sold }) => ({ sold: `${sold.slice(0, 7)}-01` })),
  },
  { name: 'sale dates in the current year', rows: all(({ sold }) => ({ sold: `2024${sold.slice(4)}` })) },
  // What programs cap, mask and append.
  { name: 'the first two hundred rows, as a program shows them', rows: (rows) => rows.slice(0, 200) },
  { name: 'prices that ran over sixteen bits', rows: all(({ price }) => ({ price: String(Number(price) % 65_536) })) },
  { name: 'areas above 2,500 as 2,500', rows: all(({ sqft }) => ({ sqft: String(Math.min(2500, Number(sqft))) })) },
  { name: 'parcels masked at the end', rows: all(({ parcel }) => ({ parcel: `${parcel.slice(0, -3)}XXX` })) },
  {
    name: 'house numbers masked as 1XX',
    rows: all(({ address }) => ({ address: address.replace(/^(\d+)\d\d /, '$1XX ') })),
  },
  {
    name: 'house numbers of the block',
    rows: all(({ address }) => ({ address: address.replace(/^(\d+)\d\d /, '$100 ') })),
  },
  { name: 'GUIDs in place of parcels', rows: all((_, i) => ({ parcel: guidOf(i + 1) })) },
  { name: '[object Object] in place of owners', rows: all(() => ({ owner: '[object Object]' })), needs: 'owner' },
  { name: 'line breaks of a workbook as _x000D_', rows: all(({ address }) => ({ address: `${address}_x000D_` })) },
  {
    name: 'texts in single quotes',
    rows: all(({ address, city }) => ({ address: `'${address}'`, city: `'${city}'` })),
  },
  {
    name: 'blanks after separators, and quotes',
    text: lines((list, { separator }) =>
      list.map((line) =>
        line
          .split(separator)
          .map((cell) => `"${cell}"`)
          .join(`${separator} `),
      ),
    ),
  },
  { name: 'prices with four decimals', rows: all(({ price }) => ({ price: `${price}.0000` })), isRight: true },
  {
    name: 'dates as Oracle writes them',
    rows: all(({ sold }) => ({
      sold: `${sold.slice(8)}-${ORACLE[Number(sold.slice(5, 7)) - 1]}-${sold.slice(2, 4)} 12.00.00.000000 AM`,
    })),
    isRight: true,
  },
  { name: 'days of a spreadsheet with hours', rows: all(({ sold }) => ({ sold: withFraction(sold) })) },
  {
    name: 'thousands separated by narrow blanks',
    rows: all(({ price }) => ({ price: price.replace(/(\d)(\d{3})$/, '$1\u202f$2') })),
    isRight: true,
  },
  // Tables in other layouts.
  {
    name: 'two halves of a table side by side',
    text: lines(([header, ...list], { separator }) => {
      const half = Math.ceil((list.length - 1) / 2);
      const pairs = list.slice(0, half).map((line, i) => `${line}${separator}${list[half + i] ?? ''}`);
      return [`${header}${separator}${header}`, ...pairs];
    }),
  },
  {
    name: 'rows and columns exchanged',
    text: lines((list, { separator }) => {
      const rows = list.filter(Boolean).map((line) => line.split(separator));
      return rows[0].map((_, i) => rows.map((cells) => cells[i]).join(separator));
    }),
  },
  {
    name: 'a row for each attribute',
    text: lines(([header, ...list], { separator }) => {
      const names = header.split(separator);
      const key = names.findIndex((name) => /^(?:PARCEL_ID|apn)$/.test(name));
      const told = list.filter(Boolean).map((line) => line.split(separator));
      return [
        ['PARCEL_ID', 'ATTRIBUTE', 'VALUE'].join(separator),
        ...told.flatMap((cells) => cells.map((cell, i) => [cells[key], names[i], cell].join(separator))),
      ];
    }),
  },
  {
    name: 'the box of a database client around the table',
    text: lines((list, { separator }) => {
      const rows = list.filter(Boolean).map((line) => `| ${line.split(separator).join(' | ')} |`);
      const rule = `+${'-'.repeat(60)}+`;
      return [rule, rows[0], rule, ...rows.slice(1), rule];
    }),
  },
  {
    name: 'statements of SQL',
    text: lines((list, { separator }) =>
      list.filter(Boolean).map((line) => `INSERT INTO roll VALUES ('${line.split(separator).join("', '")}');`),
    ),
  },
  {
    name: 'a line of JSON for each home',
    text: lines(([header, ...list], { separator }) => {
      const names = header.split(separator);
      return list
        .filter(Boolean)
        .map((line) => JSON.stringify(Object.fromEntries(line.split(separator).map((cell, i) => [names[i], cell]))));
    }),
  },
  { name: 'lines wrapped at eighty characters', text: (text) => text.replace(/[^\n]{80}/g, '$&\n') },
  {
    name: 'semicolons in the second half',
    text: lines((list, { separator }) => list.map((line, i) => (i < 200 ? line : line.replaceAll(separator, ';')))),
  },
  {
    name: 'the code page of a mainframe',
    text: (text) => Buffer.from([...text].map((letter) => EBCDIC[letter] ?? 0x6f)),
  },
  // Columns of other years, and rows that are no more.
  {
    name: 'values of two years in two columns, the older first',
    header: (names) => renamed(LAST, 'TOTAL_VALUE_2024')(renamed(/^TOTAL_VALUE$/, 'TOTAL_VALUE_2020')(names)),
    rows: all(({ total }) => ({ total: share(total, 0.7), land: '', building: '', last: total })),
    needs: 'total',
  },
  {
    name: 'two prices of a merge, the older first',
    header: (names) => renamed(LAST, 'SALE_PRICE_y')(renamed(/^sale_?price$/i, 'SALE_PRICE_x')(names)),
    rows: all(({ price }) => ({ price: share(price, 0.6), last: price })),
  },
  {
    name: 'an older tax year below, with the area before it was extended',
    header: renamed(LAST, 'TAX_YEAR'),
    rows: (rows) => [
      ...rows.map((row) => ({ ...row, last: '2024' })),
      ...rows.slice(0, 80).map((row) => ({ ...row, ...valuesAt(row, 0.8), last: '2022', sqft: share(row.sqft, 0.8) })),
    ],
  },
  {
    name: 'deleted homes with a mark of their own, a tenth',
    header: renamed(LAST, 'STATUS'),
    rows: (rows) => [
      ...rows.map((row) => ({ ...row, last: 'A' })),
      ...rows.filter((_, i) => i % 10 === 0).map((row) => ({ ...row, parcel: `9${row.parcel.slice(1)}`, last: 'D' })),
    ],
  },
  {
    name: 'pages that overlap, with rows missing between them',
    rows: (rows) => [...rows.slice(0, 150), ...rows.slice(90, 150), ...rows.slice(210)],
  },
  {
    name: 'a row for each building, the shed last',
    rows: (rows) =>
      rows.flatMap((row, i) =>
        i % 8 === 0 ? [row, { ...row, sqft: '240', beds: '', baths: '', year: '1998' }] : [row],
      ),
  },
  // Zeros and words for unknown.
  { name: 'no bathrooms for none known, a third', rows: every(3, () => ({ baths: '0' })) },
  {
    name: 'no value of land for none known, a third',
    rows: every(3, ({ total }) => ({ land: '0', building: total })),
    needs: 'total',
  },
  {
    name: 'no value of the building for none known, a third',
    rows: every(3, ({ total }) => ({ building: '0', land: total })),
    needs: 'total',
  },
  {
    name: 'CURRENT RESIDENT in place of owners, a fifth',
    rows: every(5, () => ({ owner: 'CURRENT RESIDENT' })),
    needs: 'owner',
  },
  { name: 'longitudes without decimals, some', rows: every(10, ({ lon }) => ({ lon: lon.split('.')[0] })) },
  // Units and letters.
  {
    name: 'lots in acres with decimal commas',
    header: renamed(/^(?:LOT_SQFT|lotSize)$/, 'LOT_ACRES'),
    rows: all(({ lot }) => ({ lot: (Number(lot) / 43_560).toFixed(2).replace('.', ',') })),
  },
  {
    name: 'lots in acres, a tenth without their points',
    header: renamed(/^(?:LOT_SQFT|lotSize)$/, 'LOT_ACRES'),
    rows: all(({ lot }, i) => ({ lot: (Number(lot) / 43_560).toFixed(3).replace(i % 10 === 0 ? '.' : 'x', '') })),
  },
  { name: 'lots in thousands of square feet', rows: scale('lot', 0.001, 1) },
  {
    name: 'assessed values at two fifths of the full ones, a third',
    rows: every(3, (row) => valuesAt(row, 0.4)),
    needs: 'total',
  },
  {
    name: 'dates as year, day and month',
    rows: all(({ sold }) => ({ sold: sold.replace(/-(\d\d)-(\d\d)$/, '-$2-$1') })),
  },
  {
    name: 'the letters S and B for digits in parcels, some',
    rows: every(12, ({ parcel }) => ({ parcel: parcel.replace('3', 'S').replace('8', 'B') })),
  },
  {
    name: 'letters of another alphabet in addresses, some',
    rows: every(10, ({ address }) => ({ address: lookalike(address) })),
  },
  { name: 'abbreviations for cities', rows: all(() => ({ city: 'FRSH' })), needs: 'city' },
  {
    name: 'house numbers padded with zeros',
    rows: all(({ address }) => ({ address: address.replace(/^\d+/, (number) => number.padStart(6, '0')) })),
  },
  {
    name: 'street types left out in a quarter',
    rows: every(4, ({ address }) => ({ address: address.replace(/ \w+$/, '') })),
  },
  // The next edition.
  { name: 'next: only a tenth, which has changed', isNext: true, rows: (rows) => rows.slice(0, 40) },
  {
    name: 'next: OAK replaced by PARK everywhere',
    isNext: true,
    rows: all(({ address }) => ({ address: address.replace('OAK', 'PARK') })),
  },
  { name: 'next: the year of a renovation for a tenth', isNext: true, rows: every(10, () => ({ year: '2015' })) },
  {
    name: 'next: basements in the areas of a tenth',
    isNext: true,
    rows: every(10, ({ sqft }) => ({ sqft: share(sqft, 1.4) })),
  },
  { name: 'next: all homes of one use', isNext: true, rows: all(() => ({ use: 'SINGLE FAMILY' })) },
  { name: 'next: bedrooms one too few', isNext: true, rows: all(({ beds }) => ({ beds: String(Number(beds) - 1) })) },
  {
    name: 'next: sales of a fifth a year too early',
    isNext: true,
    rows: every(5, ({ sold }) => ({ sold: `${Number(sold.slice(0, 4)) - 1}${sold.slice(4)}` })),
  },
  {
    name: 'next: a fifth more homes, of a town nearby',
    isNext: true,
    // In a list of sales new homes are usual.
    needs: 'owner',
    rows: (rows: Cells[]) => [
      ...rows,
      ...rows.slice(0, 80).map((row) => ({ ...row, parcel: `9${row.parcel.slice(1)}`, address: `9${row.address}` })),
    ],
  },
];
