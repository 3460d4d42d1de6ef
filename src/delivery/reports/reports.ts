// The lender's file: one call from an address to a dossier of value, title, risk and market, checked against the
// account's rules and stored unchanged.
// One room because the JSON, the rules and the PDF of a file must agree on every figure.
import { createHash } from 'node:crypto';
import { recordAct, type Actor } from '../../customers/accounts/accounts.ts';
import { findBranding } from '../../customers/accounts/sql.ts';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import { SANDBOX_RETENTION } from '../../customers/accounts/plans.ts';
import { forgetOldDocuments } from '../../customers/accounts/retention-sql.ts';
import { canonicalJson } from '../../base/math/hashes.ts';
import { inTransaction } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { DAY_MS, isoDate } from '../../base/lib/clock.ts';
import { fail } from '../../base/lib/errors.ts';
import { randomId } from '../../base/lib/ids.ts';
import { packJson, unpackJson } from '../../base/lib/packed-json.ts';
import { getCurrentProperty, isOwnerSuppressed, presentProperties } from '../../records/properties/properties.ts';
import { type PropertyRow } from '../../records/properties/sql.ts';
import type { RiskReportReader } from '../../records/risk/schema.ts';
import { layersShownOf } from '../../records/risk/risk.ts';
import { isOrganization } from '../../records/title/names.ts';
import { readTitle } from '../../records/title/title.ts';
import { getReceipt, hashReceipts } from '../../insight/valuations/receipts.ts';
import type { Valuation } from '../../insight/valuations/schema.ts';
import { estimateRentOf } from '../../insight/rents/rents.ts';
import { estimate } from '../../insight/valuations/valuations.ts';
import { checkRules } from './conditions.ts';
import { decide, type Dossier } from './decide.ts';
import { listGaps } from './gaps.ts';
import { loanFigures } from './loan.ts';
import { drawMap, type MapDrawing } from './map.ts';
import { readMarketFigures } from './market.ts';
import type { Report, ReportRequest, Rule } from './schema.ts';
import { listSources } from './sources.ts';
import * as sql from './sql.ts';
import { STANDARD_RULES } from './standard-rules.ts';

const NOTICE =
  'Compiled from public records by an automated valuation model. It is not an appraisal, a title commitment or a lending decision; the rules are those that the account or the request chose.';
const DEMOGRAPHIC = new Set(['census', 'lending']);
const PARTS = ['comparables', 'explanation', 'history'] as const;

interface Reader {
  accountId: string;
  mode: KeyMode;
  mayReadOwners: boolean;
}

interface ReportAsker extends Reader {
  by: Actor;
  /** From the idempotency key: the report id is derived from it, so a retry after a crash finds the existing report. */
  claimId?: string;
}

/** The code that registers the routes passes in the layer reader, as for the title. */
type ReportDeps = Deps & { readRisk: RiskReportReader };

export async function createReport(deps: ReportDeps, asker: ReportAsker, request: ReportRequest): Promise<Report> {
  const id = asker.claimId === undefined ? randomId('rep') : asker.claimId.replace('claim', 'rep');
  const earlier = asker.claimId && (await sql.findReport(deps.control, asker, id));
  if (earlier) return unpackJson<Report>(earlier.document);
  checkRules(request.rules ?? []);
  const dossier = await compile(deps, asker, request, id);
  const { rules, from } = await rulesFor(deps, asker, request);
  const decision = decide(rules, dossier, from);
  const body = { ...dossier, decision };
  const report: Report = {
    ...body,
    sha256: createHash('sha256')
      .update(canonicalJson(plain(body)))
      .digest('hex'),
  };
  const map = await drawMap(deps, report.mode, report.property, report.valuation.comparables ?? []);
  await store(deps, asker, report, map);
  return report;
}

async function rulesFor(
  deps: Pick<Deps, 'control'>,
  asker: Reader,
  { rules, rule_set }: ReportRequest,
): Promise<{ rules: readonly Rule[]; from: Report['decision']['rules_from'] }> {
  if (rule_set === 'standard') return { rules: [...STANDARD_RULES, ...(rules ?? [])], from: 'standard' };
  if (rules) return { rules, from: 'request' };
  return { rules: (await sql.findRules(deps.control, asker))?.rules ?? [], from: 'account' };
}

async function compile(deps: ReportDeps, asker: ReportAsker, request: ReportRequest, id: string): Promise<Dossier> {
  const { accountId, mode, mayReadOwners } = asker;
  const { result } = await estimate(deps, asker, {
    property: request.property,
    options: { ...request.options, include: [...PARTS] },
  });
  const valuation = result as Valuation;
  if (valuation.property_id === null)
    fail(
      'insufficient_data',
      'A report needs a property on record; a home that is only described can be valued with POST /avm/estimate.',
      { reason: 'not_on_record' },
    );
  const row = await getCurrentProperty(deps, mode, valuation.property_id);
  const catalog = await deps.catalog.readCovered([row]);
  const [receipt, [receiptHash], property, title, [risk], market, rent] = await Promise.all([
    getReceipt(deps, { accountId, mode }, valuation.id),
    hashReceipts(deps.control, [valuation.id]),
    readProperty(deps, asker, row),
    readTitle(deps, row, { view: { mode, mayReadOwners }, readRisk: deps.readRisk }),
    // Tract demographics and lending data do not belong in a loan file unless requested.
    deps.readRisk(
      [row],
      layersShownOf(catalog, row.market).filter((name) => !DEMOGRAPHIC.has(name) || request.demographics === true),
    ),
    readMarketFigures(deps, mode, row, valuation.as_of),
    rentOf(deps, { ...row, value: valuation.estimated_value }, request),
  ]);
  const known = {
    object: 'report' as const,
    id,
    mode,
    created_at: deps.clock().toISOString(),
    as_of: valuation.as_of,
    reference: request.reference ?? null,
    property,
    loan: request.loan ? loanFigures(request.loan, valuation, title) : null,
    valuation,
    receipt: {
      id: receipt.id,
      sha256: receiptHash!.toString('hex'),
      model_version: receipt.model_version,
      model_hash: receipt.model_hash,
      data_snapshot: receipt.data_snapshot,
      market_day: isoDate(new Date(receipt.inputs.marketDay * DAY_MS)),
    },
    title,
    risk,
    rent,
    market,
    sources: listSources(catalog, row, { property, title, risk, market, rent }),
    notice: NOTICE,
  };
  return { ...known, gaps: listGaps(known, catalog.layers) };
}

function rentOf(deps: ReportDeps, row: PropertyRow, { property, loan, rental = {} }: ReportRequest) {
  const { bedrooms } = property;
  const { loan_terms: terms, expenses } = rental;
  return estimateRentOf(deps, row, {
    property: { bedrooms: bedrooms && Math.round(bedrooms), purchase_price: loan?.purchase_price },
    expenses,
    ...(loan && terms && { loan: { ...terms, amount: loan.amount } }),
  });
}

async function readProperty(deps: ReportDeps, { mode, mayReadOwners }: Reader, row: PropertyRow) {
  const includes = [
    'assessments',
    'taxes',
    'provenance',
    'geometry',
    ...(mayReadOwners ? (['owner'] as const) : []),
  ] as const;
  const [property] = await presentProperties(deps, { mode, mayReadOwners }, [row], { includes, fields: undefined });
  return property;
}

/** As it will be read back, without undefined members. */
const plain = (value: object): unknown => JSON.parse(JSON.stringify(value));

async function store(deps: ReportDeps, { accountId, by }: ReportAsker, report: Report, map: MapDrawing | null) {
  const row: sql.ReportRow = {
    id: report.id,
    account_id: accountId,
    mode: report.mode,
    property_id: report.property.id,
    valuation_id: report.receipt.id,
    reference: report.reference,
    address: report.property.address?.formatted ?? null,
    outcome: report.decision.outcome,
    estimated_value: report.valuation.estimated_value,
    created_at: new Date(report.created_at),
    sha256: Buffer.from(report.sha256, 'hex'),
    document: await packJson(report),
    map: await packJson(map),
  };
  await inTransaction(deps.control, async (client) => {
    if (!(await sql.insertReport(client, row))) return;
    const details = { mode: report.mode, property_id: row.property_id, sha256: report.sha256 };
    await recordAct(deps, client, by, 'report.created', row, details);
  });
}

/** A report of the caller's own account; another account's looks like a missing one. Names require the scope, and are
    never shown for an owner who has since asked not to be. */
export const getReport = async (deps: Pick<Deps, 'control' | 'data'>, reader: Reader, id: string): Promise<Report> =>
  presentReport(deps, reader, (await sql.findReport(deps.control, reader, id)) ?? noSuchReport(id));

async function presentReport(deps: Pick<Deps, 'data'>, reader: Reader, row: sql.ReportRow): Promise<Report> {
  const report = await unpackJson<Report>(row.document);
  const mayShow = reader.mayReadOwners && !(await isOwnerSuppressed(deps, row.property_id));
  return mayShow ? report : withoutNames(report);
}

type Title = Report['title'];

/** For readers who may not see people's names. */
function withoutNames(report: Report): Report {
  const { owner: _owner, ...property } = report.property;
  return { ...report, property, title: titleWithoutNames(report.title) };
}

function titleWithoutNames(title: Title): Title {
  const lender = (name: string | null) => (name !== null && isOrganization(name) ? name : null);
  const matched = (documents: Title['unmatched']) =>
    documents.map((each) => ({ ...each, lender: lender(each.lender) }));
  const encumbrance = <Each extends Title['other_liens'][number]>({ borrowers: _borrowers, ...each }: Each) => ({
    ...each,
    lender: lender(each.lender),
    holder: lender(each.holder),
    assignments: matched(each.assignments),
    releases: matched(each.releases),
  });
  return {
    ...title,
    ownership: title.ownership && { ...title.ownership, owners: undefined },
    chain: title.chain.map(({ grantors: _grantors, grantees: _grantees, ...link }) => link),
    mortgages: title.mortgages.map(encumbrance),
    other_liens: title.other_liens.map(encumbrance),
    unmatched: matched(title.unmatched),
  };
}

export async function getReportPdf(
  deps: Pick<Deps, 'control' | 'data' | 'config' | 'threads'>,
  reader: Reader,
  id: string,
): Promise<Buffer> {
  const row = (await sql.findReport(deps.control, reader, id)) ?? noSuchReport(id);
  const [report, map] = await Promise.all([presentReport(deps, reader, row), unpackJson<MapDrawing | null>(row.map)]);
  const place = { file: new URL('./pdf.ts', import.meta.url), name: 'render', account: reader.accountId };
  const brand = await findBranding(deps.control, reader.accountId);
  const content = { report, map, author: deps.config.seller.name, brand };
  return deps.threads.run<typeof import('./pdf.ts').render>(place, content);
}

function noSuchReport(id: string): never {
  return fail('resource_not_found', `No report has the id \`${id}\`.`);
}

export async function getRules(deps: Pick<Deps, 'control'>, reader: Reader) {
  const found = await sql.findRules(deps.control, reader);
  return presentRules(found?.rules ?? [], found?.updated_at ?? null);
}

export async function setRules(deps: Pick<Deps, 'control' | 'clock'>, asker: ReportAsker, rules: Rule[]) {
  checkRules(rules);
  const at = deps.clock();
  const { accountId, mode, by } = asker;
  await inTransaction(deps.control, async (client) => {
    await sql.upsertRules(client, asker, { rules, at });
    const details = { mode, rules };
    await recordAct(deps, client, by, 'report_rules.changed', { id: accountId, account_id: accountId }, details);
  });
  return presentRules(rules, at);
}

const presentRules = (rules: Rule[], updatedAt: Date | null) => ({
  object: 'report_rules' as const,
  rules,
  standard: [...STANDARD_RULES],
  updated_at: updatedAt?.toISOString() ?? null,
});

/** Reports are kept as long as their receipts; the sandbox keeps the newest few of each account. */
export const forgetOldReports = (deps: Pick<Deps, 'control' | 'clock'>): Promise<void> =>
  forgetOldDocuments(deps, { table: 'reports', sandboxMost: SANDBOX_RETENTION.reports!, limit: 1000 });
