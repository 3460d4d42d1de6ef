// Queries of what requests asked and were answered.
import type { KeyMode } from '../accounts/key-format.ts';
import type { Queryable } from '../../base/db/postgres.ts';
import { changeRows, findValue } from '../../base/db/statements.ts';

interface DetailRow {
  accountId: string;
  requestId: string;
  mode: KeyMode;
  at: Date;
  sealed: Buffer;
}

/** A caller who sends the same request id again keeps the newer one. */
export const insertDetail = (db: Queryable, { accountId, requestId, mode, at, sealed }: DetailRow) =>
  changeRows(db)`
    insert into request_details (account_id, request_id, mode, at, sealed) values (${accountId}, ${requestId}, ${mode}, ${at}, ${sealed})
    on conflict (account_id, request_id) do update
      set mode = excluded.mode, at = excluded.at, sealed = excluded.sealed`;

export const findDetail = (
  db: Queryable,
  { accountId, requestId, mode }: Pick<DetailRow, 'accountId' | 'requestId' | 'mode'>,
  since: Date,
) =>
  findValue<Buffer>(db)`
    select sealed from request_details where account_id = ${accountId} and request_id = ${requestId} and mode = ${mode} and at >= ${since}`;

/** Deletes details older than a day, and all but the newest of each account and mode. */
export async function deleteDetails(
  db: Queryable,
  { before, mostPerAccount }: { before: Date; mostPerAccount: number },
): Promise<void> {
  await changeRows(db)`delete from request_details where at < ${before}`;
  await changeRows(db)`delete from request_details d using (
      select account_id, request_id, row_number() over (partition by account_id, mode order by at desc) as place
      from request_details
    ) ranked
    where ranked.place > ${mostPerAccount} and d.account_id = ranked.account_id and d.request_id = ranked.request_id`;
}
