// Every query of users, sessions, members and invitations.
import type { Queryable } from '../../base/db/postgres.ts';
import { insertRow } from '../../base/db/rows.ts';
import { changeRows, findRow, findValue, hasRow, listRows, raw } from '../../base/db/statements.ts';
import type { Stored } from '../../base/lib/schema.ts';
import type { InvitationShape, Member, ROLES, SignIn } from './schema.ts';

export interface UserRow {
  id: string;
  email: string;
  email_normalized: string;
  name: string;
  company: string | null;
  /** Null for people who only sign in through single sign-on. */
  password_hash: string | null;
  verified_at: Date;
  totp_secret: Buffer | null;
  totp_enabled_at: Date | null;
  totp_last_step: number;
  created_at: Date;
  /** Since when the person is an operator of the service. */
  operator_since: Date | null;
}

export const USER = raw(
  'id, email, email_normalized, name, company, password_hash, verified_at, totp_secret, totp_enabled_at, totp_last_step, created_at, operator_since',
);

/** False when the mailbox is taken. */
export const insertUser = (db: Queryable, user: UserRow) =>
  insertRow(db, 'users', user, 'on conflict (email_normalized) do nothing');

export const findUserByEmail = (db: Queryable, emailNormalized: string) =>
  findRow<UserRow>(db)`select ${USER} from users where email_normalized = ${emailNormalized}`;

export const findUser = (db: Queryable, id: string) => findRow<UserRow>(db)`select ${USER} from users where id = ${id}`;

export const lockUser = (db: Queryable, id: string) =>
  findRow<UserRow>(db)`select ${USER} from users where id = ${id} for update`;

export const updateUser = (db: Queryable, user: UserRow) =>
  changeRows(db)`update users set name = ${user.name}, password_hash = ${user.password_hash},
    totp_secret = ${user.totp_secret}, totp_enabled_at = ${user.totp_enabled_at}, totp_last_step = ${user.totp_last_step}
    where id = ${user.id}`;

export const updateOperator = (db: Queryable, id: string, since: Date | null) =>
  changeRows(db)`update users set operator_since = ${since} where id = ${id}`;

export interface SessionRow extends Stored<typeof SignIn, 'is_current'> {
  user_id: string;
  account_id: string;
  expires_at: Date;
}

export type SignInMethod = SessionRow['method'];

const SESSION = raw('id, user_id, account_id, created_at, last_seen_at, expires_at, ip, user_agent, method');

export const insertSession = (db: Queryable, session: SessionRow, digest: Buffer) =>
  insertRow(db, 'sessions', { ...session, digest });

export const findSession = (db: Queryable, digest: Buffer) =>
  findRow<SessionRow>(db)`select ${SESSION} from sessions where digest = ${digest}`;

export const listSessions = (db: Queryable, userId: string, now: Date) =>
  listRows<SessionRow>(db)`select ${SESSION} from sessions where user_id = ${userId} and expires_at > ${now}
    order by last_seen_at desc limit 100`;

export const touchSession = (db: Queryable, id: string, now: Date, expiresAt: Date) =>
  changeRows(db)`update sessions set last_seen_at = ${now}, expires_at = ${expiresAt} where id = ${id}`;

export const moveSession = (db: Queryable, id: string, accountId: string) =>
  changeRows(db)`update sessions set account_id = ${accountId} where id = ${id}`;

export const deleteSession = (db: Queryable, userId: string, id: string) =>
  changeRows(db)`delete from sessions where user_id = ${userId} and id = ${id}`;

export const deleteSessions = (db: Queryable, userId: string, exceptId: string | null) =>
  changeRows(db)`delete from sessions where user_id = ${userId} and id is distinct from ${exceptId}`;

export const deleteSessionsIn = (db: Queryable, userId: string, accountId: string) =>
  changeRows(db)`delete from sessions where user_id = ${userId} and account_id = ${accountId}`;

/** Ends the sessions of a domain's people in its account that were not opened by single sign-on. */
export const deleteSessionsWithoutSso = (db: Queryable, accountId: string) =>
  changeRows(db)`delete from sessions s using users u, sso_domains d
    where u.id = s.user_id and s.method <> 'sso' and s.account_id = ${accountId} and d.account_id = ${accountId}
      and d.domain = lower(split_part(u.email, '@', 2))`;

/** The account on the enterprise plan that requires single sign-on of people with this email domain. */
export const findSsoAccount = (db: Queryable, domain: string) =>
  findValue<string>(db)`select account_id from sso_domains d
    join sso_connections c using (account_id) join accounts a on a.id = d.account_id
    where d.domain = ${domain} and c.is_enforced and a.plan = 'enterprise'`;

export type Role = (typeof ROLES)[number];

export type MemberRow = Stored<typeof Member, 'id'> & { account_id: string; user_id: string };

const MEMBERS = raw(`select m.account_id, m.user_id, m.role, m.created_at, u.email, u.name,
  u.totp_enabled_at is not null as has_two_factor from members m join users u on u.id = m.user_id`);

export const insertMember = (
  db: Queryable,
  member: Pick<MemberRow, 'account_id' | 'user_id' | 'role' | 'created_at'>,
) => insertRow(db, 'members', member, 'on conflict do nothing');

export const findMember = (db: Queryable, accountId: string, userId: string) =>
  findRow<MemberRow>(db)`${MEMBERS} where m.account_id = ${accountId} and m.user_id = ${userId}`;

export const listMembers = (db: Queryable, accountId: string) =>
  listRows<MemberRow>(db)`${MEMBERS} where m.account_id = ${accountId} order by m.created_at, m.user_id`;

export const listMemberships = (db: Queryable, userId: string) =>
  listRows<{ account_id: string; account_name: string; role: Role }>(
    db,
  )`select m.account_id, a.name as account_name, m.role
    from members m join accounts a on a.id = m.account_id
    where m.user_id = ${userId} order by m.created_at, m.account_id`;

/** Locks every membership of the account, so concurrent changes cannot remove the last owner. */
export const lockMembers = (db: Queryable, accountId: string) =>
  listRows<Pick<MemberRow, 'user_id' | 'role'>>(db)`select user_id, role from members
    where account_id = ${accountId} order by user_id for update`;

export const updateMember = (db: Queryable, accountId: string, userId: string, role: Role) =>
  changeRows(db)`update members set role = ${role} where account_id = ${accountId} and user_id = ${userId}`;

/** Remembered, because single sign-on would let them in again. */
export const removeMember = (db: Queryable, accountId: string, userId: string, now: Date) =>
  changeRows(db)`with gone as (delete from members where account_id = ${accountId} and user_id = ${userId})
    insert into removed_members (account_id, user_id, removed_at) values (${accountId}, ${userId}, ${now})
    on conflict (account_id, user_id) do update set removed_at = ${now}`;

export const isRemoved = (db: Queryable, accountId: string, userId: string) =>
  hasRow(db)`select 1 from removed_members where account_id = ${accountId} and user_id = ${userId}`;

export const forgetRemoval = (db: Queryable, accountId: string, userId: string) =>
  changeRows(db)`delete from removed_members where account_id = ${accountId} and user_id = ${userId}`;

export interface InvitationRow extends Stored<typeof InvitationShape> {
  account_id: string;
  email_normalized: string;
  invited_by: string;
  accepted_at: Date | null;
  revoked_at: Date | null;
}

const INVITATION = raw(
  'id, account_id, email, email_normalized, role, invited_by, created_at, expires_at, accepted_at, revoked_at',
);
const IS_OPEN = raw('accepted_at is null and revoked_at is null');

export const insertInvitation = (db: Queryable, invitation: InvitationRow, digest: Buffer) =>
  insertRow(db, 'invitations', { ...invitation, digest });

export const listOpenInvitations = (db: Queryable, accountId: string, now: Date) =>
  listRows<InvitationRow>(db)`select ${INVITATION} from invitations
    where account_id = ${accountId} and ${IS_OPEN} and expires_at > ${now} order by created_at, id`;

/** How many were open. */
export const revokeInvitation = (db: Queryable, accountId: string, id: string, now: Date) =>
  changeRows(db)`update invitations set revoked_at = ${now}
    where account_id = ${accountId} and id = ${id} and ${IS_OPEN}`;

/** The links of earlier invitations of this account to this mailbox stop working. */
export const replaceInvitations = (db: Queryable, accountId: string, emailNormalized: string, now: Date) =>
  changeRows(db)`update invitations set revoked_at = ${now}
    where account_id = ${accountId} and email_normalized = ${emailNormalized} and ${IS_OPEN}`;

export const revokeInvitationsTo = (db: Queryable, emailNormalized: string, now: Date) =>
  changeRows(db)`update invitations set revoked_at = ${now}
    where email_normalized = ${emailNormalized} and ${IS_OPEN}`;

export const findInvitation = (db: Queryable, digest: Buffer, now: Date) =>
  findRow<InvitationRow>(db)`select ${INVITATION} from invitations
    where digest = ${digest} and ${IS_OPEN} and expires_at > ${now}`;

/** The invitation, once. */
export const takeInvitation = (db: Queryable, digest: Buffer, now: Date) =>
  findRow<InvitationRow>(db)`update invitations set accepted_at = ${now}
    where digest = ${digest} and ${IS_OPEN} and expires_at > ${now} returning ${INVITATION}`;
