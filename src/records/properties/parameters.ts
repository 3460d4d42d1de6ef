// Parses the parameters that shape a response: `fields`, `include`, `sort`.
import { fail } from '../../base/lib/errors.ts';
import { several } from '../../base/lib/schema.ts';
import { nearestWord } from '../../base/lib/suggest.ts';
import { INCLUDES, PropertyFields, type Include, type Property } from './schema.ts';

export const fieldsParameter = several('Members to return. `object` and `id` are always returned.', {
  words: PropertyFields,
  examples: ['address,sqft,valuation'],
});
export const includeParameter = several('Also return these. `owner` requires the `owners:read` scope.', {
  words: INCLUDES,
  examples: ['owner,transactions'],
});

export const readFields = (value: string | undefined): (keyof Property)[] | undefined =>
  value === undefined ? undefined : readWords('fields', value, PropertyFields);

export const readIncludes = (value: string | undefined): Include[] =>
  value === undefined ? [] : readWords('include', value, INCLUDES);

/** For filters: an empty list would silently match nothing, or everything. */
export function readOneOrMore<Word extends string>(name: string, value: string, known: readonly Word[]): Word[] {
  const words = readWords(name, value, known);
  if (words.length > 0) return words;
  const detail = 'names nothing; leave it out to match any';
  return fail('invalid_request', `${name} ${detail}.`, { errors: [{ pointer: `/${name}`, code: 'invalid', detail }] });
}

export function readWords<Word extends string>(name: string, value: string, known: readonly Word[]): Word[] {
  const words = value
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  for (const word of words) {
    if (known.includes(word as Word)) continue;
    const near = nearestWord(word, known);
    const detail = `\`${word}\` is not one of ${known.join(', ')}${near ? `; did you mean \`${near}\`?` : ''}`;
    fail('invalid_request', `${name}: ${detail}.`, { errors: [{ pointer: `/${name}`, code: 'enum', detail }] });
  }
  return [...new Set(words as Word[])];
}
