// How far the sales of each market reach, so that a value that rests on old ones says so before its number.
import type { Static } from 'typebox';
import type { Market } from '../../src/markets/schema.ts';
import type { Page } from './api.ts';
import { oldSalesOf, type OldSales } from './old-sales.ts';
import { useApi } from './use-api.ts';

export function useOldSales(): Map<string, OldSales> {
  const { data } = useApi<Page<Static<typeof Market>>>('markets');
  return oldSalesOf(data?.data ?? [], Date.now());
}
