// Every query of idempotency keys.
import type { Queryable } from '../../base/db/postgres.ts';

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
  /** Null as well if the answer was too large to keep. */
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

export async function findKept(
  db: Queryable,
  { accountId, mode, key }: KeyHolder,
  keptSince: Date,
): Promise<KeptRequest | undefined> {
  const { rows } = await db.query<KeptRequest>(
    `select digest, claim_id, claimed_until, status, answer from idempotent_requests
     where account_id = $1 and mode = $2 and key = $3 and created_at >= $4`,
    [accountId, mode, key, keptSince],
  );
  return rows[0];
}

/**
 * The id of the claim if the key was free, or if whoever claimed it for the same request died; undefined otherwise. The
 * id stays the same when a claim is taken over, so that what the first one made can be found.
 */
export async function claimKey(
  db: Queryable,
  { accountId, mode, key }: KeyHolder,
  { digest, claimId, claimedUntil, now, keptSince }: Claim,
): Promise<string | undefined> {
  const { rows } = await db.query<{ claim_id: string }>(
    `insert into idempotent_requests as k (account_id, mode, key, digest, claim_id, claimed_until, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (account_id, mode, key) do update
       set digest = excluded.digest, claimed_until = excluded.claimed_until, created_at = excluded.created_at,
         claim_id = case when k.created_at < $8 then excluded.claim_id else k.claim_id end, status = null, answer = null
       where k.created_at < $8 or (k.status is null and k.claimed_until < $7 and k.digest = excluded.digest)
     returning claim_id`,
    [accountId, mode, key, digest, claimId, claimedUntil, now, keptSince],
  );
  return rows[0]?.claim_id;
}

/** Does nothing if the claim ran out and another request has taken it over; likewise below. */
export async function keepAnswer(
  db: Queryable,
  { accountId, mode, key }: KeyHolder,
  { claimedUntil, status, answer }: { claimedUntil: Date; status: number; answer: Buffer | null },
): Promise<void> {
  await db.query(
    `update idempotent_requests set status = $5, answer = $6
     where account_id = $1 and mode = $2 and key = $3 and claimed_until = $4 and status is null`,
    [accountId, mode, key, claimedUntil, status, answer],
  );
}

export async function endClaim(db: Queryable, { accountId, mode, key }: KeyHolder, claimedUntil: Date): Promise<void> {
  await db.query(
    `update idempotent_requests set claimed_until = '-infinity'
     where account_id = $1 and mode = $2 and key = $3 and claimed_until = $4 and status is null`,
    [accountId, mode, key, claimedUntil],
  );
}

export async function releaseKey(
  db: Queryable,
  { accountId, mode, key }: KeyHolder,
  claimedUntil: Date,
): Promise<void> {
  await db.query(
    `delete from idempotent_requests
     where account_id = $1 and mode = $2 and key = $3 and claimed_until = $4 and status is null`,
    [accountId, mode, key, claimedUntil],
  );
}

export async function deleteKeptBefore(db: Queryable, before: Date): Promise<void> {
  await db.query('delete from idempotent_requests where created_at < $1', [before]);
}
