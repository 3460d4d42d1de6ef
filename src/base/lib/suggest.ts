// "Did you mean …": the known word closest to an unknown one, if it means the same or is close enough to be a typo.
import synonyms from './synonyms.json' with { type: 'json' };

/** Names that other vendors use for our fields. */
const SYNONYMS: Record<string, string> = synonyms;

export function nearestWord(word: string, words: Iterable<string>): string | undefined {
  const known = [...words];
  return sameMeaning(word.toLowerCase(), known) ?? nearestSpelling(word, known);
}

/** `max_price` and `price_max` are `max_value`. */
function sameMeaning(word: string, known: string[]): string | undefined {
  const end = /^(min|max)_|_(min|max)$/.exec(word);
  const bare = end ? word.replace(end[0], '') : word;
  const wanted = [bare, SYNONYMS[bare]].map((name) => (end ? `${end[1] ?? end[2]}_${name}` : name));
  return known.find((name) => name !== word && wanted.includes(name));
}

function nearestSpelling(word: string, known: string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 2.5));
  let best: string | undefined;
  // A word with every letter replaced is not a typo.
  let bestDistance = Math.min(limit + 1, word.length);
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) > limit) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Levenshtein distance with two rows. */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replace = previous[column - 1] + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replace, previous[column] + 1, current[column - 1] + 1));
    }
    previous = current;
  }
  return previous[b.length];
}
