// The evaluation's queries and their expected answers, drawn from the records by a seeded generator.
import { type Corruption, type Question, type Random, lineOf, pick, write } from './corruptions.ts';
import { type Expectation, plainName, plainUnit } from './expectation.ts';
import type { Components, Situs } from './situs.ts';

export interface Case {
  kind: 'positive' | 'negative' | 'ambiguous' | 'adversarial';
  type: string;
  text: string;
  /** The property that must be found; undefined if none may be. */
  propertyId?: string;
}

const SUFFIX_CHANGES = ['AVE', 'ST', 'PL', 'CT', 'DR', 'TER'];
const OPPOSITE: Record<string, string> = {
  N: 'S',
  S: 'N',
  E: 'W',
  W: 'E',
  NORTH: 'SOUTH',
  SOUTH: 'NORTH',
  EAST: 'WEST',
  WEST: 'EAST',
};

export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Asked = Situs & { parts: Components };

export interface Draw {
  perType: number;
  seed: number;
  corruptions: Record<string, Corruption>;
  /** Real street names to ask for where they do not exist; by default those of the other places. */
  namesElsewhere?: readonly string[];
}

export function buildCases(all: readonly Situs[], expect: Expectation, asked: Draw): Case[] {
  const { perType, corruptions } = asked;
  const random = seeded(asked.seed);
  const usable = all.filter((situs): situs is Asked => situs.parts !== undefined);
  const byCity = [...Map.groupBy(usable, ({ city }) => city).values()];
  // Every city is queried equally often, because small ones have the odd forms.
  const draw = (): Asked => pick(pick(byCity, random), random);
  const cases = Object.entries(corruptions).flatMap((corruption) =>
    corrupted(corruption, draw, expect, { perType, random }),
  );
  const negatives = Object.entries(NEGATIVES).flatMap(([type, make]) =>
    collect(perType, () => {
      const text = make(draw().parts, expect, random, draw);
      return text ? { kind: 'negative', type, text } : undefined;
    }),
  );
  return [
    ...cases,
    ...negatives,
    ...missingParts(draw, expect, perType),
    ...adversarial(draw, expect, perType * 3, asked.namesElsewhere),
  ];
}

function collect(count: number, make: () => Case | undefined): Case[] {
  const cases: Case[] = [];
  for (let tries = 0; cases.length < count && tries < count * 400; tries++) {
    const made = make();
    if (made) cases.push(made);
  }
  return cases;
}

function corrupted(
  [type, corrupt]: [string, Corruption],
  draw: () => Asked,
  expect: Expectation,
  { perType, random }: { perType: number; random: Random },
): Case[] {
  return collect(perType, () => {
    const { parts } = draw();
    const question = corrupt(parts, random);
    if (!question || isAnotherStreet(type, parts, question, expect)) return undefined;
    const stated =
      type === 'wrong_zip' && expect.listFitting(question.stated).length === 0
        ? { ...question.stated, zip: undefined }
        : question.stated;
    // Without a unit, every unit of the house matches.
    const fitting = expect.listFitting(stated.unit ? stated : { ...stated, unit: undefined });
    if (fitting.length === 0) return undefined;
    // A house with exactly this number comes before a range that contains it, if both are on one street.
    const exact = fitting.filter(({ number }) => number === stated.number);
    const isOneStreet = new Set(fitting.map(({ street }) => street)).size === 1;
    const rightful = exact.length > 0 && isOneStreet ? exact : fitting;
    const properties = new Set(rightful.map((door) => door.propertyId));
    const isOpen =
      type === 'no_direction' && OTHER_SIDES.some((pre) => isStreetOfCity({ ...parts, pre }, parts, expect));
    if (properties.size > 1 || isOpen) return { kind: 'ambiguous', type, text: question.text };
    // The one unit on record at this number is not the only one in the house.
    if (!stated.unit && rightful[0].unit !== '' && new Set(rightful.map(({ unit }) => unit)).size === 1) {
      const isOnlyDoor = expect.countDoors(rightful[0].propertyId) === 1;
      return isOnlyDoor ? { kind: 'ambiguous', type, text: question.text } : undefined;
    }
    if (hasRival(question, parts, expect)) return { kind: 'negative', type: 'rival_spelling', text: question.text };
    return { kind: 'positive', type, text: question.text, propertyId: [...properties][0] };
  });
}

const OTHER_SIDES = ['N', 'S', 'E', 'W'];

/** A direction that was left out is asked for wherever in the city the street has another one. */
const isStreetOfCity = (other: Components, asked: Components, expect: Expectation): boolean =>
  other.pre !== asked.pre.slice(0, 1) && expect.countStreet({ ...other, zip: '' }) > 0;

/** If dropping a part or making a typo produces another real street, it is not a typo. */
function isAnotherStreet(type: string, parts: Components, { typedName }: Question, expect: Expectation): boolean {
  if (typedName) return expect.hasName(typedName);
  if (type === 'no_suffix') return expect.countStreet({ ...parts, suffix: '' }) > 0;
  return type === 'no_direction' && expect.countStreet({ ...parts, pre: '' }) > 0;
}

function hasRival({ typedName }: Question, parts: Components, expect: Expectation): boolean {
  if (!typedName) return false;
  const [typed, meant] = [plainName(typedName), plainName(parts.name)];
  const distance = edits(typed, meant);
  return expect
    .listNames(parts)
    .some(
      (name) => name !== meant && Math.abs(name.length - typed.length) <= distance && edits(typed, name) <= distance,
    );
}

/** A direction or suffix left out where two streets have the number, in whatever form their records write it, and none is
    without. Queens is left out: whether its 11-24 is a range is a question of its own. */
function missingParts(draw: () => Asked, expect: Expectation, count: number): Case[] {
  return (['pre', 'suffix'] as const).flatMap((part) =>
    collect(count, () => {
      const { parts } = draw();
      if (parts.city === 'QUEENS') return undefined;
      const number = parts.number.split('-')[0];
      const stated = { ...parts, number, unit: undefined, zip: undefined, [part]: undefined };
      const fitting = expect.listFitting(stated).filter((door) => door.unit === '');
      const isSplit = new Set(fitting.map(({ street }) => street)).size > 1;
      if (!isSplit || expect.countStreet({ ...parts, zip: '', [part]: '' }) > 0) return undefined;
      return {
        kind: 'ambiguous',
        type: `missing_${part}`,
        text: write({ ...parts, number, unit: '', zip: '', [part]: '' }),
      };
    }),
  );
}

type Negative = (parts: Components, expect: Expectation, random: Random, draw: () => Asked) => string | undefined;
const anyUnit = (parts: Components) => ({ ...parts, unit: undefined });

const NEGATIVES: Record<string, Negative> = {
  other_number: (parts, expect, random) => {
    const changed = {
      ...parts,
      unit: '',
      number: String(Number.parseInt(parts.number, 10) + 2 * (1 + Math.floor(random() * 40))),
    };
    return expect.countNumber(changed) === 0 ? write(changed) : undefined;
  },
  opposite_direction: (parts, expect) => {
    const changed = { ...parts, unit: '', pre: OPPOSITE[parts.pre] ?? '' };
    return changed.pre && expect.listFitting({ ...anyUnit(changed), zip: undefined }).length === 0
      ? write(changed)
      : undefined;
  },
  other_suffix: (parts, expect, random) => {
    const changed = { ...parts, unit: '', suffix: pick(SUFFIX_CHANGES, random) };
    return expect.listFitting({ ...anyUnit(changed), zip: undefined }).length === 0 ? write(changed) : undefined;
  },
  added_direction: (parts, expect, random) => {
    const changed = { ...parts, unit: '', pre: pick(['N', 'S', 'E', 'W'], random) };
    return !parts.pre && expect.listFitting({ ...anyUnit(changed), zip: undefined }).length === 0
      ? write(changed)
      : undefined;
  },
  other_unit: (parts, expect, random) => {
    const changed = { ...parts, unit: `${900 + Math.floor(random() * 90)}Z` };
    return plainUnit(parts.unit) && expect.listFitting(changed).length === 0 ? write(changed) : undefined;
  },
  street_of_elsewhere: (parts, expect, _random, draw) => {
    const other = draw().parts;
    const changed = { ...other, unit: '', city: parts.city, state: parts.state, zip: parts.zip };
    const isAbsent = other.city !== parts.city && expect.countNumber(changed) === 0;
    return isAbsent ? write(changed) : undefined;
  },
  invented_street: (parts, _expect, random) => {
    const name = Array.from({ length: 3 }, () => pick('BA LO MI TER VAN SOL QUE RI DO ZEN'.split(' '), random)).join(
      '',
    );
    return write({ ...parts, unit: '', name: `${name}FORD` });
  },
  city_of_elsewhere: (parts, expect, _random, draw) => {
    const other = draw().parts;
    const changed = { ...parts, unit: '', city: other.city, state: other.state, zip: other.zip };
    return other.city !== parts.city && expect.countNumber(changed) === 0 ? write(changed) : undefined;
  },
};

const COMMON_NAMES = 700;

/** Names that streets of two other places have, one or two letters from a local street that has the number. */
function adversarial(
  draw: () => Asked,
  expect: Expectation,
  count: number,
  namesElsewhere: readonly string[] = [],
): Case[] {
  const names = new Set<string>(namesElsewhere);
  while (namesElsewhere.length === 0 && names.size < COMMON_NAMES) {
    const { name } = draw().parts;
    if (/^[A-Z]{4,}$/.test(name) && expect.countPlaces(name) > 1) names.add(name);
  }
  return collect(count, () => {
    const { parts } = draw();
    if (!/^[A-Z]{4,}$/.test(parts.name)) return undefined;
    const local = new Set(expect.listNames(parts));
    const allowed = parts.name.length >= 9 ? 2 : 1;
    const similar = [...names].find(
      (name) =>
        !local.has(plainName(name)) &&
        Math.abs(name.length - parts.name.length) <= allowed &&
        edits(name, parts.name) <= allowed,
    );
    if (!similar) return undefined;
    const changed = { ...parts, unit: '', name: similar };
    return expect.countNumber(changed) === 0
      ? {
          kind: 'adversarial',
          type: 'similar_name',
          text: `${lineOf(changed)}, ${parts.city}, ${parts.state} ${parts.zip}`.trim(),
        }
      : undefined;
  });
}

/** Optimal string alignment, implemented plainly: the evaluation shares no code with the matcher. */
function edits(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, row) => [row, ...Array<number>(b.length).fill(0)]);
  table[0] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      table[i][j] = Math.min(
        table[i - 1][j] + 1,
        table[i][j - 1] + 1,
        table[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        table[i][j] = Math.min(table[i][j], table[i - 2][j - 2] + 1);
    }
  }
  return table[a.length][b.length];
}
