// A layer defined by an operator's recipe instead of code: its fields, how homes are matched to values, and its wording
// and colors. The definition is data, stored by the load that provides the values.
import Type, { type Static, type TProperties } from 'typebox';
import { mapValues } from '../../base/lib/pick.ts';
import { asDay, asMoney, asNumber, asShare, DASH } from '../../base/lib/figures.ts';
import { decimal, isoDay, nullable, oneOf, text, wholeNumber } from '../../base/lib/schema.ts';
import { isMet, NAME_PATTERN, parseFieldCondition, type FieldCondition } from './condition.ts';

/** The column of a property by which it finds the value of its area. */
export const AREA_COLUMNS = {
  county: 'fips',
  tract: 'census_tract',
  tract_2010: 'census_tract_2010',
  block_group: 'block_group',
  zip: 'zip',
} as const;
export type AreaJoin = keyof typeof AREA_COLUMNS;
const JOINS = [...(Object.keys(AREA_COLUMNS) as AreaJoin[]), 'parcel', 'inside', 'nearest'] as const;
export type Join = (typeof JOINS)[number];
export const isAreaJoin = (join: Join): join is AreaJoin => join in AREA_COLUMNS;

const TYPES = ['whole', 'decimal', 'money', 'share', 'year', 'text', 'flag', 'date'] as const;
const SUMMARIES = ['median', 'mean', 'sum', 'count'] as const;
const NUMERIC = new Set<string>(['whole', 'decimal', 'money', 'share', 'year']);
const DAY_OR_PART = /^\d{4}(-\d\d){0,2}$/;
export const LEVELS = ['bad', 'fair', 'good'] as const;
export type Level = (typeof LEVELS)[number];

const closed = <Members extends TProperties>(members: Members, description?: string) =>
  Type.Object(members, { additionalProperties: false, ...(description && { description }) });
const words = (description: string) => Type.String({ minLength: 1, maxLength: 500, description });
const among = <const Words extends readonly string[]>(list: Words, description: string) =>
  Type.Unsafe<Words[number]>({ type: 'string', enum: [...list], description });

const FieldDefinition = closed({
  type: among(TYPES, '`money` is in dollars, `share` from 0 to 1.'),
  label: words('As people read it: Radon zone.'),
  unit: Type.Optional(words('Such as pCi/L.')),
  description: Type.Optional(words('One sentence for the reference.')),
  values: Type.Optional(Type.Array(Type.String(), { description: 'Every word it can have, if they are few.' })),
  summarize: Type.Optional(
    among(
      SUMMARIES,
      'Where the file has several rows for an area, how their numbers become one. `count`: of those known.',
    ),
  ),
  times_value: Type.Optional(
    words('Not in the file: the home’s stored value times this other field, a share. The answer says so.'),
  ),
});

const fieldNames = (description: string) => Type.String({ pattern: `^${NAME_PATTERN}$`, description });

export const LayerSpec = closed(
  {
    title: words('Heads its line in a lender’s file and on the property page.'),
    description: words('One or two sentences: what it is and where it comes from.'),
    join: among(JOINS, 'How a home finds its value.'),
    within_miles: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 100, description: 'Of `nearest`: how far a site can be.' }),
    ),
    covers: Type.Optional(
      among(
        ['listed', 'country'],
        '`country`: the file has every record there is, so where it has none there is none. Default: only the listed counties.',
      ),
    ),
    fields: Type.Record(Type.String({ pattern: `^${NAME_PATTERN}$` }), FieldDefinition, {
      minProperties: 1,
      additionalProperties: false,
    }),
    headline: fieldNames('The field that is news when it changes.'),
    sentence: Type.Optional(words('Its line in a lender’s file, with fields in braces: `Zone {zone} of 3.`')),
    levels: Type.Optional(
      Type.Array(
        closed({
          if: words('A condition: `zone:1,2`, `score:60..`, `score:..20`.'),
          reads: among(LEVELS, 'How it reads; the map’s color, and `bad` counts toward a portfolio’s exposure.'),
          label: Type.Optional(words('In the legend of the map.')),
        }),
        { description: 'The first that a home meets is its level.' },
      ),
    ),
    stale_after_days: Type.Optional(Type.Integer({ minimum: 1, description: 'Then a lender’s file calls it old.' })),
  },
  'A layer of your own. Values are loaded with `into: layer_values`.',
);
export type LayerSpec = Static<typeof LayerSpec>;
export type LayerDefinition = LayerSpec & { name: string };
export type LayerVals = Record<string, string | number | boolean | null>;

/** Members of every layer in an answer, besides its fields. */
const OWN_MEMBERS = ['status', 'source', 'title', 'summary', 'level', 'distance_miles'];
/** Names of layers of the map and of coverage. */
const TAKEN = `properties owners assessments taxes transactions mortgages parcels cells flags land borders roads streams
  streets places tract tracts neighborhood neighborhoods county zip zips zones water title attributes comparables market`
  .split(/\s+/)
  .concat('existing_balance');

const hasDistance = ({ join }: Pick<LayerSpec, 'join'>) => join === 'nearest';
/** The fields that a file has. */
export const storedFields = ({ fields }: Pick<LayerSpec, 'fields'>) =>
  Object.keys(fields).filter((name) => fields[name].times_value === undefined);

/** Whether an answer differs between homes that have the same values. */
export const dependsOnValue = ({ fields }: Pick<LayerSpec, 'fields'>): boolean =>
  Object.values(fields).some(({ times_value: share }) => share !== undefined);

/** The fields available to filters, levels and lender's rules. */
export const filterFields = (spec: Pick<LayerSpec, 'fields' | 'join'>): string[] => [
  ...storedFields(spec),
  'level',
  ...(hasDistance(spec) ? ['distance_miles'] : []),
];

/** Why no value can meet a condition on the field: only numbers and days have ranges. */
export function flawOf({ fields }: Pick<LayerSpec, 'fields'>, { field, among, min, max }: FieldCondition) {
  if (among) return undefined;
  const type = field === 'distance_miles' ? 'decimal' : (fields[field]?.type ?? 'text');
  const fits = (end: string) => (type === 'date' ? DAY_OR_PART.test(end) : NUMERIC.has(type) && isFinite(Number(end)));
  return [min, max].every((end) => end === undefined || fits(end)) ? undefined : `\`${field}\` has no such range`;
}

/** The first problem of a definition beyond its schema, with its path. */
export function problemOf(
  name: string,
  spec: LayerSpec,
  builtIn: readonly string[],
): [path: (string | number)[], message: string] | undefined {
  const stored = [...storedFields(spec), ...(hasDistance(spec) ? ['distance_miles'] : [])];
  if (builtIn.includes(name) || TAKEN.includes(name)) return [[], `\`${name}\` is the name of something else`];
  const reserved = Object.keys(spec.fields).find((field) => OWN_MEMBERS.includes(field));
  if (reserved) return [['fields', reserved], 'every layer has a member of this name'];
  if (!stored.includes(spec.headline)) return [['headline'], `is none of its fields: ${stored.join(', ')}`];
  if (hasDistance(spec) && spec.within_miles === undefined) return [['join'], '`nearest` needs `within_miles`'];
  for (const [field, { times_value: share, summarize, type }] of Object.entries(spec.fields)) {
    if (summarize && !(NUMERIC.has(type) && isAreaJoin(spec.join)))
      return [['fields', field, 'summarize'], 'is for numbers of counties, tracts, block groups and ZIP codes'];
    if (share !== undefined && spec.fields[share]?.type !== 'share')
      return [['fields', field, 'times_value'], 'must name another field, of type `share`'];
  }
  for (const [at, { if: condition }] of (spec.levels ?? []).entries()) {
    const parsed = parseFieldCondition(condition);
    if (!parsed || !stored.includes(parsed.field) || flawOf(spec, parsed))
      return [['levels', at, 'if'], `is not a condition on one of ${stored.join(', ')}, such as \`${stored[0]}:1,2\``];
  }
  return undefined;
}

/** A field's default description. */
function describeField({ label, unit, description, times_value: share }: LayerSpec['fields'][string]): string {
  const what = description ?? `${label}${unit ? `, in ${unit}` : ''}.`;
  if (share === undefined) return what;
  return `${what} The stored value of the home times \`${share}\` of its area: an average over the buildings there, not an inspection of this one.`;
}

const SHAPES: Record<(typeof TYPES)[number], (options: Record<string, unknown>) => ReturnType<typeof nullable>> = {
  whole: (options) => nullable(wholeNumber(options)),
  decimal: (options) => nullable(decimal(options)),
  money: (options) => nullable(decimal(options)),
  share: (options) => nullable(decimal(options)),
  year: (options) => nullable(wholeNumber(options)),
  text: (options) => nullable(text(500, options)),
  flag: (options) => nullable(Type.Boolean(options)),
  date: (options) => nullable(isoDay(options)),
};

/** Members that every layer by recipe has in a risk report, after its status. */
export const LAYER_MEMBERS = {
  title: text(500),
  summary: nullable(text(2_000, { description: 'The finding in a sentence; null where nothing is known.' })),
  level: nullable(oneOf(LEVELS, { description: 'How it reads; null where the layer does not judge.' })),
};

/** Its part of a risk report, besides status and source. */
export const membersOf = (definition: LayerDefinition): TProperties => ({
  ...LAYER_MEMBERS,
  ...mapValues(definition.fields, (field) =>
    SHAPES[field.type]({ description: describeField(field), ...(field.values && { enum: field.values }) }),
  ),
  ...(hasDistance(definition) && { distance_miles: nullable(decimal({ minimum: 0 })) }),
});

export function levelOf({ levels = [] }: Pick<LayerSpec, 'levels'>, vals: LayerVals): Level | null {
  const met = levels.find(({ if: condition }) => {
    const parsed = parseFieldCondition(condition);
    return parsed !== undefined && isMet(parsed, vals[parsed.field]);
  });
  return met?.reads ?? null;
}

type Show = (value: never) => string;
const SHOWN: Record<(typeof TYPES)[number], Show> = {
  whole: asNumber,
  decimal: asNumber,
  money: asMoney,
  share: (share: number) => (share > 0 && share < 0.001 ? `${Number((share * 100).toPrecision(2))}%` : asShare(share)),
  year: String,
  text: String,
  flag: (value: unknown) => (value === true ? 'yes' : 'no'),
  date: asDay,
};

function show({ fields }: LayerDefinition, name: string, value: unknown): string {
  if (value === null || value === undefined) return DASH;
  if (name === 'distance_miles') return `${asNumber(value as number)} miles`;
  const { type, unit } = fields[name];
  return `${SHOWN[type](value as never)}${unit ? ` ${unit}` : ''}`;
}

/** A sentence as its parts: text, the name of a field, text… */
const sentences = new WeakMap<LayerDefinition, string[]>();

function sentenceOf(definition: LayerDefinition): string[] {
  let parts = sentences.get(definition);
  if (!parts) {
    const { sentence, fields, headline } = definition;
    const written = sentence ?? `${fields[headline]?.label ?? 'Distance'}: {${headline}}.`;
    sentences.set(definition, (parts = written.split(/\{(\w+)\}/)));
  }
  return parts;
}

/** The members of a found layer. */
export function presentVals(definition: LayerDefinition, vals: LayerVals, homeValue: number | null) {
  const { title, fields } = definition;
  const members: LayerVals = {};
  for (const [name, { times_value: share, type }] of Object.entries(fields)) {
    const rate = share === undefined ? undefined : vals[share];
    const times = typeof rate === 'number' && homeValue !== null ? rate * homeValue : null;
    members[name] = share === undefined ? (vals[name] ?? null) : type === 'money' && times ? Math.round(times) : times;
  }
  if (hasDistance(definition)) members.distance_miles = vals.distance_miles ?? null;
  const parts = sentenceOf(definition).map((text, at) => (at % 2 === 0 ? text : show(definition, text, members[text])));
  const summary = parts.join('');
  return { title, summary, level: (vals.level ?? null) as Level | null, ...members };
}

/** The members without a record; `summary` is then null, or states that there is none. */
export const emptyVals = (definition: LayerDefinition, summary: string | null) => {
  const names = [...Object.keys(definition.fields), ...(hasDistance(definition) ? ['distance_miles'] : [])];
  return { title: definition.title, summary, level: null, ...Object.fromEntries(names.map((name) => [name, null])) };
};
