// Reasons to refuse a text before any record is read: a PO box, a rural route, another country, nothing readable.
import { readNumber } from './numbers.ts';
import { COUNTRIES } from './tables.ts';
import { hasDigit } from './text.ts';

export type TextReason =
  | 'empty'
  | 'not_latin'
  | 'po_box'
  | 'rural_route'
  | 'military'
  | 'general_delivery'
  | 'puerto_rico'
  | 'us_territory'
  | 'foreign'
  | 'intersection'
  | 'near_an_address'
  | 'no_house_number';

const BOX = /\b(?:P ?O ?B(?:OX)?|POST OFFICE BOX|PO DRAWER|(?:^|, )(?:CALLER|BOX)) ?#? ?\w*\d\w*\b/;
const RURAL =
  /\b(?:RR|R R|RFD|R F D|RURAL (?:ROUTE|RT|RTE)|HC|HCR|HIGHWAY CONTRACT(?: ROUTE)?|STAR (?:ROUTE|RT)) ?#? ?\d+\w*(?: ?,? ?BOX ?#? ?\w+)?\b/;
const MILITARY = /\b(?:APO|FPO|DPO)\b ?,? ?(?:A[AEP])?\b/;
const POSTAL_CODE_ABROAD = /\b[ABCEGHJ-NPRSTVXY]\d[A-Z] ?\d[A-Z]\d$|\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}$/;
const STREET_CROSSING = /^[^,]*[A-Z][^,]* (?:AND|AT) [^,]*[A-Z]/;

/** Before the house number: the text locates something relative to an address that is not its own. */
const NEAR_AN_ADDRESS =
  /^[^\d]*\b(?:NEXT(?: DOOR)? TO|ADJACENT TO|ADJOINING|ACROSS (?:THE (?:STREET|ROAD) )?FROM|NEAR|BEHIND|BESIDE|OPPOSITE|NORTH OF|SOUTH OF|EAST OF|WEST OF|(?:VACANT|EMPTY) (?:LOT|LAND|PARCEL)|(?:LOT|LAND|PARCEL) (?:AT|BY|ON|OFF))\b[^\d]*\d|^\d+ (?:BLOCK|BLK) OF\b/;
/** In Texas, `70 RR 620` is a ranch road. */
const RANCH_ROAD = /^\d+ RR ?\d+\b(?!.*\bBOX\b)/;

/** A letter of another script, excluding characters common to all scripts, such as the Hawaiian okina. */
const OTHER_SCRIPT = /[^\P{L}\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u;

/** The Latin part of such a text is not used for guessing. */
export const hasOtherScript = (text: string): boolean => OTHER_SCRIPT.test(text);

/** The text without its box: `PO BOX 5, 12 MAIN ST` is 12 Main St. */
export const withoutBox = (words: readonly string[]): string[] =>
  words.join(' ').replace(BOX, ',').split(' ').filter(Boolean);

export function reasonOfText(words: readonly string[], state: string): TextReason | undefined {
  const text = words.join(' ');
  if (!/[A-Z0-9]/.test(text)) return 'empty';
  if (state === 'PR') return 'puerto_rico';
  if (/^(VI|GU|AS|MP)$/.test(state)) return 'us_territory';
  if (/^A[AEP]$/.test(state) || MILITARY.test(text)) return 'military';
  if (endsAbroad(words) || POSTAL_CODE_ABROAD.test(text)) return 'foreign';
  if (RURAL.test(text) && !(state === 'TX' && RANCH_ROAD.test(text))) return 'rural_route';
  if (/\bGENERAL DELIVERY\b/.test(text)) return 'general_delivery';
  return NEAR_AN_ADDRESS.test(text) ? 'near_an_address' : undefined;
}

/** Why a text has no readable street line. */
export function reasonWithoutLine(words: readonly string[]): TextReason {
  const text = words.join(' ');
  if (BOX.test(text)) return 'po_box';
  const hasNumber = words.some((word) => hasDigit(word) && readNumber(word).length > 0);
  return !hasNumber && STREET_CROSSING.test(text) ? 'intersection' : 'no_house_number';
}

function endsAbroad(words: readonly string[]): boolean {
  const last = words.filter((word) => word !== ',');
  return [1, 2, 3].some((count) => last.length > count && COUNTRIES.has(last.slice(-count).join(' ')));
}
