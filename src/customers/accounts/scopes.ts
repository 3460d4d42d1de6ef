// The permissions a key can have, and the ones that a new key gets by default.

/** Each permission in plain words, for the page that asks whether an app may have it. */
export const SCOPE_WORDS = {
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

export type Scope = keyof typeof SCOPE_WORDS;
export const SCOPES = Object.keys(SCOPE_WORDS) as Scope[];

/** Everything except keys, invoices and the audit log, which a key must be given by name. */
export const DEFAULT_SCOPES = SCOPES.filter((scope) => !/^(keys|billing|audit):/.test(scope));
