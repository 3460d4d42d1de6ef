// HTTP in and out for people: everything under /session that is not money. The cookie is the only thing that carries a session.
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { listEntries } from '../audit/audit.ts';
import type { Deps } from '../deps.ts';
import type { App } from '../http/types.ts';
import { presentPage, readPage } from '../lib/pages.ts';
import { fail } from '../lib/errors.ts';
import { createMinuteLimit } from '../lib/minute-limit.ts';
import { cursorParameter, limitParameter, pageOf } from '../lib/schema.ts';
import { trialPeriod } from '../usage/periods.ts';
import { sessionCookie } from './cookie.ts';
import { normalizeEmail } from './emails.ts';
import * as people from './people.ts';
import * as sessions from './sessions.ts';
import * as shape from './schema.ts';
import * as team from './team.ts';

// Each of these sends a letter: enough for a person who mistypes, too few to flood a mailbox.
const LETTERS_PER_MINUTE = 3;

/** Who is signed in, or 401. */
export function signedInOf(request: FastifyRequest): sessions.SignedIn {
  return request.signedIn ?? fail('not_signed_in', 'Sign in first.');
}

export function peopleRoutes(app: App, deps: Deps): void {
  const cookie = sessionCookie(deps.config.baseUrl);
  const letters = createMinuteLimit(LETTERS_PER_MINUTE);
  const done = { object: 'done' as const };
  const route = (body: object | undefined, response: object, status = 200) => ({
    config: { isHidden: true },
    schema: { ...(body && { body }), response: { [status]: response } },
  });

  function limitLetters(email: string): void {
    const wait = letters.take(normalizeEmail(email), deps.clock());
    if (wait !== undefined) {
      fail('rate_limited', `Too many letters to this address. Try again in ${wait} s.`, { retryAfterSeconds: wait });
    }
  }

  async function answerSession(reply: FastifyReply, token: string, extra: object = {}) {
    reply.header('set-cookie', cookie.write(token));
    return { ...(await describeSession(deps, (await sessions.findSignedIn(deps, token))!)), ...extra };
  }

  app.post('/sign-up', route(shape.SignUpForm, shape.Done, 202), async (request, reply) => {
    const form = request.body as people.SignUp;
    limitLetters(form.email);
    await people.signUp(deps, form);
    return reply.code(202).send(done);
  });

  app.post('/verify', route(shape.TokenForm, shape.SessionState), async (request, reply) => {
    const { token } = request.body as { token: string };
    const { token: session, secrets } = await people.verifyEmail(deps, token, visitorOf(request));
    return answerSession(reply, session, { keys: secrets });
  });

  app.post('/sign-in', route(shape.SignInForm, shape.SessionState), async (request, reply) => {
    const form = request.body as { email: string; password: string; code?: string };
    return answerSession(reply, await people.signIn(deps, form, visitorOf(request)));
  });

  app.get('/', route(undefined, shape.SessionState), async (request) => describeSession(deps, signedInOf(request)));

  app.post('/sign-out', route(undefined, shape.Done), async (request, reply) => {
    if (request.signedIn) await people.signOut(deps, request.signedIn);
    reply.header('set-cookie', cookie.clear());
    return done;
  });

  app.post('/forgot', route(shape.EmailForm, shape.Done, 202), async (request, reply) => {
    const { email } = request.body as { email: string };
    limitLetters(email);
    await people.forgotPassword(deps, email);
    return reply.code(202).send(done);
  });

  app.post('/reset', route(shape.ResetForm, shape.Done), async (request) => {
    const { token, password } = request.body as { token: string; password: string };
    await people.resetPassword(deps, token, password);
    return done;
  });

  app.post('/password', route(shape.PasswordChangeForm, shape.Done), async (request) => {
    const form = request.body as { current_password: string; password: string };
    await people.changePassword(deps, signedInOf(request), form.current_password, form.password);
    return done;
  });

  app.post('/account', route(shape.AccountForm, shape.Done), async (request) => {
    await people.switchAccount(deps, signedInOf(request), (request.body as { account_id: string }).account_id);
    return done;
  });

  app.get('/sessions', route(undefined, shape.SessionPage), async (request) => {
    const { user, session } = signedInOf(request);
    const rows = await people.listSessions(deps.control, user.id, deps.clock());
    const data = rows.map((row) => ({
      object: 'sign_in' as const,
      id: row.id,
      created_at: row.created_at.toISOString(),
      last_seen_at: row.last_seen_at.toISOString(),
      ip: row.ip,
      user_agent: row.user_agent,
      is_current: row.id === session.id,
    }));
    return pageOf(data, 100, null);
  });

  app.delete('/sessions/:id', { ...route(undefined, shape.Done) }, async (request) => {
    await people.endSession(deps, signedInOf(request), (request.params as { id: string }).id);
    return done;
  });

  app.post('/two-factor', route(shape.PasswordForm, shape.TwoFactorSecret), async (request) => {
    const { password } = request.body as { password: string };
    const { secret, address } = await people.beginTwoFactor(deps, signedInOf(request), password);
    return { object: 'two_factor_secret', secret, otpauth_url: address };
  });

  app.post('/two-factor/confirm', route(shape.CodeForm, shape.RecoveryCodes), async (request) => {
    const { code } = request.body as { code: string };
    return { object: 'recovery_codes', codes: await people.confirmTwoFactor(deps, signedInOf(request), code) };
  });

  app.post('/two-factor/disable', route(shape.PasswordForm, shape.Done), async (request) => {
    await people.endTwoFactor(deps, signedInOf(request), (request.body as { password: string }).password);
    return done;
  });

  teamRoutes(app, deps, answerSession);
  auditRoute(app, deps);
}

type AnswerSession = (reply: FastifyReply, token: string) => Promise<object>;

function teamRoutes(app: App, deps: Deps, answerSession: AnswerSession): void {
  const done = { object: 'done' as const };
  const config = { isHidden: true };

  app.get('/members', { config, schema: { response: { 200: shape.MemberPage } } }, async (request) => {
    const { account } = signedInOf(request);
    const rows = await people.listMembers(deps.control, account.id);
    const data = rows.map(({ user_id, created_at, email, name, role, has_two_factor }) => ({
      object: 'member' as const,
      id: user_id,
      email,
      name,
      role,
      has_two_factor,
      created_at: created_at.toISOString(),
    }));
    return pageOf(data, 500, null);
  });

  app.patch(
    '/members/:id',
    { config, schema: { params: shape.IdParams, body: shape.RoleForm, response: { 200: shape.Done } } },
    async (request) => {
      const signedIn = signedInOf(request);
      team.requireDuty(signedIn, 'team');
      await team.changeRole(deps, signedIn, request.params.id, request.body.role);
      return done;
    },
  );

  app.delete(
    '/members/:id',
    { config, schema: { params: shape.IdParams, response: { 200: shape.Done } } },
    async (request) => {
      const signedIn = signedInOf(request);
      if (request.params.id !== signedIn.user.id) team.requireDuty(signedIn, 'team');
      await team.removeMember(deps, signedIn, request.params.id);
      return done;
    },
  );

  app.get('/invitations', { config, schema: { response: { 200: shape.InvitationPage } } }, async (request) => {
    const rows = await team.listInvitations(deps, signedInOf(request));
    return pageOf(rows.map(presentInvitation), 500, null);
  });

  app.post(
    '/invitations',
    { config, schema: { body: shape.InvitationForm, response: { 201: shape.InvitationShape } } },
    async (request, reply) => {
      const signedIn = signedInOf(request);
      team.requireDuty(signedIn, 'team');
      const invitation = await team.invite(deps, signedIn, request.body.email, request.body.role);
      return reply.code(201).send(presentInvitation(invitation));
    },
  );

  app.delete(
    '/invitations/:id',
    { config, schema: { params: shape.IdParams, response: { 200: shape.Done } } },
    async (request) => {
      const signedIn = signedInOf(request);
      team.requireDuty(signedIn, 'team');
      await team.withdrawInvitation(deps, signedIn, request.params.id);
      return done;
    },
  );

  app.post(
    '/invitations/accept',
    { config, schema: { body: shape.AcceptForm, response: { 200: shape.SessionState } } },
    async (request, reply) => {
      const token = await team.acceptInvitation(deps, request.body, request.signedIn, visitorOf(request));
      return (await answerSession(reply, token)) as never;
    },
  );
}

function auditRoute(app: App, deps: Deps): void {
  app.get(
    '/audit-log',
    {
      config: { isHidden: true },
      schema: {
        querystring: Type.Object({ limit: limitParameter(), cursor: cursorParameter }, { additionalProperties: false }),
        response: { 200: shape.AuditPage },
      },
    },
    async (request) => {
      const { account } = signedInOf(request);
      const list = (before: [number] | undefined, limit: number) =>
        listEntries(deps.control, account.id, before?.[0], limit);
      const page = await readPage(deps.secrets, ['audit', account.id], request.query, list, (row): [number] => [
        row.sequence,
      ]);
      return presentPage(page, ({ account_id: _account, previous_hash: _previous, at, hash, ...rest }) => ({
        object: 'audit_entry' as const,
        ...rest,
        at: at.toISOString(),
        hash: hash.toString('hex'),
      }));
    },
  );
}

async function describeSession(deps: Deps, { user, account, role }: sessions.SignedIn) {
  const accounts = await people.listMemberships(deps.control, user.id);
  const isTrial = account.plan === 'trial';
  return {
    object: 'session' as const,
    user: { id: user.id, email: user.email, name: user.name, has_two_factor: user.totp_enabled_at !== null },
    account: {
      id: account.id,
      name: account.name,
      plan: account.plan,
      status: account.status,
      needs_card: isTrial && account.anchor_at === null,
      trial_ends_at: isTrial && account.anchor_at ? trialPeriod(account.anchor_at).end.toISOString() : null,
    },
    role,
    accounts: accounts.map((row) => ({ id: row.account_id, name: row.account_name, role: row.role })),
  };
}

function presentInvitation(row: Awaited<ReturnType<typeof team.invite>>) {
  const { id, email, role, created_at, expires_at } = row;
  return {
    object: 'invitation' as const,
    id,
    email,
    role,
    created_at: created_at.toISOString(),
    expires_at: expires_at.toISOString(),
  };
}

function visitorOf(request: FastifyRequest): sessions.Visitor {
  return { ip: request.ip, userAgent: request.headers['user-agent'] ?? '' };
}
