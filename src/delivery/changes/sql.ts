// Queries of the change feed. Readers page by (transaction, sequence), and only below the oldest transaction still
// running, because paging by sequence alone would skip a row whose transaction commits late.
import type { ChangeRow } from '../../records/properties/sql.ts';
import { FINAL_BELOW } from '../../base/db/epochs.ts';
import type { Queryable } from '../../base/db/postgres.ts';
import { findRow, getValue, listRows, raw } from '../../base/db/statements.ts';

/** A position in the feed's order, in any epoch. */
export interface Place {
  /** A transaction id; eventually too large for a JavaScript number. */
  xid: string;
  seq: number;
}

export interface FeedRow extends ChangeRow {
  xid: string;
  market: string;
}

export const listAfter = (db: Queryable, place: Place, markets: string[] | undefined, limit: number) =>
  listRows<FeedRow>(db)`
     select fips, seq, xid::text as xid, property_id, market, kind, op, changed_fields, before, after, occurred_at
     from changes
     where (xid, seq) > (${place.xid}::xid8, ${place.seq}::bigint) and xid < ${raw(FINAL_BELOW)}
       and (${markets}::text[] is null or market = any(${markets}))
     order by changes.xid, changes.seq limit ${limit}`;

/** For every property that changed between two positions, its last change there; each property appears once. */
export const listLastChanges = (
  db: Queryable,
  { after, before, markets, limit }: { after: Place; before: Place; markets: string[]; limit: number },
) =>
  listRows<Place & { property_id: string }>(db)`select xid::text as xid, seq, property_id from changes
     where (xid, seq) > (${after.xid}::xid8, ${after.seq}::bigint) and xid < ${before.xid}::xid8
       and market = any(${markets})
       and not exists (
         select from changes later
         where later.fips = changes.fips and later.property_id = changes.property_id
           and (later.xid, later.seq) > (changes.xid, changes.seq) and later.xid < ${before.xid}::xid8)
     order by changes.xid, changes.seq limit ${limit}`;

/** All changes before it are committed, and all later ones are still to be read. Sequences start at 1. */
export async function readEnd(db: Queryable): Promise<Place> {
  return { xid: await getValue<string>(db)`select (${raw(FINAL_BELOW)})::text`, seq: 0 };
}

/** Just before the first change of these markets at or after an instant. */
export const findStart = (db: Queryable, since: Date, markets: string[]) =>
  findRow<Place>(db)`
    with recent as materialized (select xid, seq from changes where occurred_at >= ${since} and market = any(${markets}))
    select xid::text as xid, seq - 1 as seq from recent order by recent.xid, recent.seq limit 1`;
