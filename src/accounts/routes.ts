// HTTP in and out for API keys.
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Deps } from '../deps.ts';
import type { App } from '../http/types.ts';
import { byCreation, presentPage, readPage } from '../lib/pages.ts';
import { fail } from '../lib/errors.ts';
import { cursorParameter, limitParameter, text } from '../lib/schema.ts';
import { changeKey, getKey, issueKey, listKeys, revokeKey, rotateKey, type Actor, type KeyRow } from './accounts.ts';
import { isAddressOrBlock } from './allowed-ips.ts';
import { Key, KeyPage, KeyPatch, KeyWithSecret, NewKey, Rotation } from './schema.ts';
import type { Scope } from './scopes.ts';

const TAG = ['keys'];
const KeyParams = Type.Object({ id: text(40) });

export function keyRoutes(app: App, deps: Deps): void {
  const reads = { scope: 'keys:read', meter: 'none' } as const;
  const writes = { scope: 'keys:write', meter: 'none' } as const;

  app.get(
    '/keys',
    {
      config: { ...reads, errors: ['invalid_cursor', 'cursor_mismatch'] },
      schema: {
        operationId: 'list_keys',
        summary: 'The keys of the account',
        tags: TAG,
        querystring: Type.Object({ limit: limitParameter(), cursor: cursorParameter }, { additionalProperties: false }),
        response: { 200: KeyPage },
      },
    },
    async (request) => {
      const { account } = request.caller;
      const list = (after: [string, string] | undefined, limit: number) => listKeys(deps, account.id, after, limit);
      const page = await readPage(deps.secrets, ['keys', account.id], request.query, list, byCreation);
      return presentPage(page, presentKey);
    },
  );

  app.post(
    '/keys',
    {
      config: writes,
      schema: {
        operationId: 'create_key',
        summary: 'Create a key',
        tags: TAG,
        body: NewKey,
        response: { 201: KeyWithSecret },
        description: 'A key cannot give scopes that it lacks itself. The secret is in this answer and never again.',
      },
    },
    async (request, reply) => {
      checkOptions(request, request.body);
      const { mode = request.caller.key.mode, scopes = grantable(request), ...options } = request.body;
      const { key, secret } = await issueKey(
        deps,
        request.caller.account.id,
        { ...options, mode, scopes, expires_at: readExpiry(deps, options.expires_at) },
        actorOf(request),
      );
      return reply
        .code(201)
        .header('location', `/api/v1/keys/${key.id}`)
        .send({ ...presentKey(key), secret });
    },
  );

  app.get(
    '/keys/:id',
    {
      config: { ...reads, etag: true },
      schema: { operationId: 'get_key', summary: 'One key', tags: TAG, params: KeyParams, response: { 200: Key } },
    },
    async (request) => presentKey(await getKey(deps, request.caller.account.id, request.params.id)),
  );

  app.patch(
    '/keys/:id',
    {
      config: { ...writes, errors: ['invalid_state'] },
      schema: {
        operationId: 'update_key',
        summary: 'Change a key’s name, scopes or limits',
        tags: TAG,
        params: KeyParams,
        body: KeyPatch,
        response: { 200: Key },
      },
    },
    async (request) => {
      checkOptions(request, request.body);
      const { expires_at, ...rest } = request.body;
      const changes = { ...rest, ...(expires_at !== undefined && { expires_at: readExpiry(deps, expires_at) }) };
      return presentKey(await changeKey(deps, request.caller.account.id, request.params.id, changes, actorOf(request)));
    },
  );

  app.post(
    '/keys/:id/rotate',
    {
      config: { ...writes, errors: ['invalid_state'] },
      schema: {
        operationId: 'rotate_key',
        summary: 'Replace a key, with an overlap',
        tags: TAG,
        params: KeyParams,
        body: Rotation,
        response: { 201: KeyWithSecret },
        description: 'A new id and secret with the same rights. The old key works until the overlap ends.',
      },
    },
    async (request, reply) => {
      await refuseStronger(deps, request, request.params.id);
      const { key, secret } = await rotateKey(
        deps,
        request.caller.account.id,
        request.params.id,
        request.body.overlap_hours ?? 24,
        actorOf(request),
      );
      return reply
        .code(201)
        .header('location', `/api/v1/keys/${key.id}`)
        .send({ ...presentKey(key), secret });
    },
  );

  app.post(
    '/keys/:id/revoke',
    {
      config: { ...writes, errors: ['invalid_state'] },
      schema: {
        operationId: 'revoke_key',
        summary: 'Revoke a key at once',
        tags: TAG,
        params: KeyParams,
        response: { 200: Key },
        description:
          'Every process refuses the key within 10 seconds. The last working live key of an account cannot be revoked.',
      },
    },
    async (request) =>
      presentKey(await revokeKey(deps, request.caller.account.id, request.params.id, actorOf(request))),
  );
}

export function presentKey(key: KeyRow) {
  const { account_id: _account, created_at, expires_at, revoked_at, last_used_at, ...rest } = key;
  return {
    object: 'api_key' as const,
    ...rest,
    created_at: created_at.toISOString(),
    expires_at: expires_at?.toISOString() ?? null,
    revoked_at: revoked_at?.toISOString() ?? null,
    last_used_at: last_used_at?.toISOString() ?? null,
  };
}

function actorOf(request: FastifyRequest): Actor {
  return { id: request.caller.key.id, ip: request.ip };
}

function checkOptions(request: FastifyRequest, options: { scopes?: Scope[]; allowed_ips?: string[] }): void {
  const missing = options.scopes?.find((scope) => !request.caller.key.scopes.includes(scope));
  if (missing)
    fail('insufficient_scope', `A key cannot give \`${missing}\`, which it lacks itself.`, { required_scope: missing });
  const wrong = options.allowed_ips?.find((entry) => !isAddressOrBlock(entry));
  if (wrong !== undefined) {
    const detail = `\`${wrong}\` is not an IP address or CIDR block`;
    fail('invalid_request', `${detail}.`, { errors: [{ pointer: '/body/allowed_ips', code: 'format', detail }] });
  }
}

/** Rotating hands out a fresh secret, so it must not be a way to a stronger key than one's own. */
async function refuseStronger(deps: Deps, request: FastifyRequest, id: string): Promise<void> {
  const key = await getKey(deps, request.caller.account.id, id);
  checkOptions(request, { scopes: key.scopes });
}

function grantable(request: FastifyRequest): Scope[] {
  return request.caller.key.scopes.filter((scope) => !scope.startsWith('keys:'));
}

function readExpiry(deps: Deps, value: string | null | undefined): Date | null {
  if (value == null) return null;
  const expiry = new Date(value);
  if (expiry <= deps.clock()) fail('invalid_request', 'expires_at must be in the future.');
  return expiry;
}
