// Every query of users, sessions, mail tokens, members and invitations.
import type { Queryable } from '../db/postgres.ts';

export interface UserRow {
  id: string;
  email: string;
  email_normalized: string;
  name: string;
  company: string | null;
  password_hash: string;
  verified_at: Date | null;
  totp_secret: Buffer | null;
  totp_enabled_at: Date | null;
  totp_last_step: number;
  failed_attempts: number;
  locked_until: Date | null;
  created_at: Date;
}

const USER_COLUMNS = `id, email, email_normalized, name, company, password_hash, verified_at, totp_secret, totp_enabled_at,
  totp_last_step, failed_attempts, locked_until, created_at`;

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
    `update users set email = $2, name = $3, password_hash = $4, verified_at = $5, totp_secret = $6, totp_enabled_at = $7,
       totp_last_step = $8, failed_attempts = $9, locked_until = $10 where id = $1`,
    [
      user.id,
      user.email,
      user.name,
      user.password_hash,
      user.verified_at,
      user.totp_secret,
      user.totp_enabled_at,
      user.totp_last_step,
      user.failed_attempts,
      user.locked_until,
    ],
  );
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
}

const SESSION_COLUMNS = 'id, user_id, account_id, created_at, last_seen_at, expires_at, ip, user_agent';

export async function insertSession(db: Queryable, session: SessionRow, digest: Buffer): Promise<void> {
  await db.query(`insert into sessions (${SESSION_COLUMNS}, digest) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, [
    session.id,
    session.user_id,
    session.account_id,
    session.created_at,
    session.last_seen_at,
    session.expires_at,
    session.ip,
    session.user_agent,
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

export async function deleteExpiredSessions(db: Queryable, now: Date): Promise<void> {
  await db.query('delete from sessions where expires_at < $1', [now]);
  await db.query('delete from mail_tokens where expires_at < $1', [now]);
}

export async function insertMailToken(
  db: Queryable,
  token: { digest: Buffer; user_id: string; purpose: 'verify' | 'reset'; expires_at: Date },
): Promise<void> {
  await db.query('insert into mail_tokens (digest, user_id, purpose, expires_at) values ($1, $2, $3, $4)', [
    token.digest,
    token.user_id,
    token.purpose,
    token.expires_at,
  ]);
}

/** The user a token belongs to, once. */
export async function takeMailToken(
  db: Queryable,
  digest: Buffer,
  purpose: 'verify' | 'reset',
  now: Date,
): Promise<string | undefined> {
  const { rows } = await db.query<{ user_id: string }>(
    `update mail_tokens set used_at = $3 where digest = $1 and purpose = $2 and used_at is null and expires_at > $3
     returning user_id`,
    [digest, purpose, now],
  );
  return rows[0]?.user_id;
}

export async function replaceRecoveryCodes(db: Queryable, userId: string, digests: Buffer[]): Promise<void> {
  await db.query('delete from recovery_codes where user_id = $1', [userId]);
  await db.query('insert into recovery_codes (user_id, digest) select $1, unnest($2::bytea[])', [userId, digests]);
}

export async function takeRecoveryCode(db: Queryable, userId: string, digest: Buffer, now: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    'update recovery_codes set used_at = $3 where user_id = $1 and digest = $2 and used_at is null',
    [userId, digest, now],
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
  role: Exclude<Role, 'owner'>;
  invited_by: string;
  created_at: Date;
  expires_at: Date;
  accepted_at: Date | null;
  revoked_at: Date | null;
}

const INVITATION_COLUMNS = 'id, account_id, email, role, invited_by, created_at, expires_at, accepted_at, revoked_at';

export async function insertInvitation(db: Queryable, invitation: InvitationRow, digest: Buffer): Promise<void> {
  await db.query(
    `insert into invitations (id, account_id, email, role, invited_by, created_at, expires_at, digest)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      invitation.id,
      invitation.account_id,
      invitation.email,
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

export async function takeInvitation(db: Queryable, digest: Buffer, now: Date): Promise<InvitationRow | undefined> {
  const { rows } = await db.query<InvitationRow>(
    `update invitations set accepted_at = $2
     where digest = $1 and accepted_at is null and revoked_at is null and expires_at > $2 returning ${INVITATION_COLUMNS}`,
    [digest, now],
  );
  return rows[0];
}
