// Street suffixes: every spelling in use, the standard one and the full word.
import { readFileSync } from 'node:fs';

/** USPS Publication 28, appendix C1. A line has the standard suffix, the full word and the other spellings. */
const C1 = readFileSync(new URL('./suffixes.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');

/** Spellings found in assessors' files but not in Publication 28; accepted only where a suffix is expected. */
const LOCAL =
  'WY=WAY AV=AVE BL=BLVD BLV=BLVD PKY=PKWY TR=TRL HGWY=HWY CI=CIR LA=LN TE=TER TERR=TER CRT=CT STR=ST TURN=TURN';

/** Any spelling → the standard suffix: AVENUE, AVEN, AV → AVE. */
export const SUFFIXES = new Map<string, string>();
/** Standard suffix → full word: AVE → AVENUE. */
export const SUFFIX_WORDS = new Map<string, string>([['TURN', 'TURN']]);
/** Spellings also expanded inside a name: LAKE VW DR is LAKE VIEW DR. */
const INSIDE_NAMES = new Map<string, string>();

for (const line of C1) {
  const [standard, full, ...variants] = line.split(' ');
  SUFFIX_WORDS.set(standard, full);
  for (const spelling of [standard, full, ...variants]) {
    SUFFIXES.set(spelling, standard);
    INSIDE_NAMES.set(spelling, full);
  }
}
for (const pair of LOCAL.split(' ')) {
  const [spelling, standard] = pair.split('=');
  if (!SUFFIXES.has(spelling)) SUFFIXES.set(spelling, standard);
}
// VIA APPIA is not a viaduct, LA SALLE is not a lane, and ST, STE, MT, FT and DR mean other words inside a name (see
// names.ts).
for (const spelling of ['VIA', 'LA', 'ST', 'MT', 'FT', 'DR']) INSIDE_NAMES.delete(spelling);

export const suffixWordInName = (word: string): string | undefined => INSIDE_NAMES.get(word);
