// Defines a tool: a name, its cost, the shapes of its arguments and answer, the one REST request behind it, and how a
// long answer is trimmed.
import Type, { type TObject, type TProperties, type TSchema } from 'typebox';
import { text } from '../../base/lib/schema.ts';
import type { Cut } from './fit.ts';

export type Arguments = Record<string, unknown>;

/** A request to our own REST API, relative to /api/v1: a POST if it has a body. */
interface ApiRequest {
  path: string;
  query?: Record<string, unknown>;
  body?: object;
}

export interface ApiAnswer {
  status: number;
  headers: Record<string, string | undefined>;
  body: unknown;
}

/** Sends a request with the caller's key: in this process, or over HTTP from the stdio program. */
export type ApiCall = (request: ApiRequest) => Promise<ApiAnswer>;

export interface Tool {
  name: string;
  title: string;
  description: string;
  cost: string;
  input: TObject;
  output: TObject;
  request(args: Arguments): ApiRequest;
  cut?: Cut | ((args: Arguments) => Cut);
  /** It starts work or keeps something; all other tools only read. */
  isWriting?: boolean;
  /** Whether REST pages the list itself or the tool pages through one long answer. */
  isPaged?: boolean;
  /** The meaning of the tool's place: filters of a search, an area of statistics, a parent of such areas, or a market. */
  place?: 'filter' | 'area' | 'within' | 'market';
  /** Removes from the answer what the arguments did not ask for. */
  narrow?(body: Arguments, args: Arguments): Arguments;
}

export const placeArgument = (otherwise = '') =>
  Type.Optional(
    text(200, { description: `A place as people say it: \`Seattle, WA\`, \`98101\`, \`King County\`.${otherwise}` }),
  );

/** For tools about a whole market. */
export const MARKET_WORDS = 'A market’s id, or a place in it: `Seattle, WA`, `98101`, `King County`.';
export const marketArgument = Type.Optional(text(200, { description: MARKET_WORDS }));

export const cursorArgument = Type.Optional(
  text(2_100, { description: '`pagination.next_cursor` from the previous answer; keep all other arguments the same.' }),
);

/** A REST answer with the members that trimming adds. */
export const cuttable = <Members extends TProperties>(shape: TObject<Members>): TObject =>
  Type.Object(
    {
      ...shape.properties,
      truncated: Type.Boolean({ description: 'true: trimmed to fit; continue with the cursor, or ask for less.' }),
      omitted: Type.Optional(Type.Record(Type.String(), Type.Integer(), { description: 'Items left out, by member.' })),
    },
    { description: (shape as TSchema & { description?: string }).description },
  );

/** An answer that REST returns whole and the tool pages through. */
export function walkable<Members extends TProperties>(shape: TObject<Members>): TObject {
  const next = Type.Union([Type.String(), Type.Null()], { description: 'Pass as `cursor` to get the rest.' });
  return cuttable(Type.Object({ ...shape.properties, pagination: Type.Optional(Type.Object({ next_cursor: next })) }));
}

/** An answer that a tool puts together itself. Its members are as in the REST answer; a list is paged in `data`. */
export function looseAnswer(description: string, isPaged = false): TObject {
  const list = { data: Type.Array(Type.Object({}, { additionalProperties: true })) };
  const pagination = Type.Object(
    { next_cursor: Type.Union([Type.String(), Type.Null()]) },
    { additionalProperties: true },
  );
  return Type.Object(
    {
      object: Type.String(),
      ...(isPaged && { ...list, pagination }),
      truncated: Type.Boolean(),
      omitted: Type.Optional(Type.Record(Type.String(), Type.Integer())),
    },
    { additionalProperties: true, description },
  );
}

/** A path with the parameters that are set. */
export function pathWithQuery(path: string, query: Record<string, unknown> = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}
