// Every query of single sign-on: connections, domains, sign-ins under way, identities.
import type { Queryable } from '../../base/db/postgres.ts';
import { type Role } from '../people/sql.ts';

export interface ConnectionRow {
  account_id: string;
  issuer: string;
  client_id: string;
  client_secret: Buffer;
  default_role: Exclude<Role, 'owner'>;
  is_enforced: boolean;
  created_at: Date;
  updated_at: Date;
}

const CONNECTION_COLUMNS =
  'account_id, issuer, client_id, client_secret, default_role, is_enforced, created_at, updated_at';

export async function findConnection(db: Queryable, accountId: string): Promise<ConnectionRow | undefined> {
  const { rows } = await db.query<ConnectionRow>(
    `select ${CONNECTION_COLUMNS} from sso_connections where account_id = $1`,
    [accountId],
  );
  return rows[0];
}

/** The connection that may sign in people of a domain: of an enterprise account that is not closed. */
export async function findConnectionByDomain(db: Queryable, domain: string): Promise<ConnectionRow | undefined> {
  const columns = CONNECTION_COLUMNS.split(', ').map((column) => `c.${column}`);
  const { rows } = await db.query<ConnectionRow>(
    `select ${columns.join(', ')} from sso_domains d join sso_connections c on c.account_id = d.account_id
       join accounts a on a.id = d.account_id
     where d.domain = $1 and a.plan = 'enterprise' and a.status <> 'closed'`,
    [domain],
  );
  return rows[0];
}

export async function saveConnection(db: Queryable, row: ConnectionRow): Promise<void> {
  await db.query(
    `insert into sso_connections (${CONNECTION_COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (account_id) do update set issuer = $2, client_id = $3, client_secret = $4, default_role = $5,
       is_enforced = $6, updated_at = $8`,
    [
      row.account_id,
      row.issuer,
      row.client_id,
      row.client_secret,
      row.default_role,
      row.is_enforced,
      row.created_at,
      row.updated_at,
    ],
  );
}

/** False when single sign-on was not required anyway. */
export async function stopEnforcing(db: Queryable, accountId: string, now: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    'update sso_connections set is_enforced = false, updated_at = $2 where account_id = $1 and is_enforced',
    [accountId, now],
  );
  return rowCount === 1;
}

export async function deleteConnection(db: Queryable, accountId: string): Promise<boolean> {
  await db.query('delete from sso_sign_ins where account_id = $1', [accountId]);
  await db.query('delete from sso_identities where account_id = $1', [accountId]);
  const { rowCount } = await db.query('delete from sso_connections where account_id = $1', [accountId]);
  return rowCount === 1;
}

export async function deleteSsoSessions(db: Queryable, accountId: string): Promise<void> {
  await db.query(`delete from sessions where account_id = $1 and method = 'sso'`, [accountId]);
}

export async function listDomains(db: Queryable, accountId: string): Promise<string[]> {
  const { rows } = await db.query<{ domain: string }>(
    'select domain from sso_domains where account_id = $1 order by domain',
    [accountId],
  );
  return rows.map((row) => row.domain);
}

/** The account that has the domain afterwards: another one, if that came first. */
export async function claimDomain(db: Queryable, domain: string, accountId: string, now: Date): Promise<string> {
  await db.query(
    `insert into sso_domains (domain, account_id, verified_at) values ($1, $2, $3) on conflict (domain) do nothing`,
    [domain, accountId, now],
  );
  const { rows } = await db.query<{ account_id: string }>('select account_id from sso_domains where domain = $1', [
    domain,
  ]);
  return rows[0].account_id;
}

/** The account that had it. */
export async function releaseDomain(db: Queryable, domain: string): Promise<string | undefined> {
  const { rows } = await db.query<{ account_id: string }>(
    'delete from sso_domains where domain = $1 returning account_id',
    [domain],
  );
  return rows[0]?.account_id;
}

export interface SignInRow {
  account_id: string;
  browser_digest: Buffer;
  nonce: string;
  code_verifier: Buffer;
  expires_at: Date;
}

export async function insertSignIn(db: Queryable, stateDigest: Buffer, row: SignInRow): Promise<void> {
  await db.query(
    `insert into sso_sign_ins (state_digest, account_id, browser_digest, nonce, code_verifier, expires_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [stateDigest, row.account_id, row.browser_digest, row.nonce, row.code_verifier, row.expires_at],
  );
}

/** Once. */
export async function takeSignIn(db: Queryable, stateDigest: Buffer): Promise<SignInRow | undefined> {
  const { rows } = await db.query<SignInRow>(
    `delete from sso_sign_ins where state_digest = $1
     returning account_id, browser_digest, nonce, code_verifier, expires_at`,
    [stateDigest],
  );
  return rows[0];
}

interface Identity {
  account_id: string;
  issuer: string;
  subject: string;
}

export async function findIdentity(db: Queryable, identity: Identity): Promise<string | undefined> {
  const { rows } = await db.query<{ user_id: string }>(
    'select user_id from sso_identities where account_id = $1 and issuer = $2 and subject = $3',
    [identity.account_id, identity.issuer, identity.subject],
  );
  return rows[0]?.user_id;
}

export async function insertIdentity(
  db: Queryable,
  identity: Identity,
  { userId, now }: { userId: string; now: Date },
): Promise<void> {
  await db.query(
    `insert into sso_identities (account_id, issuer, subject, user_id, created_at) values ($1, $2, $3, $4, $5)
     on conflict (account_id, issuer, subject) do nothing`,
    [identity.account_id, identity.issuer, identity.subject, userId, now],
  );
}
