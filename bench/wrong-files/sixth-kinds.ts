// A sixth wave of wrong files: fields too narrow for their values, two values in one cell, joins that went wrong, and notations
// of surveyors and of the web.
import { all, every, type Kind, lines } from './kind.ts';

const onlyIfLong = (value: string, width: number) => (value.length > width ? '*'.repeat(width) : value);
/** 43.9531 as 43.5711: degrees, minutes and seconds run together. */
const packed = (value: string) => {
  const seconds = Math.round(Math.abs(Number(value)) * 3600);
  const two = (count: number) => String(count).padStart(2, '0');
  const digits = `${Math.floor(seconds / 3600)}.${two(Math.floor(seconds / 60) % 60)}${two(seconds % 60)}`;
  return Number(value) < 0 ? `-${digits}` : digits;
};

export const SIXTH_KINDS: Kind[] = [
  {
    name: 'prices and areas padded with zeros',
    rows: all(({ price, sqft }) => ({ price: price.padStart(11, '0'), sqft: sqft.padStart(7, '0') })),
    isRight: true,
  },
  { name: 'asterisks where areas were too wide', rows: all(({ sqft }) => ({ sqft: onlyIfLong(sqft, 3) })) },
  { name: 'number signs where dates were too wide', rows: every(3, () => ({ sold: '########' })) },
  {
    name: 'two prices in one cell, some',
    rows: every(20, ({ price }) => ({ price: `${price} ${Number(price) + 40_000}` })),
    truth: 'file',
  },
  {
    name: 'two areas in one cell, a tenth',
    rows: every(10, ({ sqft }) => ({ sqft: `${sqft} 80` })),
  },
  { name: 'addresses encoded for the web', rows: all(({ address }) => ({ address: encodeURIComponent(address) })) },
  {
    name: 'blanks in addresses as plus signs',
    rows: all(({ address }) => ({ address: address.replaceAll(' ', '+') })),
  },
  {
    name: 'degrees, minutes and seconds run together',
    rows: all(({ lat, lon }) => ({ lat: packed(lat), lon: packed(lon) })),
    needs: 'lat',
  },
  {
    name: 'coordinates in millionths of a degree',
    rows: all(({ lat, lon }) => ({
      lat: String(Math.round(Number(lat) * 1e6)),
      lon: String(Math.round(Number(lon) * 1e6)),
    })),
    needs: 'lat',
  },
  {
    name: 'each home again with the owner of the next',
    rows: (rows) => rows.flatMap((row, i) => [row, { ...row, owner: rows[(i + 1) % rows.length].owner }]),
    needs: 'owner',
  },
  {
    name: 'a row of units below the header',
    text: lines(([header, ...rest], { separator }) => [
      header,
      header
        .split(separator)
        .map(() => 'text')
        .join(separator),
      ...rest,
    ]),
    isRight: true,
  },
  { name: 'marks of footnotes behind prices, some', rows: every(15, ({ price }) => ({ price: `${price}*` })) },
  {
    name: 'ZIP codes counted up by a spreadsheet',
    rows: all((_row, i) => ({ zip: String(53_934 + (i % 60)) })),
    needs: 'zip',
  },
  {
    name: 'house numbers counted up by a spreadsheet',
    rows: all(({ address }, i) => ({ address: address.replace(/^\d+/, String(400 + i)) })),
  },
  {
    name: 'prices with the word of their currency',
    rows: all(({ price }) => ({ price: `USD ${price}` })),
  },
];
