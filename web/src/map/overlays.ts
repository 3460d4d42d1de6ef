// Layers that can be switched on over the map, as they are named in the URL. Pure.
import { LAYER_AREAS } from '../layers.ts';

export const OVERLAYS = [
  ['parcels', 'Parcel lines'],
  ...LAYER_AREAS.map(([id, label]) => [id, label] as const),
  ['tracts', 'Census tracts'],
  ['sales', 'Sales by date'],
  ['permits', 'Permits of two years'],
  ['violations', 'Open violations'],
  ['liens', 'Open liens'],
] as const;
export type OverlayId = (typeof OVERLAYS)[number][0];

/** What an overlay draws, in which layers of the style, and from which zoom on. Parcels are part of the map itself. */
const DRAWN: Partial<Record<OverlayId, [what: string, zoom: number, ...layers: string[]]>> = {
  ...Object.fromEntries(
    LAYER_AREAS.map(([id, label, { fromZoom }]) => [
      id,
      [label.toLowerCase(), fromZoom, id] as [string, number, string],
    ]),
  ),
  tracts: ['census tracts', 0, 'tract-line'],
  sales: ['sales in these months', 14, 'marks'],
  permits: ['recent permits', 0, 'cell-flags', 'flags', 'marks'],
  violations: ['open violations', 0, 'cell-flags', 'flags', 'marks'],
  liens: ['open liens', 0, 'cell-flags', 'flags', 'marks'],
};

/** Why an overlay that is switched on shows nothing. */
export function reasonsOfNothing(
  overlays: OverlayId[],
  zoom: number,
  isDrawn: (layers: string[]) => boolean,
): string[] {
  return overlays.flatMap((id) => {
    const [what, from, ...layers] = DRAWN[id] ?? [];
    if (what === undefined || from === undefined || isDrawn(layers)) return [];
    return [zoom < from ? `Zoom in to see ${what}.` : `No ${what} in view.`];
  });
}

/** Overlays about flagged homes, and the members of a tile that count them. */
export const FLAG_OVERLAYS = ['permits', 'violations', 'liens'] as const satisfies readonly OverlayId[];
export const FLAG_NAMES = { permits: 'recent permit', violations: 'open violation', liens: 'open lien' } as const;
/** As the tiles count them. */
export const RECENT_PERMIT_MONTHS = 24;

const DEFAULTS: OverlayId[] = ['parcels'];

export function readOverlays(text: string | null): OverlayId[] {
  if (text === null) return DEFAULTS;
  const wanted = text.split(',');
  return OVERLAYS.map(([id]) => id).filter((id) => wanted.includes(id));
}

/** Undefined for the usual ones, so that the URL stays short; `none` if all are off. */
export function writeOverlays(overlays: OverlayId[]): string | undefined {
  if (overlays.length === 0) return 'none';
  const text = overlays.join(',');
  return text === DEFAULTS.join(',') ? undefined : text;
}

export const TRACT_FIGURES = [
  ['median_household_income', 'Median household income', 'money'],
  ['median_home_value', 'Median home value', 'money'],
  ['per_capita_income', 'Income per person', 'money'],
  ['population', 'Population', 'number'],
  ['owner_occupied_rate', 'Owner-occupied', 'percent'],
  ['vacancy_rate', 'Vacancy', 'percent'],
  ['poverty_rate', 'Poverty', 'percent'],
  ['unemployment_rate', 'Unemployment', 'percent'],
  ['internet_rate', 'Internet access', 'percent'],
] as const;
export type TractFigureId = (typeof TRACT_FIGURES)[number][0];

export function readTractFigure(text: string | null): TractFigureId {
  return TRACT_FIGURES.find(([id]) => id === text)?.[0] ?? 'median_household_income';
}

/** Months as in tiles, 202408; the period of the sales layer. */
export interface Period {
  from: number;
  to: number;
}

export function readPeriod(text: string | null): Period | undefined {
  const [from, to] = (text ?? '').split('-').map(Number);
  return from > 0 && to >= from ? { from, to } : undefined;
}

export const writePeriod = ({ from, to }: Period): string => `${from}-${to}`;

export const monthOf = (date: Date): number => date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;

export const monthAfter = (month: number, steps: number): number => {
  const index = Math.floor(month / 100) * 12 + (month % 100) - 1 + steps;
  return Math.floor(index / 12) * 100 + (index % 12) + 1;
};

export const monthsBetween = (from: number, to: number): number =>
  Math.floor(to / 100) * 12 + (to % 100) - Math.floor(from / 100) * 12 - (from % 100);
