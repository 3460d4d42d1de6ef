// The chain of title: deeds in order, each checked against the previous one, with a reason for every irregularity.
// Pure.
import { type TransactionRow } from '../properties/sql.ts';
import { dateOf, instrumentOf, namesOf, refersTo, type Instrument } from './instruments.ts';
import { compareParties, type Likeness } from './names.ts';
import { must } from '../../base/lib/must.ts';

export const CHAIN_FLAGS = [
  'missing_link',
  'party_name_differs',
  'out_of_order',
  'quitclaim',
  'non_arms_length',
  'correction',
  'owner_differs',
] as const;
type ChainFlag = (typeof CHAIN_FLAGS)[number];

export interface Flag<Code extends string = string> {
  code: Code;
  reason: string;
  transaction_id: string | null;
}

/** How a deed connects to the one before it. */
export const CONNECTIONS = ['matched', 'similar', 'broken', 'not_stated', 'correction', 'first'] as const;
type Connection = (typeof CONNECTIONS)[number];

export interface Link {
  deed: TransactionRow;
  instrument: Instrument;
  connection: Connection;
  flags: Flag<ChainFlag>[];
}

/** Links the deeds of one property, newest first, with the current owners' names, if known. */
export function followChain(deeds: readonly TransactionRow[], owners: readonly string[]) {
  const ordered = inOrder(deeds);
  const links: Link[] = [];
  let before: TransactionRow | undefined;
  // Deeds by someone who took title later take effect when that person did.
  const early = new Map<TransactionRow, TransactionRow>();
  ordered.forEach((deed, at) => {
    const { link, source } = linkTo(before, deed, ordered.slice(at + 1));
    links.push(link);
    if (link.connection === 'correction') return;
    if (source) early.set(source, deed);
    else before = early.get(deed) ?? deed;
  });
  const flags = foldSales(links);
  if (before && compareParties(before.buyers, owners) === 'different')
    flags.push(flag('owner_differs', 'The owner on the roll is not the grantee of the last deed on record.', before));
  return { links: links.toReversed(), flags: flags.toReversed() };
}

/** By day; within a day by recording number, unless the parties imply another order. */
function inOrder(deeds: readonly TransactionRow[]): TransactionRow[] {
  const sorted = deeds.toSorted(
    (a, b) => compareText(dateOf(a), dateOf(b)) || compareText(recordedAs(a), recordedAs(b)) || compareText(a.id, b.id),
  );
  const ordered: TransactionRow[] = [];
  for (const group of Map.groupBy(sorted, dateOf).values()) {
    const waiting = [...group];
    while (waiting.length > 0) {
      const holder = ordered.at(-1)?.buyers ?? [];
      const next = waiting.findIndex(({ sellers }) => compareParties(sellers, holder) === 'same');
      ordered.push(...waiting.splice(Math.max(0, next), 1));
    }
  }
  return ordered;
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** A text key that sorts numbers of any length numerically. */
function recordedAs(deed: TransactionRow): string {
  const name = namesOf(deed).at(-1) ?? '';
  return `${deed.recording_date ?? ''} ${name.replace(/\d+/g, (digits) => digits.padStart(12, '0'))}`;
}

function linkTo(
  before: TransactionRow | undefined,
  deed: TransactionRow,
  after: TransactionRow[],
): { link: Link; source?: TransactionRow } {
  const instrument = instrumentOf(deed);
  const flags: Flag<ChainFlag>[] = [];
  const add = (code: ChainFlag, reason: string) => void flags.push(flag(code, reason, deed));
  const found = connectionTo(before, deed, instrument);
  const source =
    found === 'broken' ? after.find(({ buyers }) => compareParties(buyers, deed.sellers) === 'same') : undefined;
  const connection = source ? 'matched' : found;
  if (found === 'broken') {
    if (source) add('out_of_order', `The grantor took title later, on ${dateOf(source)}.`);
    else
      add(
        'missing_link',
        'The grantor is not the grantee of the deed before: a deed, a death or a change of name is missing.',
      );
  }
  if (connection === 'similar')
    add(
      'party_name_differs',
      'The grantor is written otherwise than the grantee of the deed before, or is a relative, trust or company of theirs.',
    );
  if (connection === 'correction') add('correction', 'Corrects or repeats an earlier deed; it conveys nothing new.');
  if (isBefore(deed.recording_date, deed.sale_date) && deed.date_precision === 'day')
    add('out_of_order', 'Recorded before the day of the sale on record.');
  else if (before && connection !== 'correction' && isBefore(deed.recording_date, before.recording_date))
    add('out_of_order', `Recorded before the deed it follows, which was recorded on ${before.recording_date}.`);
  if (instrument === 'quitclaim_deed')
    add('quitclaim', 'A quitclaim conveys whatever the grantor had, and warrants nothing.');
  if (deed.arms_length === false)
    add(
      'non_arms_length',
      `Not an open-market sale${deed.arms_length_reason ? `: ${deed.arms_length_reason.replaceAll('_', ' ')}` : ''}.`,
    );
  return { link: { deed, instrument, connection, flags }, source };
}

function connectionTo(before: TransactionRow | undefined, deed: TransactionRow, instrument: Instrument): Connection {
  if (!before) return 'first';
  if (instrument === 'corrective_deed' || repeats(before, deed)) return 'correction';
  return CONNECTED[compareParties(deed.sellers, before.buyers)];
}

const CONNECTED: Record<Likeness, Connection> = {
  same: 'matched',
  similar: 'similar',
  different: 'broken',
  unknown: 'not_stated',
};

/** The same parties again under another number, naming the first. */
const repeats = (before: TransactionRow, deed: TransactionRow): boolean =>
  (refersTo(deed, before) || refersTo(before, deed)) &&
  compareParties(deed.sellers, before.sellers) === 'same' &&
  compareParties(deed.buyers, before.buyers) === 'same';

/** Non-market sales are reported once, with their count: in many towns that is most deeds. */
function foldSales(links: Link[]): Flag<ChainFlag>[] {
  const flags = links.flatMap((link) => link.flags);
  const [others, sales] = [false, true].map((isSale) =>
    flags.filter(({ code }) => (code === 'non_arms_length') === isSale),
  );
  if (sales.length < 2) return flags;
  const newest = sales.at(-1)!;
  const reason = `${sales.length} of ${links.length} deeds are no open-market sales; each has its reason in the chain.`;
  return [{ ...newest, reason }, ...others];
}

const isBefore = (a: string | null, b: string | null) => a !== null && b !== null && a < b;

const flag = (code: ChainFlag, reason: string, { id }: TransactionRow): Flag<ChainFlag> => ({
  code,
  reason,
  transaction_id: id,
});

/** How far back the deeds go without a gap, and how far back each grantor matches the previous grantee by name and in
    order. A link with unstated parties may hide a gap. `from` is the day since which the sources have every deed, if
    stated. */
export function reachOf(links: readonly Link[], from: string | null): Reach {
  const chain = links.filter(({ connection }) => connection !== 'correction');
  if (chain.length === 0) return { completeFrom: from, verifiedFrom: null, older: 0, end: 'first' };
  const gap = chain.findIndex(({ connection }) => !STATED.includes(connection));
  const { deed, connection: end } = must(chain.at(gap), 'link');
  const unverified = chain.findIndex(
    ({ connection, flags }) => connection !== 'matched' || flags.some(({ code }) => code === 'out_of_order'),
  );
  const oldest = dateOf(deed);
  return {
    completeFrom: end === 'first' && from !== null && from < oldest ? from : oldest,
    verifiedFrom: dateOf(must(chain.at(unverified), 'link').deed),
    older: gap < 0 ? 0 : chain.length - 1 - gap,
    end,
  };
}

const STATED: readonly Connection[] = ['matched', 'similar'];

export interface Reach {
  completeFrom: string | null;
  verifiedFrom: string | null;
  /** Deeds on record before the start of the chain. */
  older: number;
  /** How that one connects to them. */
  end: Connection;
}
