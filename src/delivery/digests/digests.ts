// Opt-in email digests: weekly for watchlists and areas, monthly for loans, hourly for the signed roots of receipts.
// One per person and period, and none without news.
import { SCOPES_OF_ROLE } from '../../customers/people/team.ts';
import { digestLetter } from '../../customers/people/letters.ts';
import type { Deps } from '../../base/deps.ts';
import { DAY_MS, HOUR_MS, isoDate, MINUTE_MS } from '../../base/lib/clock.ts';
import { ApiError, fail, ifThere } from '../../base/lib/errors.ts';
import { asMoney, asPercent, asWords } from '../../base/lib/figures.ts';
import { fipsOfPropertyId } from '../../base/lib/ids.ts';
import { lastOf } from '../../base/lib/must.ts';
import { isSameBytes } from '../../base/lib/secrets.ts';
import { getAccount, type Caller } from '../../customers/accounts/accounts.ts';
import { refuseUnpaid } from '../../customers/usage/usage.ts';
import { readSeries } from '../../insight/analytics/analytics.ts';
import type { AreaKey } from '../../insight/analytics/schema.ts';
import { RESIDENTIAL } from '../../insight/analytics/segments.ts';
import { listRoots } from '../../insight/quality/anchors.ts';
import { filterOf } from '../../records/properties/request.ts';
import { countChanges, listValuesOn } from '../watchlists/portfolio-sql.ts';
import { listMemberIds, type WatchlistRow } from '../watchlists/sql.ts';
import * as sql from './sql.ts';

/** A process that has not settled a digest in this time is dead. */
const CLAIM_MS = 30 * MINUTE_MS;
const KEPT_MS = 400 * DAY_MS;
const MOST_LINES = 100;

interface Digest extends sql.Period {
  title: string;
  compose(deps: Deps, reader: sql.Reader, period: sql.Period): Promise<string[]>;
}

/** The last whole week, from Monday on, the last whole month, and the last hour, in UTC. */
function periodsBefore(now: Date): Digest[] {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const monday = new Date(today - ((now.getUTCDay() + 6) % 7) * DAY_MS);
  const week = new Date(monday.getTime() - 7 * DAY_MS);
  const first = (months: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1));
  const hour = new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS - HOUR_MS);
  const end = new Date(hour.getTime() + HOUR_MS);
  const at = `${hour.toISOString().slice(11, 16)} UTC`;
  return [
    { kind: 'week', title: 'Your week', start: week, end: monday, compose: composeWeek },
    { kind: 'month', title: 'Your loans', start: first(-1), end: first(0), compose: composeMonth },
    { kind: 'hour', title: `Roots of receipts of ${at}`, start: hour, end, compose: composeHour },
  ];
}

export async function sendDigests(deps: Deps): Promise<void> {
  for (const period of periodsBefore(deps.clock())) {
    for (const reader of await sql.listReaders(deps.control, period)) {
      // A rejecting mailbox must not block the others; it is retried within the hour.
      await send(deps, reader, period).catch((error: Error) => deps.log.warn({ err: error }, 'a digest was not sent'));
    }
  }
  await sql.deleteOldDigests(deps.control, new Date(deps.clock().getTime() - KEPT_MS));
}

async function send(deps: Deps, reader: sql.Reader, period: Digest): Promise<void> {
  const { control, config } = deps;
  const id = sql.nameOf(period);
  const now = deps.clock();
  if (!(await sql.claimDigest(control, reader, id, now, new Date(now.getTime() - CLAIM_MS)))) return;
  const account = await getAccount(deps, reader.account_id);
  const isShown = reader.mode === 'test' || passes(() => refuseUnpaid(account, now));
  const lines = isShown ? await period.compose(deps, reader, period) : [];
  // From here on the digest is never sent again, even if this process is killed while sending.
  if (!(await sql.settleDigest(control, reader, id, now, deps.clock())) || lines.length === 0) return;
  const shown = lines.slice(0, MOST_LINES);
  if (lines.length > shown.length) shown.push(`And ${lines.length - shown.length} more.`);
  const days = [period.start, new Date(period.end.getTime() - 1)].map(isoDate);
  const title = `${period.title}, ${[...new Set(days)].join(' to ')}`;
  try {
    await deps.mailer.send(digestLetter(reader.email, config.baseUrl, title, shown, tokenOf(deps, reader)));
  } catch (error) {
    await sql.settleDigest(control, reader, id, now, null);
    throw error;
  }
  await sql.markSent(control, reader, id, deps.clock());
}

async function composeWeek(deps: Deps, reader: sql.Reader, period: sql.Period): Promise<string[]> {
  const scopes = SCOPES_OF_ROLE[reader.role];
  const lines: string[] = [];
  if (reader.watchlists && scopes.includes('watchlists:read')) {
    // The members of an owner filter reveal their owners.
    const mayRead = ({ filter }: WatchlistRow) =>
      passes(() => filterOf({ key: { scopes } as Caller['key'] }, filter ?? {}));
    const lists = await sql.listWatchlists(deps.control, reader);
    for (const list of lists.filter(mayRead)) lines.push(...(await summarizeList(deps, list, period)));
  }
  if (scopes.includes('properties:read'))
    for (const area of reader.areas) lines.push(...(await summarizeArea(deps, reader, area)));
  return lines;
}

/** Whether a throwing check passes. */
function passes(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

async function summarizeList(deps: Deps, list: WatchlistRow, { start, end }: sql.Period): Promise<string[]> {
  const ids = await listMemberIds(deps.control, list.id);
  const keys = ids.map((id) => ({ fips: fipsOfPropertyId(id), id }));
  const [changes, before, after] = await Promise.all([
    countChanges(deps.data, keys, start, end),
    listValuesOn(deps.data, keys, isoDate(start)),
    listValuesOn(deps.data, keys, isoDate(end)),
  ]);
  const sums = [...before].reduce(([a, b], [id, value]) => [a + value, b + (after.get(id) ?? value)], [0, 0]);
  const facts = changes.map(
    ({ type, properties }) => `${asWords(type.replace(/^.*\./, ''))} (${counted(properties, 'home')})`,
  );
  if (sums[0] !== sums[1]) facts.push(`total value ${asMoney(sums[1])}, ${moved(sums[1] / sums[0] - 1)}`);
  return facts.length === 0 ? [] : [`${list.name}: ${facts.join('; ')}.`];
}

const counted = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`;
const moved = (share: number) => `${share < 0 ? 'down' : 'up'} ${asPercent(Math.abs(share))}`;

/** The last closed quarter, if it differs from the last report. */
async function summarizeArea(deps: Deps, reader: sql.Reader, area: AreaKey): Promise<string[]> {
  const query = { ...area, interval: 'quarter', property_type: RESIDENTIAL } as const;
  const series = await ifThere(readSeries(deps, reader.mode, query));
  const point = series?.data.findLast(({ is_open, n }) => !is_open && n > 0);
  if (!series || !point) return [];
  const { period, n, median_price: median, price_growth_1y: growth } = point;
  const price =
    median === null ? '' : `, median ${asMoney(median)}${growth === null ? '' : `, ${moved(growth)} in a year`}`;
  const line = `${series.area.name}: ${counted(n, 'sale')} in ${period}${price}.`;
  const name = `${area.kind} ${area.area} ${area.market ?? ''}`;
  if (reader.told[name] === line) return [];
  reader.told[name] = line;
  return [line];
}

async function composeMonth(deps: Deps, reader: sql.Reader, period: sql.Period): Promise<string[]> {
  if (!SCOPES_OF_ROLE[reader.role].includes('watchlists:read')) return [];
  const rows = await sql.listLoanChanges(deps.control, reader, period);
  return rows.flatMap(({ loan_id, reference, changes }) =>
    changes.map(({ detail }) => `Loan ${reference ?? loan_id}: ${detail}`),
  );
}

/** The roots not yet sent: one lost in transit is in the next email. */
async function composeHour(deps: Deps, reader: sql.Reader): Promise<string[]> {
  if (!SCOPES_OF_ROLE[reader.role].includes('avm:read')) return [];
  const { account_id, created_at, told } = reader;
  const roots = await listRoots(deps, account_id, created_at, Number(told.receipts ?? 0), MOST_LINES);
  if (roots.length > 0) told.receipts = String(lastOf(roots).id);
  return roots.map(({ statement }) => JSON.stringify(statement));
}

/** A signed token for one subscription, so the emailed link works without a session and for nothing else. */
function tokenOf({ secrets }: Pick<Deps, 'secrets'>, { user_id, account_id, mode }: sql.Subscriber): string {
  const subject = [user_id, account_id, mode].join('.');
  return `${subject}.${secrets.sign('sessions', `digest:${subject}`).toString('base64url')}`;
}

export async function unsubscribe(deps: Pick<Deps, 'control' | 'secrets'>, token: string): Promise<void> {
  const [user_id = '', account_id = '', mode] = token.split('.');
  const subscriber: sql.Subscriber = { user_id, account_id, mode: mode === 'live' ? 'live' : 'test' };
  if (!isSameBytes(Buffer.from(tokenOf(deps, subscriber)), Buffer.from(token)))
    fail('invalid_link', 'The link is not whole. Copy it again, or sign in and change your digests there.');
  await sql.deleteSubscription(deps.control, subscriber);
}
