// The second factor: codes of an authenticator app, and recovery codes that stand in for it. Each works once.
import { randomBytes } from 'node:crypto';
import type { Static } from 'typebox';
import { inTransaction, type Client } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { fail } from '../../base/lib/errors.ts';
import { tryOnce } from './attempts.ts';
import { writeLetter } from './letters.ts';
import { auditUser, digestOfToken, type SignedIn } from './sessions.ts';
import type { ProofForm } from './schema.ts';
import * as proofs from './proof-sql.ts';
import * as sql from './sql.ts';
import { findTotpStep, generateTotpSecret, totpUrl } from './totp.ts';
import { must } from '../../base/lib/must.ts';

const RECOVERY_CODES = 10;

export type Proof = Static<typeof ProofForm>;

/** Throws unless the user has no second factor or `code` is a fresh one. Call with the user's row locked. */
export async function requireSecondFactor(
  deps: Pick<Deps, 'clock' | 'secrets'>,
  client: Client,
  user: sql.UserRow,
  code: string | undefined,
): Promise<void> {
  if (!user.totp_enabled_at) return;
  if (!code) fail('two_factor_required', 'Enter the 6-digit code from your authenticator app, or a recovery code.');
  if (!(await useCode(deps, client, user, code))) {
    fail('invalid_credentials', 'The code is incorrect or was already used.');
  }
}

async function useCode(deps: Pick<Deps, 'clock' | 'secrets'>, client: Client, user: sql.UserRow, code: string) {
  if (!/^\d{6}$/.test(code.trim())) {
    const digest = digestOfToken(deps.secrets, 'recovery', code.trim().toLowerCase());
    return (await proofs.takeRecoveryCode(client, user.id, digest, deps.clock())) === 1;
  }
  const secret = deps.secrets.decrypt('stored-secrets', user.totp_secret!);
  const step = findTotpStep(secret, code.trim(), deps.clock(), user.totp_last_step);
  if (step === undefined) return false;
  await sql.updateUser(client, { ...user, totp_last_step: step });
  return true;
}

/** Re-authenticates a signed-in person: with the password, plus a code if `factors` is 'all' and a second factor is on.
    Counts like a sign-in. Single sign-on users have neither, and must not gain a sign-in method unknown to their
    organization. */
export async function proveAgain(deps: Deps, { user: known }: SignedIn, proof: Proof, factors: 'password' | 'all') {
  const judge = async () => {
    const user = must(await sql.findUser(deps.control, known.id), 'user');
    if (user.password_hash === null) {
      fail('invalid_state', 'You sign in through your organization. Reset your password to set one first.');
    }
    if (!(await deps.passwords.isRight(user.password_hash, proof.password ?? ''))) {
      fail('invalid_credentials', 'The password is incorrect.');
    }
    if (factors === 'password') return;
    await inTransaction(deps.control, async (client) => {
      await requireSecondFactor(deps, client, must(await sql.lockUser(client, user.id), 'user'), proof.code);
    });
  };
  await tryOnce(deps, known.email_normalized, judge, { isComplete: factors === 'all' });
}

/** A secret for an authenticator app. It takes effect when a code made from it comes back. */
export async function beginTwoFactor(deps: Deps, signedIn: SignedIn, password?: string) {
  if (signedIn.user.totp_enabled_at) fail('invalid_state', 'Two-factor authentication is already on.');
  await proveAgain(deps, signedIn, { password }, 'password');
  const secret = generateTotpSecret();
  await inTransaction(deps.control, async (client) => {
    const user = must(await sql.lockUser(client, signedIn.user.id), 'user');
    // Read again under the lock: a secret in use must not be replaced.
    if (user.totp_enabled_at) fail('invalid_state', 'Two-factor authentication is already on.');
    await sql.updateUser(client, { ...user, totp_secret: deps.secrets.encrypt('stored-secrets', secret) });
  });
  return { secret, url: totpUrl(secret, signedIn.user.email) };
}

/** Ten recovery codes, shown once. Other sessions end. */
export async function confirmTwoFactor(deps: Deps, signedIn: SignedIn, code: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () =>
    randomBytes(6)
      .toString('hex')
      .replace(/(.{4})(?!$)/g, '$1-'),
  );
  await inTransaction(deps.control, async (client) => {
    const user = must(await sql.lockUser(client, signedIn.user.id), 'user');
    if (!user.totp_secret || user.totp_enabled_at) fail('invalid_state', 'Start two-factor setup first.');
    const secret = deps.secrets.decrypt('stored-secrets', user.totp_secret);
    const step = findTotpStep(secret, code, deps.clock(), user.totp_last_step);
    if (step === undefined) fail('invalid_request', 'The code is incorrect. Check that your phone’s clock is right.');
    await sql.updateUser(client, { ...user, totp_enabled_at: deps.clock(), totp_last_step: step });
    const digests = codes.map((text) => digestOfToken(deps.secrets, 'recovery', text));
    await proofs.replaceRecoveryCodes(client, user.id, digests);
    await sql.deleteSessions(client, user.id, signedIn.session.id);
    const { ip } = signedIn.session;
    await auditUser(deps, client, user.id, { action: 'user.two_factor_enabled', ip });
  });
  notify(deps, signedIn, 'Two-factor authentication was turned on.');
  return codes;
}

/** Needs the password and a code: a stolen session and password together must not remove the second factor. */
export async function endTwoFactor(deps: Deps, signedIn: SignedIn, proof: Proof): Promise<void> {
  await proveAgain(deps, signedIn, proof, 'all');
  await inTransaction(deps.control, async (client) => {
    const user = must(await sql.lockUser(client, signedIn.user.id), 'user');
    await sql.updateUser(client, { ...user, totp_secret: null, totp_enabled_at: null });
    await proofs.replaceRecoveryCodes(client, user.id, []);
    const { ip } = signedIn.session;
    await auditUser(deps, client, user.id, { action: 'user.two_factor_disabled', ip });
  });
  notify(deps, signedIn, 'Two-factor authentication was turned off.');
}

/** Notifies the user by email of a change to their sign-in, without delaying the response. */
export function notify(deps: Deps, { user }: SignedIn, what: string): void {
  deps.background.run('notice', () =>
    deps.mailer.send(writeLetter('security', user.email, deps.config.baseUrl, { what })),
  );
}
