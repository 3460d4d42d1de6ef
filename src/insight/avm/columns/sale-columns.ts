// Sales as columns off the heap: the garbage collector would traverse half a million sale objects on every run, and a
// process that opens a market reads the columns as they are stored.
import { mapValues } from '../../../base/lib/pick.ts';
import { noAttributes, VOUCHERS, type Attributes, type Sale } from '../attributes.ts';
import { grown, openTextBuilder, packLookup, reordered, textReader, type Lookup, type Texts } from './texts.ts';
import * as values from './values.ts';

const TEXT_NAMES = [
  'propertyType',
  'condition',
  'quality',
  'style',
  'exterior',
  'zip',
  'city',
  'neighborhood',
  'subdivision',
  'censusTract',
] as const;
type TextName = (typeof TEXT_NAMES)[number];
type NumberName = Exclude<keyof Attributes, TextName | 'extras'>;
const NUMBER_NAMES = Object.keys(noAttributes).filter(
  (name) => name !== 'extras' && !(TEXT_NAMES as readonly string[]).includes(name),
) as NumberName[];

/** Oldest first. */
export type SaleColumns = {
  ids: Texts;
  soldDay: Int32Array;
  knownDay: Int32Array;
  /** Each property once; `property` holds its number for each sale. */
  properties: Lookup;
  property: Int32Array;
  price: values.NumberColumn;
  /** Empty where unknown. */
  address: Texts;
  /** 0 for nobody, otherwise 1 + the number of the voucher. */
  vouchedBy: Uint8Array;
  numbers: Record<NumberName, values.NumberColumn>;
  texts: Record<TextName, values.TextColumn>;
  /** The names of a sale's extras in order, as JSON; `extras` has one column per name. */
  extraNames: values.TextColumn;
  extras: Record<string, values.NumberColumn>;
};

/** Takes sales in any order and returns them sorted by date when closed. */
export function openSaleColumnBuilder() {
  const ids: string[] = [];
  const byDay = new Map<number, number[]>();
  const propertyNumbers = new Map<string, number>();
  const [properties, address] = [openTextBuilder(), openTextBuilder()];
  const numbers = fromNames(NUMBER_NAMES, values.openNumberBuilder);
  const texts = fromNames(TEXT_NAMES, values.openTextColumnBuilder);
  const price = values.openNumberBuilder();
  const extraNames = values.openTextColumnBuilder();
  const extras = new Map<string, values.NumberBuilder>();
  let soldDay = new Int32Array(256);
  let knownDay = new Int32Array(256);
  let property = new Int32Array(256);
  let vouchedBy = new Uint8Array(256);
  return {
    put(sale: Sale): void {
      const i = ids.push(sale.id) - 1;
      if (i === soldDay.length) {
        [soldDay, knownDay, property] = [soldDay, knownDay, property].map(grown);
        vouchedBy = grown(vouchedBy);
      }
      soldDay[i] = sale.soldDay;
      knownDay[i] = sale.knownDay;
      vouchedBy[i] = sale.vouchedBy ? 1 + VOUCHERS.indexOf(sale.vouchedBy) : 0;
      const day = byDay.get(sale.soldDay);
      if (day) day.push(i);
      else byDay.set(sale.soldDay, [i]);
      property[i] = propertyNumbers.get(sale.propertyId) ?? propertyNumbers.size;
      if (property[i] === propertyNumbers.size) {
        propertyNumbers.set(sale.propertyId, property[i]);
        properties.put(sale.propertyId);
      }
      price.put(sale.priceUsd);
      address.put(sale.address ?? '');
      for (const name of NUMBER_NAMES) numbers[name].put(sale.attributes[name] ?? NaN);
      for (const name of TEXT_NAMES) texts[name].put(sale.attributes[name]);
      const names = Object.keys(sale.attributes.extras);
      extraNames.put(JSON.stringify(names));
      for (const name of names) {
        if (extras.has(name)) continue;
        const column = values.openNumberBuilder();
        for (let k = 0; k < i; k++) column.put(NaN);
        extras.set(name, column);
      }
      for (const [name, column] of extras) column.put(sale.attributes.extras[name] ?? NaN);
    },
    close(): SaleColumns {
      const days = [...byDay.keys()].toSorted((a, b) => a - b);
      const order = Uint32Array.from(
        days.flatMap((day) => byDay.get(day)!.toSorted((a, b) => (ids[a] < ids[b] ? -1 : 1))),
      );
      const idsInOrder = openTextBuilder();
      for (const i of order) idsInOrder.put(ids[i]);
      return {
        ids: idsInOrder.close(),
        soldDay: values.inOrder(soldDay, order),
        knownDay: values.inOrder(knownDay, order),
        properties: packLookup(properties.close()),
        property: values.inOrder(property, order),
        price: price.close(order),
        address: reordered(address.close(), order),
        vouchedBy: values.inOrder(vouchedBy, order),
        numbers: fromNames(NUMBER_NAMES, (name) => numbers[name].close(order)),
        texts: fromNames(TEXT_NAMES, (name) => texts[name].close(order)),
        extraNames: extraNames.close(order),
        extras: Object.fromEntries(extras.entries().map(([name, column]) => [name, column.close(order)])),
      };
    },
  };
}

/** The columns of the sales from number `first` on. */
export function columnsFrom(columns: SaleColumns, first: number): SaleColumns {
  if (first === 0) return columns;
  const texts = ({ bytes, starts }: Texts): Texts => ({ bytes, starts: starts.subarray(first) });
  const coded = <Column extends values.NumberColumn | values.TextColumn>(column: Column): Column =>
    column.codes
      ? { ...column, codes: column.codes.subarray(first) }
      : { ...column, values: (column as values.NumberColumn).values.subarray(first) };
  const each = <Columns extends Record<string, values.NumberColumn | values.TextColumn>>(of: Columns): Columns =>
    mapValues(of, coded) as Columns;
  return {
    ...columns,
    ids: texts(columns.ids),
    soldDay: columns.soldDay.subarray(first),
    knownDay: columns.knownDay.subarray(first),
    property: columns.property.subarray(first),
    price: coded(columns.price),
    address: texts(columns.address),
    vouchedBy: columns.vouchedBy.subarray(first),
    numbers: each(columns.numbers),
    texts: each(columns.texts),
    extraNames: coded(columns.extraNames),
    extras: each(columns.extras),
  };
}

export function saleReader(columns: SaleColumns): (i: number) => Sale {
  const { soldDay, knownDay, property, price, vouchedBy, extraNames } = columns;
  const [idAt, addressAt] = [textReader(columns.ids), textReader(columns.address)];
  const propertyAt = textReader(columns.properties.texts);
  const attributesAt = attributeReader(columns);
  const namesAt = textReader(extraNames.texts);
  const shapes: { name: string; column: values.NumberColumn }[][] = [];
  const extrasAt = (i: number): Record<string, number> => {
    const code = extraNames.codes[i];
    shapes[code] ??= (JSON.parse(namesAt(code - 1)) as string[]).map((name) => ({
      name,
      column: columns.extras[name],
    }));
    const extras: Record<string, number> = {};
    for (const { name, column } of shapes[code]) extras[name] = values.numberAt(column, i);
    return extras;
  };
  return (i) => ({
    id: idAt(i),
    propertyId: propertyAt(property[i]),
    soldDay: soldDay[i],
    knownDay: knownDay[i],
    priceUsd: values.numberAt(price, i),
    attributes: attributesAt(i, extrasAt(i)),
    address: addressAt(i) || null,
    ...(vouchedBy[i] > 0 && { vouchedBy: VOUCHERS[vouchedBy[i] - 1] }),
  });
}

/** Written out by member: a valuation reads a hundred sales, and assigning by name takes five times as long. */
function attributeReader({ numbers: n, texts }: SaleColumns): (i: number, extras: Attributes['extras']) => Attributes {
  const t = fromNames(TEXT_NAMES, (name) => values.textColumnReader(texts[name]));
  return (i, extras) => ({
    propertyType: t.propertyType(i),
    latitude: knownAt(n.latitude, i),
    longitude: knownAt(n.longitude, i),
    sqft: knownAt(n.sqft, i),
    lotSqft: knownAt(n.lotSqft, i),
    bedrooms: knownAt(n.bedrooms, i),
    bathrooms: knownAt(n.bathrooms, i),
    bathsFull: knownAt(n.bathsFull, i),
    bathsHalf: knownAt(n.bathsHalf, i),
    yearBuilt: knownAt(n.yearBuilt, i),
    effectiveYearBuilt: knownAt(n.effectiveYearBuilt, i),
    stories: knownAt(n.stories, i),
    units: knownAt(n.units, i),
    rooms: knownAt(n.rooms, i),
    garageSpaces: knownAt(n.garageSpaces, i),
    condition: t.condition(i),
    quality: t.quality(i),
    style: t.style(i),
    exterior: t.exterior(i),
    zip: t.zip(i),
    city: t.city(i),
    neighborhood: t.neighborhood(i),
    subdivision: t.subdivision(i),
    censusTract: t.censusTract(i),
    extras,
  });
}

function knownAt(column: values.NumberColumn, i: number): number | null {
  const value = values.numberAt(column, i);
  return value === value ? value : null;
}

const fromNames = <Name extends string, Member>(
  names: readonly Name[],
  make: (name: Name) => Member,
): Record<Name, Member> => Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Member>;
