// An appraisal as the XML of UAD 3.6 (MISMO 3.6): the subject, its value and the comparables that sold, as a request
// for a review. Runs on a thread. Reads only what a review needs; images, parties and text are skipped.
import { fail } from '../../base/lib/errors.ts';
import { SQFT_PER_ACRE } from '../../records/properties/record.ts';
import FEATURES from './uad-features.json' with { type: 'json' };

interface Element {
  name: string;
  attributes: string;
  text: string;
  children: Element[];
}

export interface UadFile {
  /** In the form of a request, not validated here. */
  request: unknown;
  /** Comparables without a closed sale, in words. */
  unsold: string[];
}

export function readUad(bytes: Buffer): UadFile {
  const root = readXml(bytes.toString('utf8'));
  const properties = allOf(root, 'PROPERTY');
  const usedAs = (use: string) =>
    properties.filter(({ attributes }) => /ValuationUseType\s*=\s*["']([^"']*)/.exec(attributes)?.[1] === use);
  const [subject] = usedAs('SubjectProperty');
  if (!subject) refuse('it has no PROPERTY with ValuationUseType="SubjectProperty", as UAD 3.6 has');
  const comparables = usedAs('SalesComparable').map((property) => ({ property, sale: closedSaleOf(property) }));
  const reference = textOf(root, 'AppraiserFileIdentifier');
  const request = {
    property: { address: addressOf(subject), ...factsOf(subject) },
    appraisal: {
      value: numberOf(root, 'OpinionOfValueAmount'),
      effective_date: textOf(root, 'AppraisalReportEffectiveDate'),
      comparables: comparables.flatMap(({ property, sale }) =>
        sale
          ? [stated({ address: addressOf(property), ...factsOf(property), ...sale, ...adjustmentsOf(property) })]
          : [],
      ),
    },
    ...(reference !== undefined && { reference }),
  };
  const unsold = comparables.flatMap(({ property, sale }) => (sale ? [] : [describeUnsold(property)]));
  return { request, unsold };
}

const refuse = (why: string): never => fail('invalid_request', `The appraisal cannot be read: ${why}.`);

/** Non-element XML constructs, by their start. */
const PASSED_OVER: [start: string, end: string][] = [
  ['<!--', '-->'],
  ['<?', '?>'],
  ['<![CDATA[', ']]>'],
];
const MOST_DEPTH = 100;

function readXml(xml: string): Element {
  const root: Element = { name: '', attributes: '', text: '', children: [] };
  const open = [root];
  for (let at = xml.indexOf('<'); at >= 0; at = xml.indexOf('<', at)) {
    const [, ending = '>'] = PASSED_OVER.find(([start]) => xml.startsWith(start, at)) ?? [];
    const end = xml.indexOf(ending, at);
    if (end < 0) refuse('it ends inside of a tag');
    const tag = xml.slice(at + 1, end);
    at = end + ending.length;
    if (ending !== '>') continue;
    if (tag.startsWith('!')) refuse('it has a document type, which UAD 3.6 does not use');
    const [, slash, name, attributes] = /^(\/?)(?:[\w.-]+:)?([\w.-]+)([^]*)$/.exec(tag) ?? refuse('it is not XML');
    if (slash) {
      if (open.length === 1 || open.pop()!.name !== name) refuse(`</${name.slice(0, 60)}> closes what is not open`);
      continue;
    }
    const element: Element = { name, attributes, text: '', children: [] };
    open.at(-1)!.children.push(element);
    if (attributes.endsWith('/')) continue;
    element.text = xml.slice(at, xml.indexOf('<', at));
    if (open.push(element) > MOST_DEPTH) refuse(`its elements lie more than ${MOST_DEPTH} deep`);
  }
  if (open.length > 1) refuse(`<${open.at(-1)!.name}> is not closed`);
  return root;
}

const allOf = (element: Element, name: string): Element[] =>
  element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...allOf(child, name)]);

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const decode = (text: string) =>
  text
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));/gi, (whole, decimal, hex, name) => {
      const code = decimal ? Number(decimal) : parseInt(hex, 16);
      return ENTITIES[name] ?? (code <= 0x10ffff ? String.fromCodePoint(code) : whole);
    })
    .replace(/\s+/g, ' ')
    .trim();

const textOf = (element: Element, name: string): string | undefined =>
  decode(allOf(element, name)[0]?.text ?? '') || undefined;

/** A nonnumeric value is left as is, for the request schema to reject. */
function numberOf(element: Element, name: string): unknown {
  const text = textOf(element, name);
  return text === undefined || Number.isNaN(Number(text)) ? text : Number(text);
}

/** The defined members. */
const stated = <Members extends object>(members: Members) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

function addressOf(property: Element): string | undefined {
  const address = property.children.find(({ name }) => name === 'ADDRESS');
  if (!address) return undefined;
  const [line, unit, city, state, zip] = [
    'AddressLineText',
    'AddressUnitIdentifier',
    'CityName',
    'StateCode',
    'PostalCode',
  ].map((name) => textOf(address, name));
  return [[line, unit && `# ${unit}`], [city], [state, zip]]
    .map((part) => part.filter((word) => word !== undefined).join(' '))
    .filter((part) => part !== '')
    .join(', ');
}

/** From dwellings only: outbuildings and accessory units are excluded. */
function factsOf(property: Element) {
  const dwellings = allOf(property, 'IMPROVEMENT').filter((each) => textOf(each, 'ImprovementType') === 'Dwelling');
  const units = dwellings
    .flatMap((dwelling) => allOf(dwelling, 'PROPERTY_UNIT'))
    .filter((unit) => textOf(unit, 'AccessoryDwellingUnitIndicator') !== 'true');
  const total = (name: string, worth = 1) => {
    const found = units.flatMap((unit) => allOf(unit, name).map(({ text }) => Number(text) * worth));
    return found.length === 0 ? undefined : found.reduce((sum, each) => sum + each, 0);
  };
  const [full, half] = [total('FullBathroomCount'), total('HalfBathroomCount', 0.5)];
  const [lot] = allOf(property, 'LotSizeAreaMeasure');
  const isInAcres = /["']Acres["']/.test(lot?.attributes ?? '');
  return stated({
    sqft: total('UnitStandardAboveGradeFinishedAreaMeasure') || undefined,
    lot_sqft: lot && Math.round(Number(lot.text) * (isInAcres ? SQFT_PER_ACRE : 1)),
    bedrooms: total('BedroomCount'),
    bathrooms: full === undefined ? undefined : full + (half ?? 0),
    year_built: dwellings[0] && numberOf(dwellings[0], 'PropertyStructureBuiltYear'),
  });
}

/** The last sale with a price, of a comparable reported as sold. */
function closedSaleOf(property: Element) {
  if (textOf(property, 'ListingStatusType') !== 'SettledSale') return undefined;
  const sales = allOf(property, 'SALES_HISTORY').map((sale) => ({
    sale_price: numberOf(sale, 'OwnershipTransferTransactionAmount'),
    sale_date: textOf(sale, 'OwnershipTransferDate') ?? '',
  }));
  return sales
    .filter(({ sale_price }) => sale_price !== undefined)
    .toSorted((a, b) => (a.sale_date < b.sale_date ? 1 : -1))[0];
}

const describeUnsold = (property: Element) =>
  `${addressOf(property)}: ${textOf(property, 'ListingStatusType') ?? 'no sale stated'}`;

/** Sums the amounts of each feature, because there may be a line per unit. */
function adjustmentsOf(property: Element) {
  const amounts = new Map<string, number>();
  for (const line of allOf(property, 'COMPARABLE_ADJUSTMENT')) {
    const type = textOf(line, 'ComparableAdjustmentType') ?? 'other';
    const own = textOf(line, 'AdditionalComparisonLineItemIdentifier');
    const feature = (FEATURES as Record<string, string>)[type] ?? snakeCase(own ?? type).slice(0, 60);
    const amount = Number(textOf(line, 'ComparableAdjustmentAmount') ?? 0);
    if (amount !== 0) amounts.set(feature, (amounts.get(feature) ?? 0) + amount);
  }
  return {
    adjusted_price: numberOf(property, 'AdjustedSalesPriceAmount'),
    adjustments: [...amounts].map(([feature, amount]) => ({ feature, amount })),
  };
}

const snakeCase = (name: string) =>
  name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/\W+/g, '_')
    .toLowerCase();
