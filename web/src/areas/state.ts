// What the area page shows, kept in the URL: the areas compared, the figure, the periods and the homes. Pure.
import { queryOf } from '../api.ts';

export const KINDS = ['market', 'county', 'city', 'zip', 'tract', 'neighborhood'] as const;
export type Kind = (typeof KINDS)[number];
export const KIND_NAMES: Record<Kind, [one: string, many: string]> = {
  market: ['Market', 'markets'],
  county: ['County', 'counties'],
  city: ['City', 'cities'],
  zip: ['ZIP code', 'ZIP codes'],
  tract: ['Census tract', 'census tracts'],
  neighborhood: ['Neighborhood', 'neighborhoods'],
};
/** What can be ranked and mapped within a market. */
export const PART_KINDS = KINDS.filter((kind) => kind !== 'market' && kind !== 'county');

export const INTERVALS = ['month', 'quarter', 'year'] as const;
export type Interval = (typeof INTERVALS)[number];

export const MOST_AREAS = 5;

/** An area with a name, or whatever a search finds: then the id is its filters as JSON, a drawn polygon included. */
export interface AreaKey {
  kind: Kind | 'search';
  id: string;
}

export interface AreaState {
  market: string | undefined;
  areas: AreaKey[];
  figure: FigureName;
  interval: Interval;
  /** A property type or a segment. */
  homes: string;
  /** What the map and the ranking show. */
  parts: Kind;
}

interface FigureFacts {
  label: string;
  /** For the axis and the legend. */
  unit: 'money' | 'money_per_sqft' | 'count' | 'share' | 'rate' | 'growth' | 'ratio' | 'year' | 'sqft';
  help: string;
}

/** Figures of sales, which have a chart, a map and a ranking. */
export const FIGURES = {
  median_price: { label: 'Median price', unit: 'money', help: 'Half of the sales were below, half above.' },
  median_price_per_sqft: {
    label: 'Price per sq ft',
    unit: 'money_per_sqft',
    help: 'Median of price over living area. Less swayed by which homes happen to sell.',
  },
  sales: { label: 'Sales', unit: 'count', help: 'Sales at a market price.' },
  price_growth_1y: {
    label: 'Median price, 1 year',
    unit: 'growth',
    help: 'Change of the median price since the same period a year before. Which homes happened to sell counts, too; the price index leaves that out.',
  },
  price_growth_3y: {
    label: 'Median price, 3 years',
    unit: 'growth',
    help: 'Change of the median price since the same period three years before, in all. Which homes happened to sell counts, too; the price index leaves that out.',
  },
  price_growth_5y: {
    label: 'Median price, 5 years',
    unit: 'growth',
    help: 'Change of the median price since the same period five years before, in all. Which homes happened to sell counts, too; the price index leaves that out.',
  },
  turnover: { label: 'Turnover', unit: 'share', help: 'Sales over the homes that stand today.' },
  dispersion: {
    label: 'Dispersion',
    unit: 'share',
    help: 'How far prices per square foot lie apart: the difference of their quartiles over the sum.',
  },
  price_to_assessment: {
    label: 'Price over assessment',
    unit: 'ratio',
    help: 'Median of price over assessed value. Above 1, homes sell for more than they are assessed at.',
  },
  resale_share: {
    label: 'Resold within a year',
    unit: 'share',
    help: 'Share of sales that followed another sale of the same home within a year.',
  },
} as const satisfies Record<string, FigureFacts>;

/** Figures of homes as they stand, for the map and the ranking. */
export const STOCK_FIGURES = {
  median_value: { label: 'Median value', unit: 'money', help: 'Median of the estimated values of all homes.' },
  homes: { label: 'Homes', unit: 'count', help: 'Residential homes on record.' },
  median_year_built: { label: 'Median year built', unit: 'year', help: 'Half of the homes are older.' },
  median_sqft: { label: 'Median size', unit: 'sqft', help: 'Median living area.' },
  tax_rate: {
    label: 'Property tax rate',
    unit: 'rate',
    help: 'Median of the last property-tax bill over the estimated value, of homes with both.',
  },
  owner_occupied_share: { label: 'Owner-occupied', unit: 'share', help: 'Share of homes whose owner lives there.' },
  permit_share: { label: 'With a permit', unit: 'share', help: 'Share of homes with a building permit on record.' },
  open_violation_share: {
    label: 'With an open violation',
    unit: 'share',
    help: 'Share of homes with an open code violation.',
  },
  open_lien_share: { label: 'With an open tax lien', unit: 'share', help: 'Share of homes with an open tax lien.' },
} as const satisfies Record<string, FigureFacts>;

export const ALL_FIGURES: Record<string, FigureFacts> = { ...FIGURES, ...STOCK_FIGURES };
export type SalesFigure = keyof typeof FIGURES;
export type FigureName = SalesFigure | keyof typeof STOCK_FIGURES;
export const isSalesFigure = (figure: string): figure is SalesFigure => figure in FIGURES;

export const HOME_GROUPS: [group: string, label: string][] = [
  ['residential', 'All homes'],
  ['single_family', 'Single-family'],
  ['condo', 'Condos'],
  ['townhouse', 'Townhouses'],
  ['multi_family', 'Multi-family'],
];
export const SEGMENTS: [segment: string, label: string][] = [
  ['bedrooms_0_1', 'Up to 1 bedroom'],
  ['bedrooms_2', '2 bedrooms'],
  ['bedrooms_3', '3 bedrooms'],
  ['bedrooms_4', '4 bedrooms'],
  ['bedrooms_5_plus', '5 or more bedrooms'],
  ['sqft_under_1000', 'Under 1,000 sq ft'],
  ['sqft_1000_1499', '1,000–1,499 sq ft'],
  ['sqft_1500_1999', '1,500–1,999 sq ft'],
  ['sqft_2000_2999', '2,000–2,999 sq ft'],
  ['sqft_3000_plus', '3,000 sq ft and more'],
  ['built_before_1940', 'Built before 1940'],
  ['built_1940_1969', 'Built 1940–1969'],
  ['built_1970_1999', 'Built 1970–1999'],
  ['built_2000_plus', 'Built since 2000'],
  ['new', 'New when sold'],
  ['existing', 'Not new when sold'],
];
export const isSegment = (homes: string): boolean => SEGMENTS.some(([segment]) => segment === homes);
/** Smaller areas have no segments. */
export const hasSegments = (kind: AreaKey['kind']): boolean =>
  kind !== 'tract' && kind !== 'neighborhood' && kind !== 'search';

const oneOf = <Word extends string>(words: readonly Word[], word: string | null, otherwise: Word): Word =>
  words.find((each) => each === word) ?? otherwise;

export function readState(query: URLSearchParams): AreaState {
  const areas = query.getAll('area').flatMap((text): AreaKey[] => {
    const at = text.indexOf(':');
    const kind = ([...KINDS, 'search'] as const).find((each) => each === text.slice(0, at));
    const id = text.slice(at + 1).trim();
    return kind && id !== '' && (kind !== 'search' || filtersOf(id)) ? [{ kind, id }] : [];
  });
  const homes = query.get('homes') ?? 'residential';
  return {
    market: query.get('market') ?? undefined,
    areas: areas.slice(0, MOST_AREAS),
    figure: oneOf(Object.keys(ALL_FIGURES) as FigureName[], query.get('figure'), 'median_price'),
    interval: oneOf(INTERVALS, query.get('interval'), 'quarter'),
    homes: isSegment(homes) || HOME_GROUPS.some(([group]) => group === homes) ? homes : 'residential',
    parts: oneOf(PART_KINDS, query.get('parts'), 'zip'),
  };
}

export function writeState(state: AreaState): string {
  const query = new URLSearchParams();
  if (state.market) query.set('market', state.market);
  for (const { kind, id } of state.areas) query.append('area', `${kind}:${id}`);
  if (state.figure !== 'median_price') query.set('figure', state.figure);
  if (state.interval !== 'quarter') query.set('interval', state.interval);
  if (state.homes !== 'residential') query.set('homes', state.homes);
  if (state.parts !== 'zip') query.set('parts', state.parts);
  const text = query.toString();
  return text === '' ? '/areas' : `/areas?${text}`;
}

/** The address of one area's page. */
export const areaHref = (kind: AreaKey['kind'], id: string, market?: string): string =>
  writeState({ ...readState(new URLSearchParams()), market, areas: [{ kind, id }] });

/** The address of the page of what a search finds. */
export const searchHref = (filters: Record<string, unknown>, homes = 'residential'): string =>
  writeState({
    ...readState(new URLSearchParams({ homes })),
    areas: [{ kind: 'search', id: JSON.stringify(filters) }],
  });

/** The filters of a search, if the text from the URL is any. */
export function filtersOf(id: string): Record<string, unknown> | undefined {
  try {
    const filters: unknown = JSON.parse(id);
    return typeof filters === 'object' && filters !== null ? (filters as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The request for a series: of an area by its name, of a search by its filters. */
export function seriesRequest(
  { kind, id }: AreaKey,
  { market, homes, interval }: AreaState,
): [path: string, body?: unknown] {
  const ofHomes = { [isSegment(homes) ? 'segment' : 'property_type']: homes };
  if (kind === 'search')
    return ['analytics/series', { ...filtersOf(id), interval, ...(isSegment(homes) ? {} : ofHomes) }];
  return [`analytics/series${queryOf({ kind, area: id, market, interval, ...ofHomes })}`];
}
