// HTTP in and out for people: everything under /session that is not money. A session is carried by its cookie alone.
import type { FastifyReply } from 'fastify';
import type { Deps } from '../../base/deps.ts';
import { hidden, type App } from '../../base/http/types.ts';
import { HOUR_MS, MINUTE_MS } from '../../base/lib/clock.ts';
import { pageOf, presentRow } from '../../base/lib/schema.ts';
import { trialPeriod } from '../usage/periods.ts';
import { limitAction, limitNetwork } from './attempts.ts';
import { sessionCookie, signUpCookie } from './cookie.ts';
import { normalizeEmail } from './emails.ts';
import { passkeyRoutes } from './passkey-routes.ts';
import * as passwords from './password-changes.ts';
import * as people from './people.ts';
import { signedInOf, visitorOf } from './requests.ts';
import * as sessions from './sessions.ts';
import * as shape from './schema.ts';
import { listMemberships, listSessions } from './sql.ts';
import { teamRoutes } from './team-routes.ts';
import * as twoFactor from './two-factor.ts';

/** Emails to one mailbox: enough for a person who mistypes, too few to flood it. */
const LETTERS_PER_MINUTE = 3;
const LETTERS_PER_HOUR = 10;

export function peopleRoutes(app: App, deps: Deps): void {
  const cookie = sessionCookie(deps.config.baseUrl);
  const signUps = signUpCookie(deps.config.baseUrl);
  const done = { object: 'done' as const };

  async function limitLetters(email: string): Promise<void> {
    const mailbox = normalizeEmail(email);
    await limitAction(deps, 'letters', mailbox, { limit: LETTERS_PER_MINUTE, windowMs: MINUTE_MS });
    await limitAction(deps, 'letters-hourly', mailbox, { limit: LETTERS_PER_HOUR, windowMs: HOUR_MS });
  }

  async function answerSession(reply: FastifyReply, token: string, extra: object = {}) {
    void reply.header('set-cookie', cookie.write(token));
    return { ...(await describeSession(deps, (await sessions.findSignedIn(deps, token))!)), ...extra };
  }

  app.post('/sign-up', hidden({ body: shape.SignUpForm }, shape.Done), async (request, reply) => {
    // Each costs a password hash.
    await limitNetwork(deps, 'sign-ups', request.ip, { limit: deps.config.signUpLimitPerHour, windowMs: HOUR_MS });
    await people.checkSignUp(deps, request.body);
    await limitLetters(request.body.email);
    const browserToken = await people.signUp(deps, request.body);
    return reply.code(202).header('set-cookie', signUps.write(browserToken)).send(done);
  });

  app.post('/verify', hidden({ body: shape.VerifyForm }, shape.SessionState), async (request, reply) => {
    const browserToken = signUps.read(request.headers.cookie);
    const { token, secrets } = await people.verifyEmail(deps, { ...request.body, browserToken }, visitorOf(request));
    if (browserToken) void reply.header('set-cookie', signUps.clear());
    return answerSession(reply, token, { keys: secrets });
  });

  app.post('/sign-in', hidden({ body: shape.SignInForm }, shape.SessionState), async (request, reply) => {
    return answerSession(reply, await people.signIn(deps, request.body, visitorOf(request)));
  });

  app.get('/', hidden({}, shape.SessionState), async (request) => describeSession(deps, signedInOf(request)));

  app.post('/sign-out', hidden({}, shape.Done), async (request, reply) => {
    if (request.signedIn) await people.signOut(deps, request.signedIn);
    void reply.header('set-cookie', cookie.clear()).header('clear-site-data', '"storage"');
    return done;
  });

  app.post('/forgot', hidden({ body: shape.EmailForm }, shape.Done), async (request, reply) => {
    await limitLetters(request.body.email);
    passwords.forgotPassword(deps, request.body.email);
    return reply.code(202).send(done);
  });

  app.post('/reset', hidden({ body: shape.ResetForm }, shape.Done), async (request) => {
    await passwords.resetPassword(deps, request.body, request.ip);
    return done;
  });

  app.post('/password', hidden({ body: shape.PasswordChangeForm }, shape.Done), async (request) => {
    await passwords.changePassword(deps, signedInOf(request), request.body);
    return done;
  });

  app.post('/account', hidden({ body: shape.AccountForm }, shape.Done), async (request) => {
    await people.switchAccount(deps, signedInOf(request), request.body.account_id);
    return done;
  });

  app.get('/sessions', hidden({}, shape.SessionPage), async (request) => {
    const { user, session } = signedInOf(request);
    const rows = await listSessions(deps.control, user.id, deps.clock());
    const data = rows.map((row) => ({
      object: 'sign_in' as const,
      ...presentRow(shape.SignIn, row),
      is_current: row.id === session.id,
    }));
    return pageOf(data, 100, null);
  });

  app.delete(
    '/sessions/:id',
    hidden({ params: shape.IdParams, body: shape.ProofForm }, shape.Done),
    async (request) => {
      await people.endSession(deps, signedInOf(request), request.params.id, request.body);
      return done;
    },
  );

  app.post('/two-factor', hidden({ body: shape.ProofForm }, shape.TwoFactorSecret), async (request) => {
    const { secret, url } = await twoFactor.beginTwoFactor(deps, signedInOf(request), request.body.password);
    return { object: 'two_factor_secret' as const, secret, otpauth_url: url };
  });

  app.post('/two-factor/confirm', hidden({ body: shape.CodeForm }, shape.RecoveryCodes), async (request) => {
    const codes = await twoFactor.confirmTwoFactor(deps, signedInOf(request), request.body.code);
    return { object: 'recovery_codes' as const, codes };
  });

  app.post('/two-factor/disable', hidden({ body: shape.ProofForm }, shape.Done), async (request) => {
    await twoFactor.endTwoFactor(deps, signedInOf(request), request.body);
    return done;
  });

  teamRoutes(app, deps, answerSession);
  passkeyRoutes(app, deps, answerSession);
}

async function describeSession(deps: Deps, { user, account, session, role }: sessions.SignedIn) {
  const memberships = await listMemberships(deps.control, user.id);
  // A provider must not learn of the person's other accounts.
  const accounts = memberships.filter((row) => session.method !== 'sso' || row.account_id === account.id);
  const isTrial = account.plan === 'trial';
  return {
    object: 'session' as const,
    user: {
      id: user.id,
      email: user.email,
      name: user.name,
      has_password: user.password_hash !== null,
      has_two_factor: user.totp_enabled_at !== null,
      is_operator: user.operator_since !== null,
    },
    account: {
      id: account.id,
      name: account.name,
      plan: account.plan,
      status: account.status,
      needs_card: isTrial && account.anchor_at === null,
      trial_ends_at: isTrial && account.anchor_at ? trialPeriod(account.anchor_at).end.toISOString() : null,
    },
    role,
    method: session.method,
    accounts: accounts.map((row) => ({ id: row.account_id, name: row.account_name, role: row.role })),
  };
}
