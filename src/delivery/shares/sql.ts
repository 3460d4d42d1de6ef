// Queries of share links.
import type { Queryable } from '../../base/db/postgres.ts';
import { changeRows, findRow } from '../../base/db/statements.ts';
import { insertRow } from '../../base/db/rows.ts';
import type { Owner } from '../../customers/accounts/own-sql.ts';
import type { Share } from './schema.ts';
import type { Stored } from '../../base/lib/schema.ts';

export type ShareRow = Owner & Stored<typeof Share, 'status'> & { digest: Buffer };

/** A retry after a crash creates a new link, since no one has seen the first. */
export const insertShare = (db: Queryable, row: ShareRow) =>
  insertRow(db, 'shares', row, 'on conflict (id) do update set digest = excluded.digest');

export const insertPage = (
  db: Queryable,
  row: { share_id: string; page: Buffer; page_without_owners: Buffer | null },
) => insertRow(db, 'share_pages', row, 'on conflict (share_id) do nothing');

/** The share with the standing of its account. */
export const findByDigest = (db: Queryable, digest: Buffer) =>
  findRow<ShareRow & { account_status: string }>(db)`
    select s.*, a.status as account_status from shares s join accounts a on a.id = s.account_id
    where s.digest = ${digest}`;

export const findPage = (db: Queryable, shareId: string) =>
  findRow<{ page: Buffer; page_without_owners: Buffer | null }>(db)`
    select page, page_without_owners from share_pages where share_id = ${shareId}`;

export const markOpened = (db: Queryable, id: string, now: Date) =>
  changeRows(db)`update shares set last_opened_at = ${now}, opened_count = opened_count + 1 where id = ${id}`;

/** 0 if the share was already revoked. */
export const markRevoked = (db: Queryable, id: string, now: Date) =>
  changeRows(db)`update shares set revoked_at = ${now} where id = ${id} and revoked_at is null`;

export const deleteEndedBefore = (db: Queryable, before: Date) =>
  changeRows(db)`delete from shares where expires_at < ${before} or revoked_at < ${before}`;
