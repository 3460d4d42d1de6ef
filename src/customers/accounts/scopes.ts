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
  'audit:read',
  'changes:read',
  'exports:read',
  'exports:write',
  'reports:read',
  'reports:write',
  'shares:read',
  'shares:write',
] as const;

export type Scope = (typeof SCOPES)[number];

/** Everything except keys, invoices and the audit log, which a key must be given by name. */
export const DEFAULT_SCOPES: Scope[] = SCOPES.filter((scope) => !/^(keys|billing|audit):/.test(scope));

/** Each permission in plain words, for the page that asks whether an app may have it. */
export const SCOPE_WORDS: Record<Scope, string> = {
  'avm:read': 'Estimate values and read comparables',
  'properties:read': 'Look up and search properties',
  'owners:read': 'See the names of owners, buyers and sellers',
  'transactions:read': 'Read sales, deeds and titles',
  'risk:read': 'Read flood, wildfire and other risks',
  'tiles:read': 'Draw maps',
  'batch:read': 'Read the results of batches',
  'batch:write': 'Start batches of addresses',
  'webhooks:read': 'Read webhooks and events',
  'webhooks:write': 'Create and change webhooks',
  'watchlists:read': 'Read watchlists and portfolios',
  'watchlists:write': 'Create and change watchlists',
  'usage:read': 'See usage and the request log',
  'account:read': 'See the account and its plan',
  'billing:read': 'See invoices',
  'keys:read': 'List API keys',
  'keys:write': 'Create and revoke API keys',
  'audit:read': 'Read who did what in the account',
  'changes:read': 'Read the change feed',
  'exports:read': 'Read exports',
  'exports:write': 'Create and run exports',
  'reports:read': 'Read lender’s files',
  'reports:write': 'Make lender’s files',
  'shares:read': 'List share links',
  'shares:write': 'Make and revoke links that anyone can open',
};
