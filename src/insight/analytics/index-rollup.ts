// Updates the price indexes of a market, after its series of sales.
import { setImmediate } from 'node:timers/promises';
import { todayIn } from '../../records/markets/catalog.ts';
import { inTransaction } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { dayNumber } from '../../base/lib/clock.ts';
import { readSales } from '../valuations/open-models.ts';
import { keepPublished } from './revisions.ts';
import * as sql from './index-sql.ts';
import { indexMarket } from './price-index.ts';
import { findKeeper, findRollup, lockMarket, type SeriesKey } from './sql.ts';

/** Increment when the indexes are computed differently; every market is then recomputed. */
export const INDEX_RULES = 5;

export const indexToken = (token: string): string => `${INDEX_RULES}:${token}`;

/** Returns the number of indexes written; 0 if no sale can have changed. */
export const rollUpIndexes = async (deps: Pick<Deps, 'data' | 'clock' | 'catalog'>, market: string): Promise<number> =>
  inTransaction(deps.data, async (client) => {
    await lockMarket(client, market);
    const keeper = await findKeeper(client, market);
    if (keeper === undefined) return 0;
    const { fips } = keeper;
    const token = indexToken(keeper.token);
    const before = await sql.findIndexRollup(client, market);
    if (before?.token === token) return 0;

    const today = dayNumber(todayIn(await deps.catalog.read(), market, deps.clock));
    // The model trains on sales it may later reject; published figures exclude rejected sales everywhere.
    const deedOf = (property: string, deed: string) => `${property}\n${deed}`;
    const refused = new Set(
      (await sql.listRefusedSales(client, market)).map((row) => deedOf(row.property_id, row.transaction_id)),
    );
    const sales = (await readSales(deps, market)).filter(
      ({ soldDay, propertyId, id }) => soldDay <= today && !refused.has(deedOf(propertyId, id)),
    );
    const keyOf = (key: SeriesKey) => [key.kind, key.area, key.property_type, key.step].join('\n');
    const kept = new Map((await sql.listIndexes(client, market)).map((row) => [keyOf(row), row.price_index]));
    const sources = new Map(
      (await sql.listAreaSources(client, market)).map((row) => [keyOf({ ...row, step: 'year' }), row.sources]),
    );
    const lastSoldOn = (await findRollup(client, market))?.last_sale_on ?? null;
    const rows: sql.IndexRow[] = [];
    let base: string | null = null;
    for (const index of indexMarket(sales, market, { keptBase: before?.base ?? undefined })) {
      // Yields to requests.
      await setImmediate();
      if (index === undefined) continue;
      const { kind, area, propertyType, step } = index;
      const key = { kind, area, property_type: propertyType, step };
      const price_index = {
        ...keepPublished(index, kept.get(keyOf(key)), lastSoldOn),
        sources: sources.get(keyOf({ ...key, step: 'year' })) ?? [],
      };
      rows.push({ ...key, n: index.n.reduce((sum, n) => sum + n, 0), price_index });
      base = index.marketBase;
    }
    await sql.replaceIndexes(client, market, { fips, rows });
    await sql.upsertIndexRollup(client, { fips, market, token, base, rolled_up_at: deps.clock() });
    return rows.length;
  });
