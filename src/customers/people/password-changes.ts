// Changing a password: by a link in an email, or by knowing the current one. Either ends other sessions and open links.
import { inTransaction, type Client } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { fail } from '../../base/lib/errors.ts';
import { isEmail, normalizeEmail } from './emails.ts';
import { writeLetter } from './letters.ts';
import { hasUseOfPassword, refuseWhereSsoIsRequired } from './people.ts';
import { auditUser, digestOfToken, newToken, type SignedIn } from './sessions.ts';
import * as proofs from './proof-sql.ts';
import * as sql from './sql.ts';
import { proveAgain } from './two-factor.ts';
import { must } from '../../base/lib/must.ts';

const RESET_MS = 3_600_000;

/** All work happens after the response, so timing does not reveal whether the email has an account. */
export function forgotPassword(deps: Deps, email: string): void {
  deps.background.run('forgot', async () => {
    const user = isEmail(email) ? await sql.findUserByEmail(deps.control, normalizeEmail(email)) : undefined;
    if (!user || !(await hasUseOfPassword(deps.control, user))) return;
    const token = newToken();
    await proofs.replaceResetLink(deps.control, {
      user_id: user.id,
      digest: digestOfToken(deps.secrets, 'reset', token),
      expires_at: new Date(deps.clock().getTime() + RESET_MS),
    });
    await deps.mailer.send(writeLetter('reset', user.email, deps.config.baseUrl, { token }));
  });
}

/** Does not sign in: the next sign-in still requires the second factor. */
export async function resetPassword(deps: Deps, form: { token: string; password: string }, ip: string): Promise<void> {
  const digest = digestOfToken(deps.secrets, 'reset', form.token);
  const found = (await proofs.findResetLink(deps.control, digest, deps.clock())) ?? failLink();
  if (!(await hasUseOfPassword(deps.control, found))) await refuseWhereSsoIsRequired(deps.control, found.email);
  await deps.passwords.check(form.password, found);
  const password_hash = await deps.passwords.hash(form.password);
  await inTransaction(deps.control, async (client) => {
    if (!(await proofs.takeResetLink(client, digest, deps.clock()))) failLink();
    const user = must(await sql.lockUser(client, found.id), 'user');
    await storePassword(deps, client, { ...user, password_hash }, { keptSession: null, ip });
  });
  notifyChange(deps, found.email);
}

export async function changePassword(
  deps: Deps,
  signedIn: SignedIn,
  form: { current_password: string; password: string; code?: string },
): Promise<void> {
  const { user, session } = signedIn;
  await proveAgain(deps, signedIn, { password: form.current_password, code: form.code }, 'all');
  await deps.passwords.check(form.password, user);
  const password_hash = await deps.passwords.hash(form.password);
  await inTransaction(deps.control, async (client) => {
    const locked = must(await sql.lockUser(client, user.id), 'user');
    // The password was changed since the check; the old one must not override it.
    if (locked.password_hash !== user.password_hash) fail('invalid_credentials', 'The password is incorrect.');
    await storePassword(deps, client, { ...locked, password_hash }, { keptSession: session.id, ip: session.ip });
  });
  notifyChange(deps, user.email);
}

async function storePassword(
  deps: Deps,
  client: Client,
  user: sql.UserRow,
  { keptSession, ip }: { keptSession: string | null; ip: string },
): Promise<void> {
  await sql.updateUser(client, user);
  await sql.deleteSessions(client, user.id, keptSession);
  await proofs.deleteResetLink(client, user.id);
  await sql.revokeInvitationsTo(client, user.email_normalized, deps.clock());
  await auditUser(deps, client, user.id, { action: 'user.password_changed', ip });
}

function notifyChange(deps: Deps, email: string): void {
  deps.background.run('notice', () => deps.mailer.send(writeLetter('password_changed', email, deps.config.baseUrl)));
}

function failLink(): never {
  return fail('invalid_link', 'This link has expired or was already used. Ask for a new one.');
}
