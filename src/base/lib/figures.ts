// Formats figures for sentences, tables and printed pages. Pure.

export const asPercent = (share: number): string => `${(share * 100).toFixed(1)}%`;

/** To a hundredth, because a loan may be a hundredth of a percent above a limit: 80%, 80.01%. */
export const asRatio = (share: number): string => `${Number((share * 100).toFixed(2))}%`;

export function rounded(value: number, digits = 4): number {
  const scale = 10 ** digits;
  return Math.round(value * scale) / scale;
}

/** Stands for an unknown value. */
export const DASH = '–';

type Maybe<Value> = Value | null | undefined;
const shown =
  <Value>(show: (value: Value) => string) =>
  (value: Maybe<Value>): string =>
    value === null || value === undefined ? DASH : show(value);

/** One shared formatter: `toLocaleString` looks one up each time, which is ten times slower. */
const NUMBERS = new Intl.NumberFormat('en-US');
export const asMoney = shown(
  (dollars: number) => `${dollars < 0 ? '−' : ''}$${NUMBERS.format(Math.abs(Math.round(dollars)))}`,
);
export const asSigned = (dollars: number): string =>
  dollars === 0 ? '0' : `${dollars > 0 ? '+' : '−'}${Math.abs(dollars).toLocaleString('en-US')}`;
export const asChange = (share: number): string => `${share < 0 ? '−' : '+'}${asPercent(Math.abs(share))}`;
export const asNumber = shown((value: number) => NUMBERS.format(value));
export const asShare = shown(asPercent);
export const asText = shown((text: string) => (text === '' ? DASH : text));

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** `2026-06-30` as `Jun 30, 2026`. */
export const asDay = shown(
  (day: string) => `${MONTHS[Number(day.slice(5, 7)) - 1]} ${Number(day.slice(8, 10))}, ${day.slice(0, 4)}`,
);

/** `single_family` as `single family`. */
export const asWords = shown((name: string) => name.replaceAll('_', ' '));
export const asTitle = (name: Maybe<string>): string => {
  const words = asWords(name);
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** $1,250,000 as $1.25M, for the axis of a chart. */
export function asShortMoney(dollars: number): string {
  if (dollars >= 1_000_000) return `$${Number((dollars / 1_000_000).toFixed(2))}M`;
  return dollars >= 1_000 ? `$${Number((dollars / 1_000).toFixed(1))}k` : `$${dollars}`;
}
