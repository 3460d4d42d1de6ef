// Every query of the authorization server and of the grants that people have given to apps.
import type { Queryable } from '../../base/db/postgres.ts';
import { insertRow } from '../../base/db/rows.ts';
import { changeRow, changeRows, findRow, hasRow, listRows } from '../../base/db/statements.ts';
import type { KeyMode } from '../accounts/key-format.ts';
import type { Scope } from '../accounts/scopes.ts';
import { KEY_CHANNEL } from '../accounts/sql.ts';
import type { Role } from '../people/sql.ts';

export interface RecordRow {
  model: string;
  digest: Buffer;
  grant_id: string | null;
  uid: string | null;
  payload: Buffer;
  created_at: Date;
  consumed_at: Date | null;
  expires_at: Date;
}

export const saveRecord = (db: Queryable, row: RecordRow) =>
  insertRow(
    db,
    'oauth_records',
    row,
    `on conflict (model, digest) do update set grant_id = excluded.grant_id, uid = excluded.uid,
       payload = excluded.payload, expires_at = greatest(oauth_records.expires_at, excluded.expires_at)`,
  );

export const findRecord = (db: Queryable, model: string, digest: Buffer, now: Date) =>
  findRow<RecordRow>(db, 'find_oauth_record')`
    select * from oauth_records where model = ${model} and digest = ${digest} and expires_at > ${now}`;

export const findRecordByUid = (db: Queryable, model: string, uid: string, now: Date) =>
  findRow<RecordRow>(db)`
    select * from oauth_records where model = ${model} and uid = ${uid} and expires_at > ${now} limit 1`;

/** True for the first consumer; only one of two concurrent processes succeeds. */
export const consumeRecord = (db: Queryable, model: string, digest: Buffer, now: Date) =>
  changeRow(db)`update oauth_records set consumed_at = ${now}
    where model = ${model} and digest = ${digest} and consumed_at is null`;

export const deleteRecord = (db: Queryable, model: string, digest: Buffer) =>
  changeRows(db)`delete from oauth_records where model = ${model} and digest = ${digest}`;

export const keepRecordUntil = (db: Queryable, model: string, digest: Buffer, until: Date) =>
  changeRows(db)`update oauth_records set expires_at = greatest(expires_at, ${until})
    where model = ${model} and digest = ${digest}`;

export const deleteExpiredRecords = (db: Queryable, now: Date) =>
  changeRows(db)`delete from oauth_records where expires_at <= ${now}`;

/** Of the clients to whom nobody has consented, which expire before `until`, the newest stay. */
export const deleteClientsBeyond = (db: Queryable, until: Date, most: number) =>
  changeRows(db)`delete from oauth_records where model = 'Client' and digest in (
    select digest from oauth_records where model = 'Client' and expires_at <= ${until}
    order by expires_at desc offset ${most})`;

export interface GrantRow {
  id: string;
  account_id: string;
  user_id: string;
  key_id: string;
  client_id: string;
  client_name: string;
  redirect_uri: string;
  created_at: Date;
  ended_at: Date | null;
}

export const insertGrant = (db: Queryable, grant: GrantRow) => insertRow(db, 'oauth_grants', grant);

export const lockGrant = (db: Queryable, id: string) =>
  findRow<GrantRow>(db)`select * from oauth_grants where id = ${id} and ended_at is null for update`;

/** The grant with its person's current role; undefined if the person has left the account. */
export const findGrantWithRole = (db: Queryable, id: string) =>
  findRow<GrantRow & { role: Role }>(db, 'find_grant_with_role')`select g.*, m.role from oauth_grants g
    join members m on m.account_id = g.account_id and m.user_id = g.user_id where g.id = ${id} and g.ended_at is null`;

export interface ListedGrant extends GrantRow {
  mode: KeyMode;
  scopes: Scope[];
  last_used_at: Date | null;
  email: string;
}

/** The newest first; those of one person, or of the account. */
export const listGrants = (db: Queryable, accountId: string, userId: string | null, limit: number) =>
  listRows<ListedGrant>(db)`select g.*, k.mode, k.scopes, k.last_used_at, u.email from oauth_grants g
    join api_keys k on k.id = g.key_id join users u on u.id = g.user_id
    where g.account_id = ${accountId} and g.ended_at is null and (${userId}::text is null or g.user_id = ${userId})
    order by g.created_at desc, g.id limit ${limit}`;

/** Ends the grant, its key and its tokens; every process forgets the key at once. */
export async function endGrant(db: Queryable, { id, key_id }: GrantRow, now: Date): Promise<void> {
  await changeRows(db)`update oauth_grants set ended_at = ${now} where id = ${id}`;
  await changeRows(db)`update api_keys set revoked_at = ${now} where id = ${key_id} and revoked_at is null`;
  await changeRows(db)`delete from oauth_records where grant_id = ${id}`;
  await changeRows(db)`select pg_notify(${KEY_CHANNEL}, ${key_id})`;
}

export const isMember = (db: Queryable, accountId: string, userId: string) =>
  hasRow(db)`select from members where account_id = ${accountId} and user_id = ${userId}`;
