// A second wave of wrong files: what is joined, merged, subtotaled, reformatted and copied together on the way here.
import type { Cells } from './homes.ts';
import { all, every, inHalf, type Kind, lines, scale } from './kind.ts';

const serial = (date: string): string => String(Date.parse(date) / 86_400_000 + 25_569);
const blank = (row: Cells): Cells => Object.fromEntries(Object.keys(row).map((column) => [column, ''])) as Cells;
const sum = (rows: Cells[], column: keyof Cells) => String(rows.reduce((total, row) => total + Number(row[column]), 0));
const groupsOf = (size: number, rows: Cells[]) =>
  Array.from({ length: Math.ceil(rows.length / size) }, (_, i) => rows.slice(i * size, (i + 1) * size));
const subtotal = (rows: Cells[], label: Partial<Cells>): Cells => ({
  ...blank(rows[0]),
  ...label,
  sqft: sum(rows, 'sqft'),
  price: sum(rows, 'price'),
  total: sum(rows, 'total'),
});

export const MORE_KINDS: Kind[] = [
  {
    name: 'half in another encoding',
    rows: all(({ address }) => ({ address: address.replace('OAK', 'PE\u00d1A') })),
    text: (text) => {
      const at = text.indexOf('\n', text.length / 2);
      return Buffer.concat([Buffer.from(text.slice(0, at), 'utf8'), Buffer.from(text.slice(at), 'latin1')]);
    },
    truth: 'file',
  },
  {
    name: 'two files joined, the second with its columns in another order',
    text: (text, { separator }) => {
      const rows = text.trimEnd().split('\n');
      const turned = (line: string) => line.split(separator).toReversed().join(separator);
      return `${rows.map((line, i) => (i > rows.length / 2 ? turned(line) : line)).join('\n')}\n`;
    },
  },
  {
    name: 'two columns of one name',
    header: (names) =>
      names.map((name) => (/^lot/i.test(name) ? names.find((other) => /^(living|sqft)/i.test(other))! : name)),
  },
  {
    name: 'thousands separated by unquoted commas',
    text: lines((list) => list.map((line, i) => (i === 0 ? line : line.replace(/\b(\d{3})(\d{3})\b(?!\.)/, '$1,$2')))),
  },
  {
    name: 'row numbers in a first column without a name',
    text: lines((list, { separator }) =>
      list.map((line, i) => (line === '' ? line : `${i === 0 ? '' : i}${separator}${line}`)),
    ),
    isRight: true,
  },
  {
    name: 'the last cells of some rows are missing',
    text: lines((list, { separator }) =>
      list.map((line, i) => (i > 0 && i % 30 === 0 ? line.split(separator).slice(0, -3).join(separator) : line)),
    ),
  },
  // Rows that are no homes.
  {
    name: 'subtotals of every fifty rows, in the address',
    rows: (rows) => groupsOf(50, rows).flatMap((group) => [...group, subtotal(group, { address: 'SUBTOTAL' })]),
    isRight: true,
  },
  {
    name: 'subtotals of every fifty rows, in the parcel',
    rows: (rows) =>
      groupsOf(50, rows).flatMap((group) => [...group, subtotal(group, { parcel: 'ADAMS COUNTY SUBTOTAL' })]),
  },
  {
    name: 'common elements of condos among the homes',
    rows: (rows) =>
      groupsOf(40, rows).flatMap((group, i) => [
        ...group,
        {
          ...group[0],
          parcel: `90${String(i).padStart(14, '0')}`,
          use: 'COMMON AREA',
          sqft: '',
          beds: '',
          baths: '',
          year: '',
          sold: '',
          price: '',
        },
      ]),
    truth: 'file',
    isRight: true,
  },
  // Cells that stand for several rows.
  {
    name: 'merged cells: the city stands once for four rows',
    rows: all(({ city, zip }, i) => (i % 4 === 0 ? { city, zip } : { city: '', zip: '' })),
    isRight: true,
  },
  {
    name: 'merged cells: the parcel stands once for four rows',
    rows: all(({ parcel }, i) => ({ parcel: i % 4 === 0 ? parcel : '' })),
  },
  {
    name: 'the area of the building on each of its eight units',
    rows: all((_, i, rows) => ({ sqft: sum(rows.slice(i - (i % 8), i - (i % 8) + 8), 'sqft') })),
  },
  {
    name: 'the price of the package on each of its five parcels',
    rows: all((_, i, rows) => {
      const group = rows.slice(i - (i % 5), i - (i % 5) + 5);
      return { price: sum(group, 'price'), sold: group[0].sold };
    }),
  },
  // Units and formats of a part.
  { name: 'prices in cents, a tenth', rows: every(10, ({ price }) => ({ price: String(Number(price) * 100) })) },
  {
    name: 'prices by square foot',
    rows: all(({ price, sqft }) => ({ price: (Number(price) / Number(sqft)).toFixed(2) })),
  },
  { name: 'lots in acres, half', rows: inHalf(({ lot }) => ({ lot: (Number(lot) / 43_560).toFixed(3) })) },
  { name: 'days of a spreadsheet, half', rows: inHalf(({ sold }) => ({ sold: serial(sold) })) },
  { name: 'sale dates with a time', rows: all(({ sold }) => ({ sold: `${sold}T00:00:00` })), isRight: true },
  { name: 'years with .0', rows: all(({ year }) => ({ year: `${year}.0` })), isRight: true },
  { name: 'ZIP+4 run together', rows: all(({ zip }) => ({ zip: `${zip}1207` })), isRight: true },
  { name: 'negative areas', rows: every(10, ({ sqft }) => ({ sqft: `-${sqft}` })) },
  { name: 'areas ten times too large', rows: scale('sqft', 10) },
  {
    name: 'coordinates rounded to two decimals, half',
    rows: inHalf(({ lat, lon }) => ({ lat: Number(lat).toFixed(2), lon: Number(lon).toFixed(2) })),
  },
  // What belongs to something else.
  { name: 'parcels cut at ten characters', rows: all(({ parcel }) => ({ parcel: parcel.slice(0, 10) })) },
  { name: 'the state in the city', rows: all(({ city, state }) => ({ city: `${city}, ${state}` })) },
  {
    name: "the city of the owner's mail",
    rows: every(3, (_, i) => ({ city: ['MILWAUKEE', 'GREEN BAY', 'RACINE'][i % 3] })),
  },
  {
    name: 'built after the sale, a third',
    rows: every(3, ({ sold }) => ({ year: String(Number(sold.slice(0, 4)) + 1) })),
  },
  {
    name: 'next: addresses pasted one row too low',
    isNext: true,
    rows: all((_, i, rows) => ({ address: rows[(i + rows.length - 1) % rows.length].address })),
  },
  { name: 'next: prices in cents', isNext: true, rows: scale('price', 100) },
  { name: 'next: rooms for bedrooms', isNext: true, rows: all(({ beds }) => ({ beds: String(Number(beds) + 3) })) },
];
