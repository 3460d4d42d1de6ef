// Reduces a street or city name to one key: ordinals as digits, Saint and Mount in full, highways unified, no spaces.
import { suffixWordInName } from './suffixes.ts';
import { ABBREVIATED, DIRECTIONS, NUMBER_WORDS, ORDINAL_WORDS, TENS_WORDS } from './tables.ts';
import { isOrdinal } from './text.ts';

const ROAD_WORD = '(?:HWY|HIGHWAY|HIWAY|RTE|ROUTE|RT|RD|ROAD|TRUNK)';

/** The first match wins: `US HWY 41` → USHWY41, `CTH PP` → CORDPP. */
const HIGHWAYS: [RegExp, string][] = [
  [new RegExp(`^(?:US|U S|UNITED STATES)(?: ${ROAD_WORD})? (\\d+\\w?)( .*)?$`), 'USHWY'],
  [new RegExp(`^(?:COUNTY|CO|CNTY)(?: ${ROAD_WORD})+ (\\w+)$`), 'CORD'],
  [/^(?:CR|CTH) (\w+)$/, 'CORD'],
  [new RegExp(`^(?:(?:STATE|ST|[A-Z]{2})(?: ${ROAD_WORD})+ |[A-Z]{2}-)(\\d+\\w?)$`), 'STRTE'],
  [/^(?:SR|SH|STH) (\d+\w?)$/, 'STRTE'],
  [/^(?:FM|FARM TO MARKET|FARM MARKET)(?: (?:RD|ROAD))? (\d+)$/, 'FM'],
  [/^(?:I|INTERSTATE)(?: (?:HWY|HIGHWAY|RTE|ROUTE|RT))?[ -]?(\d+\w?)$/, 'I'],
  [/^(?:RR|RM|RANCH)(?: TO MARKET)?(?: (?:RD|ROAD))? (\d+)$/, 'RR'],
  [/^(?:HWY|HIGHWAY|HIWAY|RTE|ROUTE|RT) (\d+\w?)$/, 'HWY'],
];
const KING = /^(?:DR |DOCTOR |REV |REVEREND )?(?:M ?L ?K(?:ING)?|M L KING|MARTIN L(?:UTHER)? KING)(?: JR| JUNIOR)?$/;

export function streetNameKey(words: readonly string[]): string {
  const plainWords = numbersAsDigits(words);
  // CR-42 is CR 42, and TX-71 one of the state.
  const text = plainWords.join(' ').replace(/^(US|CR|CTH|SR|SH|STH|FM|RR|RM|I|HWY|RTE?)-(?=\d)/, '$1 ');
  if (KING.test(text)) return 'MLK';
  for (const [pattern, prefix] of HIGHWAYS) {
    const found = pattern.exec(text);
    if (found) return prefix + found[1] + (found[2] ?? '').replaceAll(' ', '');
  }
  return plainWords.map((word, index) => spellOut(word, index, plainWords)).join('');
}

/** A state or US highway with the same number, where one side only says "highway". */
export function isSameHighway(first: string, second: string): boolean {
  const [a, b] = [first, second].map((key) => /^(HWY|USHWY|STRTE)(\d+\w?)$/.exec(key));
  return a !== null && b !== null && a[2] === b[2] && (a[1] === 'HWY' || b[1] === 'HWY');
}

export const cityKey = (words: readonly string[]): string =>
  words
    .map((word) => DIRECTIONS.get(word) ?? (word === 'DR' ? word : (ABBREVIATED[word] ?? word)))
    .join('')
    .replaceAll('-', '');

function spellOut(word: string, index: number, words: readonly string[]): string {
  const isLast = index === words.length - 1;
  if (word === 'ST' && isLast && words.length > 1) return 'STREET';
  if (word in ABBREVIATED) return ABBREVIATED[word];
  if (words.length > 1 && word.length > 1) return suffixWordInName(word) ?? lettersOf(word);
  return lettersOf(word);
}

const lettersOf = (word: string): string => word.replace(/[/-]/g, '');

/** FIFTH, 5TH → 5; TWENTY FIRST, TWENTY-FIRST → 21; FIVE MILE → 5 MILE. */
function numbersAsDigits(words: readonly string[]): string[] {
  const result: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const joined = TENS_WORDS.has(words[index])
      ? ORDINAL_WORDS.get(words[index] + (words[index + 1] ?? ''))
      : undefined;
    if (joined) index++;
    result.push(joined ?? numberAsDigits(words[index]));
  }
  return result;
}

function numberAsDigits(word: string): string {
  if (isOrdinal(word)) return String(Number.parseInt(word, 10));
  return ORDINAL_WORDS.get(word.replaceAll('-', '')) ?? NUMBER_WORDS.get(word) ?? word;
}
