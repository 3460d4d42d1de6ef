// Homes with a written past: between them, their documents show every flag of a title report.
import { DAY_MS, dayNumber, isoDate } from '../src/base/lib/clock.ts';
import { MAGIC_APN } from '../src/supply/sandbox/fixtures.ts';
import type { Home } from './homes.ts';
import { valueUsd } from './prices.ts';
import type { Life, Transaction } from './sales.ts';

type Paper = Pick<Transaction, 'type' | 'documentType'> & {
  signedOn: string;
  /** Some days later unless told. */
  recordedOn?: string;
  from?: string[];
  to?: string[];
  lender?: string;
  /** Share of the home's value that day. */
  share?: number;
  price?: number;
  reason?: string;
  refersTo?: string[];
};

const RECORDING_DAYS = 9;

const deed = (signedOn: string, from: string[], to: string[], more: Partial<Paper> = {}): Paper => ({
  type: 'deed',
  documentType: 'Warranty Deed',
  signedOn,
  from,
  to,
  share: 1,
  ...more,
});
const loan = (signedOn: string, to: string[], lender: string, share: number): Paper => ({
  type: 'mortgage',
  documentType: 'Mortgage',
  signedOn,
  to,
  lender,
  share,
});
const paper = (
  type: Transaction['type'],
  documentType: string,
  signedOn: string,
  lender: string,
  more: Partial<Paper>,
): Paper => ({ type, documentType, signedOn, lender, ...more });

/** The number of a home's paper, which others refer to. */
const numberOf = (apn: string, at: number) => `T${apn.slice(-3)}-${String(at + 1).padStart(3, '0')}`;

/** The deed from Torben Marwickson, who never took title, and a roll that names yet another owner. */
const gap: Paper[] = [
  deed('2013-05-10', ['Ossian Homes Inc'], ['Avelyn Quendovar']),
  deed('2019-08-21', ['Torben Marwickson'], ['Jorah Veldale']),
];

/** A couple, their trust by an initial, a correction, and a daughter who sells. */
const names: Paper[] = [
  deed('2014-04-02', ['Saltbox Communities LLC'], ['Elspet Caldington', 'Davrin Caldington']),
  deed('2018-09-17', ['Caldington E & Davrin'], ['Caldington Family Trust'], {
    documentType: 'Quitclaim Deed',
    share: undefined,
    price: 1,
    reason: 'trust_transfer',
  }),
  deed('2018-11-05', ['Elspet Caldington'], ['Caldington Family Trust'], {
    documentType: 'Corrective Deed',
    share: undefined,
    price: 0,
    reason: 'kind_of_deed',
    refersTo: [numberOf(MAGIC_APN.titleNames, 1)],
  }),
  deed('2022-06-08', ['Fenella Caldington'], ['Osric Tarnisk']),
];

/** One sold before they bought; another's deed reached the recorder before the one it rests on. */
const order: Paper[] = [
  deed('2012-03-14', ['Lanternfield Builders LLC'], ['Honora Grintorrin']),
  deed('2017-06-01', ['Corvin Ruskumble'], ['Isolde Kellander']),
  deed('2017-07-03', ['Honora Grintorrin'], ['Corvin Ruskumble']),
  deed('2021-05-03', ['Isolde Kellander'], ['Merrit Pellovane'], { recordedOn: '2021-06-20' }),
  deed('2021-06-01', ['Merrit Pellovane'], ['Nerys Strandulver'], { recordedOn: '2021-06-10' }),
];

const BUYERS = ['Perrin Varnockley', 'Rowena Varnockley'];
const loans: Paper[] = [
  deed('2013-02-20', ['Silvan Wickestad'], BUYERS),
  loan('2013-02-20', BUYERS, 'Lighthouse Home Loans Inc', 0.8),
  paper('other', 'Assignment of Mortgage', '2015-10-06', 'Bank of Ellowby', {
    from: ['Lighthouse Home Loans Inc'],
    refersTo: [numberOf(MAGIC_APN.titleLoans, 1)],
  }),
  loan('2018-03-09', BUYERS, 'Wendemere Savings Bank', 0.6),
  paper('release', 'Release of Mortgage', '2018-04-11', 'Bank of Ellowby', {
    to: BUYERS,
    refersTo: [numberOf(MAGIC_APN.titleLoans, 1)],
  }),
  deed('2021-09-15', BUYERS, ['Thessaly Ormander']),
  loan('2021-09-15', ['Thessaly Ormander'], 'Island Federal Mortgage', 0.75),
  paper('release', 'Partial Release', '2022-05-24', 'Island Federal Mortgage', {
    refersTo: [numberOf(MAGIC_APN.titleLoans, 6)],
  }),
  paper('release', 'Release of Mortgage', '2024-02-13', 'Quillmoor Mutual Credit Union', {
    refersTo: [numberOf(MAGIC_APN.titleLoans, 6)],
  }),
  loan('2024-02-01', ['Galen Jarvisk'], 'First Fictional Bank', 0.5),
];

/** Papers about loans from before the records begin, a lien that stands and one that was released, an easement, and a
    foreclosure that nothing on record has ended. */
const strays: Paper[] = [
  deed('2016-07-26', ['Leofric Neskerby'], ['Bettany Hargander']),
  paper('release', 'Release of Mortgage', '2016-08-19', 'Bank of Ellowby', {
    to: ['Leofric Neskerby'],
    refersTo: ['R98-20417'],
  }),
  paper('other', 'Assignment of Mortgage', '2017-01-31', 'First Fictional Bank', {
    from: ['Harbor & Hearth Lending LLC'],
    refersTo: ['R06-11802'],
  }),
  paper('other', 'Mechanics Lien', '2020-10-12', 'Ferrow Roofing LLC', { to: ['Bettany Hargander'] }),
  paper('release', 'Release of Lien', '2021-03-02', 'Ferrow Roofing LLC', {
    refersTo: [numberOf(MAGIC_APN.titleStrays, 3)],
  }),
  paper('other', 'Mechanics Lien', '2025-04-29', 'Stonecrop Paving LLC', { to: ['Bettany Hargander'] }),
  paper('other', 'Easement', '2018-05-14', 'Ellowby Light & Water', { from: ['Bettany Hargander'] }),
  paper('foreclosure', 'Lis Pendens', '2026-03-17', 'First Fictional Bank', { to: ['Bettany Hargander'] }),
];

const STORIES: Record<string, { papers: Paper[]; owner?: string }> = {
  [MAGIC_APN.titleGap]: { papers: gap, owner: 'Kestra Brumbledale' },
  [MAGIC_APN.titleNames]: { papers: names },
  [MAGIC_APN.titleOrder]: { papers: order },
  [MAGIC_APN.titleLoans]: { papers: loans },
  [MAGIC_APN.titleStrays]: { papers: strays },
};

/** The life of a home that has a story; undefined for all others. */
export function storyOf(home: Home): Life | undefined {
  const story = STORIES[home.apn];
  if (!story) return undefined;
  const transactions = story.papers.map((each, at) => record(home, each, at));
  const deeds = transactions.filter(({ type }) => type === 'deed');
  const owners = deeds.map(({ buyers, soldOn }, at): Life['owners'][number] => ({
    names: at === deeds.length - 1 && story.owner ? [story.owner] : buyers,
    type: buyers[0].endsWith('Trust') ? 'trust' : 'individual',
    isOccupant: true,
    mailingAddress: `${home.line1}, ${home.district.city}, ZZ ${home.district.zip}`,
    // The roll follows the deeds by the day they were signed, in whatever order they were recorded.
    knownOn: soldOn!,
    since: soldOn!,
    endedOn: deeds[at + 1]?.soldOn ?? null,
  }));
  return { transactions: transactions.sort((a, b) => (a.recordedOn < b.recordedOn ? -1 : 1)), owners };
}

function record(home: Home, each: Paper, at: number): Transaction {
  const { type, documentType, signedOn, from = [], to = [], lender = null, share, reason } = each;
  const documentNumber = numberOf(home.apn, at);
  const amount = share === undefined ? null : Math.round((valueUsd(home, dayNumber(signedOn)) * share) / 1000) * 1000;
  const isDeed = type === 'deed';
  return {
    id: `${home.id} ${at} ${documentNumber}`,
    type,
    documentType,
    documentNumber,
    book: null,
    page: null,
    recordedOn: each.recordedOn ?? isoDate(new Date((dayNumber(signedOn) + RECORDING_DAYS) * DAY_MS)),
    soldOn: isDeed ? signedOn : null,
    datePrecision: 'day',
    priceUsd: isDeed ? (each.price ?? amount) : null,
    armsLength: isDeed ? reason === undefined : null,
    armsLengthReason: reason ?? null,
    buyers: to,
    sellers: from,
    lender,
    loanUsd: isDeed ? null : amount,
    refersTo: each.refersTo ?? [],
    attributes: null,
  };
}
