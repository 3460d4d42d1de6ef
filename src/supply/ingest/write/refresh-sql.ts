// Queries for refreshes: when each dataset was last checked, and the result of every check.
import { ADVISORY_LOCKS } from '../../../base/db/advisory-locks.ts';
import { announceCatalog } from '../../../base/db/catalog-news.ts';
import type { Client, Queryable } from '../../../base/db/postgres.ts';
import { changeRows, getValue, joined, listRows, part, raw, type Part } from '../../../base/db/statements.ts';
import { CADENCE_DAYS, DAY_MS } from '../../../base/lib/clock.ts';
import type { LastLook } from '../cadence.ts';

export interface LookRow extends LastLook {
  sourceId: string;
  /** Why the last check failed; null if it did not. */
  error: string | null;
}

/** One cutoff date per cadence, so the planner knows that few rows match and uses the index. */
function isLate(now: Date): Part {
  const ofCadence = Object.entries(CADENCE_DAYS).map(([cadence, days]) => {
    const before = new Date(now.getTime() - days * DAY_MS);
    return part`select id from sources where cadence = ${cadence} and current_at <= ${before}`;
  });
  return part`and s.id = any(array(${joined(ofCadence, ' union all ')}))`;
}

/** Every dataset ever loaded from files, except those of a frozen market, which has no new editions. With a time, only
    those that should have had an edition by then. */
export const listLooks = (db: Queryable, now?: Date) =>
  listRows<LookRow>(db)`
    select s.id as "sourceId", s.cadence, s.current_at as "checkedAt", coalesce(f.failures, 0)::int as failures,
      f.at as "failedAt", f.error
    from sources s
    left join lateral (
      select count(*) as failures, max(finished_at) as at, (array_agg(error order by id desc))[1] as error
      from refreshes r where source_id = s.id and outcome = 'failed' and finished_at >= s.current_at
        and not exists (select 1 from refreshes n where n.source_id = s.id and n.id > r.id and n.outcome <> 'failed')
    ) f on true
    where exists (
      select 1 from loads l left join markets m on m.id = l.market
      where l.source_id = s.id and l.state = 'completed' and l.files <> '[]' and m.frozen_on is null
    )
    ${now === undefined ? raw('') : isLate(now)}
    order by s.id`;

export interface RefreshRow {
  sourceId: string;
  startedAt: Date;
  finishedAt: Date;
  outcome: 'updated' | 'unchanged' | 'failed';
  loadId: number | null;
  rowsRead: number;
  /** Counts by kind of record: `{ "transactions": { "inserted": 3 } }`. */
  changes: Record<string, Record<string, number>>;
  error: string | null;
}

export async function insertRefresh(db: Queryable, row: RefreshRow): Promise<void> {
  await changeRows(db)`
    insert into refreshes (source_id, started_at, finished_at, outcome, load_id, rows_read, changes, error)
    values (${row.sourceId}, ${row.startedAt}, ${row.finishedAt}, ${row.outcome}, ${row.loadId}, ${row.rowsRead}, ${row.changes}, ${row.error})`;
  await announceCatalog(db);
}

/** Undefined if another process is refreshing. */
export async function holdRefresh<Result>(client: Client, work: () => Promise<Result>): Promise<Result | undefined> {
  const key = part`${ADVISORY_LOCKS.refresh}::bigint`;
  if (!(await getValue<boolean>(client)`select pg_try_advisory_lock(${key})`)) return undefined;
  try {
    return await work();
  } finally {
    await changeRows(client)`select pg_advisory_unlock(${key})`.catch(() => {});
  }
}
