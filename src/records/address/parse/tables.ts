// Fixed facts about US addresses: directions, states, ZIP prefixes, unit designators, numbers as words.
import { STATES as ALL_STATES } from '../../../base/lib/states.ts';

const pairs = (text: string): [string, string][] =>
  text
    .trim()
    .split(/\s+/)
    .map((pair) => pair.split('=') as [string, string]);

export const DIRECTIONS: ReadonlyMap<string, string> = new Map(
  pairs(`
  N=N NORTH=N NO=N NTH=N S=S SOUTH=S SO=S STH=S E=E EAST=E W=W WEST=W
  NE=NE NORTHEAST=NE NW=NW NORTHWEST=NW SE=SE SOUTHEAST=SE SW=SW SOUTHWEST=SW`),
);

/** Short forms in use beside the names and the codes. */
const SHORT_NAMES = pairs(`
  D_C=DC N_Y=NY N_J=NJ N_H=NH N_C=NC S_C=SC R_I=RI W_VA=WV WISC=WI CALIF=CA PENN=PA PENNA=PA MASS=MA ILL=IL MICH=MI
  TENN=TN CONN=CT FLA=FL MINN=MN COLO=CO ARIZ=AZ WIS=WI TEX=TX WASH=WA IND=IN KANS=KS NEBR=NE OKLA=OK ORE=OR OREG=OR
  ALA=AL ARK=AR DEL=DE MISS=MS MONT=MT NEV=NV WYO=WY N_MEX=NM N_DAK=ND S_DAK=SD N_CAR=NC S_CAR=SC N_HAMP=NH`);

/** What people call a city, where it is not the beginning of its name: the key of the nickname, state and city. */
export const CITY_NICKNAMES: readonly { alias: string; state: string; city: string }[] = pairs(`
  MKE=WI_MILWAUKEE PHILLY=PA_PHILADELPHIA NYC=NY_NEWYORK NYC=NY_MANHATTAN BKLYN=NY_BROOKLYN BK=NY_BROOKLYN BX=NY_BRONX
  LIC=NY_LONGISLANDCITY CHI=IL_CHICAGO CHITOWN=IL_CHICAGO LA=CA_LOSANGELES SF=CA_SANFRANCISCO FRISCO=CA_SANFRANCISCO
  OAKTOWN=CA_OAKLAND SLC=UT_SALTLAKECITY NOLA=LA_NEWORLEANS PDX=OR_PORTLAND ATL=GA_ATLANTA KC=MO_KANSASCITY
  KCMO=MO_KANSASCITY KCK=KS_KANSASCITY STL=MO_SAINTLOUIS INDY=IN_INDIANAPOLIS CINCY=OH_CINCINNATI MPLS=MN_MINNEAPOLIS
  STP=MN_SAINTPAUL PGH=PA_PITTSBURGH BALTO=MD_BALTIMORE HTOWN=TX_HOUSTON FTW=TX_FORTWORTH JAX=FL_JACKSONVILLE
  FTL=FL_FORTLAUDERDALE ABQ=NM_ALBUQUERQUE OKC=OK_OKLAHOMACITY LB=CA_LONGBEACH`).map(([alias, place]) => ({
  alias,
  state: place.slice(0, 2),
  city: place.slice(3),
}));

/** Name or two-letter code → two-letter code. ZZ is the state of the sandbox market. */
export const STATES: ReadonlyMap<string, string> = new Map([
  ...ALL_STATES.map(({ name, code }): [string, string] => [name.toUpperCase(), code]),
  ...SHORT_NAMES.map(([name, code]): [string, string] => [name.replaceAll('_', ' '), code]),
  ...ALL_STATES.map(({ code }): [string, string] => [code, code]),
  ['ZZ', 'ZZ'],
]);

/** The first three digits of a ZIP, up to and including the given number → state. */
const ZIP_AREAS = pairs(`
  4= 5=NY 7=PR 8=VI 9=PR 27=MA 29=RI 38=NH 49=ME 54=VT 55=MA 59=VT 69=CT 89=NJ 99=AE 149=NY 196=PA 199=DE 200=DC 201=VA
  205=DC 219=MD 246=VA 268=WV 269= 289=NC 299=SC 319=GA 339=FL 340=AA 349=FL 369=AL 385=TN 397=MS 399=GA 427=KY 429=
  459=OH 479=IN 499=MI 528=IA 529= 549=WI 567=MN 569=DC 577=SD 579= 588=ND 589= 599=MT 629=IL 658=MO 659= 679=KS 693=NE
  699= 714=LA 715= 729=AR 732=OK 733=TX 749=OK 799=TX 816=CO 819= 831=WY 838=ID 839= 847=UT 849= 865=AZ 869= 884=NM
  885=TX 888= 898=NV 899= 961=CA 966=AP 968=HI 969=GU 979=OR 994=WA 999=AK`).map(([last, state]): [number, string] => [
  Number(last),
  state,
]);

/** Where a state's ZIP codes begin, as a number; undefined if it is not a state. */
export function firstZipOf(state: string): number | undefined {
  const at = ZIP_AREAS.findIndex(([, each]) => each === state);
  return at < 0 || state === '' ? undefined : ((ZIP_AREAS[at - 1]?.[0] ?? -1) + 1) * 100;
}

export function stateOfZipArea(zip: string): string {
  const area = Number(zip.slice(0, 3));
  return ZIP_AREAS.find(([last]) => area <= last)?.[1] ?? '';
}

/** Designator as written → standard (Publication 28, appendix C2). */
export const UNIT_DESIGNATORS: ReadonlyMap<string, string> = new Map(
  pairs(`
  APT=APT APARTMENT=APT APMT=APT APART=APT CONDO=APT UNIT=UNIT STE=STE SUITE=STE SUIT=STE RM=RM ROOM=RM LOT=LOT KEY=KEY
  PIER=PIER SLIP=SLIP SPC=SPC SPACE=SPC STOP=STOP TRLR=TRLR TRAILER=TRLR DEPT=DEPT DEPARTMENT=DEPT HNGR=HNGR HANGAR=HNGR
  HANGER=HNGR BLDG=BLDG BUILDING=BLDG BLD=BLDG FL=FL FLOOR=FL FLR=FL BSMT=BSMT BASEMENT=BSMT FRNT=FRNT FRONT=FRNT
  LBBY=LBBY LOBBY=LBBY LOWR=LOWR LOWER=LOWR LWR=LOWR OFC=OFC OFFICE=OFC PH=PH PENTHOUSE=PH REAR=REAR SIDE=SIDE UPPR=UPPR
  UPPER=UPPR UPR=UPPR`),
);
/** Designators that mean something without a number after them. */
export const UNITS_ALONE: ReadonlySet<string> = new Set('BSMT FRNT LBBY LOWR OFC PH REAR SIDE UPPR'.split(' '));
/** Designators kept in the unit key: FL 2 is not APT 2. The others all mean the same door. */
export const UNITS_WITH_MEANING: ReadonlySet<string> = new Set(
  'FL BLDG BSMT FRNT LBBY LOWR OFC PH REAR SIDE UPPR'.split(' '),
);

const ONES = 'FIRST SECOND THIRD FOURTH FIFTH SIXTH SEVENTH EIGHTH NINTH'.split(' ');
const TEENS =
  'TENTH ELEVENTH TWELFTH THIRTEENTH FOURTEENTH FIFTEENTH SIXTEENTH SEVENTEENTH EIGHTEENTH NINETEENTH'.split(' ');
const TENS = 'TWENTY THIRTY FORTY FIFTY SIXTY SEVENTY EIGHTY NINETY'.split(' ');

/** FIRST → 1 … NINETYNINTH → 99; two words are joined before lookup. */
export const ORDINAL_WORDS: ReadonlyMap<string, string> = new Map([
  ...ONES.map((word, index): [string, string] => [word, String(index + 1)]),
  ...TEENS.map((word, index): [string, string] => [word, String(index + 10)]),
  ...TENS.flatMap((tens, index): [string, string][] => [
    [`${tens.slice(0, -1)}IETH`, String((index + 2) * 10)],
    ...ONES.map((word, one): [string, string] => [tens + word, String((index + 2) * 10 + one + 1)]),
  ]),
]);
export const TENS_WORDS: ReadonlySet<string> = new Set(TENS);

export const NUMBER_WORDS: ReadonlyMap<string, string> = new Map(
  'ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN'.split(' ').map((word, index) => [word, String(index + 1)]),
);

/** Names of other countries at the end of an address. Georgia, Jordan and Lebanon are also US places and are left
    out. */
export const COUNTRIES: ReadonlySet<string> = new Set(
  `CANADA|MEXICO|MEXIQUE|UNITED KINGDOM|GREAT BRITAIN|ENGLAND|SCOTLAND|WALES|IRELAND|GERMANY|DEUTSCHLAND|FRANCE|SPAIN|ESPANA|ITALY
  |ITALIA|PORTUGAL|NETHERLANDS|BELGIUM|SWITZERLAND|AUSTRIA|SWEDEN|NORWAY|DENMARK|FINLAND|POLAND|AUSTRALIA|NEW ZEALAND|JAPAN|CHINA
  |INDIA|BRAZIL|BRASIL|ARGENTINA|CHILE|COLOMBIA|ISRAEL|TURKEY|GREECE|RUSSIA|UKRAINE|SINGAPORE|HONG KONG|SOUTH AFRICA|SOUTH KOREA
  |KOREA|PHILIPPINES|VIETNAM|THAILAND|UAE|UNITED ARAB EMIRATES|SAUDI ARABIA|EGYPT|NIGERIA|KENYA|BAHAMAS|BERMUDA|JAMAICA WEST INDIES`
    .replace(/\s*\n\s*/g, '')
    .split('|'),
);
