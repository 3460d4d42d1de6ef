// The permissions a key can have, and the ones that a new key gets by default. The file describes each in plain words
// for the consent page.
import words from './scopes.json' with { type: 'json' };

export type Scope = keyof typeof words;

export const SCOPES = Object.keys(words) as Scope[];
export const SCOPE_WORDS: Record<Scope, string> = words;

/** Everything except keys, invoices and the audit log, which a key must be given by name. */
export const DEFAULT_SCOPES: Scope[] = SCOPES.filter((scope) => !/^(keys|billing|audit):/.test(scope));
