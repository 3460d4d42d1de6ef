// Parses colloquial place names: a ZIP code, a tract, "Seattle, WA", "King County", "Washington".
import { STATES } from './states.ts';

export interface PlaceName {
  zip?: string;
  tract?: string;
  /** Five digits may also be the code of a county. */
  fips?: string;
  state?: string;
  /** Without state, "county" and punctuation. Empty if only a state was given. */
  name: string;
  isCounty: boolean;
}

/** ZZ is the state of the sandbox. */
const CODE_OF_STATE = new Map<string, string>([
  ...STATES.flatMap(({ code, name }): [string, string][] => [
    [code, code],
    [keyOf(name), code],
  ]),
  ['ZZ', 'ZZ'],
]);
const MOST_STATE_WORDS = 3;
const COUNTY = /^COUNTY OF | (?:COUNTY|CO|PARISH|BOROUGH|CENSUS AREA)$/;

/** The key shared by spellings of a name: Saint Paul, St. Paul and ST PAUL. */
export function keyOf(name: string): string {
  return name
    .toUpperCase()
    .normalize('NFKD')
    .replaceAll(/\bST\.? /g, 'SAINT ')
    .replaceAll(/\bMT\.? /g, 'MOUNT ')
    .replaceAll(/\bFT\.? /g, 'FORT ')
    .replaceAll(/[^A-Z0-9]/g, '');
}

export function readPlaceName(text: string): PlaceName {
  const words = text
    .toUpperCase()
    // Without its dot, CO is Colorado.
    .replaceAll(/\bCO\.(?=\s|,|$)/g, 'COUNTY')
    .replaceAll(/[,;]/g, ' , ')
    .replaceAll(/\.(?= |$)/g, ' ')
    .replace(/[\s,]*(?:\b(?:USA|UNITED STATES))?[\s,]*$/, '')
    .split(/\s+/)
    .filter((word) => word !== '');
  const zip = /^(\d{5})(?:-\d{4})?$/.exec(words.at(-1) ?? '')?.[1];
  if (zip !== undefined) return { zip, fips: zip, name: '', isCounty: words.includes('COUNTY') };
  const tract = /^\d{11}$/.exec(words.at(-1) ?? '')?.[0];
  if (tract !== undefined) return { tract, name: '', isCounty: false };
  const { state, rest } = cutState(words);
  const said = rest
    .filter((word) => word !== ',')
    .join(' ')
    .replace(/^(?:THE )?CITY OF /, '');
  return { state, name: said.replace(COUNTY, ''), isCounty: COUNTY.test(said) };
}

function cutState(words: string[]): { state?: string; rest: string[] } {
  for (let count = Math.min(MOST_STATE_WORDS, words.length); count > 0; count--) {
    const last = words.slice(-count);
    const state = last.includes(',') ? undefined : CODE_OF_STATE.get(keyOf(last.join(' ')));
    if (state) return { state, rest: words.slice(0, -count) };
  }
  return { rest: words };
}
