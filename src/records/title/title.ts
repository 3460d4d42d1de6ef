// A title report: the chain of deeds, encumbrances, open items, and how far back the records go.
import type { Deps } from '../../base/deps.ts';
import { listCoverage, todayIn, type Catalog, type CoveredCatalog } from '../markets/catalog.ts';
import { readDocuments, type View } from '../properties/properties.ts';
import { type PropertyRow, type TransactionRow } from '../properties/sql.ts';
import type { RiskReportReader } from '../risk/schema.ts';
import { estimateBalance, monthsBetween } from './balance.ts';
import type { RateSeries } from './rates.ts';
import { followChain, reachOf, type Link, type Reach } from './chain.ts';
import { dateOf, instrumentOf, type Instrument } from './instruments.ts';
import { coverMortgages } from './mortgage-coverage.ts';
import { LIENS, listStrays, matchEncumbrances, MORTGAGES, type Encumbrance, type Matched } from './mortgages.ts';
import { isOrganization } from './names.ts';
import { flagForeclosures, listNotices, type Notice } from './notices.ts';
import type { TitleReport } from './schema.ts';
import * as sql from './sql.ts';
import { splitByTitle, tiesOf } from './ties.ts';
import { must } from '../../base/lib/must.ts';
import { pick } from '../../base/lib/pick.ts';

const NOTICE =
  'Compiled from public records as loaded. It is no title commitment or opinion, and unrecorded interests are not in it.';

type TitleDeps = Pick<Deps, 'data' | 'clock' | 'catalog'>;

export async function readTitle(
  deps: TitleDeps,
  row: PropertyRow,
  { view, readRisk }: { view: View; readRisk: RiskReportReader },
): Promise<TitleReport> {
  const [catalog, { transactions: known, owner, isSuppressed }, [risk]] = await Promise.all([
    deps.catalog.readCovered([row]),
    readDocuments(deps, row),
    readRisk([row], ['tax_liens', 'permits', 'code_violations']),
  ]);
  const { own: transactions, others } = splitByTitle(known);
  const asOf = todayIn(catalog, row.market, deps.clock);
  const show = presenterFor(catalog, row, { view, isSuppressed });
  const chain = followChain(
    transactions.filter(({ type }) => type === 'deed'),
    owner?.names ?? [],
  );
  const loans = matchEncumbrances(transactions, MORTGAGES);
  const liens = matchEncumbrances(transactions, LIENS);
  const ownership = ownershipOf(chain.links, owner, { asOf, mayShow: view.mayReadOwners, isSuppressed });
  const deeds = await coverageOf(deps, catalog, row, { chain: chain.links, isSuppressed });
  const isCovered = deeds.status === 'covered';
  const lent = coverMortgages(isCovered ? listCoverage(catalog, row, ({ layer }) => layer === 'mortgages') : [], {
    since: ownership?.since ?? null,
    asOf,
    known: isCovered ? loans.encumbrances.length : 0,
    strays: listStrays(loans.unmatched),
  });
  const coverage = { ...deeds, mortgages: lent };
  const deedsHere = chain.links.map(({ deed }) => deed);
  const mortgages = loans.encumbrances.map((each) => ({
    ...show.encumbrance(each),
    matched_by: tiesOf(each.mortgage, deedsHere),
    ...balanceOf(each, asOf, catalog.mortgageRates),
  }));
  const layers = openLayers(risk.layers);
  return {
    object: 'title',
    property_id: row.id,
    as_of: asOf,
    notice: NOTICE,
    coverage,
    ownership,
    open: {
      ...openLoans(mortgages, lent.status),
      other_liens: knownOpen(liens.encumbrances, lent.status),
      ...layers.counts,
    },
    flags: [...flagForeclosures(transactions, loans.encumbrances), ...chain.flags, ...loans.flags, ...liens.flags],
    chain: chain.links.map(show.link),
    mortgages,
    unmatched: [
      ...[...loans.unmatched, ...liens.unmatched].map(show.matched),
      ...others.map((document) => show.matched({ document, instrument: instrumentOf(document), matchedBy: [] })),
    ],
    other_liens: liens.encumbrances.map(show.encumbrance),
    other_documents: listNotices(transactions).map(show.notice),
    ...layers.items,
  };
}

const isOpen = ({ status }: { status: string }) => status !== 'released';

/** Names require the owners scope, and are never shown if the owner asked not to be. A lender is named to everyone if
    it is an organization. */
function presenterFor(
  catalog: Catalog,
  row: PropertyRow,
  { view, isSuppressed }: { view: View; isSuppressed: boolean },
) {
  const county = catalog.counties.get(row.fips)?.name ?? null;
  const names = (list: string[]) => (isSuppressed ? [] : list);
  const lenderOf = (name: string | null) =>
    name !== null && (isOrganization(name) || (view.mayReadOwners && !isSuppressed)) ? name : null;
  const instrument = (document: TransactionRow, kind: Instrument) => ({
    transaction_id: document.id,
    instrument: kind,
    ...pick(document, ['document_type', 'document_number', 'book', 'page']),
    recorded_on: document.recording_date,
    recorded_in: county,
  });
  const matched = ({ document, instrument: kind, matchedBy }: Matched) => ({
    ...instrument(document, kind),
    lender: lenderOf(document.lender),
    loan_amount: document.loan_amount,
    refers_to: document.refers_to,
    matched_by: matchedBy,
  });
  return {
    matched,
    notice: ({ document, instrument: kind }: Notice) => ({
      ...instrument(document, kind),
      refers_to: document.refers_to,
      source: document.source_id,
    }),
    link: ({ deed, instrument: kind, connection, flags }: Link) => ({
      ...instrument(deed, kind),
      sold_on: deed.sale_date,
      price: deed.price,
      arms_length: deed.arms_length,
      ...(view.mayReadOwners && { grantors: names(deed.sellers), grantees: names(deed.buyers) }),
      connection,
      flags,
      source: deed.source_id,
    }),
    encumbrance: ({ mortgage, status, assignments, releases, holder, flags }: Encumbrance) => ({
      ...instrument(mortgage, mortgage.type === 'mortgage' ? 'mortgage' : 'lien'),
      status,
      lender: lenderOf(mortgage.lender),
      holder: lenderOf(holder),
      ...(view.mayReadOwners && { borrowers: names(mortgage.buyers) }),
      amount: mortgage.loan_amount,
      assignments: assignments.map(matched),
      releases: releases.map(matched),
      flags,
      source: mortgage.source_id,
    }),
  };
}

function balanceOf({ mortgage, status }: Encumbrance, asOf: string, rates: RateSeries) {
  if (status === 'released') return { estimated_balance: null, balance_reason: 'released' as const };
  const loan = { amount: mortgage.loan_amount, recordedOn: mortgage.recording_date ?? mortgage.sale_date };
  const { balance, reason } = estimateBalance(loan, asOf, { loadedRates: rates });
  return { estimated_balance: balance, balance_reason: reason };
}

type MortgageStatus = TitleReport['coverage']['mortgages']['status'];

/** If records are partial, none open on record does not mean none is open. */
function knownOpen(encumbrances: readonly { status: string }[], status: MortgageStatus): number | null {
  const { length } = encumbrances.filter(isOpen);
  return status === 'not_covered' || (status === 'partial' && length === 0) ? null : length;
}

function openLoans(mortgages: TitleReport['mortgages'], status: MortgageStatus) {
  const open = mortgages.filter(isOpen);
  if (status !== 'covered')
    return { mortgages: knownOpen(mortgages, status), original_amount: null, estimated_balance: null };
  const total = (amounts: (number | null)[]) =>
    amounts.includes(null) ? null : amounts.reduce<number>((sum, amount) => sum + amount!, 0);
  return {
    mortgages: open.length,
    original_amount: total(open.map(({ amount }) => amount)),
    estimated_balance: total(open.map(({ estimated_balance }) => estimated_balance?.amount ?? null)),
  };
}

async function coverageOf(
  deps: TitleDeps,
  catalog: CoveredCatalog,
  row: PropertyRow,
  { chain, isSuppressed }: { chain: Link[]; isSuppressed: boolean },
): Promise<Omit<TitleReport['coverage'], 'mortgages'>> {
  const rows = listCoverage(catalog, row, ({ layer }) => layer === 'transactions');
  const sources = rows.map(({ source_id, covers_from, covers_to, documents }) => ({
    id: source_id,
    name: catalog.sources.get(source_id)?.name ?? source_id,
    covers_from,
    covers_to,
    documents,
  }));
  const none = { complete_from: null, verified_from: null, records_to: null, sources };
  if (rows.length === 0) {
    const note = 'No deeds are loaded for this place: nothing is known of the title.';
    return { status: 'not_covered', ...none, note };
  }
  const isNamed = isSuppressed || chain.some(({ deed }) => deed.buyers.length > 0 || deed.sellers.length > 0);
  const records_to = latest(sources.map(({ covers_to }) => covers_to));
  if (!isNamed && !(await sql.namesParties(deps.data, row.fips, row.market))) {
    const note = 'The source lists sales without their parties, which are no chain of title.';
    return { status: 'sales_only', ...none, records_to, note };
  }
  // Only if every source says from when it is complete is the day before the first deed known to be covered.
  const starts = sources.map(({ covers_from }) => covers_from);
  const reach = reachOf(chain, starts.includes(null) ? null : starts.toSorted()[0]);
  const { completeFrom: complete_from, verifiedFrom: verified_from } = reach;
  return { status: 'covered', complete_from, verified_from, records_to, note: noteOf(reach), sources };
}

function noteOf({ completeFrom, older, end }: Reach): string {
  if (completeFrom === null) return 'Deeds are covered here, but none of this property is on record.';
  if (older === 0) return `Deeds are on record with no known gap from ${completeFrom}; earlier ones are not covered.`;
  const others = `${older} older ${older === 1 ? 'deed is' : 'deeds are'} on record`;
  return end === 'broken'
    ? `Deeds are on record with no known gap from ${completeFrom}; ${others}, with a link missing in between.`
    : `Deeds are on record with no known gap from ${completeFrom}; ${others}, but whether a link is missing in between cannot be told, because a party is not stated.`;
}

const latest = (days: (string | null)[]): string | null =>
  days
    .filter((day) => day !== null)
    .toSorted()
    .at(-1) ?? null;

function ownershipOf(
  links: Link[],
  owner: { names: string[]; owned_since: string | null } | undefined,
  { asOf, mayShow, isSuppressed }: { asOf: string; mayShow: boolean; isSuppressed: boolean },
): TitleReport['ownership'] {
  const deed = links.find(({ connection }) => connection !== 'correction')?.deed;
  const since = owner?.owned_since ?? (deed ? dateOf(deed) : null);
  // A sale without parties identifies neither the seller nor the buyer, so it says nothing about the current owner.
  if (!owner && (!deed || deed.buyers.length === 0)) return null;
  const names = owner?.names ?? deed?.buyers ?? [];
  return {
    ...(mayShow && { owners: isSuppressed ? [] : names }),
    since,
    years: since === null ? null : Math.round((monthsBetween(since, asOf) / 12) * 10) / 10,
    transaction_id: deed && dateOf(deed) === since ? deed.id : null,
  };
}

type Layers = Awaited<ReturnType<RiskReportReader>>[number]['layers'];

/** A permit without an end whose status says neither is of unknown status. */
const OPEN_PERMIT = /^(ISSUED|OPEN|ACTIVE|PENDING|IN PROGRESS|UNDER|APPLIED|APPROVED|FILED)/i;
const CLOSED_PERMIT = /FINAL|CLOSED|COMPLETE|EXPIRED|CANCEL|VOID|WITHDRAWN|DENIED|REVOKED/i;

function openLayers(layers: Layers) {
  const liens = must(layers.tax_liens, 'layer of liens');
  const permits = must(layers.permits, 'layer of permits');
  const violations = must(layers.code_violations, 'layer of violations');
  const unended = permits.items.filter(
    ({ status, final_date }) => final_date === null && !CLOSED_PERMIT.test(status ?? ''),
  );
  const openPermits = unended.filter(({ status }) => OPEN_PERMIT.test(status ?? ''));
  const unknown = unended.length - openPermits.length;
  const open = violations.items.filter(({ status }) => status === 'open');
  return {
    counts: {
      tax_liens: liens.open_count,
      permits: permits.count === null || (openPermits.length === 0 && unknown > 0) ? null : openPermits.length,
      violations: violations.open_count,
    },
    items: {
      tax_liens: pick(liens, ['status', 'status_unknown', 'items']),
      permits: { status: permits.status, status_unknown: permits.count === null ? null : unknown, open: openPermits },
      violations: { status: violations.status, status_unknown: violations.status_unknown, open },
    },
  };
}
