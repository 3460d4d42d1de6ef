// HTTP in and out for passkeys: one's own, and signing in with one.
import type { Deps } from '../../base/deps.ts';
import type { App } from '../../base/http/types.ts';
import { pageOf } from '../../base/lib/schema.ts';
import * as passkeys from './passkeys.ts';
import { signedInOf, visitorOf, type AnswerSession } from './requests.ts';
import * as shape from './schema.ts';

type PasskeyRow = Awaited<ReturnType<typeof passkeys.addPasskey>>;

export function passkeyRoutes(app: App, deps: Deps, answerSession: AnswerSession): void {
  const done = { object: 'done' as const };
  const config = { isHidden: true };
  const asJson = (options: object) => options as Record<string, unknown>;

  app.post(
    '/passkeys/options',
    { config, schema: { body: shape.ProofForm, response: { 200: shape.PasskeyOptions } } },
    async (request) => {
      const options = await passkeys.beginPasskey(deps, signedInOf(request), request.body);
      return { object: 'passkey_options' as const, options: asJson(options) };
    },
  );

  app.post(
    '/passkeys',
    { config, schema: { body: shape.NewPasskeyForm, response: { 201: shape.Passkey } } },
    async (request, reply) => {
      const passkey = await passkeys.addPasskey(deps, signedInOf(request), request.body);
      return reply.code(201).send(present(passkey));
    },
  );

  app.get('/passkeys', { config, schema: { response: { 200: shape.PasskeyPage } } }, async (request) => {
    const rows = await passkeys.listPasskeys(deps, signedInOf(request));
    return pageOf(rows.map(present), 100, null);
  });

  app.patch(
    '/passkeys/:id',
    { config, schema: { params: shape.IdParams, body: shape.PasskeyNameForm, response: { 200: shape.Done } } },
    async (request) => {
      await passkeys.renamePasskey(deps, signedInOf(request), request.params.id, request.body.name);
      return done;
    },
  );

  app.delete(
    '/passkeys/:id',
    { config, schema: { params: shape.IdParams, response: { 200: shape.Done } } },
    async (request) => {
      await passkeys.removePasskey(deps, signedInOf(request), request.params.id);
      return done;
    },
  );

  app.post('/passkeys/sign-in/options', { config, schema: { response: { 200: shape.PasskeyOptions } } }, async () => ({
    object: 'passkey_options' as const,
    options: asJson(await passkeys.beginPasskeySignIn(deps)),
  }));

  app.post(
    '/passkeys/sign-in',
    { config, schema: { body: shape.PasskeySignInForm, response: { 200: shape.SessionState } } },
    async (request, reply) => {
      const token = await passkeys.signInWithPasskey(deps, request.body.response, visitorOf(request));
      return (await answerSession(reply, token)) as never;
    },
  );
}

function present({ id, name, is_backed_up, created_at, last_used_at }: PasskeyRow) {
  return {
    object: 'passkey' as const,
    id,
    name,
    is_backed_up,
    created_at: created_at.toISOString(),
    last_used_at: last_used_at?.toISOString() ?? null,
  };
}
