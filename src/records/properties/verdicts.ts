// Records whether a sale's price is a market price, as decided by an operator or the market's model.
import { inTransaction, type Client } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { fail } from '../../base/lib/errors.ts';
import { fipsOfPropertyId, isPropertyId } from '../../base/lib/ids.ts';
import { markDue } from '../../supply/map-aggregates/sql.ts';
import { countChange } from '../markets/sql.ts';
import { MARKET_PRICE_REASONS, type MarketPriceReason } from './market-price.ts';
import * as sql from './verdict-sql.ts';

type VerdictDeps = Pick<Deps, 'data' | 'clock'>;

/** `market`, or why it is not. Loads and models leave it alone until `unmarkSale`. */
export async function markSale(
  deps: VerdictDeps,
  propertyId: string,
  transactionId: string,
  { verdict, note }: { verdict: 'market' | MarketPriceReason; note: string | null },
): Promise<void> {
  const { key, market } = await getDeed(deps, propertyId, transactionId);
  if (verdict !== 'market' && !MARKET_PRICE_REASONS.includes(verdict)) {
    fail('invalid_request', `A verdict is market or one of ${MARKET_PRICE_REASONS.join(', ')}.`);
  }
  const at = deps.clock();
  const isMarket = verdict === 'market';
  await inTransaction(deps.data, async (client) => {
    const decided = { market_price: isMarket, reason: isMarket ? null : verdict, note };
    await sql.upsertOperatorVerdict(client, key, { ...decided, market, at });
    await followVerdict(client, market, key, at);
  });
}

/** Returns the sale to its load's rules and the next training run. */
export async function unmarkSale(deps: VerdictDeps, propertyId: string, transactionId: string): Promise<void> {
  const { key, market } = await getDeed(deps, propertyId, transactionId);
  const at = deps.clock();
  await inTransaction(deps.data, async (client) => {
    if (!(await sql.deleteOperatorVerdict(client, key))) {
      fail('resource_not_found', `No operator has marked ${transactionId.slice(0, 60)}.`);
    }
    await followVerdict(client, market, key, at);
  });
}

async function followVerdict(client: Client, market: string, key: sql.SaleKey, at: Date): Promise<void> {
  await sql.refreshLastSales(client, [key], at);
  await sql.insertVerdictChange(client, key, at);
  await markDue(client, market, [key.fips]);
  await countChange(client, market, 'judged');
}

async function getDeed(deps: VerdictDeps, propertyId: string, transactionId: string) {
  const fips = isPropertyId(propertyId) ? fipsOfPropertyId(propertyId) : NaN;
  const deed = Number.isNaN(fips) ? undefined : await sql.findDeed(deps.data, fips, propertyId, transactionId);
  if (!deed) {
    fail(
      'resource_not_found',
      `No deed ${transactionId.slice(0, 60)} of a property ${propertyId.slice(0, 60)} is on record.`,
    );
  }
  return { key: { fips, property_id: propertyId, transaction_id: transactionId }, market: deed.market };
}

/** Stores the model's verdicts on a market's sales. The first ones of a market are history; later ones are events. */
export async function recordModelVerdicts(
  deps: VerdictDeps,
  market: string,
  odd: { id: string; propertyId: string; reason: string }[],
): Promise<void> {
  const at = deps.clock();
  const verdicts = odd.map(({ id, propertyId, reason }) => ({
    fips: fipsOfPropertyId(propertyId),
    property_id: propertyId,
    transaction_id: id,
    reason,
  }));
  await inTransaction(deps.data, async (client) => {
    const isNews = await sql.hasModelVerdicts(client, market);
    const changed = await sql.replaceModelVerdicts(client, market, verdicts, at);
    if (changed.length === 0) return;
    await sql.refreshLastSales(client, changed, isNews ? at : null);
    if (isNews) for (const key of changed) await sql.insertVerdictChange(client, key, at);
    await countChange(client, market, 'judged');
  });
}
