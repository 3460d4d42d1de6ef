// Sessions: a random token in a cookie and its HMAC in the database. They end after 7 idle days, or 30 in all; single
// sign-on sessions end after a day, which bounds access after the provider revokes it.
import { randomBytes } from 'node:crypto';
import { DAY_MS } from '../../base/lib/clock.ts';
import { getAccount } from '../accounts/accounts.ts';
import { recordAudit } from '../../base/audit/audit.ts';
import type { Client, Queryable } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { randomId } from '../../base/lib/ids.ts';
import type { Secrets } from '../../base/lib/secrets.ts';
import { type AccountRow } from '../accounts/sql.ts';
import * as sql from './sql.ts';

const IDLE_MS = 7 * DAY_MS;
const LONGEST_MS: Record<sql.SignInMethod, number> = { password: 30 * DAY_MS, passkey: 30 * DAY_MS, sso: DAY_MS };
const TOUCH_MS = 60_000;

export interface Visitor {
  ip: string;
  userAgent: string;
}

/** Who is signed in, to which account, as what. */
export interface SignedIn {
  session: sql.SessionRow;
  user: sql.UserRow;
  account: AccountRow;
  role: sql.Role;
}

export interface NewSession {
  userId: string;
  accountId: string;
  method: sql.SignInMethod;
  visitor: Visitor;
}

export const newToken = (): string => randomBytes(32).toString('base64url');

export const digestOfToken = (secrets: Secrets, purpose: string, token: string): Buffer =>
  secrets.sign('sessions', `${purpose}:${token}`);

export async function startSession(
  deps: Pick<Deps, 'clock' | 'secrets'>,
  db: Queryable,
  { userId, accountId, method, visitor }: NewSession,
): Promise<string> {
  const now = deps.clock();
  const token = newToken();
  const session: sql.SessionRow = {
    id: randomId('ses'),
    user_id: userId,
    account_id: accountId,
    created_at: now,
    last_seen_at: now,
    expires_at: new Date(now.getTime() + Math.min(IDLE_MS, LONGEST_MS[method])),
    ip: visitor.ip,
    user_agent: visitor.userAgent.slice(0, 300),
    method,
  };
  await sql.insertSession(db, session, digestOfToken(deps.secrets, 'session', token));
  return token;
}

export async function findSignedIn(
  deps: Pick<Deps, 'clock' | 'secrets' | 'control'>,
  token: string,
): Promise<SignedIn | undefined> {
  const now = deps.clock();
  const session = await sql.findSession(deps.control, digestOfToken(deps.secrets, 'session', token));
  if (!session || session.expires_at <= now) return undefined;
  const [user, account, member] = await Promise.all([
    sql.findUser(deps.control, session.user_id),
    getAccount(deps, session.account_id),
    sql.findMember(deps.control, session.account_id, session.user_id),
  ]);
  if (!user || !member) return undefined;
  if (now.getTime() - session.last_seen_at.getTime() > TOUCH_MS) {
    const end = Math.min(now.getTime() + IDLE_MS, session.created_at.getTime() + LONGEST_MS[session.method]);
    await sql.touchSession(deps.control, session.id, now, new Date(end));
  }
  return { session, user, account, role: member.role };
}

interface Act {
  action: string;
  target?: string;
  details?: Record<string, unknown>;
}

/** Audits an action on the signed-in account. */
export async function auditAct(
  deps: Pick<Deps, 'clock'>,
  client: Client,
  { account, user, session }: SignedIn,
  act: Act,
): Promise<void> {
  await recordAudit(client, { ...act, accountId: account.id, actor: user.id, ip: session.ip, at: deps.clock() });
}

/** Audits a change to a person's own sign-in, by them or the operator, in every account they belong to. */
export async function auditUser(
  deps: Pick<Deps, 'clock'>,
  client: Client,
  userId: string,
  { actor = userId, ...act }: Act & { actor?: string; ip: string | null },
): Promise<void> {
  const accounts = (await sql.listMemberships(client, userId)).map(({ account_id }) => account_id);
  // Always in the same order: each account's log is locked until the transaction ends.
  for (const accountId of accounts.sort()) {
    await recordAudit(client, { ...act, accountId, actor, at: deps.clock() });
  }
}
