// The people of an account: invited by mail, given a role, changed and removed; an account always keeps an owner.
import { SCOPES, type Scope } from '../accounts/scopes.ts';
import { recordAudit } from '../audit/audit.ts';
import { inTransaction, type Client } from '../db/postgres.ts';
import type { Deps } from '../deps.ts';
import { fail } from '../lib/errors.ts';
import { randomId } from '../lib/ids.ts';
import { normalizeEmail } from './emails.ts';
import { invitationLetter } from './letters.ts';
import { checkPassword } from './passwords.ts';
import { audit, checkEmail, newUser } from './people.ts';
import { digestOfToken, newToken, startSession, type SignedIn, type Visitor } from './sessions.ts';
import * as sql from './sql.ts';

export const ROLES = ['owner', 'admin', 'developer', 'billing', 'viewer'] as const;

const INVITATION_MS = 7 * 86_400_000;

/** What a signed-in person may ask the API, by role. */
export const SCOPES_OF_ROLE: Record<sql.Role, Scope[]> = {
  owner: [...SCOPES],
  admin: [...SCOPES],
  developer: [...SCOPES],
  billing: ['usage:read', 'keys:read'],
  viewer: SCOPES.filter((scope) => scope.endsWith(':read')),
};

export type Duty = 'team' | 'billing';

const DUTIES: Record<Duty, readonly sql.Role[]> = {
  team: ['owner', 'admin'],
  billing: ['owner', 'admin', 'billing'],
};

export function requireDuty({ role }: SignedIn, duty: Duty): void {
  if (!DUTIES[duty].includes(role)) {
    fail('insufficient_role', `This needs the role ${DUTIES[duty].join(', ')}; yours is ${role}.`);
  }
}

export async function invite(
  deps: Deps,
  signedIn: SignedIn,
  email: string,
  role: Exclude<sql.Role, 'owner'>,
): Promise<sql.InvitationRow> {
  checkEmail(email);
  const now = deps.clock();
  const { account, user } = signedIn;
  const known = await sql.findUserByEmail(deps.control, normalizeEmail(email));
  if (known && (await sql.findMember(deps.control, account.id, known.id))) {
    fail('invalid_state', `${email} is a member already.`);
  }
  const token = newToken();
  const invitation: sql.InvitationRow = {
    id: randomId('inv'),
    account_id: account.id,
    email,
    role,
    invited_by: user.id,
    created_at: now,
    expires_at: new Date(now.getTime() + INVITATION_MS),
    accepted_at: null,
    revoked_at: null,
  };
  await inTransaction(deps.control, async (client) => {
    await sql.insertInvitation(client, invitation, digestOfToken(deps.secrets, 'invitation', token));
    await audit(deps, client, signedIn, 'member.invited', invitation.id, { email, role });
  });
  await deps.mailer.send(invitationLetter(email, deps.config.baseUrl, token, account.name, role));
  return invitation;
}

/** A new user is made with the password given; one who exists proves it with theirs, by being signed in. */
export async function acceptInvitation(
  deps: Deps,
  form: { token: string; name?: string; password?: string },
  signedIn: SignedIn | undefined,
  visitor: Visitor,
): Promise<string> {
  return inTransaction(deps.control, async (client) => {
    const now = deps.clock();
    const digest = digestOfToken(deps.secrets, 'invitation', form.token);
    const invitation =
      (await sql.takeInvitation(client, digest, now)) ??
      fail('invalid_link', 'The invitation is too old, was used already or was taken back. Ask for a new one.');
    const known = await sql.findUserByEmail(client, normalizeEmail(invitation.email));
    if (known && signedIn?.user.id !== known.id) {
      fail('not_signed_in', `Sign in as ${known.email} first, then open the link again.`);
    }
    let userId = known?.id;
    if (userId === undefined) {
      if (!form.password || !form.name) fail('invalid_request', 'Send `name` and `password` to make your user.');
      checkPassword(form.password, invitation.email);
      // The link came by mail: the address is proved.
      const user = await newUser(deps, { email: invitation.email, password: form.password, name: form.name }, now);
      await sql.insertUser(client, user);
      userId = user.id;
    }
    const { account_id, role } = invitation;
    await sql.insertMember(client, { account_id, user_id: userId, role, created_at: now });
    const token = await startSession(deps, client, userId, account_id, visitor);
    await recordJoin(deps, client, account_id, userId, role, visitor.ip);
    return token;
  });
}

async function recordJoin(
  deps: Deps,
  client: Client,
  accountId: string,
  userId: string,
  role: string,
  ip: string,
): Promise<void> {
  await recordAudit(client, {
    accountId,
    actor: userId,
    action: 'member.joined',
    details: { role },
    ip,
    at: deps.clock(),
  });
}

export async function listInvitations(deps: Deps, signedIn: SignedIn): Promise<sql.InvitationRow[]> {
  return sql.listOpenInvitations(deps.control, signedIn.account.id, deps.clock());
}

export async function withdrawInvitation(deps: Deps, signedIn: SignedIn, id: string): Promise<void> {
  await inTransaction(deps.control, async (client) => {
    const isOpen = await sql.revokeInvitation(client, signedIn.account.id, id, deps.clock());
    if (!isOpen) fail('resource_not_found', `There is no open invitation ${id}.`);
    await audit(deps, client, signedIn, 'member.invitation_withdrawn', id);
  });
}

export async function changeRole(deps: Deps, signedIn: SignedIn, userId: string, role: sql.Role): Promise<void> {
  await inTransaction(deps.control, async (client) => {
    await checkOwners(client, signedIn, userId, role);
    await sql.updateMember(client, signedIn.account.id, userId, role);
    await audit(deps, client, signedIn, 'member.role_changed', userId, { role });
  });
}

export async function removeMember(deps: Deps, signedIn: SignedIn, userId: string): Promise<void> {
  await inTransaction(deps.control, async (client) => {
    await checkOwners(client, signedIn, userId, null);
    await sql.deleteMember(client, signedIn.account.id, userId);
    await sql.deleteSessionsIn(client, userId, signedIn.account.id);
    await audit(deps, client, signedIn, 'member.removed', userId);
  });
}

/** Only owners make or unmake owners, and the last one stays. */
async function checkOwners(
  client: Client,
  { account, role }: SignedIn,
  userId: string,
  next: sql.Role | null,
): Promise<void> {
  const members = await sql.lockMembers(client, account.id);
  const member = members.find((row) => row.user_id === userId);
  if (!member) fail('resource_not_found', `There is no member ${userId}.`);
  if ((member.role === 'owner' || next === 'owner') && role !== 'owner') {
    fail('insufficient_role', 'Only an owner can do this to an owner.');
  }
  const owners = members.filter((row) => row.role === 'owner');
  if (member.role === 'owner' && next !== 'owner' && owners.length === 1) {
    fail('invalid_state', 'An account needs an owner. Make someone else an owner first.');
  }
}
