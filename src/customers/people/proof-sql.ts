// Every query of identity proofs: pending sign-ups, links, counted tries, recovery codes, passkeys.
import type { Queryable } from '../../base/db/postgres.ts';
import { insertRow, replaceRow } from '../../base/db/rows.ts';
import { changeRows, findRow, getValue, listRows, raw } from '../../base/db/statements.ts';
import { USER, type UserRow } from './sql.ts';
import type { Passkey } from './schema.ts';
import type { Stored } from '../../base/lib/schema.ts';

const DAY = raw(`interval '1 day'`);

/** Deletes expired sessions, links and challenges, and counts of an earlier day. */
export async function deleteExpired(db: Queryable, now: Date): Promise<void> {
  for (const table of ['sessions', 'sign_ups', 'reset_links', 'passkey_challenges', 'sso_sign_ins']) {
    await changeRows(db)`delete from ${raw(table)} where expires_at < ${now}`;
  }
  await changeRows(db)`delete from sign_in_attempts where last_at < ${now}::timestamptz - ${DAY}`;
  await changeRows(db)`delete from action_counts where window_start < ${now}::timestamptz - ${DAY}`;
}

export interface SignUpRow extends Pick<UserRow, 'email_normalized' | 'email' | 'name' | 'company' | 'created_at'> {
  password_hash: string;
  digest: Buffer;
  browser_digest: Buffer;
  expires_at: Date;
}

const SIGN_UP = raw(
  'email_normalized, email, name, company, password_hash, digest, browser_digest, created_at, expires_at',
);

/** One per mailbox: the link of an earlier sign-up stops working. */
export const replaceSignUp = (db: Queryable, row: SignUpRow) => replaceRow(db, 'sign_ups', 'email_normalized', row);

export const findSignUp = (db: Queryable, digest: Buffer, now: Date) =>
  findRow<SignUpRow>(db)`select ${SIGN_UP} from sign_ups where digest = ${digest} and expires_at > ${now}`;

/** 1 once, then 0. */
export const takeSignUp = (db: Queryable, digest: Buffer, now: Date) =>
  changeRows(db)`delete from sign_ups where digest = ${digest} and expires_at > ${now}`;

export const deleteSignUp = (db: Queryable, emailNormalized: string) =>
  changeRows(db)`delete from sign_ups where email_normalized = ${emailNormalized}`;

/** One per user: an earlier link stops working. */
export const replaceResetLink = (db: Queryable, link: { user_id: string; digest: Buffer; expires_at: Date }) =>
  replaceRow(db, 'reset_links', 'user_id', link);

export const findResetLink = (db: Queryable, digest: Buffer, now: Date) =>
  findRow<UserRow>(db)`select ${USER} from users
    where id = (select user_id from reset_links where digest = ${digest} and expires_at > ${now})`;

/** 1 once, then 0. */
export const takeResetLink = (db: Queryable, digest: Buffer, now: Date) =>
  changeRows(db)`delete from reset_links where digest = ${digest} and expires_at > ${now}`;

export const deleteResetLink = (db: Queryable, userId: string) =>
  changeRows(db)`delete from reset_links where user_id = ${userId}`;

/** Takes one attempt, unless the subject is locked; returns 1 or 0. Taking the fifth locks, so no sixth runs in
    parallel; from then on each attempt doubles the lock, up to an hour. A day without attempts resets it. */
export const takeAttempt = (db: Queryable, subject: Buffer, now: Date) =>
  changeRows(db)`insert into sign_in_attempts as a (subject, attempts, locked_until, last_at)
    values (${subject}, 1, null, ${now})
    on conflict (subject) do update set
      attempts = case when a.last_at < excluded.last_at - ${DAY} then 1 else a.attempts + 1 end,
      locked_until = case
        when a.last_at < excluded.last_at - ${DAY} or a.attempts + 1 < 5 then null
        else excluded.last_at + interval '1 minute' * least(60, 2 ^ least(a.attempts - 4, 10))
      end,
      last_at = excluded.last_at
    where a.locked_until is null or a.locked_until <= excluded.last_at`;

export async function findLock(db: Queryable, subject: Buffer): Promise<Date | undefined> {
  const found = await findRow<{ locked_until: Date | null }>(db)`select locked_until from sign_in_attempts
    where subject = ${subject}`;
  return found?.locked_until ?? undefined;
}

export const returnAttempt = (db: Queryable, subject: Buffer) =>
  changeRows(db)`update sign_in_attempts set attempts = greatest(attempts - 1, 0), locked_until = null
    where subject = ${subject}`;

export const clearAttempts = (db: Queryable, subject: Buffer) =>
  changeRows(db)`delete from sign_in_attempts where subject = ${subject}`;

/** How often it was done in this window, this time included. */
export const countAction = (db: Queryable, subject: Buffer, windowStart: Date) =>
  getValue<number>(db)`insert into action_counts as c (subject, window_start, count)
    values (${subject}, ${windowStart}, 1)
    on conflict (subject, window_start) do update set count = c.count + 1 returning count`;

export async function replaceRecoveryCodes(db: Queryable, userId: string, digests: Buffer[]): Promise<void> {
  await changeRows(db)`delete from recovery_codes where user_id = ${userId}`;
  await changeRows(db)`insert into recovery_codes (user_id, digest) select ${userId}, unnest(${digests}::bytea[])`;
}

/** 1 once, then 0. */
export const takeRecoveryCode = (db: Queryable, userId: string, digest: Buffer, now: Date) =>
  changeRows(db)`update recovery_codes set used_at = ${now}
    where user_id = ${userId} and digest = ${digest} and used_at is null`;

export interface PasskeyRow extends Stored<typeof Passkey> {
  user_id: string;
  credential_id: string;
  public_key: Buffer;
  counter: number;
  transports: string[];
}

const PASSKEY = raw(
  'id, user_id, credential_id, public_key, counter, transports, is_backed_up, name, created_at, last_used_at',
);

/** False when the credential is registered already. */
export const insertPasskey = (db: Queryable, row: PasskeyRow) =>
  insertRow(db, 'passkeys', row, 'on conflict (credential_id) do nothing');

export const listPasskeys = (db: Queryable, userId: string) =>
  listRows<PasskeyRow>(db)`select ${PASSKEY} from passkeys where user_id = ${userId} order by created_at, id`;

export const lockPasskey = (db: Queryable, credentialId: string) =>
  findRow<PasskeyRow>(db)`select ${PASSKEY} from passkeys where credential_id = ${credentialId} for update`;

export const usePasskey = (
  db: Queryable,
  id: string,
  { counter, isBackedUp, now }: { counter: number; isBackedUp: boolean; now: Date },
) =>
  changeRows(db)`update passkeys set counter = ${counter}, is_backed_up = ${isBackedUp}, last_used_at = ${now}
    where id = ${id}`;

export const renamePasskey = (db: Queryable, userId: string, id: string, name: string) =>
  changeRows(db)`update passkeys set name = ${name} where user_id = ${userId} and id = ${id}`;

export const deletePasskey = (db: Queryable, userId: string, id: string) =>
  changeRows(db)`delete from passkeys where user_id = ${userId} and id = ${id}`;

export const insertChallenge = (db: Queryable, row: { challenge: string; user_id: string | null; expires_at: Date }) =>
  insertRow(db, 'passkey_challenges', row);

/** 1 once, then 0. */
export const takeChallenge = (db: Queryable, challenge: string, userId: string | null, now: Date) =>
  changeRows(db)`delete from passkey_challenges
    where challenge = ${challenge} and user_id is not distinct from ${userId} and expires_at > ${now}`;
