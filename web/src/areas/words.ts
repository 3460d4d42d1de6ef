// Puts figures and areas into words. Pure.
import { calm, compactMoney, money, percent, UNKNOWN, whole } from '../format.ts';
import { ALL_FIGURES, filtersOf, KIND_NAMES, type AreaKey, type Kind } from './state.ts';

type Maybe = number | null | undefined;

const signed = (share: number, digits: number): string =>
  `${share < 0 ? '−' : '+'}${Math.abs(share * 100).toFixed(digits)}%`;

/** For tables and statistics. */
export function figureText(figure: string, value: Maybe): string {
  if (value == null) return UNKNOWN;
  switch (ALL_FIGURES[figure]?.unit) {
    case 'money':
      return money(value);
    case 'money_per_sqft':
      return `$${whole(value)}`;
    case 'growth':
      return signed(value, 1);
    case 'share':
      return percent(value);
    case 'rate':
      return percent(value, 2);
    case 'ratio':
      return value.toFixed(2);
    case 'year':
      return String(Math.round(value));
    case 'sqft':
      return `${whole(value)} sq ft`;
    default:
      return whole(value);
  }
}

/** For axes and legends, where room is short. */
export function shortText(figure: string, value: number): string {
  const unit = ALL_FIGURES[figure]?.unit;
  if (unit === 'money') return compactMoney(value);
  if (unit === 'growth') return signed(value, 0);
  if (unit === 'share') return percent(value, value < 0.1 && value > 0 ? 1 : 0);
  if (unit === 'sqft') return whole(value);
  return figureText(figure, value);
}

/** `zip:98103` → `ZIP code 98103`; a place that has a name goes by it. */
export function areaText({ kind, id }: AreaKey, name: string = id): string {
  if (kind === 'search') return 'geometry' in (filtersOf(id) ?? {}) ? 'Drawn area' : 'Search';
  if (kind === 'zip') return `ZIP ${id}`;
  if (kind === 'tract') return `Tract ${tractNumber(id)}`;
  if (kind === 'neighborhood' && /^[\d-]+$/.test(name)) return `Neighborhood ${name}`;
  return calm(name);
}

/** `53033004301` → `43.01`, as the census writes it. */
function tractNumber(geoid: string): string {
  const number = Number(geoid.slice(5)) / 100;
  return Number.isFinite(number) && geoid.length === 11 ? String(number) : geoid;
}

export const kindText = (kind: Kind, count = 1): string => KIND_NAMES[kind][count === 1 ? 0 : 1];
