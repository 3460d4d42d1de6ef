// Turns free text into upper-case words; a comma is its own word because it ends a part.

/** Longer than any address; text beyond this is not an address. */
const MAX_LENGTH = 400;

export const readWords = (text: string): string[] => clean(text.slice(0, MAX_LENGTH)).split(' ').filter(Boolean);

/** Most records are plain words and need none of the rules below. */
const PLAIN = /^[A-Z0-9 ]*$/;
const CARE_OF = /\b(?:C\/O|CARE OF|ATTN|ATTENTION)\b:?/g;

function clean(text: string): string {
  const upper = text.toUpperCase();
  if (PLAIN.test(upper) && !upper.includes('CARE OF') && !upper.includes('ATT')) return upper;
  return (
    text
      .replace(/½/g, ' 1/2')
      .replace(/¼/g, ' 1/4')
      .replace(/¾/g, ' 3/4')
      .normalize('NFKD')
      .replace(/[\u0300-\u036f]/g, '')
      .toUpperCase()
      .replace(CARE_OF, ' , CARE OF ')
      // A half inside a longer number is a letter: 24.5-26.
      .replace(/(\d)\.5(?=[-/])/g, '$1H')
      .replace(/(\d)\.5\b/g, '$1 1/2')
      // N.W. is NW; a period elsewhere is a space: W.WATER.
      .replace(/\b([NS])\.\s?([EW])\.?(?=\s|,|$)/g, '$1$2')
      .replace(/['’`´"ʻʼ]/g, '')
      .replace(/\./g, ' ')
      .replace(/[&+]/g, ' AND ')
      .replace(/#+/g, ' # ')
      // A unit within a unit: 6(5E).
      .replace(/(\d)\((\w{1,4})\)/g, '$1-$2')
      .replace(/[\n\r\t;|():]+/g, ' , ')
      .replace(/^(\d+)\s[-–—]\s(?=\d\d\s)/, '$1-')
      .replace(/\s[-–—]+\s/g, ' , ')
      .replace(/[–—]/g, '-')
      .replace(/-{2,}/g, '-')
      // 12 - 14 is a range; 522- 65TH ST is not.
      .replace(/(\d)\s*-\s*(\d)(?!\d*(?:ST|ND|RD|TH)\b)/g, '$1-$2')
      .replace(/(\d)-(\d\/\d)/g, '$1 $2')
      .replace(/[^A-Z0-9#,/\- ]+/g, ' ')
      .replace(/,/g, ' , ')
  );
}

/** The words between commas, without empty parts. */
export function splitAtCommas(words: readonly string[]): string[][] {
  const parts: string[][] = [[]];
  for (const word of words) {
    if (word === ',') parts.push([]);
    else parts[parts.length - 1].push(word);
  }
  return parts.filter((part) => part.length > 0);
}

export const joinWithCommas = (parts: readonly string[][]): string[] =>
  parts.flatMap((part, index) => (index ? [',', ...part] : part));

export const isOrdinal = (word: string): boolean => /^\d+(ST|ND|RD|TH)$/.test(word);
export const isFraction = (word: string): boolean => /^[1-9]\/[1-9]$/.test(word);
export const hasDigit = (word: string): boolean => /\d/.test(word);
export const withoutLeadingZeros = (digits: string): string => digits.replace(/^0+(?=\d)/, '');
