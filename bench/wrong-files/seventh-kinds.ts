// A seventh wave of wrong files: values that slipped by a row in a part of the file, calendars of old programs, joins that
// multiplied rows, and stand-ins of databases.
import type { Cells, Column } from './homes.ts';
import { addDays, all, dotted, every, inHalf, type Kind, lines, swap } from './kind.ts';

const SPANISH = 'ene feb mar abr may jun jul ago sep oct nov dic'.split(' ');
const GERMAN = 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(' ');
const dayOfYear = (date: string) => (Date.parse(date) - Date.parse(`${date.slice(0, 4)}-01-01`)) / 86_400_000 + 1;
const partsOf = (date: string) => date.split('-').map(Number) as [number, number, number];
const mercator = ({ lat, lon }: Cells) => ({
  lat: (Math.log(Math.tan(Math.PI / 4 + (Number(lat) * Math.PI) / 360)) * 6_378_137).toFixed(2),
  lon: (((Number(lon) * Math.PI) / 180) * 6_378_137).toFixed(2),
});
const hundredth = (value: string) => String(Math.round(Number(value) / 100));
/** Of the second quarter of the file: these columns as the row above has them. */
const slipped =
  (...columns: Column[]) =>
  (rows: Cells[]): Cells[] =>
    rows.map((row, i) =>
      i >= rows.length / 4 && i < rows.length / 2
        ? { ...row, ...Object.fromEntries(columns.map((column) => [column, rows[i - 1][column]])) }
        : row,
    );
/** One owner in seven lives in another state. */
const MAIL = 'MILWAUKEE 53206,WAUSAU 54401,RACINE 53403,MADISON 53703,CHICAGO 60614,KENOSHA 53140,GREEN BAY 54301'
  .split(',')
  .map((place) => [place.slice(0, -6), place.slice(-5)]);
const streetOf = ({ address }: Cells) => address.replace(/^\d+ /, '');

export const SEVENTH_KINDS: Kind[] = [
  // A row too low, or from the row above.
  { name: 'prices one row too low in a quarter', rows: slipped('price') },
  { name: 'totals one row too low in a quarter', rows: slipped('total'), needs: 'total' },
  {
    name: 'values of the assessor one row too low in a quarter',
    rows: slipped('land', 'building', 'total'),
    needs: 'total',
  },
  { name: 'areas and bedrooms one row too low in a quarter', rows: slipped('sqft', 'beds') },
  {
    name: 'area, lot and year of the row above, a fifth',
    rows: every(5, (_, i, rows) => ({ sqft: rows[i - 1].sqft, lot: rows[i - 1].lot, year: rows[i - 1].year })),
  },
  {
    name: 'the sale date of the row above, a quarter',
    rows: every(4, (_, i, rows) => ({ sold: rows[i - 1].sold })),
  },
  {
    name: 'the address of the row above, a tenth',
    rows: every(10, (_, i, rows) => ({ address: rows[i - 1].address })),
  },
  // Units of a part.
  {
    name: 'assessed values in hundreds, a fifth',
    rows: every(5, ({ land, building, total }) => ({
      land: hundredth(land),
      building: hundredth(building),
      total: hundredth(total),
    })),
    needs: 'total',
  },
  {
    name: 'assessed values in hundreds, a fifth, without areas and prices',
    rows: (rows) =>
      every(5, ({ land, building, total }) => ({
        land: hundredth(land),
        building: hundredth(building),
        total: hundredth(total),
      }))(rows.map((row) => ({ ...row, sqft: '', price: '', sold: '' }))),
    needs: 'total',
  },
  {
    name: 'totals in thousands, a fifth',
    rows: every(5, ({ total }) => ({ total: hundredth(total).slice(0, -1) })),
    needs: 'total',
  },
  { name: 'baths times ten, a tenth', rows: every(10, ({ baths }) => ({ baths: String(Number(baths) * 10) })) },
  {
    name: 'lots in hectares in a column of square feet',
    rows: all(({ lot }) => ({ lot: (Number(lot) / 107_639).toFixed(3) })),
    needs: 'total',
  },
  { name: 'areas with points between thousands, a tenth', rows: every(10, ({ sqft }) => ({ sqft: dotted(sqft) })) },
  { name: 'prices in millions', rows: all(({ price }) => ({ price: (Number(price) / 1e6).toFixed(4) })) },
  {
    name: 'prices as in Europe',
    rows: all(({ price }) => ({ price: `${dotted(price)},00` })),
  },
  {
    name: 'the assessed value in place of the price, a tenth',
    rows: every(10, ({ total }) => ({ price: total })),
    needs: 'total',
  },
  // Stand-ins.
  {
    name: '-9999 for none, some',
    rows: every(8, () => ({ sqft: '-9999', lot: '-9999', year: '-9999', lat: '-9999', lon: '-9999' })),
    isRight: true,
  },
  { name: '-1 for none, some', rows: every(8, () => ({ sqft: '-1', beds: '-1', baths: '-1' })), isRight: true },
  { name: 'a lot of 0.01 for none, some', rows: every(8, () => ({ lot: '0.01' })) },
  { name: 'nan for none, some', rows: every(12, () => ({ sqft: 'nan', year: 'nan', beds: 'nan' })), isRight: true },
  { name: 'parcels that a lookup did not find', rows: every(12, () => ({ parcel: '#N/A' })) },
  { name: 'parcels that a program did not have', rows: every(12, () => ({ parcel: 'nan' })) },
  { name: 'the same as above in words', rows: every(3, () => ({ city: 'SAME', address: 'DITTO' })) },
  { name: 'formulas instead of values, some', rows: every(9, (_, i) => ({ price: `=C${i}*1000` })) },
  // Columns and the header.
  { name: 'city and ZIP code exchanged', rows: swap('city', 'zip') },
  { name: 'city and ZIP code exchanged, half', rows: inHalf(({ city, zip }) => ({ city: zip, zip: city })) },
  {
    name: 'groups of columns above the header',
    text: lines(([header, ...rest], { separator }) => [
      header
        .split(separator)
        .map((_, i) => (i % 5 === 0 ? (['Property', 'Location', 'Building', 'Sale', 'Values'][i / 5] ?? '') : ''))
        .join(separator),
      header,
      ...rest,
    ]),
    isRight: true,
  },
  {
    name: 'names of columns over two lines',
    text: lines(([header, ...rest], { separator }) => {
      const names = header.split(separator).map((name) => name.split(/_|(?=[A-Z][a-z])/));
      return [
        names.map(([first]) => first).join(separator),
        names.map(([, ...others]) => others.join(' ')).join(separator),
        ...rest,
      ];
    }),
  },
  { name: 'names cut at ten letters', header: (names) => names.map((name) => name.slice(0, 10)), isRight: true },
  {
    name: 'quotes escaped with a backslash',
    text: lines((list) =>
      list.map((line, i) =>
        i > 0 && i % 7 === 0
          ? line.replace(/PRIVATE OWNER \d+|SINGLE FAMILY/, String.raw`"$& \"AS IS\", SEE DEED"`)
          : line,
      ),
    ),
  },
  // Calendars.
  {
    name: 'months in Spanish',
    rows: all(({ sold }) => {
      const [year, month, day] = partsOf(sold);
      return { sold: `${day}-${SPANISH[month - 1]}-${year}` };
    }),
  },
  {
    name: 'months in German',
    rows: all(({ sold }) => {
      const [year, month, day] = partsOf(sold);
      return { sold: `${day}. ${GERMAN[month - 1]} ${year}` };
    }),
  },
  {
    name: 'days of the year',
    rows: all(({ sold }) => ({ sold: `${sold.slice(0, 4)}${String(dayOfYear(sold)).padStart(3, '0')}` })),
  },
  {
    name: 'dates with a digit for the century',
    rows: all(({ sold }) => ({ sold: `1${sold.slice(2).replaceAll('-', '')}` })),
  },
  {
    name: 'years and quarters of sales',
    rows: all(({ sold }) => ({ sold: `${sold.slice(0, 4)}Q${Math.ceil(Number(sold.slice(5, 7)) / 3)}` })),
  },
  { name: 'years of sales', rows: all(({ sold }) => ({ sold: sold.slice(0, 4) })) },
  {
    name: 'midnights of another time zone, half',
    rows: inHalf(({ sold }) => ({ sold: `${addDays(sold, -1)}T19:00:00` })),
  },
  // The place.
  { name: 'coordinates of web maps', rows: all(mercator), needs: 'lat' },
  {
    name: "the owner's mail in place of the address, a third",
    rows: every(3, (_, i) => {
      const [city, zip] = MAIL[i % MAIL.length];
      return { address: `${200 + i} W CAPITOL DR`, city, zip };
    }),
  },
  // Joins and editions in one file.
  {
    name: 'each home with the sales of two others of its street',
    rows: (rows) => {
      const streets = Map.groupBy(rows, streetOf);
      return rows.flatMap((row) => {
        const near = streets.get(streetOf(row))!;
        const at = near.indexOf(row);
        return [0, 1, 2].map((by) => {
          const { sold, price } = near[(at + by) % near.length];
          return { ...row, sold, price };
        });
      });
    },
  },
  {
    name: 'each home again below with the values of an older year',
    rows: (rows) => [
      ...rows,
      ...rows.map((row) => ({
        ...row,
        land: hundredth(String(Number(row.land) * 83)),
        building: hundredth(String(Number(row.building) * 83)),
        total: hundredth(String(Number(row.total) * 83)),
      })),
    ],
    needs: 'total',
  },
  {
    name: 'homes called vacant land, a third',
    rows: every(3, () => ({ use: 'VACANT LAND' })),
  },
  // The next edition.
  {
    name: 'next: areas of a tenth in square meters',
    isNext: true,
    rows: every(10, ({ sqft }) => ({ sqft: (Number(sqft) / 10.7639).toFixed(0) })),
  },
  {
    name: 'next: prices of a tenth with a digit more',
    isNext: true,
    rows: every(10, ({ price }) => ({ price: `${price}0` })),
  },
  {
    name: 'next: values one row too low in a quarter',
    isNext: true,
    rows: slipped('land', 'building', 'total'),
    needs: 'total',
  },
  {
    name: 'next: the older of two editions',
    isNext: true,
    rows: all(({ total }) => ({ total: hundredth(String(Number(total) * 93)) })),
    needs: 'total',
  },
];
