// Share links: read-only pages for people without an account. A page is a snapshot from when its link was created, so a
// link is one read, charged once, and never an unpaid feed of live data.
import { recordAct, type Actor, type Caller } from '../../customers/accounts/accounts.ts';
import type { Asking } from '../../customers/accounts/asking.ts';
import { findBranding } from '../../customers/accounts/sql.ts';
import { countOwn, getOwn, ownerOf } from '../../customers/accounts/own-sql.ts';
import type { Scope } from '../../customers/accounts/scopes.ts';
import { digestOfToken, newToken } from '../../customers/people/sessions.ts';
import { inTransaction } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { DAY_MS } from '../../base/lib/clock.ts';
import { ApiError, fail } from '../../base/lib/errors.ts';
import { dataUrlOf } from '../../base/lib/images.ts';
import { randomId } from '../../base/lib/ids.ts';
import { packJson, unpackJson } from '../../base/lib/packed-json.ts';
import { presentRow } from '../../base/lib/schema.ts';
import { readSeries } from '../../insight/analytics/analytics.ts';
import { RESIDENTIAL } from '../../insight/analytics/segments.ts';
import { readSummary } from '../../insight/analytics/summary.ts';
import { getCurrentProperty, isOwnerSuppressed, presentProperties } from '../../records/properties/properties.ts';
import type { Include } from '../../records/properties/schema.ts';
import type { RiskReportReader } from '../../records/risk/schema.ts';
import { getReport, getReportPdf } from '../reports/reports.ts';
import { analyzePortfolio } from '../watchlists/portfolio.ts';
import { getWatchlist } from '../watchlists/watchlists.ts';
import { KINDS, Share, type NewShare } from './schema.ts';
import * as sql from './sql.ts';

/** Ended links count until they are deleted. */
const MAX_SHARES = { live: 2_000, test: 200 };
const DEFAULT_DAYS = 30;
const FORGOTTEN_AFTER_MS = 90 * DAY_MS;

export type ShareDeps = Deps & { readRisk: RiskReportReader };

interface Shown {
  subject: string;
  title: string;
  page?: unknown;
  /** The page of a property without owners' names. */
  withoutOwners?: unknown;
}

interface Shareable {
  /** Its name in a request. */
  member: keyof NewShare;
  /** The scope required to read it. */
  scope: Scope;
  /** Standard calls, the same as reading it; a portfolio reserves its own. */
  units: number;
  read(deps: ShareDeps, request: Asking, body: NewShare): Promise<Shown>;
}

const SHAREABLE: Record<sql.ShareRow['kind'], Shareable> = {
  // As `GET /properties/{id}`.
  property: { member: 'property_id', scope: 'properties:read', units: 1, read: readProperty },
  // As `GET /analytics/summary` and `GET /analytics/series`.
  area: { member: 'area', scope: 'properties:read', units: 2, read: readArea },
  portfolio: { member: 'watchlist_id', scope: 'watchlists:read', units: 0, read: readPortfolio },
  // Rereading an existing file is free.
  report: { member: 'report_id', scope: 'reports:read', units: 0, read: readReport },
};

export async function createShare(deps: ShareDeps, request: Asking, body: NewShare) {
  const { caller, by, claimId } = request;
  const [kind, ...others] = KINDS.filter((each) => body[SHAREABLE[each].member] !== undefined);
  if (kind === undefined || others.length > 0)
    fail('invalid_request', `Send one of ${KINDS.map((each) => SHAREABLE[each].member).join(', ')}.`);
  const { scope, units, read } = SHAREABLE[kind];
  requireScope(caller, scope);
  if (body.include_owners) requireScope(caller, 'owners:read');
  const owner = ownerOf(caller);
  const limit = MAX_SHARES[owner.mode];
  if ((await countOwn(deps.control, 'shares', owner)) >= limit)
    fail('plan_feature_unavailable', `An account can keep at most ${limit} share links.`, { limit });
  await request.holdUnits(units);
  const { subject, title, page, withoutOwners } = await read(deps, request, body);
  const token = newToken();
  const now = deps.clock();
  const row: sql.ShareRow = {
    id: claimId === undefined ? randomId('shr') : claimId.replace('claim', 'shr'),
    ...owner,
    kind,
    subject,
    title,
    include_owners: body.include_owners ?? false,
    digest: digestOfToken(deps.secrets, 'share', token),
    created_by: caller.key.id,
    created_at: now,
    expires_at: new Date(now.getTime() + (body.expires_in_days ?? DEFAULT_DAYS) * DAY_MS),
    revoked_at: null,
    last_opened_at: null,
    opened_count: 0,
  };
  const packed = page === undefined ? undefined : await packJson(page);
  const page_without_owners = withoutOwners === undefined ? null : await packJson(withoutOwners);
  await inTransaction(deps.control, async (client) => {
    await sql.insertShare(client, row);
    if (packed) await sql.insertPage(client, { share_id: row.id, page: packed, page_without_owners });
    const details = { kind, subject, include_owners: row.include_owners, expires_at: row.expires_at.toISOString() };
    await recordAct(deps, client, by, 'share.created', row, details);
  });
  return { ...presentShare(row, now), url: `${deps.config.baseUrl}/shared/${token}` };
}

function requireScope({ key }: Caller, scope: Scope): void {
  if (!key.scopes.includes(scope))
    fail('insufficient_scope', `To share this, the key needs the scope \`${scope}\`.`, { required_scope: scope });
}

async function readProperty(deps: ShareDeps, { caller }: Asking, body: NewShare): Promise<Shown> {
  const { mode, scopes } = caller.key;
  const row = await getCurrentProperty(deps, mode, body.property_id!);
  const includes: Include[] = ['assessments', 'taxes', 'provenance'];
  if (scopes.includes('risk:read')) includes.push('risk');
  const read = async (mayReadOwners: boolean) => {
    const shape = { fields: undefined, readRisk: (rows: (typeof row)[]) => deps.readRisk(rows) };
    const shown = mayReadOwners ? ([...includes, 'owner'] as const) : includes;
    return (await presentProperties(deps, { mode, mayReadOwners }, [row], { ...shape, includes: shown }))[0];
  };
  const withoutOwners = await read(false);
  const title = withoutOwners.address?.formatted ?? `Parcel ${row.apn}`;
  if (!body.include_owners) return { subject: row.id, title, page: withoutOwners };
  return { subject: row.id, title, page: await read(true), withoutOwners };
}

async function readArea(deps: ShareDeps, { caller }: Asking, body: NewShare): Promise<Shown> {
  const asked = body.area!;
  const series = { ...asked, interval: 'quarter', property_type: RESIDENTIAL } as const;
  const [summary, sales] = await Promise.all([
    readSummary(deps, caller.key.mode, asked),
    readSeries(deps, caller.key.mode, series),
  ]);
  const { kind, id, name } = summary.area;
  return { subject: `${kind} ${id}`, title: name, page: { summary, series: sales } };
}

/** One standard call per 500 properties, as `GET /watchlists/{id}/portfolio`. */
async function readPortfolio(deps: ShareDeps, { caller, holdUnits }: Asking, body: NewShare): Promise<Shown> {
  const list = await getWatchlist(deps, caller, body.watchlist_id!);
  return { subject: list.id, title: list.name, page: await analyzePortfolio(deps, list, { level: 0.8 }, holdUnits) };
}

async function readReport(deps: ShareDeps, { caller }: Asking, body: NewShare): Promise<Shown> {
  const reader = { accountId: caller.account.id, mode: caller.key.mode, mayReadOwners: false };
  const { id, property } = await getReport(deps, reader, body.report_id!);
  return { subject: id, title: property.address?.formatted ?? property.id };
}

export async function revokeShare(deps: ShareDeps, caller: Caller, by: Actor, id: string) {
  const owner = ownerOf(caller);
  const share = await getOwn<sql.ShareRow>(deps.control, 'shares', owner, id);
  await inTransaction(deps.control, async (client) => {
    if ((await sql.markRevoked(client, share.id, deps.clock())) === 0) return;
    await recordAct(deps, client, by, 'share.revoked', share, { kind: share.kind, subject: share.subject });
  });
  return presentShare(await getOwn<sql.ShareRow>(deps.control, 'shares', owner, id), deps.clock());
}

const statusOf = ({ revoked_at, expires_at }: sql.ShareRow, now: Date) =>
  revoked_at ? ('revoked' as const) : expires_at <= now ? ('expired' as const) : ('active' as const);

export const presentShare = (row: sql.ShareRow, now: Date) => ({
  object: 'share' as const,
  ...presentRow(Share, row),
  status: statusOf(row, now),
});

/** The link of a token: 404 if it never existed, 410 if it has ended. */
export async function getShared(deps: ShareDeps, token: string): Promise<sql.ShareRow> {
  const found = await sql.findByDigest(deps.control, digestOfToken(deps.secrets, 'share', token));
  const share = found ?? fail('resource_not_found', 'There is no such link. Check that it was copied whole.');
  if (statusOf(share, deps.clock()) !== 'active' || share.account_status !== 'active') failEnded();
  return share;
}

const failEnded = (): never => fail('invalid_link', 'This link has ended. Ask whoever sent it for a new one.');

/** Returns the content of the page, and counts the opening. */
export async function openShared(deps: ShareDeps, share: sql.ShareRow) {
  const { kind, mode, title, created_at, expires_at } = share;
  const data = kind === 'report' ? await readFileSummary(deps, share) : await readPage(deps, share);
  await sql.markOpened(deps.control, share.id, deps.clock());
  const days = { created_at: created_at.toISOString(), expires_at: expires_at.toISOString() };
  const brand = await findBranding(deps.control, share.account_id);
  const shared_by = { name: brand?.name ?? null, logo: dataUrlOf(brand?.logo_type ?? null, brand?.logo ?? null) };
  return { object: 'shared_page' as const, kind, mode, title, ...days, shared_by, data };
}

async function readPage(deps: ShareDeps, share: sql.ShareRow): Promise<unknown> {
  const { page, page_without_owners } = (await sql.findPage(deps.control, share.id)) ?? failEnded();
  const isHidden = page_without_owners !== null && (await isOwnerSuppressed(deps, share.subject));
  return unpackJson(isHidden ? page_without_owners : page);
}

const readerOf = ({ account_id, mode, include_owners }: sql.ShareRow) => ({
  accountId: account_id,
  mode,
  mayReadOwners: include_owners,
});

async function readFileSummary(deps: ShareDeps, share: sql.ShareRow) {
  const report = await orEnded(getReport(deps, readerOf(share), share.subject));
  return {
    made_on: report.created_at,
    as_of: report.as_of,
    reference: report.reference,
    estimated_value: report.valuation.estimated_value,
    interval: report.valuation.confidence_interval,
    outcome: report.decision.outcome,
  };
}

export const readFile = (deps: ShareDeps, share: sql.ShareRow): Promise<Buffer> =>
  share.kind === 'report'
    ? orEnded(getReportPdf(deps, readerOf(share), share.subject))
    : fail('resource_not_found', 'This link shows a page, not a file.');

/** A file that was deleted ends its links. */
const orEnded = <Answer>(reading: Promise<Answer>): Promise<Answer> =>
  reading.catch((error: Error) => {
    if (error instanceof ApiError && error.status === 404) failEnded();
    throw error;
  });

export async function forgetOldShares(deps: Pick<Deps, 'control' | 'clock'>): Promise<void> {
  await sql.deleteEndedBefore(deps.control, new Date(deps.clock().getTime() - FORGOTTEN_AFTER_MS));
}
