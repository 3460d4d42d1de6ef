// Building blocks for every room's shapes. A shape is type, validation, serializer and OpenAPI at once; one with a
// `title` becomes a named OpenAPI component.
import Type, {
  type Static,
  type TInteger,
  type TNumber,
  type TObject,
  type TProperties,
  type TSchema,
  type TString,
  type TUnsafe,
} from 'typebox';

/** Rejects undeclared members. */
export const STRICT = { additionalProperties: false };

/** An object that is an OpenAPI component by this name. */
export const named = <Members extends TProperties>(title: string, members: Members) => Type.Object(members, { title });
export const strict = <Members extends TProperties>(members: Members) => Type.Object(members, STRICT);
export const namedStrict = <Members extends TProperties>(title: string, members: Members) =>
  Type.Object(members, { ...STRICT, title });

/** `null` means unknown. Expressed as a list of types, which validator and serializer both handle without branching. */
export function nullable<Shape extends TSchema>(shape: Shape): TUnsafe<Static<Shape> | null> {
  const { type } = shape as { type?: string };
  if (!type) return Type.Unsafe<Static<Shape> | null>({ anyOf: [shape, { type: 'null' }] });
  const members = shape as { enum?: unknown[] };
  const widened = members.enum ? { enum: [...members.enum, null] } : {};
  return Type.Unsafe<Static<Shape> | null>({ ...shape, ...widened, type: [type, 'null'] });
}

/** One of a fixed set of strings. */
export const oneOf = <const Words extends readonly string[]>(
  words: Words,
  options: object = {},
): TUnsafe<Words[number]> => Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], ...options });

// Every string has a maximum length and every number a range, so validation bounds all input.
export const text = (maxLength = 200, options: object = {}): TString => Type.String({ maxLength, ...options });
export const wholeNumber = (options: object = {}): TInteger =>
  Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, format: 'int64', ...options });
export const decimal = (options: object = {}): TNumber => Type.Number({ ...options });
export const isoDay = (options: object = {}): TString =>
  Type.String({ format: 'date', pattern: '^[12][0-9]{3}-', maxLength: 10, examples: ['2026-03-31'], ...options });
export const instant = (options: object = {}): TString =>
  Type.String({ format: 'date-time', maxLength: 30, examples: ['2026-03-31T12:00:00.000Z'], ...options });
export const list = <Shape extends TSchema>(items: Shape, options: object = {}) =>
  Type.Array(items, { maxItems: 10_000, ...options });

/**
 * A query parameter of several values: separated by commas, or repeated. Documented as an array; rooms get one text with
 * commas, which they check word by word.
 */
export const several = (description: string, options: { words?: readonly string[]; examples?: string[] } = {}) =>
  Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      minLength: 1,
      maxLength: 2_000,
      description,
      ...(options.examples && { examples: options.examples }),
      [ITEMS]: options.words ? oneOf(options.words) : text(100),
    }),
  );
/** The shape of one of several values, on the shape of their text. */
export const ITEMS = 'x-items';

export const latitude = (options: object = {}) => Type.Number({ minimum: -90, maximum: 90, ...options });
export const longitude = (options: object = {}) => Type.Number({ minimum: -180, maximum: 180, ...options });

/** The response of every list endpoint. */
export const page = <Shape extends TSchema>(title: string, items: Shape) =>
  named(title, {
    object: oneOf(['list']),
    data: list(items),
    pagination: Pagination,
  });

export const Pagination = named('Pagination', {
  limit: wholeNumber({ minimum: 1, maximum: 500 }),
  has_more: Type.Boolean(),
  next_cursor: nullable(text(2_000, { description: 'Pass as `cursor` to get the next page.' })),
  total: nullable(wholeNumber({ minimum: 0, description: 'Only with `include_total`.' })),
});

export const pageOf = <Item>(data: Item[], limit: number, nextCursor: string | null, total: number | null = null) => ({
  object: 'list' as const,
  data,
  pagination: { limit, has_more: nextCursor !== null, next_cursor: nextCursor, total },
});

/** The answer to a delete. */
export const DELETED = { 204: Type.Unsafe<undefined>({ type: 'null', description: 'Deleted.' }) };
/** The path parameter of a customer's resource. */
export const IdParams = Type.Object({ id: text(40) });
export const cursorParameter = Type.Optional(
  text(2_000, {
    minLength: 1,
    description: 'Where to continue: `next_cursor` from the previous page, with the same filters.',
  }),
);
export const limitParameter = (fallback = 50, maximum = 500) =>
  Type.Optional(wholeNumber({ minimum: 1, maximum, default: fallback, description: 'Page size.' }));
export const Paging = strict({ limit: limitParameter(), cursor: cursorParameter });

type Presented<Shape extends TObject, Row> = {
  [Name in keyof Static<Shape> & keyof Row]: Row[Name] extends Date
    ? string
    : Row[Name] extends Date | null
      ? string | null
      : Row[Name];
};

/** The row behind a shape: the same members, with instants (names in `_at` or `_since`) as Date. */
export type Stored<Shape extends TObject, Hidden extends string = never> = {
  [Name in Exclude<keyof Static<Shape>, 'object' | Hidden>]: Name extends 'at' | `${string}_at` | `${string}_since`
    ? Date | Extract<Static<Shape>[Name], null>
    : Static<Shape>[Name];
};

/** Maps a row to the shape's members of the same names, with instants as text. */
export function presentRow<Shape extends TObject, Row extends object>(shape: Shape, row: Row): Presented<Shape, Row> {
  const members = Object.entries(row).filter(([name]) => name in shape.properties);
  const presented = members.map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]);
  return Object.fromEntries(presented) as Presented<Shape, Row>;
}
