// Compares the rights of two keys: no key creates or changes one that can do more than itself. Pure.
import { isWithin } from './allowed-ips.ts';
import type { KeyRow } from './sql.ts';

type KeyPowers = Pick<
  KeyRow,
  'mode' | 'scopes' | 'allowed_ips' | 'expires_at' | 'rate_limit_per_hour' | 'spend_cap_cents' | 'first_id'
>;

/** The first member in which `key` exceeds `maker`; undefined if none does. */
export function findEscalation(key: KeyPowers, maker: KeyPowers): keyof KeyPowers | undefined {
  if (maker.mode === 'test' && key.mode !== 'test') return 'mode';
  if (key.scopes.some((scope) => !maker.scopes.includes(scope))) return 'scopes';
  if (!isWithin(key.allowed_ips, maker.allowed_ips)) return 'allowed_ips';
  if (isAbove(key.expires_at?.getTime(), maker.expires_at?.getTime())) return 'expires_at';
  if (isAbove(key.rate_limit_per_hour, maker.rate_limit_per_hour)) return 'rate_limit_per_hour';
  if (isAbove(key.spend_cap_cents, maker.spend_cap_cents)) return 'spend_cap_cents';
  // Two keys with the maker's limit have twice that limit, unless both are counted under it.
  return isCounted(maker) && key.first_id !== maker.first_id ? 'first_id' : undefined;
}

/** Whether calls of the key are counted against a limit or cap of its own. */
export const isCounted = (key: Pick<KeyPowers, 'rate_limit_per_hour' | 'spend_cap_cents'>): boolean =>
  key.rate_limit_per_hour !== null || key.spend_cap_cents !== null;

const isAbove = (value: number | null | undefined, bound: number | null | undefined): boolean =>
  bound != null && (value == null || value > bound);
