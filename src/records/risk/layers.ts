// Describes every layer of the server: those of the program and those that recipes define.
import Type, { type Static, type TSchema } from 'typebox';
import { decimal, list, named, nullable, oneOf, page, text, wholeNumber } from '../../base/lib/schema.ts';
import { filterFields, LEVELS, membersOf, type LayerDefinition } from '../../supply/layers/definition.ts';
import { columnTypeOf } from '../../supply/layers/layer.ts';
import { LAYER_LIST } from '../../supply/layers/layers.ts';

const words = (maxLength = 500) => nullable(text(maxLength));

const LayerField = named('LayerField', {
  name: text(60),
  type: text(20),
  label: words(),
  unit: words(),
  description: words(2_000),
  values: nullable(list(text(200))),
  filter: words(),
});

const LayerDescription = named('Layer', {
  object: oneOf(['layer']),
  name: text(60),
  title: text(500),
  description: text(500),
  is_built_in: Type.Boolean({ description: 'false: loaded by recipe.' }),
  join: nullable(text(20, { description: 'How a home finds its value: by county, tract, ZIP, nearest site…' })),
  within_miles: nullable(decimal()),
  headline: words(60),
  fields: list(LayerField),
  levels: list(named('LayerLevel', { if: text(500), reads: oneOf(LEVELS), label: words() }), {
    description: 'How values read, and the colors of the map; the first that applies.',
  }),
  stale_after_days: nullable(wholeNumber({ minimum: 0 })),
});
type LayerDescription = Static<typeof LayerDescription>;
export const LayerPage = page('LayerPage', LayerDescription);

/** Members common to every layer, and `title` and `summary`, cannot be filtered by. */
const UNLISTED = new Set(['title', 'summary']);

function describeField(name: string, shape: TSchema, field?: LayerDefinition['fields'][string]) {
  const { type = columnTypeOf(shape), label = null, unit = null, values = null } = field ?? {};
  const { description = null } = shape as { description?: string };
  return { name, type, label, unit, description, values, filter: null };
}

const described = (named: { name: string; title: string; description: string }) => ({
  object: 'layer' as const,
  ...named,
  is_built_in: false,
  join: null,
  within_miles: null,
  headline: null,
  levels: [],
});

export const describeLayers = (loaded: ReadonlyMap<string, LayerDefinition>): LayerDescription[] => [
  ...LAYER_LIST.map(({ name, title, description, members, staleAfterDays }) => ({
    ...described({ name, title, description }),
    is_built_in: true,
    fields: Object.entries(members).map(([member, shape]) => describeField(member, shape)),
    stale_after_days: staleAfterDays ?? null,
  })),
  ...[...loaded.values()].map(describeDefinition),
];

function describeDefinition(definition: LayerDefinition): LayerDescription {
  const { name, title, description, join, within_miles, headline, fields, levels = [], stale_after_days } = definition;
  const filters = filterFields(definition);
  return {
    ...described({ name, title, description }),
    join,
    headline,
    within_miles: within_miles ?? null,
    fields: Object.entries(membersOf(definition))
      .filter(([member]) => !UNLISTED.has(member))
      .map(([member, shape]) => ({
        ...describeField(member, shape, fields[member]),
        filter: filters.includes(member) ? `layer=${name}.${member}:` : null,
      })),
    levels: levels.map(({ label, ...level }) => ({ ...level, label: label ?? null })),
    stale_after_days: stale_after_days ?? null,
  };
}
