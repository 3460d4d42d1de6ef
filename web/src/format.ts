// Formats numbers, money, dates, and codes for display.

const MONEY = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 0 });
const CENTS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const COMPACT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 });
const BYTES = new Intl.NumberFormat('en-US', {
  style: 'unit',
  unit: 'byte',
  notation: 'compact',
  unitDisplay: 'narrow',
  maximumSignificantDigits: 3,
});
const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const DAY = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });
const MONTH = new Intl.DateTimeFormat('en-US', { month: 'short', year: 'numeric', timeZone: 'UTC' });
const INSTANT = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short' });
const MOMENT = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const AGO = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

export const UNKNOWN = '—';
type Maybe<Value> = Value | null | undefined;

export const money = (dollars: Maybe<number>) => (dollars == null ? UNKNOWN : MONEY.format(dollars));
export const cents = (amount: Maybe<number>) => (amount == null ? UNKNOWN : CENTS.format(amount / 100));
export const whole = (value: Maybe<number>) => (value == null ? UNKNOWN : WHOLE.format(value));
export const compactMoney = (dollars: Maybe<number>) => (dollars == null ? UNKNOWN : `$${COMPACT.format(dollars)}`);
export const bytes = (count: Maybe<number>) => (count == null ? UNKNOWN : BYTES.format(count));
export const percent = (share: Maybe<number>, digits = 1) =>
  share == null ? UNKNOWN : `${(share * 100).toFixed(digits)}%`;
export const day = (iso: Maybe<string>) => (iso ? DAY.format(new Date(iso)) : UNKNOWN);
export const month = (iso: Maybe<string>) => (iso ? MONTH.format(new Date(iso)) : UNKNOWN);
export const instant = (iso: Maybe<string>) => (iso ? INSTANT.format(new Date(iso)) : UNKNOWN);
/** Precise to the second, for logs. */
export const moment = (iso: Maybe<string>) => (iso ? MOMENT.format(new Date(iso)) : UNKNOWN);
/** The name of the reader's time zone on a day, such as `EST`. */
export function zone(iso: string = new Date().toISOString()): string {
  const parts = new Intl.DateTimeFormat('en-US', { timeZoneName: 'short' }).formatToParts(new Date(iso));
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC';
}
export const yesNo = (value: Maybe<boolean>) => (value == null ? UNKNOWN : value ? 'Yes' : 'No');
export const signedMoney = (dollars: number) => (dollars > 0 ? `+${money(dollars)}` : money(dollars));

/** `single_family` → `Single family`. */
export function words(code: Maybe<string>): string {
  if (!code) return UNKNOWN;
  const text = code.replaceAll(/[_.]/g, ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `860 MASSACHUSETTS AVE` → `860 Massachusetts Ave`. Assessors use all caps; text with any lowercase is left alone. */
export function calm(text: Maybe<string>): string {
  if (!text) return '';
  if (/[a-z]/.test(text)) return text;
  return text
    .replaceAll(/\d(ST|ND|RD|TH)\b/g, (ordinal) => ordinal.toLowerCase())
    .replaceAll(/(?<![A-Z\d])(?!(NE|NW|SE|SW)\b)[A-Z]{2,}/g, (word) => word.charAt(0) + word.slice(1).toLowerCase())
    .replaceAll(/(?<=[a-z])'S\b/g, "'s");
}

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

export function ago(iso: Maybe<string>, now = Date.now()): string {
  if (!iso) return 'never';
  const seconds = (new Date(iso).getTime() - now) / 1_000;
  if (Math.abs(seconds) > 30 * 86_400) return day(iso);
  for (const [unit, size] of STEPS) {
    if (Math.abs(seconds) >= size) return AGO.format(Math.trunc(seconds / size), unit);
  }
  return 'just now';
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${whole(count)} ${count === 1 ? one : many}`;
}

const BROWSERS = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'];
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS X', 'CrOS', 'Linux'];
const DISPLAY_NAMES: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS X': 'macOS', CrOS: 'ChromeOS' };

/** `Chrome on Linux`, parsed from the user agent; unrecognized user agents are returned as they are. */
export function browserOf(userAgent: Maybe<string>): string {
  if (!userAgent) return 'Unknown';
  const found = [BROWSERS, SYSTEMS].flatMap((names) => names.find((name) => userAgent.includes(name)) ?? []);
  return found.length === 2 ? found.map((name) => DISPLAY_NAMES[name] ?? name).join(' on ') : userAgent;
}

/** Drops the regular expressions that constrain path parameters, for readability. */
export function routeName(route: string): string {
  return route.replaceAll(/\(\^[^)]*\)/g, '');
}
