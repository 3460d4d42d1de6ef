// Slims input shapes for agents: members, types, words and descriptions without the bounds that only a validator needs,
// so that the tool list stays small in a model's context.
import members from './members.json' with { type: 'json' };

type Json = Record<string, unknown>;

const BOUNDS = new Set(members.bounds);

/** Marks an argument that is accepted but unlisted. */
export const UNLISTED = 'x-unlisted';

/** The schema in the tool list. Arguments are validated against the full schema. */
export const brief = (shape: object): Json => briefValue(shape) as Json;

function briefValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(briefValue);
  if (value === null || typeof value !== 'object') return value;
  const { anyOf, ...shape } = value as Json & { anyOf?: Json[] };
  // One of several equivalent forms is enough.
  const shown = anyOf ? { ...anyOf[0], ...shape } : shape;
  const members = Object.entries(shown).filter(([name, member]) => member !== undefined && !isBound(name));
  return Object.fromEntries(
    members.map(([name, member]) => [name, name === 'properties' ? briefMembers(member as Json) : briefValue(member)]),
  );
}

const isBound = (name: string): boolean => BOUNDS.has(name) || name.startsWith('x-');

/** Member names are data here: one called `format` or `title` is not a bound. */
function briefMembers(members: Json): Json {
  const listed = Object.entries(members).filter(([, shape]) => !(shape as Json)[UNLISTED]);
  return Object.fromEntries(listed.map(([name, shape]) => [name, briefValue(shape)]));
}
