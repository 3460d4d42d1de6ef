// What a page must say of a market, such as how far its sales reach before a value that rests on old ones.
import type { Static } from 'typebox';
import type { Market } from '../../src/records/markets/schema.ts';
import type { Page } from './api.ts';
import { oldSalesOf, type OldSales } from './old-sales.ts';
import { useApi } from './use-api.ts';

export function useMarkets(): Static<typeof Market>[] {
  return useApi<Page<Static<typeof Market>>>('markets').data?.data ?? [];
}

export function useOldSales(): Map<string, OldSales> {
  return oldSalesOf(useMarkets(), Date.now());
}
