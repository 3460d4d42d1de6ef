// Other ways to write an address than those the rules were tuned with: slips of real hands, scans and forms. They share
// nothing with corruptions.ts but the shape.
import { readPostalCities } from '../../src/records/address/facts/postal-cities.ts';
import { type Corruption, type Question, type Random, lineOf, pick, write } from './corruptions.ts';
import type { Components } from './situs.ts';

const KEYS_BESIDE: Record<string, string> = {
  A: 'QSZ', B: 'VN', C: 'XV', D: 'SF', E: 'WR', F: 'DG', G: 'FH', H: 'GJ', I: 'UO', J: 'HK', K: 'JL', L: 'K', M: 'N', N: 'BM',
  O: 'IP', P: 'O', Q: 'WA', R: 'ET', S: 'AD', T: 'RY', U: 'YI', V: 'CB', W: 'QE', X: 'ZC', Y: 'TU', Z: 'X',
}; // prettier-ignore
const SOUNDS: [string, string][] = [
  ['PH', 'F'], ['CK', 'K'], ['IE', 'EI'], ['EI', 'IE'], ['GH', 'G'], ['TH', 'T'], ['OU', 'U'], ['AY', 'AI'], ['EA', 'EE'], ['Y', 'I'],
]; // prettier-ignore
const SPELLED: Record<string, string> = {
  ST: 'Str', STREET: 'Str.', AV: 'Aven', AVE: 'Av.', AVENUE: 'Aven.', BLVD: 'Boul', RD: 'Road', DR: 'Drv', CT: 'Crt', PL: 'Place', LN: 'La',
}; // prettier-ignore
const ONES = 'First Second Third Fourth Fifth Sixth Seventh Eighth Ninth'.split(' ');
const TENS = 'Twenty Thirty Forty Fifty Sixty Seventy Eighty Ninety'.split(' ');

const same = (parts: Components, text: string): Question => ({ text, stated: parts });
const without = (parts: Components, ...keys: (keyof Components)[]) =>
  Object.fromEntries(Object.entries(parts).filter(([key]) => !keys.includes(key as keyof Components)));
const isPlainName = (name: string): boolean => /^[A-Z]{5,}$/.test(name);

/** A slip in a name of one word of five letters or more. */
function slip(change: (name: string, random: Random) => string | undefined): Corruption {
  return (parts, random) => {
    const typedName = isPlainName(parts.name) ? change(parts.name, random) : undefined;
    if (!typedName || typedName === parts.name) return undefined;
    return { text: write({ ...parts, name: typedName }), stated: parts, typedName };
  };
}

const inside = (name: string, random: Random): number => 1 + Math.floor(random() * (name.length - 2));

export const HELD_OUT: Record<string, Corruption> = {
  key_beside: slip((name, random) => {
    const at = inside(name, random);
    return name.slice(0, at) + pick([...KEYS_BESIDE[name[at]]], random) + name.slice(at + 1);
  }),
  letter_doubled: slip((name, random) => {
    const at = inside(name, random);
    return name.slice(0, at) + name[at] + name.slice(at);
  }),
  double_letter_single: slip((name) => name.replace(/(.)\1/, '$1')),
  by_sound: slip((name) => {
    const sound = SOUNDS.find(([written]) => name.indexOf(written) > 0);
    return sound ? name.replace(sound[0], sound[1]) : undefined;
  }),
  last_letter_cut: slip((name) => (name.length > 6 ? name.slice(0, -1) : undefined)),
  suffix_as_spoken: (parts) =>
    SPELLED[parts.suffix] ? same(parts, write({ ...parts, suffix: SPELLED[parts.suffix] })) : undefined,
  number_word: (parts) => same(parts, `No. ${write(parts)}`),
  comma_after_number: (parts) => same(parts, write(parts).replace(/^(\S+) /, '$1, ')),
  no_space_after_number: (parts) =>
    !parts.pre && isPlainName(parts.name) && /^\d+$/.test(parts.number)
      ? same(parts, write(parts).replace(' ', ''))
      : undefined,
  ordinal_spoken: (parts) => {
    const number = Number(/^(\d+)(?:ST|ND|RD|TH)$/.exec(parts.name)?.[1] ?? 0);
    if (number < 21 || number > 99 || number % 10 === 0) return undefined;
    const name = `${TENS[Math.floor(number / 10) - 2]}-${ONES[(number % 10) - 1]}`;
    return same(parts, write({ ...parts, name }));
  },
  parts_by_slashes: (parts) => same(parts, write(parts).replaceAll(', ', ' | ')),
  state_in_parentheses: (parts) =>
    same(parts, `${write({ ...parts, state: '', zip: '' }).replace(/, *$/, '')} (${parts.state}) ${parts.zip}`.trim()),
  dots_everywhere: (parts) =>
    same(parts, write({ ...parts, pre: parts.pre && `${parts.pre}.`, suffix: parts.suffix && `${parts.suffix}.` })),
  attention: (parts) => same(parts, `Attn: Closing Dept, ${write(parts)}`),
  apartment_spelled: (parts) =>
    /^[0-9A-Z]{1,5}$/.test(parts.unit)
      ? same(parts, `${lineOf(parts)}, Apartment ${parts.unit}, ${parts.city} ${parts.state} ${parts.zip}`.trim())
      : undefined,
  unit_glued: (parts) =>
    /^\d{1,4}[A-Z]?$/.test(parts.unit)
      ? same(parts, `${lineOf(parts)} apt${parts.unit} ${parts.city} ${parts.state} ${parts.zip}`.trim())
      : undefined,
  two_lines: (parts) =>
    same(parts, `${lineOf(parts)}${parts.unit ? ` #${parts.unit}` : ''}\r\n${parts.city} ${parts.state}  ${parts.zip}`),
  postal_city: (parts, random) => {
    const names = (readPostalCities().get(parts.zip) ?? []).filter(
      (name) => name !== parts.city.replaceAll(' ', '') && !/\d/.test(name),
    );
    if (names.length === 0) return undefined;
    return { text: write({ ...parts, city: pick(names, random), zip: '' }), stated: without(parts, 'zip', 'city') };
  },
};
