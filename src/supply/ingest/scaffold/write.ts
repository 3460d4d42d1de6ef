// Writes a commented recipe from the guesses about a place's files.
import { basename } from 'node:path';
import { Document, isMap, isScalar, isSeq, visit, type Node } from 'yaml';
import {
  assessmentFields,
  dateField,
  earlierSales,
  hasSaleDate,
  keyWithoutNumber,
  propertyFields,
  saleFields,
  typeField,
  type Fields,
  type Guessed,
} from './fields.ts';
import type { AddressFacts } from '../../examination/subject.ts';
import type { Guesses } from './guess.ts';
import type { FileProfile, Profile } from './profile.ts';
import { isSerial } from './roles.ts';
import { slugOf } from '../../../base/lib/slug.ts';

export interface Place {
  id: string;
  name: string;
  state: string;
  fips: number;
  county: string;
}

/** A local file and its origin. */
export interface FileAt {
  path: string;
  url?: string;
  paging?: 'arcgis';
  /** As the publisher states it. */
  license?: string;
}

/** Its path is the one used in the recipe. */
interface ScaffoldFile extends FileAt {
  format: Record<string, unknown>;
  publishedOn: string;
  profile: FileProfile;
  guesses: Guesses;
}

interface Part extends ScaffoldFile {
  name: string;
  guessed: Guessed;
  properties: Fields;
  type: Fields | undefined;
  /** How rows join to properties: by parcel number, or by an address that another file has with a parcel number. */
  joins: 'parcel' | 'address';
  /** Another file joins by its addresses. */
  isJoined: boolean;
}

/** One dataset per file. Files of one place are joined by their parcel numbers. */
export function writeRecipe(
  place: Place & { missing: string[]; addresses?: AddressFacts },
  files: ScaffoldFile[],
): string {
  const parts = files.map((file): Part => {
    const guessed: Guessed = {
      guesses: file.guesses,
      profile: file.profile,
      publishedOn: file.publishedOn,
      state: place.state,
      addresses: place.addresses,
      aliases: {},
    };
    const name = files.length === 1 ? 'records' : slugOf(basename(file.path).replace(/\.\w+(\.gz)?$/, ''));
    const properties = propertyFields(guessed);
    return { ...file, name, guessed, properties, type: typeField(guessed), joins: 'parcel', isJoined: false };
  });
  completeProperties(parts, place);
  joinByAddress(parts);
  // A sale finds its property only after that has been loaded.
  const isLate = (part: Part) => part.joins === 'address' || !hasProperties(part);
  const ordered = [...parts.filter((part) => !isLate(part)), ...parts.filter(isLate)];
  const datasets = ordered.map((part) => ({ part, dataset: datasetOf(part, place) }));
  // Nothing in it was recognized.
  const used = datasets.filter(({ dataset }) => (dataset.records as Fields[]).length > 0);
  const document = new Document({
    id: place.id,
    market: { name: place.name, state: place.state, description: place.name },
    counties: [{ fips: place.fips, name: place.county, state: place.state }],
    datasets: Object.fromEntries(used.map(({ part, dataset }) => [part.name, dataset])),
  });
  comment(
    document,
    used.map(({ part }) => part),
    place,
  );
  return document.toString({ lineWidth: 110, flowCollectionPadding: true });
}

const hasProperties = ({ properties }: Part) => Object.keys(properties).length > 0;

/** Required fields come from one file each: the city from the one with the addresses, the type from the one with the
    most types. */
function completeProperties(parts: Part[], place: Parameters<typeof writeRecipe>[0]): void {
  const described = parts.filter(hasProperties);
  const main = described.find(({ properties }) => properties.address_line1) ?? described[0] ?? parts[0];
  const [town] = place.name.split(',');
  // A county name is not a city, and a ZIP code with several postal cities is ambiguous: no city is better than a wrong
  // one.
  const zips = parts.flatMap(({ guesses }) => guesses.byRole.get('zip')?.column.values ?? []);
  const rowsOf = (list: typeof zips) => list.reduce((sum, [, rows]) => sum + rows, 0);
  const own = zips.filter(([zip]) => place.addresses?.isCityOfZip(town, zip.slice(0, 5).padStart(5, '0')) ?? true);
  const isTown = rowsOf(own) >= 0.98 * rowsOf(zips) && !/\b(county|parish|borough)\b/i.test(town);
  if (isTown && !parts.some(({ properties }) => properties.city))
    main.properties.city = { constant: town.toUpperCase() };
  const typesOf = ({ type }: (typeof parts)[number]) => (type ? typesIn(type) : 0);
  const [typed] = parts.filter(({ type }) => type).toSorted((a, b) => typesOf(b) - typesOf(a));
  (typed ?? main).properties.property_type = typed?.type ?? { constant: 'single_family' };
  for (const { properties, guesses, guessed, profile } of parts) {
    const soldOn = guesses.byRole.get('sale_date')?.column;
    if (soldOn && Object.keys(properties).length > 0 && isListOfSales(guesses, profile))
      properties.known_on = dateField(soldOn, guessed.aliases);
  }
}

/** Whether each row is a sale with the home's attributes at the time. A roll lists each home once as of publication,
    with its last sale. */
function isListOfSales({ byRole }: Guesses, { shapes }: FileProfile): boolean {
  const [soldOn, parcel] = [byRole.get('sale_date')?.column, byRole.get('parcel')?.column];
  if (!soldOn || soldOn.filled < 0.97 || shapes.polygons > 0) return false;
  const hasPrice = byRole.has('sale_price');
  const isOnce = parcel ? parcel.distinct > 0.995 : !hasPrice;
  const isRoll =
    !hasPrice || ['owner', 'assessed_total', 'assessed_land', 'legal_description'].some((role) => byRole.has(role));
  return !(isOnce && isRoll);
}

function joinByAddress(parts: Part[]): void {
  const has = ({ guesses, properties }: Part, isParcel: boolean) =>
    properties.address_line1 !== undefined && guesses.byRole.has('parcel') === isParcel;
  const main = parts.find((part) => has(part, true));
  const others = parts.filter((part) => has(part, false));
  if (!main || others.length === 0) return;
  main.isJoined = true;
  for (const part of others) part.joins = 'address';
}

const typesIn = (type: Fields) => new Set(Object.values((type.table ?? type.patterns ?? {}) as Fields)).size;

function datasetOf(part: Part, place: Place): Fields {
  const { guesses, guessed, properties, publishedOn, url, path, paging } = part;
  const column = (role: string) => guesses.byRole.get(role)?.column.name;
  const { address_line1: address, ...rest } = properties;
  const parcel = column('parcel') ? { text: column('parcel') } : keyWithoutNumber(guessed);
  const isShared = (guesses.byRole.get('parcel')?.column.distinct ?? Number(guesses.byRole.has('lot'))) < 0.5;
  const records: Fields[] = [];
  if (part.joins === 'address') records.push({ into: 'properties', creates: false, fields: rest });
  else if (hasProperties(part)) records.push({ into: 'properties', fields: properties });
  if (part.isJoined) records.push({ into: 'property_keys', fields: { kind: { constant: 'address' }, key: address } });
  const sale = saleFields(guessed);
  if (sale) {
    const when = hasSaleDate(guessed);
    const attributes = hasProperties(part) && { attributes: true };
    records.push({
      into: 'transactions',
      ...(when && { only_if: when }),
      ...attributes,
      required: ['price'],
      fields: sale,
    });
  }
  if (sale)
    for (const earlier of earlierSales(guessed))
      records.push({ into: 'transactions', only_if: earlier.only_if, required: ['price'], fields: earlier.fields });
  const assessment = assessmentFields(guessed);
  if (assessment) records.push({ into: 'assessments', fields: assessment });
  const owners = [column('owner'), column('owner2')].filter((name) => name !== undefined);
  if (owners.length > 0)
    records.push({ into: 'owners', only_if: { present: owners[0] }, fields: { names: { names: owners } } });
  return {
    name: part.name === 'records' ? 'Properties' : part.name,
    publisher: place.county,
    ...(url && { landing_page: url }),
    license: part.license || 'Public record; the terms of its publisher have not been reviewed.',
    cadence: 'unknown',
    published_on: publishedOn,
    format: part.format,
    files: [url ? { path, url, ...(paging && { paging }) } : path],
    ...(Object.keys(guessed.aliases).length > 0 && { columns: guessed.aliases }),
    ...(guesses.personal.length > 0 && { personal: guesses.personal }),
    key:
      part.joins === 'address'
        ? { by: { kind: 'address', key: address } }
        : {
            parcel,
            // Units are part of the key if one parcel number, or a substitute address, covers several units.
            ...(column('address_unit') && isShared && { unit: { upper: column('address_unit') } }),
          },
    records,
    layers: [...new Set(records.map(({ into }) => into))].filter((into) => into !== 'property_keys'),
  };
}

/** Examples next to each guess, but none from columns about people. */
function comment(document: Document, parts: Part[], place: Place & { missing: string[] }): void {
  const rows = parts.map(({ profile }) => `${profile.rows}${profile.hasMore ? ' of the' : ''}`).join(', ');
  const missing = place.missing.length === 0 ? '' : `\n Found no column for: ${place.missing.join(', ')}.`;
  document.commentBefore = ` Written by \`platbook source new\` from ${rows} rows. Lines marked CHECK are guesses.${missing}
 Then: platbook ingest <this file> --dry-run`;
  if (place.fips < 1001) note(document, ['counties', 0, 'fips'], 'FILL IN: the five digits of the county');
  for (const part of parts) commentDataset(document, part);
}

function commentDataset(document: Document, { name, guesses, format }: Part): void {
  const path = ['datasets', name];
  const columns = new Map([...guesses.byRole.values()].map((guess) => [guess.column.name, guess]));
  visit(document.getIn(path, true) as Node, {
    Pair(_, pair) {
      if (!isMap(pair.value)) {
        if (isSeq(pair.value) && pair.value.items.every(isScalar)) pair.value.flow = true;
        return;
      }
      const values = pair.value.items.map((item) => item.value);
      const isSmall =
        values.length <= 4 && values.every((value) => isScalar(value) || (isSeq(value) && value.items.every(isScalar)));
      pair.value.flow = isSmall;
      const guess = values
        .map((value) => (isScalar(value) ? columns.get(String(value.value)) : undefined))
        .find(Boolean);
      if (guess && !guess.isSure) {
        const words = ` CHECK${exampleOf(guess.column, guesses.personal)}`;
        if (isSmall) pair.value.comment = words;
        else pair.value.commentBefore = words;
      }
    },
  });
  note(document, [...path, 'published_on'], 'CHECK: not before the newest date in the file');
  note(document, [...path, 'license'], 'CHECK: customers see it');
  if (!guesses.byRole.has('parcel'))
    note(document, [...path, 'key', 'parcel'], 'CHECK: no column looks like a parcel number');
  if (format.point && !format.projection && !isDegrees(guesses))
    note(document, [...path, 'format'], 'FILL IN projection: EPSG:… of these coordinates');
  const records = document.getIn([...path, 'records']) as { items: unknown[] };
  for (let i = 0; i < records.items.length; i++) {
    const fields = [...path, 'records', i, 'fields'];
    if (document.hasIn([...fields, 'property_type', 'constant']))
      note(document, [...fields, 'property_type'], 'CHECK: no column says what kind of property it is');
    if (document.hasIn([...fields, 'city', 'constant']))
      note(document, [...fields, 'city'], 'CHECK: no column names the city, and this one is taken for all');
    if (document.hasIn([...fields, 'year', 'constant']))
      note(document, [...fields, 'year'], 'CHECK: no column says of which year the values are');
    if (document.hasIn([...fields, 'year_built', 'expression']))
      note(document, [...fields, 'year_built'], 'CHECK: the year for which the file states ages');
    const { byRole } = guesses;
    const soldOn = byRole.get('sale_date')?.column;
    if (soldOn && isSerial(soldOn))
      for (const name of ['sale_date', 'known_on'])
        note(document, [...fields, name], 'CHECK: days since 1900, as spreadsheets count them');
    if (document.hasIn([...fields, 'sale_date']) && !byRole.has('sale_date') && !byRole.has('sale_year'))
      note(document, [...fields, 'sale_date'], 'FILL IN: the file states the months of its sales but not the year');
  }
}

/** Whether all point coordinates are in the range of degrees. */
const isDegrees = ({ byRole }: Guesses) =>
  byRole
    .get('point')
    ?.column.values.every(([value]) =>
      (value.match(/-?\d+(\.\d+)?/g) ?? []).every((x) => Math.abs(Number(x)) <= 180),
    ) ?? false;

function note(document: Document, path: (string | number)[], text: string): void {
  const node = document.getIn(path, true) as { comment?: string | null } | undefined;
  if (node) node.comment = ` ${text}`;
}

function exampleOf(column: Profile, personal: string[]): string {
  if (personal.includes(column.name)) return '';
  const [first] = column.values[0] ?? [];
  return first === undefined ? '' : `: for example ${first.replace(/\s+/g, ' ').slice(0, 40)}`;
}
