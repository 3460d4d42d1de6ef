// Resolves place names: a tool's `place` ("Seattle, WA", "98101", "King County") becomes the codes that its REST
// request takes, and an address becomes a property's id. Looking up a place is free, an address a standard call.
import type { Place } from '../../records/places/schema.ts';
import type { BadArgument } from './arguments.ts';
import type { ApiAnswer, ApiCall, Arguments, Tool } from './tool.ts';

type Resolved = { args: Arguments } | { bad: BadArgument } | { failure: ApiAnswer };

export async function resolvePlace(tool: Tool, args: Arguments, callApi: ApiCall): Promise<Resolved> {
  const said = tool.place && sayingOf(tool, args);
  if (!said) return { args };
  const answer = await callApi({ path: '/places', query: { q: said.text } });
  if (answer.status !== 200) return { failure: atArgument(answer, said.argument) };
  const places = (answer.body as { data: Place[] }).data;
  const meant = places.filter(({ kind }) => kind === places[0].kind);
  if (meant.length > 1) return { bad: describeAmbiguity(said.argument, meant) };
  const codes = codesOf(tool, places);
  if (typeof codes === 'string') return { bad: badPlace(said.argument, `\`${said.text}\` ${codes}`) };
  const { place: _place, [said.argument]: _said, ...others } = args;
  return { args: { ...codes, ...others } };
}

/** For tools about one property: its id, or its address. */
export async function resolveProperty(tool: Tool, args: Arguments, callApi: ApiCall): Promise<Resolved> {
  const { address, ...others } = args;
  if (!tool.isOfProperty) return { args };
  if ((address === undefined) === (args.property_id === undefined))
    return { bad: badPlace('property_id', 'Send `property_id` or `address`, one of them.') };
  if (address === undefined) return { args };
  const answer = await callApi({ path: '/properties/lookup', query: { address } });
  if (answer.status !== 200) return { failure: answer };
  return { args: { ...others, property_id: (answer.body as { id: string }).id } };
}

/** A place is also accepted in place of a code: `fips: "King County"`, `city: "Seattle, WA"`. */
function sayingOf(tool: Tool, args: Arguments): { argument: string; text: string } | undefined {
  if (typeof args.place === 'string') return { argument: 'place', text: args.place };
  const { fips, city, market } = args;
  if (typeof market === 'string' && (tool.place === 'market' || /[^a-z0-9,-]/.test(market)))
    return { argument: 'market', text: market };
  if (tool.place === 'filter' && typeof fips === 'string' && /[a-z]/i.test(fips))
    return { argument: 'fips', text: fips };
  if (tool.place === 'filter' && typeof city === 'string' && /,\s*[a-z]{2}$/i.test(city))
    return { argument: 'city', text: city };
  return undefined;
}

/** The equivalent arguments, or why there are none. */
function codesOf(tool: Tool, places: Place[]): Arguments | string {
  const [{ kind, id, markets, filter }] = places;
  if (tool.place === 'filter')
    return Object.keys(filter).length > 0 ? filter : `is a ${kind}, which search cannot filter by.`;
  if (tool.place === 'within' && kind === 'county') return { county: id };
  if (tool.place === 'within' && kind === 'state') return { state: id };
  if (tool.place === 'market' || tool.place === 'within')
    return markets.length === 1 ? { market: markets[0] } : `lies in several markets: ${markets.join(', ')}. Name one.`;
  if (kind !== 'state') return { kind, area: id, ...(markets.length > 1 && { market: markets[0] }) };
  return markets.length === 1
    ? { kind: 'market', area: markets[0] }
    : `is a state. Name a city, county, ZIP or market: ${markets.join(', ')}.`;
}

function describeAmbiguity(argument: string, places: Place[]): BadArgument {
  const allowed = places.map(({ name }) => name);
  return { ...badPlace(argument, `There are several of that name: ${allowed.join('; ')}. Name one.`), allowed };
}

const badPlace = (argument: string, detail: string): BadArgument => ({ code: 'invalid_request', detail, argument });

/** Replaces REST's parameter name with the tool's argument name. */
function atArgument(answer: ApiAnswer, argument: string): ApiAnswer {
  const { errors: _errors, ...problem } = (answer.body ?? {}) as Arguments;
  const { detail, suggestions } = problem;
  if (answer.status !== 404) return answer;
  const errors = [{ pointer: `/${argument}`, code: 'unknown', detail, argument, allowed: suggestions }];
  return { ...answer, body: { ...problem, errors } };
}
