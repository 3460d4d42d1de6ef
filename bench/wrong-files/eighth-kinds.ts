// An eighth wave of wrong files, one or more for each class of cause: units, short slips, filtered lists, joins, renumbered parcels,
// encodings, calendars, stand-ins, older values, other people and other amounts, and addresses that programs put together.
import type { Cells, Column } from './homes.ts';
import { addDays, all, every, inHalf, type Kind, lines, scale, sortedBy } from './kind.ts';

const renamed = (pattern: RegExp, name: string) => (names: string[]) =>
  names.map((each) => (pattern.test(each) ? name : each));
const streetOf = ({ address }: Cells) => address.replace(/^\d+ /, '');
/** These columns as the row above has them, in so many rows from the hundredth on. */
const slippedIn =
  (count: number, ...columns: Column[]) =>
  (rows: Cells[]): Cells[] =>
    rows.map((row, i) =>
      i >= 100 && i < 100 + count
        ? { ...row, ...Object.fromEntries(columns.map((column) => [column, rows[i - 1][column]])) }
        : row,
    );
const CITIES = ['MILWAUKEE 53206', 'WAUSAU 54401', 'RACINE 53403', 'MADISON 53703', 'KENOSHA 53140', 'GREEN BAY 54301'];
const mailOf = (i: number, address: string): Partial<Cells> => {
  const place = CITIES[i % CITIES.length];
  return { address, city: place.slice(0, -6), zip: place.slice(-5) };
};
/** The last digit with its sign, as programs in COBOL write it. */
const punched = (price: string) => price.slice(0, -1) + '{ABCDEFGHI'[Number(price.at(-1))];
/** Deeds are made on business days. */
const businessDay = (date: string) => addDays(date, [-2, 0, 0, 0, 0, 0, -1][new Date(date).getUTCDay()]);
const share = (value: string, by: number) => String(Math.round(Number(value) * by));
const older = ({ land, building, total }: Cells) => ({
  land: share(land, 0.55),
  building: share(building, 0.55),
  total: share(total, 0.55),
});
const withFirst = (rows: Cells[], change: (rows: Cells[]) => Cells[]) => [...change(rows.slice(100, 200))];

export const EIGHTH_KINDS: Kind[] = [
  // Units.
  {
    name: 'lots in hectares where no name states a unit',
    header: renamed(/^LOT_SQFT$/, 'LOT_SIZE'),
    rows: scale('lot', 1 / 107_639, 3),
  },
  { name: 'lots in square yards', rows: scale('lot', 1 / 9) },
  { name: 'prices in euros', rows: all(({ price }) => ({ price: `€${share(price, 0.9)}` })) },
  {
    name: 'monthly rents among the prices, a tenth',
    rows: every(10, ({ price }) => ({ price: share(price, 1 / 160) })),
  },
  { name: 'prices cut at five digits', rows: all(({ price }) => ({ price: price.slice(0, 5) })) },
  { name: 'signs punched over the last digits', rows: all(({ price }) => ({ price: punched(price) })) },
  // Slips and sorting in a part.
  { name: 'prices one row too low in thirty rows', rows: slippedIn(30, 'price') },
  {
    name: 'values one row too low in thirty rows',
    rows: slippedIn(30, 'land', 'building', 'total'),
    needs: 'total',
  },
  { name: 'areas one row too low in thirty rows', rows: slippedIn(30, 'sqft') },
  {
    name: 'bedrooms and bathrooms one row too low',
    rows: all((_, i, rows) => ({ beds: rows[Math.max(0, i - 1)].beds, baths: rows[Math.max(0, i - 1)].baths })),
  },
  {
    name: 'prices of every second row pasted into the first half of a filtered list',
    rows: (rows) => rows.map((row, i) => (i < rows.length / 2 ? { ...row, price: rows[i * 2].price } : row)),
  },
  {
    name: 'prices sorted within a quarter',
    rows: (rows) => [...rows.slice(0, 100), ...withFirst(rows, sortedBy('price')), ...rows.slice(200)],
  },
  {
    name: 'values of other homes in a quarter',
    rows: (rows) =>
      rows.map((row, i) => {
        const { land, building, total } = rows[i >= 100 && i < 200 ? 299 - i : i];
        return { ...row, land, building, total };
      }),
    needs: 'total',
  },
  // Joins.
  {
    name: 'area, lot and year of the first home of the street',
    rows: (rows) => {
      const first = Map.groupBy(rows, streetOf);
      return rows.map((row) => {
        const { sqft, lot, year } = first.get(streetOf(row))![0];
        return { ...row, sqft, lot, year };
      });
    },
  },
  {
    name: 'each sale again a week later',
    rows: (rows) => rows.flatMap((row) => [row, { ...row, sold: addDays(row.sold, 7) }]),
  },
  {
    name: 'a tenth of the homes again under an old parcel number',
    rows: (rows) => [
      ...rows,
      ...rows.filter((_, i) => i % 10 === 0).map((row) => ({ ...row, parcel: `9${row.parcel.slice(1)}` })),
    ],
  },
  {
    name: 'the owner on a line below each home',
    rows: (rows) =>
      rows.flatMap((row) => [
        { ...row, owner: '' },
        { ...(Object.fromEntries(Object.keys(row).map((column) => [column, ''])) as Cells), owner: row.owner },
      ]),
    needs: 'owner',
  },
  // Letters.
  { name: 'UTF-16 without a mark', text: (text) => Buffer.from(text, 'utf16le') },
  { name: 'question marks for letters', rows: all(({ address }) => ({ address: address.replace('OAK', 'PE?A') })) },
  {
    name: 'escapes of JSON in texts',
    rows: all(({ address }) => ({ address: address.replace('OAK', String.raw`PE\u00d1A`) })),
  },
  {
    name: 'invisible characters in parcels, a tenth',
    rows: every(10, ({ parcel }) => ({ parcel: `${parcel.slice(0, 6)}\u200b${parcel.slice(6)}` })),
  },
  {
    name: 'the letter O for zeros in parcels, some',
    rows: every(12, ({ parcel }) => ({ parcel: parcel.replaceAll('0', 'O') })),
  },
  {
    name: 'the letter O for zeros in prices, some',
    rows: every(12, ({ price }) => ({ price: price.replaceAll('0', 'O') })),
  },
  {
    name: 'typographic quotes around texts',
    rows: all(({ address, city }) => ({ address: `“${address}”`, city: `“${city}”` })),
  },
  {
    name: 'quotes within the cells of parcels and addresses',
    rows: all(({ parcel, address }) => ({ parcel: `"${parcel}"`, address: `"${address}"` })),
  },
  // Calendars.
  {
    name: 'days counted from 1904',
    rows: all(({ sold }) => ({ sold: String(Date.parse(sold) / 86_400_000 + 25_569 - 1462) })),
  },
  { name: 'business days one day early', rows: all(({ sold }) => ({ sold: addDays(businessDay(sold), -1) })) },
  {
    name: 'the year of the sale for the year built, a third',
    rows: every(3, ({ sold }) => ({ year: sold.slice(0, 4) })),
  },
  // Codes and names.
  { name: 'use in codes of numbers', rows: all(({ use }) => ({ use: use === 'TWO FAMILY' ? '2' : '1' })) },
  { name: 'use left out in a third', rows: every(3, () => ({ use: '' })) },
  { name: 'names of columns one to the left', header: (names) => [...names.slice(1), 'EXTRA'] },
  {
    name: 'asking prices under their own name',
    header: (names) => names.map((name) => (/^sale_?price$/i.test(name) ? 'LIST_PRICE' : name)),
    rows: all(({ price }) => ({ price: share(price, 1.07) })),
  },
  {
    name: 'an asking price beside the price',
    header: renamed(/^(?:remarks|notes)$/i, 'LIST_PRICE'),
    rows: all(({ price }) => ({ last: share(price, 1.07) })),
    isRight: true,
  },
  {
    name: 'the amount of a mortgage beside the price',
    header: renamed(/^(?:remarks|notes)$/i, 'MORTGAGE_AMOUNT'),
    rows: all(({ price }) => ({ last: share(price, 0.8) })),
    isRight: true,
  },
  // Stand-ins.
  {
    name: 'house number 9999 for none, some',
    rows: every(10, ({ address }) => ({ address: address.replace(/^\d+/, '9999') })),
  },
  { name: 'the average area for unknown, a tenth', rows: every(10, () => ({ sqft: '2117' })) },
  { name: 'a lot of one acre for none known, a third', rows: every(3, () => ({ lot: '43560' })) },
  // The place.
  {
    name: 'coordinates with three decimals',
    rows: all(({ lat, lon }) => ({ lat: Number(lat).toFixed(3), lon: Number(lon).toFixed(3) })),
  },
  {
    name: "the owner's mail within the state in place of the address, a third",
    rows: every(3, (_, i) => mailOf(Math.floor(i / 3), i % 9 === 2 ? `PO BOX ${i}` : `${200 + i} W CAPITOL DR`)),
  },
  {
    name: "the owner's mail within the state in place of the address, a third, without boxes",
    rows: every(3, (_, i) => mailOf(Math.floor(i / 3), `${200 + i} W CAPITOL DR`)),
  },
  // Values and owners of something else.
  {
    name: 'values of an older revaluation in the second half',
    rows: inHalf(older),
    needs: 'total',
  },
  {
    name: 'taxes in place of totals',
    rows: all(({ total }) => ({ land: '', building: '', total: share(total, 0.019) })),
    needs: 'total',
  },
  { name: 'negative values, some', rows: every(15, ({ total }) => ({ total: `-${total}` })), needs: 'total' },
  {
    name: 'C/O in place of owners, some',
    rows: every(8, (_, i) => ({ owner: `C/O FIRST BANK ${i}` })),
    needs: 'owner',
  },
  {
    name: 'mailing addresses run on behind owners',
    rows: all(({ owner, address }) => ({ owner: `${owner} ${address} FRIENDSHIP WI 53934` })),
    needs: 'owner',
  },
  { name: 'account numbers for owners', rows: all((_, i) => ({ owner: String(70_010 + i * 3) })), needs: 'owner' },
  // Addresses that a program has put together.
  { name: 'house numbers with .0', rows: all(({ address }) => ({ address: address.replace(/^\d+/, '$&.0') })) },
  {
    name: 'nan between the parts of addresses',
    rows: all(({ address }) => ({ address: address.replace(' ', ' nan ') })),
  },
  {
    name: 'None between the parts of addresses, half',
    rows: inHalf(({ address }) => ({ address: address.replace(' ', ' None ') })),
  },
  { name: 'house numbers twice', rows: all(({ address }) => ({ address: address.replace(/^\d+/, '$& $&') })) },
  // The file.
  {
    name: 'a disclaimer below the table',
    text: (text) => `${text}\nThis list is no warranty of title.\nAdams County, 2024\n`,
    isRight: true,
  },
  {
    name: 'lines cut at ninety characters',
    text: lines((list) => list.map((line, i) => (i === 0 ? line : line.slice(0, 90)))),
  },
  // The next edition.
  {
    name: 'next: parcels of a tenth exchanged in pairs',
    isNext: true,
    rows: (rows) => rows.map((row, i) => (i < 40 ? { ...row, parcel: rows[i % 2 === 0 ? i + 1 : i - 1].parcel } : row)),
  },
  {
    name: 'next: only what changed is filled in',
    isNext: true,
    rows: (rows) =>
      rows.map((row, i) => (i % 10 === 0 ? row : { ...row, sqft: '', lot: '', beds: '', baths: '', year: '' })),
  },
  {
    name: 'next: sales of a tenth at the other home of a pair',
    isNext: true,
    rows: (rows) =>
      rows.map((row, i) => {
        const { sold, price } = rows[i < 40 ? (i % 2 === 0 ? i + 1 : i - 1) : i];
        return { ...row, sold, price };
      }),
  },
];
