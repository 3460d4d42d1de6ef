// Reads words.yaml: the words that classify deeds, parties and owners.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const written = parse(readFileSync(new URL('./words.yaml', import.meta.url), 'utf8')) as {
  deeds: Record<string, string>;
  parties: Record<'estate' | 'lender' | 'company', string>;
  owners: Record<string, string>;
  plain_words: string;
};
const patternsOf = (patterns: Record<string, string>) =>
  Object.entries(patterns).map(([name, pattern]): [string, RegExp] => [name, new RegExp(pattern, 'i')]);

/** Deeds that transfer title without a sale, under compulsion, or only in part. The first match decides. */
export const KINDS_OF_DEED = patternsOf(written.deeds);
export const [ESTATE, LENDER, COMPANY] = (['estate', 'lender', 'company'] as const).map(
  (kind) => new RegExp(written.parties[kind], 'i'),
);
/** Family names that companies also use as ordinary words. */
export const PLAIN_WORDS = new Set(written.plain_words.split(' '));

const OWNERS = patternsOf(written.owners);

/** The type of an owner, by words that appear only in that type of name. */
export function ownerTypeOf(names: string[]): string {
  const all = names.join(' ; ');
  return OWNERS.find(([, words]) => words.test(all))?.[0] ?? (names.length > 0 ? 'individual' : 'other');
}
