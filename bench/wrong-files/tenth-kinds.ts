// A tenth wave of wrong files, each first tried on real files of Wake, Williamson, King and Philadelphia counties: what a
// database casts, what a spreadsheet slides, values and points that were changed in a part, and columns with near names.
import type { Cells } from './homes.ts';
import { addDays, all, every, inHalf, type Kind, scale, sortedBy } from './kind.ts';

const round = (value: string, to: number) => String(Math.round(Number(value) / to) * to);
const share = (value: string, by: number) => String(Math.round(Number(value) * by));
const valuesAt = ({ land, building, total }: Cells, by: number) => ({
  land: share(land, by),
  building: share(building, by),
  total: share(total, by),
});
const isOn =
  (street: string, change: (row: Cells) => Partial<Cells>) =>
  (rows: Cells[]): Cells[] =>
    rows.map((row) => (row.address.includes(street) ? { ...row, ...change(row) } : row));
const between = (from: number, to: number, change: (i: number, rows: Cells[]) => Partial<Cells>) => (rows: Cells[]) =>
  rows.map((row, i) => (i >= from && i < to ? { ...row, ...change(i, rows) } : row));
const asNumber = (value: string, number: number) => BigInt(number).toString().padStart(value.length, '0');
const renamed = (names: [pattern: RegExp, name: string][]) => (header: string[]) =>
  header.map((each) => names.find(([pattern]) => pattern.test(each))?.[1] ?? each);

export const TENTH_KINDS: Kind[] = [
  // What a database casts, and columns that are too narrow.
  {
    name: 'parcels through a number of four bytes',
    rows: all(({ parcel }) => ({ parcel: asNumber(parcel, Math.fround(Number(parcel))) })),
  },
  {
    name: 'prices of six digits without their last',
    rows: all(({ price }) => ({ price: Number(price) >= 300_000 ? price.slice(0, 5) : price })),
  },
  {
    name: 'next: values of six digits without their first',
    rows: all((row) => (Number(row.total) >= 300_000 ? { total: row.total.slice(1), land: row.land.slice(1) } : {})),
    isNext: true,
    needs: 'total',
  },
  {
    name: 'next: half baths lost to whole numbers',
    rows: all(({ baths }) => ({ baths: String(Math.floor(Number(baths))) })),
    isNext: true,
  },
  { name: 'next: lots in steps of five thousand', rows: all(({ lot }) => ({ lot: round(lot, 5000) })), isNext: true },
  {
    name: 'next: prices rounded to hundred thousands to hide them',
    rows: all(({ price }) => ({ price: round(price, 100_000) })),
    isNext: true,
  },
  // What a spreadsheet sorts, slides, fills and replaces.
  { name: 'next: prices sorted and nothing else', rows: sortedBy('price'), isNext: true },
  {
    name: 'next: values one row up from the middle on',
    rows: between(200, 399, (i, rows) => valuesAt(rows[i + 1], 1)),
    isNext: true,
    needs: 'total',
  },
  {
    name: 'next: owners one row down in a third',
    rows: between(120, 250, (i, rows) => ({ owner: rows[i - 1].owner })),
    isNext: true,
    needs: 'owner',
  },
  {
    name: 'next: house numbers that count on in fifty rows',
    rows: between(150, 200, (i, rows) => ({
      address: rows[i].address.replace(/^\d+/, String(Number.parseInt(rows[150].address, 10) + i - 150)),
    })),
    isNext: true,
  },
  {
    name: 'next: LN replaced within words',
    rows: all(({ address }) => ({ address: address.replaceAll('LN', 'LANE') })),
    isNext: true,
  },
  // What befalls a part of the place.
  { name: 'square meters on two streets', rows: isOn('MAPLE', ({ sqft }) => ({ sqft: share(sqft, 1 / 10.764) })) },
  {
    name: 'next: three streets valued anew and the others as before',
    rows: (rows) =>
      ['OAK', 'ELM', 'PINE'].reduce((list, street) => isOn(street, (row) => valuesAt(row, 1.5))(list), rows),
    isNext: true,
    needs: 'total',
  },
  {
    name: 'assessed shares in the first half and full values in the second',
    rows: (rows) => inHalf((row) => valuesAt(row, 4))(rows.map((row) => ({ ...row, ...valuesAt(row, 0.25) }))),
    needs: 'total',
  },
  {
    name: 'next: a third of the points in the middle of the ZIP code',
    rows: every(3, () => ({ lat: '43.990000', lon: '-89.800000' })),
    isNext: true,
    needs: 'lat',
  },
  { name: 'next: points two hundred meters east', rows: scale('lon', 0.999_973, 6), isNext: true, needs: 'lon' },
  {
    name: 'next: points moved at random to hide homes',
    rows: all(({ lat, lon }, i) => ({
      lat: (Number(lat) + (((i * 37) % 21) - 10) / 1000).toFixed(6),
      lon: (Number(lon) + (((i * 53) % 21) - 10) / 1000).toFixed(6),
    })),
    isNext: true,
    needs: 'lat',
  },
  {
    name: 'next: ZIP codes of owners within the state, a fifth',
    rows: every(5, () => ({ zip: '53910' })),
    isNext: true,
  },
  // Other homes, other years, other prices.
  {
    name: 'next: homes of another county at the end',
    rows: (rows) => [
      ...rows,
      ...rows.slice(0, 60).map((row, i) => ({
        ...row,
        parcel: `99${row.parcel.slice(2)}`,
        address: `${9 + i} FAIR OAKS CIR`,
        city: '',
        zip: '',
      })),
    ],
    isNext: true,
  },
  {
    name: 'next: the year of the last renovation, a third',
    rows: every(3, ({ year }) => ({ year: String(Math.min(2020, Number(year) + 25)) })),
    isNext: true,
  },
  {
    name: 'next: the mean where area and year are unknown, a twelfth',
    rows: every(12, () => ({ sqft: '2125', year: '1958' })),
    isNext: true,
  },
  {
    name: 'next: new prices at old dates, a seventh',
    rows: every(7, ({ total }) => ({ price: share(total, 1.31) })),
    isNext: true,
  },
  {
    name: 'prices of packages on each of forty lots',
    rows: all(({ sold, price }, i) =>
      i % 80 < 40
        ? {
            price: String(2_400_000 + Math.floor(i / 80) * 310_000),
            sold: addDays('2019-03-05', Math.floor(i / 80) * 28),
          }
        : { sold, price },
    ),
  },
  // Columns with near names, of which one is meant.
  {
    name: 'the date of the last deed beside that of the sale',
    rows: all(({ sold }) => ({ last: addDays(sold, 700) })),
    header: renamed([
      [/^sale_?date$/i, 'TOTAL_SALE_DATE'],
      [/^sale_?price$/i, 'TOTAL_SALE_PRICE'],
      [/^(?:remarks|notes)$/i, 'DEED_DATE'],
    ]),
    isRight: true,
  },
  {
    name: 'structures that are no homes',
    rows: every(9, (_, i) => ({ use: i % 2 === 0 ? 'NON-RESIDENTIAL STRUCTURE' : 'GARAGE - RESIDENTIAL' })),
    truth: 'file',
    isRight: true,
  },
];
