// Every query of single sign-on: connections, domains, sign-ins under way, identities.
import type { Queryable } from '../../base/db/postgres.ts';
import { insertRow, replaceRow } from '../../base/db/rows.ts';
import { changeRows, findRow, getValue, listValues, raw } from '../../base/db/statements.ts';
import type { Stored } from '../../base/lib/schema.ts';
import type { Connection } from './schema.ts';

export type ConnectionRow = Stored<typeof Connection> & { account_id: string; client_secret: Buffer };

const CONNECTION = raw(
  'account_id, issuer, client_id, client_secret, default_role, is_enforced, created_at, updated_at',
);

export const findConnection = (db: Queryable, accountId: string) =>
  findRow<ConnectionRow>(db)`select ${CONNECTION} from sso_connections where account_id = ${accountId}`;

/** The connection that may sign in people of a domain: of an enterprise account that is not closed. */
export const findConnectionByDomain = (db: Queryable, domain: string) =>
  findRow<ConnectionRow>(db)`select ${CONNECTION} from sso_connections where account_id = (
    select d.account_id from sso_domains d join accounts a on a.id = d.account_id
    where d.domain = ${domain} and a.plan = 'enterprise' and a.status <> 'closed')`;

export const saveConnection = (db: Queryable, row: ConnectionRow) =>
  replaceRow(db, 'sso_connections', 'account_id', row);

/** 0 when single sign-on was not required anyway. */
export const stopEnforcing = (db: Queryable, accountId: string, now: Date) =>
  changeRows(db)`update sso_connections set is_enforced = false, updated_at = ${now}
    where account_id = ${accountId} and is_enforced`;

/** 0 when there was none. */
export async function deleteConnection(db: Queryable, accountId: string): Promise<number> {
  await changeRows(db)`delete from sso_sign_ins where account_id = ${accountId}`;
  await changeRows(db)`delete from sso_identities where account_id = ${accountId}`;
  return changeRows(db)`delete from sso_connections where account_id = ${accountId}`;
}

export const deleteSsoSessions = (db: Queryable, accountId: string) =>
  changeRows(db)`delete from sessions where account_id = ${accountId} and method = 'sso'`;

export const listDomains = (db: Queryable, accountId: string) =>
  listValues<string>(db)`select domain from sso_domains
    where account_id = ${accountId} order by domain`;

/** The account that has the domain afterwards: another one, if that came first. */
export async function claimDomain(db: Queryable, domain: string, accountId: string, now: Date): Promise<string> {
  await changeRows(db)`insert into sso_domains (domain, account_id, verified_at)
    values (${domain}, ${accountId}, ${now}) on conflict (domain) do nothing`;
  return getValue<string>(db)`select account_id from sso_domains where domain = ${domain}`;
}

/** The account that had it. */
export const releaseDomain = (db: Queryable, domain: string) =>
  findRow<{ account_id: string }>(db)`delete from sso_domains where domain = ${domain} returning account_id`;

export interface SignInRow {
  account_id: string;
  browser_digest: Buffer;
  nonce: string;
  code_verifier: Buffer;
  expires_at: Date;
}

const SIGN_IN = raw('account_id, browser_digest, nonce, code_verifier, expires_at');

export const insertSignIn = (db: Queryable, state_digest: Buffer, row: SignInRow) =>
  insertRow(db, 'sso_sign_ins', { ...row, state_digest });

/** Once. */
export const takeSignIn = (db: Queryable, stateDigest: Buffer) =>
  findRow<SignInRow>(db)`delete from sso_sign_ins where state_digest = ${stateDigest} returning ${SIGN_IN}`;

interface Identity {
  account_id: string;
  issuer: string;
  subject: string;
}

export const findIdentity = (db: Queryable, { account_id, issuer, subject }: Identity) =>
  findRow<{ user_id: string }>(db)`select user_id from sso_identities
    where account_id = ${account_id} and issuer = ${issuer} and subject = ${subject}`;

export const insertIdentity = (db: Queryable, identity: Identity & { user_id: string; created_at: Date }) =>
  insertRow(db, 'sso_identities', identity, 'on conflict do nothing');
