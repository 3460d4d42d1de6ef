// People from sign-up to sign-out. Nothing here reveals whether an email has an account, and nothing set before a
// mailbox was verified survives verification.
// One room because passwords, passkeys, codes and teams all end in the same session.
import type { Static } from 'typebox';
import { createAccount, createKey } from '../accounts/accounts.ts';
import { SCOPES } from '../accounts/scopes.ts';
import { recordAudit } from '../../base/audit/audit.ts';
import { inTransaction, type Client, type Queryable } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { MINUTE_MS } from '../../base/lib/clock.ts';
import { ApiError, fail } from '../../base/lib/errors.ts';
import { randomId } from '../../base/lib/ids.ts';
import { isSameBytes } from '../../base/lib/secrets.ts';
import { type AccountRow } from '../accounts/sql.ts';
import { limitNetwork, tryOnce } from './attempts.ts';
import { domainOf, isEmail, normalizeEmail } from './emails.ts';
import { writeLetter } from './letters.ts';
import type { SignInForm, SignUpForm, VerifyForm } from './schema.ts';
import { auditUser, digestOfToken, newToken, startSession, type SignedIn, type Visitor } from './sessions.ts';
import * as proofs from './proof-sql.ts';
import * as sql from './sql.ts';
import { proveAgain, requireSecondFactor, type Proof } from './two-factor.ts';
import { must } from '../../base/lib/must.ts';

const SIGN_UP_MS = 24 * 3_600_000;
/** The same for an unknown email, a wrong password and a sign-up whose link was never opened. */
const WRONG = 'Email or password is incorrect. If you just signed up, open the link in our email first.';

type SignUp = Static<typeof SignUpForm>;

/** Validates the form itself, before it counts against any limit. */
export async function checkSignUp(deps: Deps, form: SignUp): Promise<void> {
  checkEmail(form.email.trim());
  await refuseWhereSsoIsRequired(deps.control, form.email);
  await deps.passwords.check(form.password, form);
}

/** Same response and same work for everyone; the outcome is only in the mailbox. The result goes into a cookie that
    identifies the browser that signed up. */
export async function signUp(deps: Deps, form: SignUp): Promise<string> {
  const email = form.email.trim();
  const password_hash = await deps.passwords.hash(form.password);
  const browserToken = newToken();
  deps.background.run('sign-up', async () => {
    const email_normalized = normalizeEmail(email);
    if (await sql.findUserByEmail(deps.control, email_normalized)) {
      await deps.mailer.send(writeLetter('already', email, deps.config.baseUrl));
      return;
    }
    const token = newToken();
    const now = deps.clock();
    await proofs.replaceSignUp(deps.control, {
      email_normalized,
      email,
      name: form.name,
      company: form.company ?? null,
      password_hash,
      digest: digestOfToken(deps.secrets, 'verify', token),
      browser_digest: digestOfToken(deps.secrets, 'sign-up', browserToken),
      created_at: now,
      expires_at: new Date(now.getTime() + SIGN_UP_MS),
    });
    await deps.mailer.send(writeLetter('verify', email, deps.config.baseUrl, { token }));
  });
  return browserToken;
}

/** `browserToken` is from the sign-up cookie. Another browser has none and must send a name and a password, because the
    person who opens the link may not be the one who filled in the form. */
type Verification = Static<typeof VerifyForm> & { browserToken?: string };

/** Verifies the mailbox: creates the user, the account and its keys, and signs in. The form's password is valid only in
    the browser that sent it. Elsewhere the person chooses one now, because a stranger may have submitted the form with
    this email. */
export async function verifyEmail(deps: Deps, form: Verification, visitor: Visitor) {
  const digest = digestOfToken(deps.secrets, 'verify', form.token);
  const pending = (await proofs.findSignUp(deps.control, digest, deps.clock())) ?? failLink();
  const isSameBrowser =
    form.browserToken !== undefined &&
    isSameBytes(pending.browser_digest, digestOfToken(deps.secrets, 'sign-up', form.browserToken));
  const chosen = isSameBrowser ? pending : await choosePassword(deps, pending, form);
  return inTransaction(deps.control, async (client) => {
    if (!(await proofs.takeSignUp(client, digest, deps.clock()))) failLink();
    const user = (await createUser(deps, client, chosen)) ?? failLink();
    const account = await openAccount(deps, client, user, visitor.ip);
    const secrets = [];
    for (const mode of ['test', 'live'] as const) {
      const name = mode === 'test' ? 'Sandbox' : 'Production';
      const scopes = SCOPES.filter((scope) => !scope.startsWith('keys:'));
      const { key, secret } = await createKey(deps, account.id, { name, mode, scopes }, client);
      secrets.push({ mode, id: key.id, secret });
    }
    const session = { userId: user.id, accountId: account.id, method: 'password' as const, visitor };
    return { token: await startSession(deps, client, session), secrets };
  });
}

async function choosePassword(deps: Deps, pending: proofs.SignUpRow, form: Verification): Promise<NewUser> {
  if (!form.password || !form.name) {
    fail('password_required', 'You signed up in another browser. Choose your name and password here to continue.');
  }
  await deps.passwords.check(form.password, { email: pending.email, name: form.name });
  const password_hash = await deps.passwords.hash(form.password);
  return { email: pending.email, name: form.name, company: null, password_hash };
}

export type NewUser = Pick<sql.UserRow, 'email' | 'name' | 'company' | 'password_hash'>;

/** Call once the mailbox is verified. Deletes its pending sign-ups; undefined if it already has a user. */
export async function createUser(deps: Deps, client: Client, { email, name, company, password_hash }: NewUser) {
  const now = deps.clock();
  const user: sql.UserRow = {
    id: randomId('usr'),
    email,
    email_normalized: normalizeEmail(email),
    name,
    company,
    password_hash,
    verified_at: now,
    totp_secret: null,
    totp_enabled_at: null,
    totp_last_step: 0,
    created_at: now,
    operator_since: null,
  };
  await proofs.deleteSignUp(client, user.email_normalized);
  return (await sql.insertUser(client, user)) ? user : undefined;
}

/** Grants or revokes the operator role. Recorded in the audit log of each of the person's accounts. */
export async function setOperator(deps: Pick<Deps, 'control' | 'clock'>, email: string, isOperator: boolean) {
  const known = await sql.findUserByEmail(deps.control, normalizeEmail(email));
  if (!known) fail('resource_not_found', `Nobody has signed up as ${email} yet. Do that first, on the page /sign-up.`);
  return inTransaction(deps.control, async (client) => {
    const user = must(await sql.lockUser(client, known.id), 'user');
    if ((user.operator_since !== null) === isOperator) return user;
    const operator_since = isOperator ? deps.clock() : null;
    await sql.updateOperator(client, user.id, operator_since);
    const action = isOperator ? 'user.operator_granted' : 'user.operator_removed';
    await auditUser(deps, client, user.id, { action, actor: 'operator', target: user.id, ip: null });
    return { ...user, operator_since };
  });
}

/** Ends every session of a person, for the operator. Recorded in the audit log of each of their accounts. */
export async function endSessionsOf(deps: Pick<Deps, 'control' | 'clock'>, email: string): Promise<number> {
  const user = await sql.findUserByEmail(deps.control, normalizeEmail(email));
  if (!user) fail('resource_not_found', `Nobody has signed up as ${email}.`);
  return inTransaction(deps.control, async (client) => {
    const ended = await sql.deleteSessions(client, user.id, null);
    const act = { action: 'user.sessions_ended', actor: 'operator', target: user.id, ip: null };
    await auditUser(deps, client, user.id, act);
    return ended;
  });
}

async function openAccount(deps: Deps, client: Client, user: sql.UserRow, ip: string): Promise<AccountRow> {
  const now = deps.clock();
  const account = await createAccount(client, now, user.company ?? user.name, 'trial', { anchorAt: null });
  await sql.insertMember(client, { account_id: account.id, user_id: user.id, role: 'owner', created_at: now });
  await recordAudit(client, { accountId: account.id, actor: user.id, action: 'account.created', ip, at: now });
  return account;
}

type Credentials = Static<typeof SignInForm>;

/** Returns the session token. After five failed attempts a mailbox is locked, with doubling time, up to an hour. */
export const signIn = async (deps: Deps, form: Credentials, visitor: Visitor): Promise<string> =>
  withCredentials(deps, form, visitor, (client, user) =>
    openFirstAccount(deps, client, { user, method: 'password', visitor }),
  );

/** Opens a session in the account that the person joined first, of those that do not require single sign-on. `target` is the passkey they used, if any. */
export async function openFirstAccount(
  deps: Deps,
  client: Client,
  { user, method, target, visitor }: { user: sql.UserRow; method: sql.SignInMethod; target?: string; visitor: Visitor },
): Promise<string> {
  const memberships = await sql.listMemberships(client, user.id);
  const behindSso = await sql.findSsoAccount(client, domainOf(user.email));
  const membership = memberships.find(({ account_id }) => account_id !== behindSso);
  if (!membership && memberships.length > 0) failSso(user.email);
  if (!membership) {
    fail('invalid_state', 'You do not belong to an account. Open your invitation, or ask an account admin for one.');
  }
  const accountId = membership.account_id;
  const act = { action: 'user.signed_in', target, details: { method }, ip: visitor.ip };
  await recordAudit(client, { ...act, accountId, actor: user.id, at: deps.clock() });
  return startSession(deps, client, { userId: user.id, accountId, method, visitor });
}

/** Checks password and second factor as one attempt, then runs `work` with the user locked. The password is compared
    again under the lock, so a concurrent change wins over the old password. */
export async function withCredentials<Result>(
  deps: Deps,
  form: Credentials,
  { ip }: Pick<Visitor, 'ip'>,
  work: (client: Client, user: sql.UserRow) => Promise<Result>,
): Promise<Result> {
  await limitNetwork(deps, 'passwords', ip, { limit: deps.config.refusalLimitPerMinute, windowMs: MINUTE_MS });
  const mailbox = isEmail(form.email) ? normalizeEmail(form.email) : form.email.trim().toLowerCase();
  let mailboxOwner: sql.UserRow | undefined;
  const judge = async () => {
    const found = await sql.findUserByEmail(deps.control, mailbox);
    const isRight = await deps.passwords.isRight(found?.password_hash, form.password);
    mailboxOwner = found;
    if (!found || !isRight) fail('invalid_credentials', WRONG);
    return inTransaction(deps.control, async (client) => {
      const user = await sql.lockUser(client, found.id);
      if (!user || user.password_hash !== found.password_hash) fail('invalid_credentials', WRONG);
      await requireSecondFactor(deps, client, user, form.code);
      return work(client, user);
    });
  };
  return tryOnce(deps, mailbox, judge, { isComplete: true }).catch(async (error: unknown) => {
    if (error instanceof ApiError && error.code === 'invalid_credentials') {
      if (mailboxOwner) noteFailure(deps, mailboxOwner.id, ip);
      // The same for everyone in the domain, whether or not they have a password and another account to use it for.
      await refuseWhereSsoIsRequired(deps.control, form.email);
    }
    throw error;
  });
}

/** Runs after the response, so timing does not reveal whether the user exists. Lockout bounds how often it can happen. */
function noteFailure(deps: Deps, userId: string, ip: string): void {
  deps.background.run('sign-in-failure', () =>
    inTransaction(deps.control, (client) =>
      auditUser(deps, client, userId, { action: 'user.sign_in_failed', details: { method: 'password' }, ip }),
    ),
  );
}

/** Only the domain decides, so the answer is the same whether or not the email has a user. One account's rule does not
    apply to its people's other accounts. */
export async function refuseWhereSsoIsRequired(db: Queryable, email: string, accountId?: string): Promise<void> {
  const required = await sql.findSsoAccount(db, domainOf(email));
  if (required !== undefined && (accountId === undefined || accountId === required)) failSso(email);
}

/** Whether the user's password could open any account. */
export async function hasUseOfPassword(db: Queryable, user: Pick<sql.UserRow, 'id' | 'email'>): Promise<boolean> {
  const required = await sql.findSsoAccount(db, domainOf(user.email));
  if (required === undefined) return true;
  return (await sql.listMemberships(db, user.id)).some(({ account_id }) => account_id !== required);
}

function failSso(email: string): never {
  return fail('sso_required', `${domainOf(email)} signs in with single sign-on.`);
}

export async function signOut(deps: Deps, signedIn: SignedIn): Promise<void> {
  await endOneSession(deps, signedIn, signedIn.session.id, 'user.signed_out');
}

/** Requires proof, so a stranger at an unlocked browser cannot sign its owner out elsewhere. */
export async function endSession(deps: Deps, signedIn: SignedIn, id: string, proof: Proof): Promise<void> {
  await proveAgain(deps, signedIn, proof, 'password');
  const isEnded = await endOneSession(deps, signedIn, id, 'user.session_ended');
  if (!isEnded) fail('resource_not_found', `There is no session ${id}.`);
}

async function endOneSession(deps: Deps, signedIn: SignedIn, id: string, action: string): Promise<boolean> {
  const { user, session } = signedIn;
  return inTransaction(deps.control, async (client) => {
    const isEnded = (await sql.deleteSession(client, user.id, id)) > 0;
    if (isEnded) await auditUser(deps, client, user.id, { action, target: id, ip: session.ip });
    return isEnded;
  });
}

/** To another account of the same person. Single sign-on vouches for one account only. */
export async function switchAccount(deps: Deps, signedIn: SignedIn, accountId: string): Promise<void> {
  const { user, session } = signedIn;
  refuseSsoSession(signedIn);
  await inTransaction(deps.control, async (client) => {
    const member = await sql.findMember(client, accountId, user.id);
    if (!member) fail('resource_not_found', `There is no account ${accountId}.`);
    await refuseWhereSsoIsRequired(client, user.email, accountId);
    await sql.moveSession(client, session.id, accountId);
    const act = { action: 'user.switched_account', target: session.id, ip: session.ip };
    await recordAudit(client, { ...act, accountId, actor: user.id, at: deps.clock() });
  });
}

export function refuseSsoSession({ session }: SignedIn): void {
  if (session.method === 'sso') {
    fail('invalid_state', 'Single sign-on opens one account. Sign in with a password or passkey to use another.');
  }
}

function failLink(): never {
  return fail('invalid_link', 'This link has expired or was already used. Sign up again to get a new one.');
}

export function checkEmail(email: string): void {
  if (!isEmail(email)) {
    const detail = 'This is not a valid email';
    fail('invalid_request', `${detail}.`, { errors: [{ pointer: '/body/email', code: 'format', detail }] });
  }
}
