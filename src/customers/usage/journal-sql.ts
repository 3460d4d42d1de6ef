// Queries of what requests leave behind: the journals of the processes, and the request log they are booked into.
import type { MeterName, RetentionCutoffs } from '../accounts/plans.ts';
import type { Queryable } from '../../base/db/postgres.ts';
import type { Span } from '../../base/lib/pages.ts';

export async function insertJournal(
  db: Queryable,
  journal: { id: string; owner: string; host: string; pid: number },
  now: Date,
): Promise<void> {
  await db.query('insert into usage_journals (id, owner, host, pid, heartbeat_at) values ($1, $2, $3, $4, $5)', [
    journal.id,
    journal.owner,
    journal.host,
    journal.pid,
    now,
  ]);
}

/** Moves the offset forward; false if someone else has already booked those bytes. */
export async function advanceJournal(
  db: Queryable,
  id: string,
  { from, to, now }: { from: number; to: number; now: Date },
): Promise<boolean> {
  const { rowCount } = await db.query(
    'update usage_journals set booked_bytes = $3, heartbeat_at = $4 where id = $1 and booked_bytes = $2',
    [id, from, to, now],
  );
  return rowCount === 1;
}

export async function touchJournal(db: Queryable, id: string, now: Date): Promise<void> {
  await db.query('update usage_journals set heartbeat_at = $2 where id = $1', [id, now]);
}

/** False if it is closed already. */
export async function closeJournal(db: Queryable, id: string, now: Date): Promise<boolean> {
  const { rowCount } = await db.query('update usage_journals set closed_at = $2 where id = $1 and closed_at is null', [
    id,
    now,
  ]);
  return rowCount === 1;
}

export interface JournalRow {
  id: string;
  owner: string;
  host: string;
  pid: number;
  booked_bytes: number;
  heartbeat_at: Date;
}

export async function findJournal(db: Queryable, id: string): Promise<JournalRow | undefined> {
  const { rows } = await db.query<JournalRow>(
    'select id, owner, host, pid, booked_bytes, heartbeat_at from usage_journals where id = $1',
    [id],
  );
  return rows[0];
}

export async function listOpenJournals(db: Queryable): Promise<JournalRow[]> {
  const { rows } = await db.query<JournalRow>(
    'select id, owner, host, pid, booked_bytes, heartbeat_at from usage_journals where closed_at is null order by id',
  );
  return rows;
}

export interface RequestRow {
  request_id: string;
  account_id: string;
  key_id: string | null;
  mode: 'live' | 'test';
  at: Date;
  method: string;
  route: string;
  status: number;
  duration_ms: number;
  meter: MeterName | 'none';
  units: number;
  error_code: string | null;
}

export async function insertRequests(db: Queryable, requests: RequestRow[]): Promise<void> {
  await db.query(
    `insert into request_log (request_id, account_id, key_id, mode, at, method, route, status, duration_ms, meter, units, error_code)
     select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[], $8::int[],
       $9::real[], $10::text[], $11::int[], $12::text[])`,
    [
      requests.map((request) => request.request_id),
      requests.map((request) => request.account_id),
      requests.map((request) => request.key_id),
      requests.map((request) => request.mode),
      requests.map((request) => request.at),
      requests.map((request) => request.method),
      requests.map((request) => request.route),
      requests.map((request) => request.status),
      requests.map((request) => request.duration_ms),
      requests.map((request) => request.meter),
      requests.map((request) => request.units),
      requests.map((request) => request.error_code),
    ],
  );
}

export interface RequestFilter extends Span {
  requestId?: string;
  mode?: 'live' | 'test';
  status?: number;
  keyId?: string;
}

/** Newest first; `before` is the id of the last entry already listed. */
export async function listRequests(
  db: Queryable,
  accountId: string,
  filter: RequestFilter,
  { before, limit }: { before?: number; limit: number },
): Promise<(RequestRow & { id: number })[]> {
  const { rows } = await db.query<RequestRow & { id: number }>(
    `select id, request_id, account_id, key_id, mode, at, method, route, status, duration_ms, meter, units, error_code
     from request_log
     where account_id = $1 and ($2::bigint is null or id < $2) and ($3::text is null or request_id = $3)
       and ($4::text is null or mode = $4) and ($5::int is null or status = $5) and ($6::text is null or key_id = $6)
       and ($8::timestamptz is null or at >= $8) and ($9::timestamptz is null or at < $9)
     order by id desc limit $7`,
    [
      accountId,
      before ?? null,
      filter.requestId ?? null,
      filter.mode ?? null,
      filter.status ?? null,
      filter.keyId ?? null,
      limit,
      filter.since ?? null,
      filter.until ?? null,
    ],
  );
  return rows;
}

export async function deleteOldRequests(db: Queryable, cuts: RetentionCutoffs): Promise<number> {
  const { rowCount } = await db.query(
    `delete from request_log r using accounts a, unnest($1::text[], $2::text[], $3::timestamptz[]) as k (plan, mode, before)
     where r.at < $4 and a.id = r.account_id and k.plan = a.plan and k.mode = r.mode and r.at < k.before`,
    [cuts.plans, cuts.modes, cuts.befores, cuts.latest],
  );
  return rowCount ?? 0;
}
