// The permissions a key can carry, and the sets that new keys start with.

export const SCOPES = [
  'avm:read',
  'properties:read',
  'owners:read',
  'transactions:read',
  'risk:read',
  'tiles:read',
  'batch:read',
  'batch:write',
  'webhooks:read',
  'webhooks:write',
  'watchlists:read',
  'watchlists:write',
  'usage:read',
  'keys:read',
  'keys:write',
  'changes:read',
  'exports:read',
  'exports:write',
] as const;

export type Scope = (typeof SCOPES)[number];

/** What a key gets when it is made without naming scopes: everything except managing keys. */
export const DEFAULT_SCOPES: Scope[] = SCOPES.filter((scope) => !scope.startsWith('keys:'));
