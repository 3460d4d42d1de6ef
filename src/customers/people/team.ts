// The people of an account: invited by email, given a role, removed. An account always keeps an owner.
import type { Static } from 'typebox';
import { DAY_MS } from '../../base/lib/clock.ts';
import { SCOPES, type Scope } from '../accounts/scopes.ts';
import { recordAudit } from '../../base/audit/audit.ts';
import { inTransaction, type Client } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { fail } from '../../base/lib/errors.ts';
import { randomId } from '../../base/lib/ids.ts';
import type { AcceptForm, InvitationForm } from './schema.ts';
import { limitAction } from './attempts.ts';
import { normalizeEmail } from './emails.ts';
import { plain, writeLetter } from './letters.ts';
import * as people from './people.ts';
import {
  auditAct,
  digestOfToken,
  newToken,
  startSession,
  type NewSession,
  type SignedIn,
  type Visitor,
} from './sessions.ts';
import * as sql from './sql.ts';

const INVITATION_MS = 7 * DAY_MS;
/** Enough to set up a team in a day, too few to send spam in our name. */
const INVITATIONS_PER_DAY = 100;
const INVITATIONS_PER_DAY_ON_TRIAL = 20;
const INVITATIONS_TO_ONE_PER_DAY = 5;

/** What a signed-in person may do through the API, by role. */
export const SCOPES_OF_ROLE: Record<sql.Role, Scope[]> = {
  owner: [...SCOPES],
  admin: [...SCOPES],
  developer: [...SCOPES],
  billing: ['usage:read', 'account:read', 'billing:read', 'keys:read', 'audit:read'],
  viewer: SCOPES.filter((scope) => scope.endsWith(':read') && scope !== 'owners:read'),
};

export type Duty = 'team' | 'billing' | 'sso';

const DUTIES: Record<Duty, readonly sql.Role[]> = {
  team: ['owner', 'admin'],
  billing: ['owner', 'admin', 'billing'],
  sso: ['owner'],
};

export function requireDuty({ role }: SignedIn, duty: Duty): void {
  if (!DUTIES[duty].includes(role)) {
    fail('insufficient_role', `This requires the role ${DUTIES[duty].join(' or ')}; yours is ${role}.`);
  }
}

export async function invite(deps: Deps, signedIn: SignedIn, form: Static<typeof InvitationForm>) {
  const email = form.email.trim();
  people.checkEmail(email);
  const now = deps.clock();
  const { account, user } = signedIn;
  const email_normalized = normalizeEmail(email);
  const known = await sql.findUserByEmail(deps.control, email_normalized);
  if (known && (await sql.findMember(deps.control, account.id, known.id))) {
    fail('invalid_state', `${email} is already a member.`);
  }
  const perDay = account.plan === 'trial' ? INVITATIONS_PER_DAY_ON_TRIAL : INVITATIONS_PER_DAY;
  await limitAction(deps, 'invitations-by', account.id, { limit: perDay, windowMs: DAY_MS });
  await limitAction(deps, 'invitations-to', email_normalized, { limit: INVITATIONS_TO_ONE_PER_DAY, windowMs: DAY_MS });
  const token = newToken();
  const invitation: sql.InvitationRow = {
    id: randomId('inv'),
    account_id: account.id,
    email,
    email_normalized,
    role: form.role,
    invited_by: user.id,
    created_at: now,
    expires_at: new Date(now.getTime() + INVITATION_MS),
    accepted_at: null,
    revoked_at: null,
  };
  await inTransaction(deps.control, async (client) => {
    await sql.replaceInvitations(client, account.id, email_normalized, now);
    await sql.insertInvitation(client, invitation, digestOfToken(deps.secrets, 'invitation', token));
    const details = { email, role: form.role };
    await auditAct(deps, client, signedIn, { action: 'member.invited', target: invitation.id, details });
  });
  const text = { token, account: plain(account.name), role: form.role };
  deps.background.run('invitation', () =>
    deps.mailer.send(writeLetter('invitation', email, deps.config.baseUrl, text)),
  );
  return invitation;
}

type Acceptance = Static<typeof AcceptForm>;

/** The link proves the mailbox, which is enough to create a user. An existing user must also authenticate: by being
    signed in, or with password and code, which also works for people without an account. */
export async function acceptInvitation(deps: Deps, form: Acceptance, signedIn: SignedIn | undefined, visitor: Visitor) {
  const digest = digestOfToken(deps.secrets, 'invitation', form.token);
  const invitation = (await sql.findInvitation(deps.control, digest, deps.clock())) ?? failLink();
  const join = (client: Client, userId: string, method: sql.SignInMethod) =>
    joinAccount(deps, client, { digest, userId, method, visitor });

  const known = await sql.findUserByEmail(deps.control, invitation.email_normalized);
  if (!known) {
    await people.refuseWhereSsoIsRequired(deps.control, invitation.email, invitation.account_id);
    const fields = await readNewcomer(deps, invitation.email, form);
    return inTransaction(deps.control, async (client) => {
      const user = (await people.createUser(deps, client, fields)) ?? failSignedOut(invitation.email);
      return join(client, user.id, 'password');
    });
  }
  if (signedIn?.user.id === known.id) {
    people.refuseSsoSession(signedIn);
    return inTransaction(deps.control, async (client) => {
      await sql.deleteSession(client, known.id, signedIn.session.id);
      return join(client, known.id, signedIn.session.method);
    });
  }
  const { password, code } = form;
  if (!password) failSignedOut(known.email);
  return people.withCredentials(deps, { email: known.email, password, code }, visitor, (client, user) =>
    join(client, user.id, 'password'),
  );
}

async function readNewcomer(deps: Deps, email: string, { name, password }: Acceptance): Promise<people.NewUser> {
  if (!password || !name) fail('invalid_request', 'Send `name` and `password` to create your user.');
  await deps.passwords.check(password, { email, name });
  return { email, name, company: null, password_hash: await deps.passwords.hash(password) };
}

type Joining = Omit<NewSession, 'accountId'> & { digest: Buffer };

async function joinAccount(deps: Deps, client: Client, { digest, userId, method, visitor }: Joining): Promise<string> {
  const now = deps.clock();
  const invitation = (await sql.takeInvitation(client, digest, now)) ?? failLink();
  const { account_id: accountId, role } = invitation;
  if (method !== 'sso') await people.refuseWhereSsoIsRequired(client, invitation.email, accountId);
  await sql.forgetRemoval(client, accountId, userId);
  await sql.insertMember(client, { account_id: accountId, user_id: userId, role, created_at: now });
  const act = { action: 'member.joined', details: { role }, ip: visitor.ip };
  await recordAudit(client, { ...act, accountId, actor: userId, at: now });
  return startSession(deps, client, { userId, accountId, method, visitor });
}

function failLink(): never {
  return fail('invalid_link', 'This invitation has expired, was already used or was withdrawn. Ask for a new one.');
}

function failSignedOut(email: string): never {
  return fail('not_signed_in', `${email} already has a user. Sign in, or enter its password, to accept.`);
}

export async function withdrawInvitation(deps: Deps, signedIn: SignedIn, id: string): Promise<void> {
  await inTransaction(deps.control, async (client) => {
    const isOpen = await sql.revokeInvitation(client, signedIn.account.id, id, deps.clock());
    if (!isOpen) fail('resource_not_found', `There is no open invitation ${id}.`);
    await auditAct(deps, client, signedIn, { action: 'member.invitation_withdrawn', target: id });
  });
}

export async function changeRole(deps: Deps, signedIn: SignedIn, userId: string, role: sql.Role): Promise<void> {
  await inTransaction(deps.control, async (client) => {
    await checkOwners(client, signedIn, userId, role);
    await sql.updateMember(client, signedIn.account.id, userId, role);
    await auditAct(deps, client, signedIn, { action: 'member.role_changed', target: userId, details: { role } });
  });
}

export async function removeMember(deps: Deps, signedIn: SignedIn, userId: string): Promise<void> {
  await inTransaction(deps.control, async (client) => {
    await checkOwners(client, signedIn, userId, null);
    await sql.removeMember(client, signedIn.account.id, userId, deps.clock());
    await sql.deleteSessionsIn(client, userId, signedIn.account.id);
    await auditAct(deps, client, signedIn, { action: 'member.removed', target: userId });
  });
}

/** Only owners add or remove owners, and the last one stays. */
async function checkOwners(client: Client, { account, role }: SignedIn, userId: string, next: sql.Role | null) {
  const members = await sql.lockMembers(client, account.id);
  const member = members.find((row) => row.user_id === userId);
  if (!member) fail('resource_not_found', `There is no member ${userId}.`);
  if ((member.role === 'owner' || next === 'owner') && role !== 'owner') {
    fail('insufficient_role', 'Only an owner can add, change or remove an owner.');
  }
  const owners = members.filter((row) => row.role === 'owner');
  if (member.role === 'owner' && next !== 'owner' && owners.length === 1) {
    fail('invalid_state', 'An account needs at least one owner. Make someone else an owner first.');
  }
}
