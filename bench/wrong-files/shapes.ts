// The shapes in which a publisher writes the same homes: columns, names, separators and formats.
import type { Cells, Column } from './homes.ts';

export interface Shape {
  name: string;
  file: string;
  columns: [column: Column, name: string][];
  separator: string;
  write(header: string[], rows: string[][]): string;
}

const quoted = (separator: string) => (cell: string) =>
  cell.includes(separator) || /["\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;

const table =
  (separator: string) =>
  (header: string[], rows: string[][]): string =>
    `${[header, ...rows].map((cells) => cells.map(quoted(separator)).join(separator)).join('\n')}\n`;

const features = (header: string[], rows: string[][]): string =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: rows.map((cells) => ({
      type: 'Feature',
      geometry: null,
      properties: Object.fromEntries(header.map((name, i) => [name, cells[i] === '' ? null : cells[i]])),
    })),
  });

const named = (names: string): Shape['columns'] => names.split(' ').map((pair) => pair.split('=') as [Column, string]);

const ROLL = named(
  'parcel=PARCEL_ID address=SITUS_ADDRESS city=SITUS_CITY state=SITUS_STATE county=COUNTY zip=SITUS_ZIP lat=LATITUDE lon=LONGITUDE sqft=LIVING_AREA lot=LOT_SQFT beds=BEDROOMS baths=BATHROOMS year=YEAR_BUILT use=LAND_USE_DESC sold=SALE_DATE price=SALE_PRICE land=LAND_VALUE building=BLDG_VALUE total=TOTAL_VALUE owner=OWNER_NAME last=REMARKS',
);
const SALES = named(
  'sold=saleDate price=salePrice parcel=apn address=propertyAddress city=city zip=zipCode county=county state=propertyState beds=beds baths=baths sqft=sqft lot=lotSize year=yearBuilt use=propertyType lat=lat lon=lng last=notes',
);

export const SHAPES: Shape[] = [
  { name: 'roll, CSV', file: 'roll.csv', columns: ROLL, separator: ',', write: table(',') },
  { name: 'sales, tabs', file: 'sales.txt', columns: SALES, separator: '\t', write: table('\t') },
  { name: 'roll, pipes', file: 'roll.txt', columns: ROLL.toReversed(), separator: '|', write: table('|') },
  { name: 'roll, GeoJSON', file: 'roll.geojson', columns: ROLL, separator: '', write: features },
];

export const cellsOf = ({ columns }: Shape, rows: Cells[]): string[][] =>
  rows.map((row) => columns.map(([column]) => row[column]));
