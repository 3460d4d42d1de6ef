// REST shapes slimmed down for agents: the same members and types without the bounds that only a validator needs, so
// that the tool list stays small in a model's context.

type Json = Record<string, unknown>;

const BOUNDS = new Set(['maxLength', 'minLength', 'maxItems', 'format', 'pattern', 'title', 'examples']);

/** A copy without bounds; `keep` names those a caller should still see. */
export const lighten = (shape: object, keep: readonly string[] = []): Json =>
  lightenValue(shape, new Set(keep)) as Json;

function lightenValue(value: unknown, keep: Set<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => lightenValue(item, keep));
  if (value === null || typeof value !== 'object') return value;
  const shape = value as Json;
  const members = Object.entries(shape).filter(
    ([name, member]) => member !== undefined && (!BOUNDS.has(name) || keep.has(name)) && !isIdleBound(name, member),
  );
  return Object.fromEntries(
    members.map(([name, member]) => [
      name,
      name === 'properties' ? lightenMembers(member as Json, keep) : lightenValue(member, keep),
    ]),
  );
}

/** Member names are data here: one called `format` or `title` is not a bound. */
const lightenMembers = (members: Json, keep: Set<string>): Json =>
  Object.fromEntries(Object.entries(members).map(([name, shape]) => [name, lightenValue(shape, keep)]));

const isIdleBound = (name: string, bound: unknown): boolean =>
  (name === 'minimum' || name === 'maximum') && Math.abs(bound as number) >= Number.MAX_SAFE_INTEGER;
