// What a page must say of a market: how far its sales reach, before a value that rests on old ones, and that it is not on
// the map.
import type { Static } from 'typebox';
import type { Market } from '../../src/markets/schema.ts';
import type { Page } from './api.ts';
import { oldSalesOf, type OldSales } from './old-sales.ts';
import { useApi } from './use-api.ts';

function useMarkets(): Static<typeof Market>[] {
  return useApi<Page<Static<typeof Market>>>('markets').data?.data ?? [];
}

export function useOldSales(): Map<string, OldSales> {
  return oldSalesOf(useMarkets(), Date.now());
}

/** Names of the markets whose records have no coordinates. */
export function useUnmapped(): string[] {
  return useMarkets()
    .filter(({ is_mapped }) => !is_mapped)
    .map(({ name }) => name);
}
