// Defines a tool: a name, its cost, the shape of its arguments, the one REST request behind it, and how answers are cut.
import Type, { type TObject } from 'typebox';
import words from './tools.json' with { type: 'json' };
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
  request(args: Arguments): ApiRequest;
  cut?: Cut | ((args: Arguments) => Cut);
  /** It starts work or stores something; all other tools are read-only. */
  isWriting?: boolean;
  /** Whether REST pages the list itself or the tool pages through one long answer. */
  isPaged?: boolean;
  /** The meaning of the tool's place: filters of a search, an area of statistics, a parent of such areas, or a market. */
  place?: 'filter' | 'area' | 'within' | 'market';
  /** The argument that names layers, and those that every server has. */
  layers?: { argument: string; builtIn: readonly string[] };
  /** It concerns one property; an address instead of an id is looked up first. */
  isOfProperty?: boolean;
  /** The arguments of each part of an answer that is put together from several requests, by the part's name. */
  parts?(args: Arguments): Record<string, Arguments> | undefined;
  /** Removes from the answer what the arguments did not ask for. */
  narrow?(body: Arguments, args: Arguments): Arguments;
}

export const pick = (args: Arguments, names: readonly string[]): Arguments =>
  Object.fromEntries(names.filter((name) => args[name] !== undefined).map((name) => [name, args[name]]));

/** A tool's name with its title and description, imported because the desktop extension is a single file. */
export const textsOf = (name: keyof typeof words) => ({ name, ...words[name] });

export const placeArgument = (otherwise = '') =>
  Type.Optional(text(200, { description: `\`Seattle, WA\`, \`98101\`, \`King County\`.${otherwise}` }));

/** For tools about a whole market. */
export const MARKET_WORDS = 'A market’s id, or a place in it: `98101`, `Seattle, WA`.';
export const marketArgument = Type.Optional(text(200, { description: MARKET_WORDS }));

export const cursorArgument = Type.Optional(
  text(2_100, { description: '`next_cursor` of the last answer; all else as before.' }),
);

/** A path with the parameters that are set. */
export function pathWithQuery(path: string, query: Record<string, unknown> = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}
