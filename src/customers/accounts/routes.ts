// HTTP in and out for API keys.
import type { FastifyRequest } from 'fastify';
import type { Deps } from '../../base/deps.ts';
import { created } from '../../base/http/answers.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { byCreation, presentPage, readPage } from '../../base/lib/pages.ts';
import { fail } from '../../base/lib/errors.ts';
import { cursorParameter, IdParams, limitParameter, presentRow, strict } from '../../base/lib/schema.ts';
import { actorOf, changeKey, getKey, issueKey, revokeKey, rotateKey, visibleMode } from './accounts.ts';
import { isAllowable } from './allowed-ips.ts';
import { Key, KeyPage, KeyPatch, KeyWithSecret, NewKey, Rotation } from './schema.ts';
import { DEFAULT_SCOPES, type Scope } from './scopes.ts';
import { listKeys, type KeyRow } from './sql.ts';

export function keyRoutes(app: App, deps: Deps): void {
  const reads = operationsOf('keys', { scope: 'keys:read', meter: 'none' });
  const writes = operationsOf('keys', { scope: 'keys:write', meter: 'none', errors: ['key_exceeds_caller'] });
  const changes = operationsOf('keys', {
    scope: 'keys:write',
    meter: 'none',
    errors: ['key_exceeds_caller', 'invalid_state'],
  });
  const byOf = (request: FastifyRequest) => actorOf(request.caller, request.ip);
  const target = (request: FastifyRequest<{ Params: { id: string } }>) => ({
    accountId: request.caller.account.id,
    id: request.params.id,
    by: byOf(request),
  });

  app.get(
    '/keys',
    reads('list_keys', 'List the keys of the account', {
      querystring: strict({ limit: limitParameter(), cursor: cursorParameter }),
      response: { 200: KeyPage },
    }),
    async (request) => {
      const accountId = request.caller.account.id;
      const mode = visibleMode(request.caller);
      const list = (after: [string, string] | undefined, limit: number) =>
        listKeys(deps.control, { accountId, mode, after, limit });
      const page = await readPage(deps.secrets, ['keys', accountId, mode ?? null], request.query, list, byCreation);
      return presentPage(page, presentKey);
    },
  );

  app.post(
    '/keys',
    writes('create_key', 'Create a key', { body: NewKey, response: { 201: KeyWithSecret } }),
    async (request, reply) => {
      checkIps(request.body.allowed_ips);
      const { mode = request.caller.key.mode, scopes = grantable(request), expires_at, ...rest } = request.body;
      const options = { ...rest, mode, scopes, expires_at: readExpiry(deps, expires_at) };
      const { key, secret } = await issueKey(deps, request.caller.account.id, options, byOf(request));
      return created(reply, 'keys', { ...presentKey(key), secret });
    },
  );

  app.get(
    '/keys/:id',
    reads('get_key', 'Get a key', { etag: true, params: IdParams, response: { 200: Key } }),
    async (request) =>
      presentKey(await getKey(deps, request.caller.account.id, request.params.id, visibleMode(request.caller))),
  );

  app.patch(
    '/keys/:id',
    changes('update_key', 'Change a key’s name, scopes or limits', {
      params: IdParams,
      body: KeyPatch,
      response: { 200: Key },
    }),
    async (request) => {
      checkIps(request.body.allowed_ips);
      const { expires_at, ...rest } = request.body;
      const given = { ...rest, ...(expires_at !== undefined && { expires_at: readExpiry(deps, expires_at) }) };
      return presentKey(await changeKey(deps, { ...target(request), changes: given }));
    },
  );

  app.post(
    '/keys/:id/rotate',
    changes('rotate_key', 'Rotate a key', { params: IdParams, body: Rotation, response: { 201: KeyWithSecret } }),
    async (request, reply) => {
      const overlapHours = request.body.overlap_hours ?? 24;
      const { key, secret } = await rotateKey(deps, { ...target(request), overlapHours });
      return created(reply, 'keys', { ...presentKey(key), secret });
    },
  );

  app.post(
    '/keys/:id/revoke',
    changes('revoke_key', 'Revoke a key', { params: IdParams, response: { 200: Key } }),
    async (request) => presentKey(await revokeKey(deps, target(request))),
  );
}

const presentKey = (key: KeyRow) => ({ object: 'api_key' as const, ...presentRow(Key, key) });

function checkIps(entries: string[] | undefined): void {
  const wrong = entries?.find((entry) => !isAllowable(entry));
  if (wrong === undefined) return;
  const detail = `\`${wrong}\` is not an IP or CIDR block`;
  fail('invalid_request', `${detail}.`, { errors: [{ pointer: '/body/allowed_ips', code: 'format', detail }] });
}

/** Key management and invoices must be granted by name. */
const grantable = (request: FastifyRequest): Scope[] =>
  request.caller.key.scopes.filter((scope) => DEFAULT_SCOPES.includes(scope));

function readExpiry<Absent extends null | undefined>(deps: Deps, value: string | Absent): Date | Absent {
  if (value == null) return value;
  const expiry = new Date(value);
  if (expiry <= deps.clock()) fail('invalid_request', 'expires_at must be in the future.');
  return expiry;
}
