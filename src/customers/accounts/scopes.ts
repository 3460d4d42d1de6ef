// The permissions a key can have, and the ones that a new key gets by default.

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
  'account:read',
  'billing:read',
  'keys:read',
  'keys:write',
  'changes:read',
  'exports:read',
  'exports:write',
  'reports:read',
  'reports:write',
] as const;

export type Scope = (typeof SCOPES)[number];

/** Everything except keys and invoices, which a key must be given by name. */
export const DEFAULT_SCOPES: Scope[] = SCOPES.filter((scope) => !/^(keys|billing):/.test(scope));
