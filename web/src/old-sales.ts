// Which markets' sales ended long ago. Pure.
import type { Static } from 'typebox';
import type { Market } from '../../src/records/markets/schema.ts';

const LONG_AGO_MS = 365 * 24 * 3_600_000;

export interface OldSales {
  market: string;
  name: string;
  /** The last day of known sales. */
  through: string;
}

export function oldSalesOf(
  markets: Pick<Static<typeof Market>, 'id' | 'name' | 'sales_through'>[],
  now: number,
): Map<string, OldSales> {
  return new Map(
    markets.flatMap(({ id, name, sales_through: through }) =>
      through && now - new Date(through).getTime() > LONG_AGO_MS ? [[id, { market: id, name, through }] as const] : [],
    ),
  );
}
