// Every query of what proves who somebody is: pending sign-ups, links, counted tries, recovery codes, passkeys.
import type { Queryable } from '../../base/db/postgres.ts';
import { USER_COLUMNS, type UserRow } from './sql.ts';

const DAY = `interval '1 day'`;

/** What has run out and serves no more: sessions, links, challenges, counts. */
export async function deleteExpired(db: Queryable, now: Date): Promise<void> {
  for (const table of ['sessions', 'sign_ups', 'reset_links', 'passkey_challenges', 'sso_sign_ins']) {
    await db.query(`delete from ${table} where expires_at < $1`, [now]);
  }
  await db.query(`delete from sign_in_attempts where last_at < $1::timestamptz - ${DAY}`, [now]);
  await db.query(`delete from action_counts where window_start < $1::timestamptz - ${DAY}`, [now]);
}

export interface SignUpRow {
  email_normalized: string;
  email: string;
  name: string;
  company: string | null;
  password_hash: string;
  digest: Buffer;
  browser_digest: Buffer;
  created_at: Date;
  expires_at: Date;
}

const SIGN_UP_COLUMNS =
  'email_normalized, email, name, company, password_hash, digest, browser_digest, created_at, expires_at';

/** One per mailbox: the link of an earlier sign-up stops working. */
export async function replaceSignUp(db: Queryable, row: SignUpRow): Promise<void> {
  await db.query(
    `insert into sign_ups (${SIGN_UP_COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (email_normalized) do update set email = $2, name = $3, company = $4, password_hash = $5, digest = $6,
       browser_digest = $7, created_at = $8, expires_at = $9`,
    [
      row.email_normalized,
      row.email,
      row.name,
      row.company,
      row.password_hash,
      row.digest,
      row.browser_digest,
      row.created_at,
      row.expires_at,
    ],
  );
}

export async function findSignUp(db: Queryable, digest: Buffer, now: Date): Promise<SignUpRow | undefined> {
  const { rows } = await db.query<SignUpRow>(
    `select ${SIGN_UP_COLUMNS} from sign_ups where digest = $1 and expires_at > $2`,
    [digest, now],
  );
  return rows[0];
}

/** True once. */
export async function takeSignUp(db: Queryable, digest: Buffer, now: Date): Promise<boolean> {
  const { rowCount } = await db.query('delete from sign_ups where digest = $1 and expires_at > $2', [digest, now]);
  return rowCount === 1;
}

export async function deleteSignUp(db: Queryable, emailNormalized: string): Promise<void> {
  await db.query('delete from sign_ups where email_normalized = $1', [emailNormalized]);
}

/** One per user: an earlier link stops working. */
export async function replaceResetLink(
  db: Queryable,
  link: { user_id: string; digest: Buffer; expires_at: Date },
): Promise<void> {
  await db.query(
    `insert into reset_links (user_id, digest, expires_at) values ($1, $2, $3)
     on conflict (user_id) do update set digest = $2, expires_at = $3`,
    [link.user_id, link.digest, link.expires_at],
  );
}

export async function findResetLink(db: Queryable, digest: Buffer, now: Date): Promise<UserRow | undefined> {
  const { rows } = await db.query<UserRow>(
    `select ${USER_COLUMNS} from users
     where id = (select user_id from reset_links where digest = $1 and expires_at > $2)`,
    [digest, now],
  );
  return rows[0];
}

/** True once. */
export async function takeResetLink(db: Queryable, digest: Buffer, now: Date): Promise<boolean> {
  const { rowCount } = await db.query('delete from reset_links where digest = $1 and expires_at > $2', [digest, now]);
  return rowCount === 1;
}

export async function deleteResetLink(db: Queryable, userId: string): Promise<void> {
  await db.query('delete from reset_links where user_id = $1', [userId]);
}

/**
 * Takes one try, unless the subject is locked. The fifth one locks as it is taken, so that no sixth is judged beside it;
 * from then on each try locks for twice as long, up to an hour. A day without tries starts over.
 */
export async function takeAttempt(db: Queryable, subject: Buffer, now: Date): Promise<boolean> {
  const isStale = `a.last_at < $2::timestamptz - ${DAY}`;
  const { rowCount } = await db.query(
    `insert into sign_in_attempts as a (subject, attempts, locked_until, last_at) values ($1, 1, null, $2)
     on conflict (subject) do update set
       attempts = case when ${isStale} then 1 else a.attempts + 1 end,
       locked_until = case
         when ${isStale} or a.attempts + 1 < 5 then null
         else $2::timestamptz + interval '1 minute' * least(60, 2 ^ least(a.attempts - 4, 10))
       end,
       last_at = $2
     where a.locked_until is null or a.locked_until <= $2`,
    [subject, now],
  );
  return rowCount === 1;
}

export async function findLock(db: Queryable, subject: Buffer): Promise<Date | undefined> {
  const { rows } = await db.query<{ locked_until: Date | null }>(
    'select locked_until from sign_in_attempts where subject = $1',
    [subject],
  );
  return rows[0]?.locked_until ?? undefined;
}

export async function returnAttempt(db: Queryable, subject: Buffer): Promise<void> {
  await db.query(
    'update sign_in_attempts set attempts = greatest(attempts - 1, 0), locked_until = null where subject = $1',
    [subject],
  );
}

export async function clearAttempts(db: Queryable, subject: Buffer): Promise<void> {
  await db.query('delete from sign_in_attempts where subject = $1', [subject]);
}

/** How often it was done in this window, this time included. */
export async function countAction(db: Queryable, subject: Buffer, windowStart: Date): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `insert into action_counts as c (subject, window_start, count) values ($1, $2, 1)
     on conflict (subject, window_start) do update set count = c.count + 1 returning count`,
    [subject, windowStart],
  );
  return rows[0].count;
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

export interface PasskeyRow {
  id: string;
  user_id: string;
  credential_id: string;
  public_key: Buffer;
  counter: number;
  transports: string[];
  is_backed_up: boolean;
  name: string;
  created_at: Date;
  last_used_at: Date | null;
}

const PASSKEY_COLUMNS =
  'id, user_id, credential_id, public_key, counter, transports, is_backed_up, name, created_at, last_used_at';

/** False when the credential is registered already. */
export async function insertPasskey(db: Queryable, row: PasskeyRow): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into passkeys (${PASSKEY_COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (credential_id) do nothing`,
    [
      row.id,
      row.user_id,
      row.credential_id,
      row.public_key,
      row.counter,
      row.transports,
      row.is_backed_up,
      row.name,
      row.created_at,
      row.last_used_at,
    ],
  );
  return rowCount === 1;
}

export async function listPasskeys(db: Queryable, userId: string): Promise<PasskeyRow[]> {
  const { rows } = await db.query<PasskeyRow>(
    `select ${PASSKEY_COLUMNS} from passkeys where user_id = $1 order by created_at, id`,
    [userId],
  );
  return rows;
}

export async function lockPasskey(db: Queryable, credentialId: string): Promise<PasskeyRow | undefined> {
  const { rows } = await db.query<PasskeyRow>(
    `select ${PASSKEY_COLUMNS} from passkeys where credential_id = $1 for update`,
    [credentialId],
  );
  return rows[0];
}

export async function usePasskey(
  db: Queryable,
  id: string,
  { counter, isBackedUp, now }: { counter: number; isBackedUp: boolean; now: Date },
): Promise<void> {
  await db.query('update passkeys set counter = $2, is_backed_up = $3, last_used_at = $4 where id = $1', [
    id,
    counter,
    isBackedUp,
    now,
  ]);
}

export async function renamePasskey(db: Queryable, userId: string, id: string, name: string): Promise<boolean> {
  const { rowCount } = await db.query('update passkeys set name = $3 where user_id = $1 and id = $2', [
    userId,
    id,
    name,
  ]);
  return rowCount === 1;
}

export async function deletePasskey(db: Queryable, userId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from passkeys where user_id = $1 and id = $2', [userId, id]);
  return rowCount === 1;
}

export async function insertChallenge(
  db: Queryable,
  row: { challenge: string; user_id: string | null; expires_at: Date },
): Promise<void> {
  await db.query('insert into passkey_challenges (challenge, user_id, expires_at) values ($1, $2, $3)', [
    row.challenge,
    row.user_id,
    row.expires_at,
  ]);
}

/** True once. */
export async function takeChallenge(
  db: Queryable,
  challenge: string,
  userId: string | null,
  now: Date,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `delete from passkey_challenges
     where challenge = $1 and user_id is not distinct from $2 and expires_at > $3`,
    [challenge, userId, now],
  );
  return rowCount === 1;
}
