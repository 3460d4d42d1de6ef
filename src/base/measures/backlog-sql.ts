// Every query that measures how far behind the service is. Each uses an index on open rows, so its cost stays small.
import type { Queryable } from '../db/postgres.ts';
import { findRow, getRow, getValue, listRows } from '../db/statements.ts';

interface Backlog {
  waiting: number;
  /** When the oldest item became due; null if none is due. */
  oldest: Date | null;
}

/** Scheduling is fair across accounts, so the queue's age is the time since an account with open work was last served. */
export const findBatchBacklog = (db: Queryable, now: Date) =>
  getRow<Backlog>(db)`
    select count(*)::int as waiting, min(greatest(b.created_at, t.served_at)) as oldest
    from batches b left join batch_turns t on t.account_id = b.account_id
    where b.state in ('queued', 'running') and b.created_at <= ${now}`;

/** Excludes failing or busy endpoints: those delays are the receiver's, not ours. */
export const findDeliveryBacklog = (db: Queryable, now: Date) =>
  getRow<Backlog>(db)`
    select count(*)::int as waiting, min(d.next_attempt_at) as oldest
    from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id
    where d.status = 'pending' and d.next_attempt_at <= ${now} and e.status = 'enabled' and e.failing_since is null
      and not exists (select from webhook_deliveries b
        where b.endpoint_id = d.endpoint_id and b.status = 'pending' and b.locked_until > ${now})`;

export const findExportBacklog = (db: Queryable, now: Date) =>
  getRow<Backlog>(db)`
    select count(*)::int as waiting, min(coalesce(leased_until, run_at)) as oldest from jobs
    where name = 'export' and state in ('queued', 'running') and run_at <= ${now}
      and (leased_until is null or leased_until < ${now})`;

export const findRelayPosition = (db: Queryable) =>
  findRow<{ xid: string; seq: number }>(db)`select xid, seq from relay_positions where name = 'watchlists'`;

/** The time of the first change after a position. Null for a position from another server, which is ahead of all. */
export async function findNextChange(db: Queryable, { xid, seq }: { xid: string; seq: number }): Promise<Date | null> {
  const row = await findRow<{ occurred_at: Date }>(db)`
    select occurred_at from changes where (xid, seq) > (${xid}::xid8, ${seq}::bigint) order by xid, seq limit 1`;
  return row?.occurred_at ?? null;
}

/** Per source and market: when it was last current, and how often it failed since. A check that found nothing new
    counts like a load. The sandbox is generated here and never stale. */
export const listSourceAges = (db: Queryable) =>
  listRows<{ market: string; source: string; cadence: string | null; last_load: Date | null; failed: number }>(
    db,
  )`with successes as (
      select source_id, coalesce(market, '') as market, max(id) as id from loads where state = 'completed' group by 1, 2
    ), failed_looks as (
      select source_id, count(*)::int as failed from refreshes r where outcome = 'failed' and not exists
        (select from refreshes k where k.source_id = r.source_id and k.outcome <> 'failed' and k.id > r.id) group by 1
    )
    select coalesce(l.market, '') as market, l.source_id as source, s.cadence, s.current_at as last_load,
      greatest((count(*) filter (where l.state = 'failed' and l.id > coalesce(c.id, 0)))::int,
        coalesce(max(f.failed), 0)) as failed
    from loads l join sources s on s.id = l.source_id
    left join successes c on c.source_id = l.source_id and c.market = coalesce(l.market, '')
    left join failed_looks f on f.source_id = l.source_id
    where not exists (select from markets m where m.id = l.market and m.sandbox)
    group by 1, 2, 3, 4 order by 1, 2`;

export const hasLookedSince = async (db: Queryable, since: Date) =>
  await getValue<boolean>(db)`
    select exists (select from loads where finished_at >= ${since}) or exists (select from refreshes where finished_at >= ${since})`;

export const countPayments = (db: Queryable, since: Date) =>
  listRows<{ status: string; count: number }>(db)`select s.status, count(p.id)::int as count
    from unnest(array['started', 'pending', 'succeeded', 'declined']) as s (status)
    left join payments p on p.status = s.status and p.at >= ${since}
      and not exists (select from accounts a where a.id = p.account_id and a.clock_at is not null) group by 1`;

export const countOverdueInvoices = (db: Queryable, now: Date) =>
  getValue<number>(db)`
    select count(*)::int as count from invoices i join accounts a on a.id = i.account_id and a.clock_at is null
    where i.status = 'open' and i.due_at < ${now}`;
