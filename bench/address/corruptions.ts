// The ways people write an address they mean: each takes the components and returns a text with what it still states.
import type { Stated } from './expectation.ts';
import type { Components } from './situs.ts';

export type Random = () => number;
export interface Question {
  text: string;
  stated: Stated;
  /** The street name as typed, if it was misspelled. */
  typedName?: string;
}
export type Corruption = (parts: Components, random: Random) => Question | undefined;

const LONG: Record<string, string> = {
  ST: 'STREET', AV: 'AVENUE', AVE: 'AVENUE', PL: 'PLACE', DR: 'DRIVE', RD: 'ROAD', BLVD: 'BOULEVARD', CT: 'COURT', LN: 'LANE', TER: 'TERRACE',
  CIR: 'CIRCLE', PKWY: 'PARKWAY', SQ: 'SQUARE', N: 'NORTH', S: 'SOUTH', E: 'EAST', W: 'WEST',
}; // prettier-ignore
const SHORT = Object.fromEntries(Object.entries(LONG).map(([short, long]) => [long, short]));
const WORDS = 'FIRST SECOND THIRD FOURTH FIFTH SIXTH SEVENTH EIGHTH NINTH TENTH ELEVENTH TWELFTH'.split(' ');
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const STATE_NAMES: Record<string, string> = {
  WI: 'Wisconsin',
  NY: 'New York',
  PA: 'Pennsylvania',
  MA: 'Massachusetts',
  IL: 'Illinois',
  NH: 'New Hampshire',
};

export const pick = <T>(list: readonly T[], random: Random): T => list[Math.floor(random() * list.length)];
const isUsualUnit = (unit: string): boolean => /^[0-9A-Z]{1,5}$/.test(unit);

export function lineOf({ number, pre, name, suffix }: Components): string {
  return [number, pre, name, suffix].filter(Boolean).join(' ');
}

/** Line, unit, city, state and ZIP as most people write them. */
export function write(parts: Components, line = lineOf(parts)): string {
  const door = parts.unit ? `${line} #${parts.unit}` : line;
  return `${door}, ${parts.city}, ${parts.state} ${parts.zip}`.trim();
}

const same = (parts: Components, text: string): Question => ({ text, stated: parts });

function titled(text: string): string {
  return text.toLowerCase().replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

function edit(name: string, kind: 'replace' | 'swap' | 'drop' | 'insert', random: Random): string {
  const at = 1 + Math.floor(random() * (name.length - 2));
  const letter = pick([...LETTERS], random);
  if (kind === 'replace') return name.slice(0, at) + letter + name.slice(at + 1);
  if (kind === 'swap') return name.slice(0, at) + name[at + 1] + name[at] + name.slice(at + 2);
  if (kind === 'drop') return name.slice(0, at) + name.slice(at + 1);
  return name.slice(0, at) + letter + name.slice(at);
}

function misspell(kinds: ('replace' | 'swap' | 'drop' | 'insert')[], minLength: number): Corruption {
  return (parts, random) => {
    if (!/^[A-Z]+$/.test(parts.name) || parts.name.length < minLength) return undefined;
    const typedName = kinds.reduce((name, kind) => edit(name, kind, random), parts.name);
    if (typedName === parts.name) return undefined;
    return { text: titled(write({ ...parts, name: typedName })), stated: parts, typedName };
  };
}

function withUnit(write: (line: string, unit: string, tail: string) => string): Corruption {
  return (parts) => {
    if (!isUsualUnit(parts.unit)) return undefined;
    return same(parts, write(lineOf(parts), parts.unit, `${parts.city}, ${parts.state} ${parts.zip}`.trim()));
  };
}

const without = (parts: Components, ...keys: (keyof Components)[]): Stated =>
  Object.fromEntries(Object.entries(parts).filter(([key]) => !keys.includes(key as keyof Components)));

export const CORRUPTIONS: Record<string, Corruption> = {
  as_published: (parts) => same(parts, write(parts)),
  title_case: (parts) => same(parts, titled(write(parts))),
  lower_no_commas: (parts) => same(parts, write(parts).toLowerCase().replaceAll(',', '')),
  long_words: (parts) =>
    same(parts, titled(write({ ...parts, pre: LONG[parts.pre] ?? parts.pre, suffix: LONG[parts.suffix] ?? parts.suffix }))),
  short_words: (parts) =>
    same(parts, titled(write({ ...parts, pre: SHORT[parts.pre] ?? parts.pre, suffix: SHORT[parts.suffix] ?? parts.suffix }))),
  periods: (parts) =>
    same(parts, write({ ...parts, pre: parts.pre && `${(SHORT[parts.pre] ?? parts.pre)}.`, suffix: `${SHORT[parts.suffix] ?? parts.suffix}.` })),
  extra_spaces: (parts) => same(parts, `  ${write(parts).replaceAll(' ', '  ').replaceAll(',', ' ,')} `),
  envelope: (parts) => same(parts, titled(`${lineOf(parts)}${parts.unit ? `\nUnit ${parts.unit}` : ''}\n${parts.city}, ${parts.state}\n${parts.zip}`)),
  state_name: (parts) => same(parts, `${titled(write({ ...parts, state: '', zip: '' }).replace(/, *$/, ''))}, ${STATE_NAMES[parts.state]} ${parts.zip}`.trim()),
  country: (parts) => same(parts, `${write(parts)}, USA`),
  zip_plus_4: (parts) => (parts.zip ? same(parts, `${write(parts)}-1234`) : undefined),
  no_zip: (parts) => ({ text: write({ ...parts, zip: '' }), stated: without(parts, 'zip') }),
  no_zip_lower: (parts) => ({ text: write({ ...parts, zip: '' }).toLowerCase().replaceAll(',', ''), stated: without(parts, 'zip') }),
  no_state: (parts) => (parts.zip ? same(parts, titled(`${lineOf(parts)}${parts.unit ? ` #${parts.unit}` : ''}, ${parts.city} ${parts.zip}`)) : undefined),
  city_only: (parts) => ({ text: titled(`${lineOf(parts)}${parts.unit ? ` #${parts.unit}` : ''}, ${parts.city}`), stated: without(parts, 'zip') }),
  no_city: (parts) =>
    parts.zip ? { text: `${lineOf(parts)}${parts.unit ? ` #${parts.unit}` : ''}, ${parts.state} ${parts.zip}`, stated: without(parts, 'city') } : undefined,
  zip_only: (parts) => (parts.zip ? { text: `${lineOf(parts)}${parts.unit ? ` #${parts.unit}` : ''} ${parts.zip}`, stated: without(parts, 'city') } : undefined),
  vanity_city: (parts) => (parts.zip ? { text: titled(write({ ...parts, city: 'Pleasant Heights' })), stated: without(parts, 'city') } : undefined),
  wrong_zip: (parts, random) => {
    if (!parts.zip) return undefined;
    const zip = parts.zip.slice(0, 4) + String((Number(parts.zip[4]) + 1 + Math.floor(random() * 8)) % 10);
    return { text: titled(write({ ...parts, zip })), stated: { ...without(parts, 'zip'), zip } };
  },
  city_misspelt: (parts, random) => {
    if (parts.city.length < 6 || parts.city.includes(' ')) return undefined;
    return same(parts, titled(write({ ...parts, city: edit(parts.city, pick(['replace', 'swap', 'drop', 'insert'], random), random) })));
  },
  letter_replaced: misspell(['replace'], 4),
  letters_swapped: misspell(['swap'], 4),
  letter_dropped: misspell(['drop'], 5),
  letter_added: misspell(['insert'], 4),
  two_letters_wrong: misspell(['replace', 'drop'], 10),
  suffix_misspelt: (parts) => {
    const typed = { AVENUE: 'Aveneu', STREET: 'Streeet', BOULEVARD: 'Boulvard', DRIVE: 'Drvie', PLACE: 'Palce' }[LONG[parts.suffix] ?? parts.suffix];
    return typed ? same(parts, titled(write({ ...parts, suffix: typed }))) : undefined;
  },
  no_suffix: (parts) => ({ text: titled(write({ ...parts, suffix: '' })), stated: without(parts, 'suffix') }),
  no_direction: (parts) => (parts.pre ? { text: titled(write({ ...parts, pre: '' })), stated: without(parts, 'pre') } : undefined),
  direction_after: (parts) =>
    parts.pre ? same(parts, titled(write(parts, [parts.number, parts.name, parts.suffix, parts.pre].filter(Boolean).join(' ')))) : undefined,
  ordinal_word: (parts) => {
    const number = /^(\d+)(ST|ND|RD|TH)$/.exec(parts.name)?.[1];
    const word = number ? WORDS[Number(number) - 1] : undefined;
    return word ? same(parts, titled(write({ ...parts, name: word }))) : undefined;
  },
  ordinal_bare: (parts) => (/^\d+(ST|ND|RD|TH)$/.test(parts.name) ? same(parts, write({ ...parts, name: parts.name.slice(0, -2) })) : undefined),
  name_in_front: (parts) => same(parts, `Jane Q Public, ${titled(write(parts))}`),
  care_of: (parts) => same(parts, `c/o Acme Holdings LLC, ${titled(write(parts))}`),
  business_in_front: (parts) => same(parts, `Acme Holdings LLC ${titled(write(parts))}`),
  reversed: (parts) => same(parts, `${parts.zip ? `${parts.zip}, ` : ''}${parts.state}, ${titled(parts.city)}, ${titled(lineOf(parts))}${parts.unit ? `, Apt ${parts.unit}` : ''}`),
  range_short: (parts) => {
    const range = /^(\d+)(\d\d)-(\d+)(\d\d)$/.exec(parts.number);
    return range && range[1] === range[3] && Number(range[4]) > Number(range[2])
      ? same(parts, write({ ...parts, number: `${range[1]}${range[2]}-${range[4]}` }))
      : undefined;
  },
  range_first: (parts) => {
    const range = /^(\d+)-(\d+)$/.exec(parts.number);
    const isRange = range && parts.city !== 'QUEENS' && range[2].length === range[1].length && Number(range[2]) > Number(range[1]) && Number(range[2]) - Number(range[1]) <= 50;
    return isRange ? { text: write({ ...parts, number: range[1] }), stated: { ...parts, number: range[1] } } : undefined;
  },
  queens_no_hyphen: (parts) => (parts.city === 'QUEENS' && /^\d{2,3}-\d{2}$/.test(parts.number) ? same(parts, write({ ...parts, number: parts.number.replace('-', '') })) : undefined),
  unit_apt: withUnit((line, unit, tail) => `${titled(line)} Apt ${unit}, ${titled(tail)}`),
  unit_no_comma: withUnit((line, unit, tail) => `${line} unit ${unit} ${tail}`.toLowerCase().replaceAll(',', '')),
  unit_part: withUnit((line, unit, tail) => `${line}, Unit ${unit}, ${tail}`),
  unit_hash_space: withUnit((line, unit, tail) => `${line} # ${unit}, ${tail}`),
  unit_suite: withUnit((line, unit, tail) => `${line} Suite ${unit}, ${tail}`),
  unit_first: withUnit((line, unit, tail) => `Apt ${unit}, ${line}, ${tail}`),
  unit_apt_no: withUnit((line, unit, tail) => `${line} Apt. No. ${unit}, ${tail}`),
  unit_bare_part: (parts, random) => (/\d/.test(parts.unit) ? withUnit((line, unit, tail) => `${line}, ${unit}, ${tail}`)(parts, random) : undefined),
  unit_dropped: (parts) => (isUsualUnit(parts.unit) ? { text: write({ ...parts, unit: '' }), stated: without(parts, 'unit') } : undefined),
}; // prettier-ignore
