// Queries of idempotency keys.
import type { Queryable } from '../../base/db/postgres.ts';
import { changeRows, findRow, findValue } from '../../base/db/statements.ts';

export interface KeyHolder {
  accountId: string;
  mode: 'live' | 'test' | 'session';
  key: string;
}

export interface KeptRequest {
  digest: Buffer;
  claim_id: string;
  claimed_until: Date;
  /** Null while the request is being processed. */
  status: number | null;
  /** Also null if the answer was too large to keep. */
  answer: Buffer | null;
}

interface Claim {
  digest: Buffer;
  claimId: string;
  claimedUntil: Date;
  now: Date;
  /** Older uses of a key are forgotten. */
  keptSince: Date;
}

export const findKept = (db: Queryable, { accountId, mode, key }: KeyHolder, keptSince: Date) =>
  findRow<KeptRequest>(db)`select digest, claim_id, claimed_until, status, answer from idempotent_requests
    where account_id = ${accountId} and mode = ${mode} and key = ${key} and created_at >= ${keptSince}`;

/** The id of the claim if the key was free, or if an earlier claim for the same request expired; undefined otherwise.
    The id is kept when a claim is taken over, so resources created under it can be found. */
export const claimKey = (
  db: Queryable,
  { accountId, mode, key }: KeyHolder,
  { digest, claimId, claimedUntil, now, keptSince }: Claim,
) =>
  findValue<string>(db)`
     insert into idempotent_requests as k (account_id, mode, key, digest, claim_id, claimed_until, created_at)
     values (${accountId}, ${mode}, ${key}, ${digest}, ${claimId}, ${claimedUntil}, ${now})
     on conflict (account_id, mode, key) do update
       set digest = excluded.digest, claimed_until = excluded.claimed_until, created_at = excluded.created_at,
         claim_id = case when k.created_at < ${keptSince} then excluded.claim_id else k.claim_id end,
           status = null, answer = null
       where k.created_at < ${keptSince} or (k.status is null and k.claimed_until < ${now}
         and k.digest = excluded.digest)
     returning claim_id`;

/** Does nothing if the claim expired and another request took it over; likewise below. */
export const keepAnswer = (
  db: Queryable,
  { accountId, mode, key }: KeyHolder,
  { claimedUntil, status, answer }: { claimedUntil: Date; status: number; answer: Buffer | null },
) =>
  changeRows(db)`update idempotent_requests set status = ${status}, answer = ${answer}
    where account_id = ${accountId} and mode = ${mode} and key = ${key} and claimed_until = ${claimedUntil} and status is null`;

export const endClaim = (db: Queryable, { accountId, mode, key }: KeyHolder, claimedUntil: Date) =>
  changeRows(db)`update idempotent_requests set claimed_until = '-infinity'
    where account_id = ${accountId} and mode = ${mode} and key = ${key} and claimed_until = ${claimedUntil} and status is null`;

export const releaseKey = (db: Queryable, { accountId, mode, key }: KeyHolder, claimedUntil: Date) =>
  changeRows(db)`delete from idempotent_requests
    where account_id = ${accountId} and mode = ${mode} and key = ${key} and claimed_until = ${claimedUntil} and status is null`;

export const deleteKeptBefore = (db: Queryable, before: Date) =>
  changeRows(db)`delete from idempotent_requests where created_at < ${before}`;
