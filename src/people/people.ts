// People from sign-up to sign-out: mail confirmed, account and keys made, passwords, two-factor. Nothing here tells a
// stranger whether an address has an account.
import { randomBytes } from 'node:crypto';
import { createAccount, createKey, type AccountRow } from '../accounts/accounts.ts';
import { SCOPES } from '../accounts/scopes.ts';
import { recordAudit } from '../audit/audit.ts';
import { inTransaction, type Client } from '../db/postgres.ts';
import type { Deps } from '../deps.ts';
import { fail } from '../lib/errors.ts';
import { randomId } from '../lib/ids.ts';
import { isEmail, normalizeEmail } from './emails.ts';
import { alreadyLetter, passwordChangedLetter, resetLetter, verifyLetter } from './letters.ts';
import { checkPassword, hashPassword, isPassword } from './passwords.ts';
import { digestOfToken, newToken, startSession, type SignedIn, type Visitor } from './sessions.ts';
import * as sql from './sql.ts';
import { findTotpStep, generateTotpSecret, totpAddress } from './totp.ts';

export { deleteExpiredSessions, listMembers, listMemberships, listSessions, type Role, type UserRow } from './sql.ts';

const HOUR_MS = 3_600_000;
const FREE_ATTEMPTS = 5;
const LONGEST_LOCK_MS = HOUR_MS;
const RECOVERY_CODES = 10;

export interface SignUp {
  email: string;
  password: string;
  name: string;
  company?: string;
}

/** Always the same answer; what happens next is in the mailbox. */
export async function signUp(deps: Deps, form: SignUp): Promise<void> {
  const email = form.email.trim();
  checkEmail(email);
  checkPassword(form.password, email);
  const user = await newUser(deps, form, null);
  const isNew = await sql.insertUser(deps.control, user);
  const known = isNew ? user : await sql.findUserByEmail(deps.control, user.email_normalized);
  if (!known) return;
  if (known.verified_at) return deps.mailer.send(alreadyLetter(email, deps.config.baseUrl));
  const token = await issueMailToken(deps, known.id, 'verify', 24);
  await deps.mailer.send(verifyLetter(known.email, deps.config.baseUrl, token));
}

export async function newUser(deps: Deps, form: SignUp, verifiedAt: Date | null): Promise<sql.UserRow> {
  return {
    id: randomId('usr'),
    email: form.email.trim(),
    email_normalized: normalizeEmail(form.email),
    name: form.name,
    company: form.company ?? null,
    password_hash: await hashPassword(form.password),
    verified_at: verifiedAt,
    totp_secret: null,
    totp_enabled_at: null,
    totp_last_step: 0,
    failed_attempts: 0,
    locked_until: null,
    created_at: deps.clock(),
  };
}

export interface Verified {
  token: string;
  /** Empty when the account existed already. */
  secrets: { mode: 'live' | 'test'; id: string; secret: string }[];
}

/** The address is confirmed: the account is made, its keys with it, and the person is signed in. */
export async function verifyEmail(deps: Deps, mailToken: string, visitor: Visitor): Promise<Verified> {
  return inTransaction(deps.control, async (client) => {
    const user = await takeToken(deps, client, mailToken, 'verify');
    const now = deps.clock();
    await sql.updateUser(client, { ...user, verified_at: user.verified_at ?? now });
    const [membership] = await sql.listMemberships(client, user.id);
    if (membership) {
      return { token: await startSession(deps, client, user.id, membership.account_id, visitor), secrets: [] };
    }
    const account = await openAccount(deps, client, user, visitor.ip);
    const secrets = [];
    for (const mode of ['test', 'live'] as const) {
      const { key, secret } = await createKey(
        deps,
        account.id,
        {
          name: mode === 'test' ? 'Sandbox' : 'Production',
          mode,
          scopes: SCOPES.filter((s) => !s.startsWith('keys:')),
        },
        client,
      );
      secrets.push({ mode, id: key.id, secret });
    }
    return { token: await startSession(deps, client, user.id, account.id, visitor), secrets };
  });
}

async function openAccount(deps: Deps, client: Client, user: sql.UserRow, ip: string): Promise<AccountRow> {
  const now = deps.clock();
  const account = await createAccount(client, now, user.company ?? user.name, 'trial', { anchorAt: null });
  await sql.insertMember(client, { account_id: account.id, user_id: user.id, role: 'owner', created_at: now });
  await recordAudit(client, { accountId: account.id, actor: user.id, action: 'account.created', ip, at: now });
  return account;
}

/** The session's token. Guesses slow down: after five wrong ones a user waits, each time twice as long, up to an hour. */
export async function signIn(
  deps: Deps,
  form: { email: string; password: string; code?: string },
  visitor: Visitor,
): Promise<string> {
  const now = deps.clock();
  const found = await sql.findUserByEmail(deps.control, isEmail(form.email) ? normalizeEmail(form.email) : '');
  if (found?.locked_until && found.locked_until > now) {
    const wait = Math.ceil((found.locked_until.getTime() - now.getTime()) / 1000);
    fail('rate_limited', `Too many wrong attempts. Try again in ${wait} s.`, { retryAfterSeconds: wait });
  }
  const isRight = await isPassword(found?.password_hash, form.password);
  if (!found || !isRight) {
    if (found) await countFailure(deps, found.id);
    fail('invalid_credentials', 'Address or password is wrong.');
  }
  if (!found.verified_at) {
    fail('email_not_verified', 'Confirm your address first: open the link in the letter we sent.');
  }
  if (found.totp_enabled_at) {
    if (!form.code) fail('two_factor_required', 'Send the six digits of your authenticator, or a recovery code.');
    if (!(await useSecondFactor(deps, found.id, form.code))) {
      await countFailure(deps, found.id);
      fail('invalid_credentials', 'The code is wrong or was used already.');
    }
  }
  const [membership] = await sql.listMemberships(deps.control, found.id);
  if (!membership) fail('invalid_state', 'You are not a member of any account. Ask for an invitation.');
  return inTransaction(deps.control, async (client) => {
    const user = (await sql.lockUser(client, found.id))!;
    await sql.updateUser(client, { ...user, failed_attempts: 0, locked_until: null });
    await recordAudit(client, {
      accountId: membership.account_id,
      actor: user.id,
      action: 'user.signed_in',
      ip: visitor.ip,
      at: now,
    });
    return startSession(deps, client, user.id, membership.account_id, visitor);
  });
}

async function countFailure(deps: Deps, userId: string): Promise<void> {
  await inTransaction(deps.control, async (client) => {
    const user = (await sql.lockUser(client, userId))!;
    const failed_attempts = user.failed_attempts + 1;
    const excess = failed_attempts - FREE_ATTEMPTS;
    const lockMs = excess < 0 ? 0 : Math.min(LONGEST_LOCK_MS, 60_000 * 2 ** excess);
    const locked_until = lockMs === 0 ? null : new Date(deps.clock().getTime() + lockMs);
    await sql.updateUser(client, { ...user, failed_attempts, locked_until });
  });
}

export async function signOut(deps: Deps, signedIn: SignedIn): Promise<void> {
  await sql.deleteSession(deps.control, signedIn.user.id, signedIn.session.id);
}

export async function endSession(deps: Deps, signedIn: SignedIn, id: string): Promise<void> {
  const ended = await sql.deleteSession(deps.control, signedIn.user.id, id);
  if (ended === 0) fail('resource_not_found', `There is no session ${id}.`);
}

/** To another account of the same person. */
export async function switchAccount(deps: Deps, signedIn: SignedIn, accountId: string): Promise<void> {
  const member = await sql.findMember(deps.control, accountId, signedIn.user.id);
  if (!member) fail('resource_not_found', `There is no account ${accountId}.`);
  await sql.moveSession(deps.control, signedIn.session.id, accountId);
}

export async function forgotPassword(deps: Deps, email: string): Promise<void> {
  const user = isEmail(email) ? await sql.findUserByEmail(deps.control, normalizeEmail(email)) : undefined;
  if (!user) return;
  const token = await issueMailToken(deps, user.id, 'reset', 1);
  await deps.mailer.send(resetLetter(user.email, deps.config.baseUrl, token));
}

/** Every session ends: whoever knew the old password is out. The letter also proves the address. */
export async function resetPassword(deps: Deps, mailToken: string, password: string): Promise<void> {
  const user = await inTransaction(deps.control, async (client) => {
    const user = await takeToken(deps, client, mailToken, 'reset');
    checkPassword(password, user.email);
    await storePassword(deps, client, { ...user, verified_at: user.verified_at ?? deps.clock() }, password, null);
    return user;
  });
  await deps.mailer.send(passwordChangedLetter(user.email, deps.config.baseUrl));
}

export async function changePassword(deps: Deps, signedIn: SignedIn, current: string, password: string): Promise<void> {
  const { user, session } = signedIn;
  await confirmPassword(deps, signedIn, current);
  checkPassword(password, user.email);
  await inTransaction(deps.control, async (client) =>
    storePassword(deps, client, (await sql.lockUser(client, user.id))!, password, session.id),
  );
  await deps.mailer.send(passwordChangedLetter(user.email, deps.config.baseUrl));
}

async function storePassword(
  deps: Deps,
  client: Client,
  user: sql.UserRow,
  password: string,
  keptSession: string | null,
): Promise<void> {
  const password_hash = await hashPassword(password);
  await sql.updateUser(client, { ...user, password_hash, failed_attempts: 0, locked_until: null });
  await sql.deleteSessions(client, user.id, keptSession);
  for (const { account_id } of await sql.listMemberships(client, user.id)) {
    await recordAudit(client, {
      accountId: account_id,
      actor: user.id,
      action: 'user.password_changed',
      at: deps.clock(),
    });
  }
}

/** A secret for an authenticator app; it counts once a code from it has come back. */
export async function beginTwoFactor(deps: Deps, signedIn: SignedIn, password: string) {
  if (signedIn.user.totp_enabled_at) fail('invalid_state', 'Two-factor is on already. Turn it off first.');
  await confirmPassword(deps, signedIn, password);
  const secret = generateTotpSecret();
  await inTransaction(deps.control, async (client) => {
    const user = (await sql.lockUser(client, signedIn.user.id))!;
    await sql.updateUser(client, { ...user, totp_secret: deps.secrets.encrypt('stored-secrets', secret) });
  });
  return { secret, address: totpAddress(secret, signedIn.user.email) };
}

/** Ten recovery codes, shown once; other sessions end. */
export async function confirmTwoFactor(deps: Deps, signedIn: SignedIn, code: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () =>
    randomBytes(6)
      .toString('hex')
      .replace(/(.{4})(?!$)/g, '$1-'),
  );
  await inTransaction(deps.control, async (client) => {
    const user = (await sql.lockUser(client, signedIn.user.id))!;
    if (!user.totp_secret || user.totp_enabled_at) fail('invalid_state', 'Ask for a two-factor secret first.');
    const secret = deps.secrets.decrypt('stored-secrets', user.totp_secret);
    const step = findTotpStep(secret, code, deps.clock(), user.totp_last_step);
    if (step === undefined) fail('invalid_request', 'The code is wrong. Check the clock of your phone.');
    await sql.updateUser(client, { ...user, totp_enabled_at: deps.clock(), totp_last_step: step });
    await sql.replaceRecoveryCodes(
      client,
      user.id,
      codes.map((text) => digestOfToken(deps.secrets, 'recovery', text)),
    );
    await sql.deleteSessions(client, user.id, signedIn.session.id);
    await audit(deps, client, signedIn, 'user.two_factor_enabled');
  });
  return codes;
}

export async function endTwoFactor(deps: Deps, signedIn: SignedIn, password: string): Promise<void> {
  await confirmPassword(deps, signedIn, password);
  await inTransaction(deps.control, async (client) => {
    const user = (await sql.lockUser(client, signedIn.user.id))!;
    await sql.updateUser(client, { ...user, totp_secret: null, totp_enabled_at: null });
    await sql.replaceRecoveryCodes(client, user.id, []);
    await audit(deps, client, signedIn, 'user.two_factor_disabled');
  });
}

async function useSecondFactor(deps: Deps, userId: string, code: string): Promise<boolean> {
  return inTransaction(deps.control, async (client) => {
    const user = (await sql.lockUser(client, userId))!;
    if (!/^\d{6}$/.test(code)) {
      const digest = digestOfToken(deps.secrets, 'recovery', code.trim().toLowerCase());
      return sql.takeRecoveryCode(client, userId, digest, deps.clock());
    }
    const secret = deps.secrets.decrypt('stored-secrets', user.totp_secret!);
    const step = findTotpStep(secret, code, deps.clock(), user.totp_last_step);
    if (step !== undefined) await sql.updateUser(client, { ...user, totp_last_step: step });
    return step !== undefined;
  });
}

async function confirmPassword(deps: Deps, { user }: SignedIn, password: string): Promise<void> {
  if (await isPassword(user.password_hash, password)) return;
  await countFailure(deps, user.id);
  fail('invalid_credentials', 'The password is wrong.');
}

async function issueMailToken(deps: Deps, userId: string, purpose: 'verify' | 'reset', hours: number): Promise<string> {
  const token = newToken();
  await sql.insertMailToken(deps.control, {
    digest: digestOfToken(deps.secrets, purpose, token),
    user_id: userId,
    purpose,
    expires_at: new Date(deps.clock().getTime() + hours * HOUR_MS),
  });
  return token;
}

async function takeToken(deps: Deps, client: Client, token: string, purpose: 'verify' | 'reset'): Promise<sql.UserRow> {
  const userId = await sql.takeMailToken(client, digestOfToken(deps.secrets, purpose, token), purpose, deps.clock());
  const user = userId === undefined ? undefined : await sql.lockUser(client, userId);
  return user ?? fail('invalid_link', 'The link is too old or was used already. Ask for a new one.');
}

export function checkEmail(email: string): void {
  if (!isEmail(email)) {
    const detail = 'This is not an e-mail address';
    fail('invalid_request', `${detail}.`, { errors: [{ pointer: '/body/email', code: 'format', detail }] });
  }
}

export async function audit(
  deps: Pick<Deps, 'clock'>,
  client: Client,
  { account, user, session }: SignedIn,
  action: string,
  target?: string,
  details?: Record<string, unknown>,
): Promise<void> {
  await recordAudit(client, {
    accountId: account.id,
    actor: user.id,
    action,
    target,
    details,
    ip: session.ip,
    at: deps.clock(),
  });
}
