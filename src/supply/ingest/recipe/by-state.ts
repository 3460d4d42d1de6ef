// Recipes whose files come by state: `{state}` is WI, `{state_lower}` wi, `{state_fips}` 55 and `{state_name}` the name
// without blanks, as in NewHampshire.
import { type State } from '../../../base/lib/states.ts';

export const mentionsState = (spec: object): boolean => /\{state(_lower|_fips|_name)?\}/.test(JSON.stringify(spec));

export function fillState<Spec>(spec: Spec, { code, fips, name }: State): Spec {
  const words: Record<string, string> = {
    state: code,
    state_lower: code.toLowerCase(),
    state_fips: fips,
    state_name: name.replaceAll(' ', ''),
  };
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(/\{(state(?:_\w+)?)\}/g, (whole, word) => words[word] ?? whole);
    if (Array.isArray(value)) return value.map(fill);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fill(member)]));
  };
  return fill(spec) as Spec;
}
