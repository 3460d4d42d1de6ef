// HTTP in and out for passkeys: one's own, and signing in with one.
import { HOUR_MS } from '../../base/lib/clock.ts';
import { networkOf } from '../../base/lib/ips.ts';
import type { Deps } from '../../base/deps.ts';
import { hidden, type App } from '../../base/http/types.ts';
import { pageOf, presentRow } from '../../base/lib/schema.ts';
import { limitAction } from './attempts.ts';
import * as passkeys from './passkeys.ts';
import { listPasskeys, type PasskeyRow } from './proof-sql.ts';
import { signedInOf, visitorOf, type AnswerSession } from './requests.ts';
import * as shape from './schema.ts';

export function passkeyRoutes(app: App, deps: Deps, answerSession: AnswerSession): void {
  const done = { object: 'done' as const };
  const asJson = (options: object) => options as Record<string, unknown>;

  app.post('/passkeys/options', hidden({ body: shape.ProofForm }, shape.PasskeyOptions), async (request) => {
    const options = await passkeys.beginPasskey(deps, signedInOf(request), request.body);
    return { object: 'passkey_options' as const, options: asJson(options) };
  });

  app.post('/passkeys', hidden({ body: shape.NewPasskeyForm }, shape.Passkey), async (request, reply) => {
    const passkey = await passkeys.addPasskey(deps, signedInOf(request), request.body);
    return reply.code(201).send(present(passkey));
  });

  app.get('/passkeys', hidden({}, shape.PasskeyPage), async (request) => {
    const rows = await listPasskeys(deps.control, signedInOf(request).user.id);
    return pageOf(rows.map(present), 100, null);
  });

  app.patch(
    '/passkeys/:id',
    hidden({ params: shape.IdParams, body: shape.PasskeyNameForm }, shape.Done),
    async (request) => {
      await passkeys.renamePasskey(deps, signedInOf(request), request.params.id, request.body.name);
      return done;
    },
  );

  app.delete(
    '/passkeys/:id',
    hidden({ params: shape.IdParams, body: shape.ProofForm }, shape.Done),
    async (request) => {
      await passkeys.removePasskey(deps, signedInOf(request), request.params.id, request.body);
      return done;
    },
  );

  app.post('/passkeys/sign-in/options', hidden({}, shape.PasskeyOptions), async (request) => {
    // Each creates a row and needs no authentication.
    await limitAction(deps, 'passkey-challenges', networkOf(request.ip), { limit: 300, windowMs: HOUR_MS });
    return { object: 'passkey_options' as const, options: asJson(await passkeys.beginPasskeySignIn(deps)) };
  });

  app.post(
    '/passkeys/sign-in',
    hidden({ body: shape.PasskeySignInForm }, shape.SessionState),
    async (request, reply) => {
      const token = await passkeys.signInWithPasskey(deps, request.body.response, visitorOf(request));
      return (await answerSession(reply, token)) as never;
    },
  );
}

const present = (row: PasskeyRow) => ({ object: 'passkey' as const, ...presentRow(shape.Passkey, row) });
