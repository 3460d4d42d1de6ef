// Facts of tenure and equity of one property, from its owner, documents and value; null where the records end. Pure.
import type { OwnerRow, PropertyRow, TransactionRow } from '../properties/sql.ts';
import type { EquityColumns, TenureColumns } from '../properties/schema.ts';
import { estimateBalance, TERM_MONTHS } from '../title/balance.ts';
import type { RateSeries } from '../title/rates.ts';
import { dateOf, instrumentOf, recordedOn } from '../title/instruments.ts';
import { coverMortgages } from '../title/mortgage-coverage.ts';
import { LIENS, listStrays, matchEncumbrances, MORTGAGES, type Encumbrance } from '../title/mortgages.ts';
import { flagForeclosures, isEndOfForeclosure, listNotices } from '../title/notices.ts';
import { splitByTitle } from '../title/ties.ts';

export interface Known {
  row: Pick<PropertyRow, 'state' | 'owner_occupied' | 'value' | 'value_low' | 'value_high' | 'open_tax_liens'>;
  owner: Omit<OwnerRow, 'property_id' | 'type'> | undefined;
  documents: readonly TransactionRow[];
  /** From the latest tax year on record. */
  taxStatus: string | null;
  lienStatuses: readonly string[];
  /** Whether the county's deeds name their parties; without them there is no chain. */
  isDeedsCovered: boolean;
  mortgageSources: readonly { covers_from: string | null; covers_to: string | null }[];
  /** Whether the mail goes to the property itself; undefined where there is no mailing address. */
  isMailedHome: boolean | undefined;
  asOf: string;
  loadedRates?: RateSeries;
}

export function tenureOf(known: Known): TenureColumns {
  const { own } = splitByTitle(known.documents);
  const deed = own
    .filter((each) => each.type === 'deed' && instrumentOf(each) !== 'corrective_deed')
    .toSorted((a, b) => (dateOf(a) < dateOf(b) ? 1 : -1))
    .at(0);
  const since = known.owner?.owned_since ?? (deed ? dateOf(deed) : null);
  return {
    owned_since: since,
    occupancy: occupancyOf(known),
    vesting: vestingOf([...(known.owner?.names ?? []), ...(deed?.buyers ?? []), deed?.document_type ?? '']),
    ...equityOf(known, own, since),
    ...foreclosureOf(known, own),
    tax_delinquency: taxStageOf(known),
  };
}

const MAIL_STATE = /\b([A-Z]{2})\W*(?:\d{5}(?:-?\d{4})?)?\W*$/;

function occupancyOf({ row, owner, isMailedHome }: Known): TenureColumns['occupancy'] {
  const lives = owner?.owner_occupied ?? row.owner_occupied ?? (isMailedHome === true ? true : null);
  if (lives === true) return 'owner_occupied';
  if (lives === null && isMailedHome === undefined) return null;
  const state = MAIL_STATE.exec(owner?.mailing_address?.toUpperCase() ?? '')?.[1];
  if (state === undefined) return lives === false ? 'absentee' : null;
  return state === row.state ? 'absentee_in_state' : 'absentee_out_of_state';
}

/** The deed wording for each form of title; the first match decides. */
const VESTING_WORDS: [TenureColumns['vesting'], RegExp][] = [
  ['life_estate', /\bLIFE (ESTATE|TENAN(T|CY))\b|\bL\/E\b/],
  ['trustee', /\b(CO-?)?(TRUSTEES?|TTEES?)\b|\bTRUST$|\bTRUST (DATED|DTD|AGREEMENT|U)/],
  ['joint_tenants', /\bJOINT TENAN(TS?|CY)\b|\bJT ?(WROS|RS|TEN)?\b|\bW\/?R\/?O\/?S\b|RIGHTS? OF SURVIVORSHIP/],
  ['tenants_by_entirety', /\b(BY|IN) (THE )?ENTIRET(Y|IES)\b|\bTBE\b/],
  ['tenants_in_common', /\bTENAN(TS?|CY) IN COMMON\b|\bTIC\b/],
  ['community_property', /\bCOMMUNITY PROP(ERTY)?\b|\bCPWROS\b/],
  ['sole', /\bSOLE (AND SEPARATE|OWNER)|\bAN? (UNMARRIED|SINGLE) (MAN|WOMAN|PERSON)\b/],
];

export function vestingOf(words: readonly string[]): TenureColumns['vesting'] {
  const text = words.map((each) => each.toUpperCase().replaceAll('.', ''));
  return VESTING_WORDS.find(([, pattern]) => text.some((each) => pattern.test(each)))?.[0] ?? null;
}

function equityOf(known: Known, own: readonly TransactionRow[], since: string | null): EquityColumns {
  const { asOf, row } = known;
  const loans = matchEncumbrances(own, MORTGAGES);
  const { status } = coverMortgages(known.isDeedsCovered ? known.mortgageSources : [], {
    since,
    asOf,
    known: known.isDeedsCovered ? loans.encumbrances.length : 0,
    strays: listStrays(loans.unmatched),
  });
  const open = loans.encumbrances.filter(isOpen);
  const liens = matchEncumbrances(own, LIENS).encumbrances.filter(isOpen);
  const isCovered = status === 'covered';
  const open_loans = status === 'not_covered' || (!isCovered && open.length === 0) ? null : open.length;
  const owed = open.length + liens.length + (row.open_tax_liens ?? 0);
  const isFree = isCovered && row.open_tax_liens !== null ? true : null;
  const balances = open.map(({ mortgage }) => balanceOf(mortgage, known));
  const free_and_clear = status !== 'not_covered' && owed > 0 ? false : isFree;
  const without = (equity_reason: NonNullable<EquityColumns['equity_reason']>): EquityColumns => ({
    open_loans,
    loan_balance: null,
    ltv: null,
    ltv_low: null,
    ltv_high: null,
    equity: null,
    equity_low: null,
    equity_high: null,
    equity_reason,
    free_and_clear,
  });
  if (!isCovered) return without(status === 'partial' ? 'mortgages_partly_covered' : 'mortgages_not_covered');
  if (balances.includes(null)) return without('balance_not_known');
  const sum = (end: keyof Balance) => balances.reduce((total, each) => total + each![end], 0);
  const balance = { low: sum('low'), amount: sum('amount'), high: sum('high') };
  if (row.value === null || row.value_low === null || row.value_high === null)
    return { ...without('not_valued'), loan_balance: balance.amount };
  const value = { low: row.value_low, amount: row.value, high: row.value_high };
  return { open_loans, free_and_clear, ...differenceOf(value, balance), equity_reason: null };
}

const isOpen = ({ status }: Encumbrance) => status !== 'released';

interface Balance {
  low: number;
  amount: number;
  high: number;
}

/** Ranges from a fifteen-year loan to one with nothing repaid, because records state neither. */
function balanceOf(mortgage: TransactionRow, { asOf, loadedRates }: Known): Balance | null {
  const loan = { amount: mortgage.loan_amount, recordedOn: mortgage.recording_date ?? mortgage.sale_date };
  const { balance, reason } = estimateBalance(loan, asOf, { loadedRates });
  // Thirty years have passed without a release: almost always paid off.
  if (reason === 'past_term') return { low: 0, amount: 0, high: loan.amount ?? 0 };
  if (!balance) return null;
  const short = estimateBalance(loan, asOf, { termMonths: TERM_MONTHS / 2, loadedRates }).balance?.amount ?? 0;
  return { low: short, amount: balance.amount, high: loan.amount ?? balance.amount };
}

/** The errors of value and balance are independent, so their squares add up. */
export function differenceOf(value: Balance, balance: Balance) {
  const joint = (a: number, b: number) => Math.sqrt(a * a + b * b);
  const equity = value.amount - balance.amount;
  const ltv = balance.amount / value.amount;
  const log = (over: number, under: number) => (under > 0 && over > 0 ? Math.log(over / under) : 0);
  const lower = joint(log(value.high, value.amount), log(balance.amount, balance.low || balance.amount));
  const upper = joint(log(value.amount, value.low), log(balance.high, balance.amount));
  const rounded = (share: number) => Math.round(share * 1000) / 1000;
  return {
    loan_balance: balance.amount,
    ltv: rounded(ltv),
    ltv_low: rounded(ltv * Math.exp(-lower)),
    ltv_high: rounded(ltv * Math.exp(upper)),
    equity,
    equity_low: Math.round(equity - joint(value.amount - value.low, balance.high - balance.amount)),
    equity_high: Math.round(equity + joint(value.high - value.amount, balance.amount - balance.low)),
  };
}

type Foreclosure = Pick<TenureColumns, 'foreclosure_stage' | 'foreclosure_on' | 'foreclosure_ended_on'>;
const SALE = /\b(SALE|AUCTION)\b/i;

function foreclosureOf(known: Known, own: readonly TransactionRow[]): Foreclosure {
  const notice = listNotices(own).find(({ instrument }) => instrument === 'foreclosure_notice');
  if (!notice) {
    const stage = known.isDeedsCovered && known.mortgageSources.length > 0 ? 'none' : null;
    return { foreclosure_stage: stage, foreclosure_on: null, foreclosure_ended_on: null };
  }
  const on = recordedOn(notice.document);
  const loans = matchEncumbrances(own, MORTGAGES).encumbrances;
  const isPending = flagForeclosures(own, loans).some(({ transaction_id }) => transaction_id === notice.document.id);
  const pending = SALE.test(notice.document.document_type ?? '') ? 'sale_notice' : 'notice';
  if (isPending) return { foreclosure_stage: pending, foreclosure_on: on, foreclosure_ended_on: null };
  const ends = own
    .filter((each) => isEndOfForeclosure(each, on))
    .map(dateOf)
    .toSorted();
  const releases = loans.flatMap((loan) => loan.releases.map(({ document }) => recordedOn(document)));
  const ended =
    ends.at(0) ??
    releases
      .filter((day) => day >= on)
      .toSorted()
      .at(-1) ??
    null;
  const stage = ends.length > 0 ? 'ended_by_deed' : 'ended_by_release';
  return { foreclosure_stage: stage, foreclosure_on: on, foreclosure_ended_on: ended };
}

const UNPAID = /DELINQ|UNPAID|PAST DUE|OVERDUE/i;

function taxStageOf({ row, taxStatus, lienStatuses }: Known): TenureColumns['tax_delinquency'] {
  if ((row.open_tax_liens ?? 0) > 0) return 'lien';
  if (lienStatuses.includes('sold')) return 'lien_sold';
  if (taxStatus !== null && UNPAID.test(taxStatus)) return 'delinquent';
  return row.open_tax_liens === 0 || taxStatus !== null ? 'none' : null;
}
