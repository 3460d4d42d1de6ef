// Every query of users, sign-ups, sessions, links, attempts, members and invitations.
import type { Queryable } from '../../base/db/postgres.ts';

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
  /** Runs the service, and may do on the dashboard what others cannot see. */
  operator_since: Date | null;
}

export const USER_COLUMNS = `id, email, email_normalized, name, company, password_hash, verified_at, totp_secret, totp_enabled_at,
  totp_last_step, created_at, operator_since`;

/** False when the mailbox is taken. */
export async function insertUser(db: Queryable, user: UserRow): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into users (id, email, email_normalized, name, company, password_hash, verified_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (email_normalized) do nothing`,
    [
      user.id,
      user.email,
      user.email_normalized,
      user.name,
      user.company,
      user.password_hash,
      user.verified_at,
      user.created_at,
    ],
  );
  return rowCount === 1;
}

export async function findUserByEmail(db: Queryable, emailNormalized: string): Promise<UserRow | undefined> {
  const { rows } = await db.query<UserRow>(`select ${USER_COLUMNS} from users where email_normalized = $1`, [
    emailNormalized,
  ]);
  return rows[0];
}

export async function findUser(db: Queryable, id: string): Promise<UserRow | undefined> {
  const { rows } = await db.query<UserRow>(`select ${USER_COLUMNS} from users where id = $1`, [id]);
  return rows[0];
}

export async function lockUser(db: Queryable, id: string): Promise<UserRow | undefined> {
  const { rows } = await db.query<UserRow>(`select ${USER_COLUMNS} from users where id = $1 for update`, [id]);
  return rows[0];
}

export async function updateUser(db: Queryable, user: UserRow): Promise<void> {
  await db.query(
    `update users set name = $2, password_hash = $3, totp_secret = $4, totp_enabled_at = $5, totp_last_step = $6
     where id = $1`,
    [user.id, user.name, user.password_hash, user.totp_secret, user.totp_enabled_at, user.totp_last_step],
  );
}

export async function updateOperator(db: Queryable, id: string, since: Date | null): Promise<void> {
  await db.query('update users set operator_since = $2 where id = $1', [id, since]);
}

export interface SessionRow {
  id: string;
  user_id: string;
  account_id: string;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
  ip: string;
  user_agent: string;
  method: SignInMethod;
}

export type SignInMethod = 'password' | 'passkey' | 'sso';

const SESSION_COLUMNS = 'id, user_id, account_id, created_at, last_seen_at, expires_at, ip, user_agent, method';

export async function insertSession(db: Queryable, session: SessionRow, digest: Buffer): Promise<void> {
  await db.query(`insert into sessions (${SESSION_COLUMNS}, digest) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, [
    session.id,
    session.user_id,
    session.account_id,
    session.created_at,
    session.last_seen_at,
    session.expires_at,
    session.ip,
    session.user_agent,
    session.method,
    digest,
  ]);
}

export async function findSession(db: Queryable, digest: Buffer): Promise<SessionRow | undefined> {
  const { rows } = await db.query<SessionRow>(`select ${SESSION_COLUMNS} from sessions where digest = $1`, [digest]);
  return rows[0];
}

export async function listSessions(db: Queryable, userId: string, now: Date): Promise<SessionRow[]> {
  const { rows } = await db.query<SessionRow>(
    `select ${SESSION_COLUMNS} from sessions where user_id = $1 and expires_at > $2 order by last_seen_at desc limit 100`,
    [userId, now],
  );
  return rows;
}

export async function touchSession(db: Queryable, id: string, now: Date, expiresAt: Date): Promise<void> {
  await db.query('update sessions set last_seen_at = $2, expires_at = $3 where id = $1', [id, now, expiresAt]);
}

export async function moveSession(db: Queryable, id: string, accountId: string): Promise<void> {
  await db.query('update sessions set account_id = $2 where id = $1', [id, accountId]);
}

/** How many ended. */
export async function deleteSession(db: Queryable, userId: string, id: string): Promise<number> {
  const { rowCount } = await db.query('delete from sessions where user_id = $1 and id = $2', [userId, id]);
  return rowCount ?? 0;
}

export async function deleteSessions(db: Queryable, userId: string, exceptId: string | null): Promise<void> {
  await db.query('delete from sessions where user_id = $1 and id is distinct from $2', [userId, exceptId]);
}

export async function deleteSessionsIn(db: Queryable, userId: string, accountId: string): Promise<void> {
  await db.query('delete from sessions where user_id = $1 and account_id = $2', [userId, accountId]);
}

/** Ends the sessions of a domain's people in an account that were not opened by single sign-on. */
export async function deleteSessionsWithoutSso(db: Queryable, accountId: string): Promise<void> {
  await db.query(
    `delete from sessions s using users u, sso_domains d
     where u.id = s.user_id and s.method <> 'sso' and d.account_id = $1
       and d.domain = lower(split_part(u.email, '@', 2))`,
    [accountId],
  );
}

/** Whether an account on the enterprise plan requires single sign-on for this email domain. */
export async function isSsoEnforced(db: Queryable, domain: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `select 1 from sso_domains d join sso_connections c using (account_id) join accounts a on a.id = d.account_id
     where d.domain = $1 and c.is_enforced and a.plan = 'enterprise'`,
    [domain],
  );
  return rowCount === 1;
}

export type Role = 'owner' | 'admin' | 'developer' | 'billing' | 'viewer';

export interface MemberRow {
  account_id: string;
  user_id: string;
  role: Role;
  created_at: Date;
  email: string;
  name: string;
  has_two_factor: boolean;
}

const MEMBERS = `select m.account_id, m.user_id, m.role, m.created_at, u.email, u.name, u.totp_enabled_at is not null as has_two_factor
  from members m join users u on u.id = m.user_id`;

export async function insertMember(
  db: Queryable,
  member: { account_id: string; user_id: string; role: Role; created_at: Date },
): Promise<void> {
  await db.query(
    `insert into members (account_id, user_id, role, created_at) values ($1, $2, $3, $4)
     on conflict (account_id, user_id) do nothing`,
    [member.account_id, member.user_id, member.role, member.created_at],
  );
}

export async function findMember(db: Queryable, accountId: string, userId: string): Promise<MemberRow | undefined> {
  const { rows } = await db.query<MemberRow>(`${MEMBERS} where m.account_id = $1 and m.user_id = $2`, [
    accountId,
    userId,
  ]);
  return rows[0];
}

export async function listMembers(db: Queryable, accountId: string): Promise<MemberRow[]> {
  const { rows } = await db.query<MemberRow>(`${MEMBERS} where m.account_id = $1 order by m.created_at, m.user_id`, [
    accountId,
  ]);
  return rows;
}

export interface MembershipRow {
  account_id: string;
  account_name: string;
  role: Role;
}

export async function listMemberships(db: Queryable, userId: string): Promise<MembershipRow[]> {
  const { rows } = await db.query<MembershipRow>(
    `select m.account_id, a.name as account_name, m.role from members m join accounts a on a.id = m.account_id
     where m.user_id = $1 order by m.created_at, m.account_id`,
    [userId],
  );
  return rows;
}

/** Locks every membership of the account, so that two changes cannot remove the last owner together. */
export async function lockMembers(db: Queryable, accountId: string): Promise<{ user_id: string; role: Role }[]> {
  const { rows } = await db.query(
    'select user_id, role from members where account_id = $1 order by user_id for update',
    [accountId],
  );
  return rows;
}

export async function updateMember(db: Queryable, accountId: string, userId: string, role: Role): Promise<void> {
  await db.query('update members set role = $3 where account_id = $1 and user_id = $2', [accountId, userId, role]);
}

export async function deleteMember(db: Queryable, accountId: string, userId: string): Promise<void> {
  await db.query('delete from members where account_id = $1 and user_id = $2', [accountId, userId]);
}

export interface InvitationRow {
  id: string;
  account_id: string;
  email: string;
  email_normalized: string;
  role: Exclude<Role, 'owner'>;
  invited_by: string;
  created_at: Date;
  expires_at: Date;
  accepted_at: Date | null;
  revoked_at: Date | null;
}

const INVITATION_COLUMNS =
  'id, account_id, email, email_normalized, role, invited_by, created_at, expires_at, accepted_at, revoked_at';

export async function insertInvitation(db: Queryable, invitation: InvitationRow, digest: Buffer): Promise<void> {
  await db.query(
    `insert into invitations
       (id, account_id, email, email_normalized, role, invited_by, created_at, expires_at, digest)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      invitation.id,
      invitation.account_id,
      invitation.email,
      invitation.email_normalized,
      invitation.role,
      invitation.invited_by,
      invitation.created_at,
      invitation.expires_at,
      digest,
    ],
  );
}

export async function listOpenInvitations(db: Queryable, accountId: string, now: Date): Promise<InvitationRow[]> {
  const { rows } = await db.query<InvitationRow>(
    `select ${INVITATION_COLUMNS} from invitations
     where account_id = $1 and accepted_at is null and revoked_at is null and expires_at > $2 order by created_at, id`,
    [accountId, now],
  );
  return rows;
}

export async function revokeInvitation(db: Queryable, accountId: string, id: string, now: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `update invitations set revoked_at = $3
     where account_id = $1 and id = $2 and accepted_at is null and revoked_at is null`,
    [accountId, id, now],
  );
  return rowCount === 1;
}

/** The links of earlier invitations of this account to this mailbox stop working. */
export async function replaceInvitations(
  db: Queryable,
  accountId: string,
  emailNormalized: string,
  now: Date,
): Promise<void> {
  await db.query(
    `update invitations set revoked_at = $3
     where account_id = $1 and email_normalized = $2 and accepted_at is null and revoked_at is null`,
    [accountId, emailNormalized, now],
  );
}

export async function revokeInvitationsTo(db: Queryable, emailNormalized: string, now: Date): Promise<void> {
  await db.query(
    `update invitations set revoked_at = $2
     where email_normalized = $1 and accepted_at is null and revoked_at is null`,
    [emailNormalized, now],
  );
}

export async function findInvitation(db: Queryable, digest: Buffer, now: Date): Promise<InvitationRow | undefined> {
  const { rows } = await db.query<InvitationRow>(
    `select ${INVITATION_COLUMNS} from invitations
     where digest = $1 and accepted_at is null and revoked_at is null and expires_at > $2`,
    [digest, now],
  );
  return rows[0];
}

/** The invitation, once. */
export async function takeInvitation(db: Queryable, digest: Buffer, now: Date): Promise<InvitationRow | undefined> {
  const { rows } = await db.query<InvitationRow>(
    `update invitations set accepted_at = $2
     where digest = $1 and accepted_at is null and revoked_at is null and expires_at > $2 returning ${INVITATION_COLUMNS}`,
    [digest, now],
  );
  return rows[0];
}
