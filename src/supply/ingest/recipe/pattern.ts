// Regular expressions of a recipe, limited to those that cannot take long on a cell.

/** With at most three unbounded repetitions and no repeated groups, a match on a text this long takes well under a second. */
export const LONGEST_MATCHED = 200;
const LONGEST_PATTERN = 300;
const MOST_REPETITIONS = 3;

const compiled = new Map<string, RegExp>();

/** Throws if the pattern could take more than a moment on any text of `LONGEST_MATCHED` characters. */
export function compilePattern(source: string, flags = ''): RegExp {
  const key = `${flags}/${source}`;
  let pattern = compiled.get(key);
  if (!pattern) {
    refuseSlow(source);
    pattern = new RegExp(source, flags);
    compiled.set(key, pattern);
  }
  pattern.lastIndex = 0;
  return pattern;
}

function refuseSlow(source: string): void {
  if (source.length > LONGEST_PATTERN) throw new Error(`the pattern has more than ${LONGEST_PATTERN} characters`);
  // Classes and escapes are single characters to the repetition that follows.
  const bare = source.replace(/\\./g, 'x').replace(/\[(?:[^\]])*\]/g, 'x');
  if (/\(\?(?!:)/.test(bare)) throw new Error(`the pattern ${source} looks ahead or behind, which is not allowed`);
  if (/\\[1-9]/.test(source)) throw new Error(`the pattern ${source} refers back to a group, which is not allowed`);
  if (/\)[*+{]/.test(bare)) throw new Error(`the pattern ${source} repeats a group, which is not allowed`);
  const repetitions = bare.match(/[*+]|\{\d+,\d*\}/g)?.length ?? 0;
  if (repetitions > MOST_REPETITIONS)
    throw new Error(`the pattern ${source} has more than ${MOST_REPETITIONS} repetitions`);
}
