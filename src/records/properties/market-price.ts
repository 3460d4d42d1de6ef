// Explains in plain English why a sale's price is not a market price. Pure.
import written from './market-price.json' with { type: 'json' };

const NOTES = written.notes;
export type MarketPriceReason = keyof typeof NOTES;
export const MARKET_PRICE_REASONS = Object.keys(NOTES) as MarketPriceReason[];

/** Load rules by the reason shown to callers. */
const OF_RULES = written.reasons_of_rules as Record<string, MarketPriceReason>;

interface MarketPrice {
  market_price: boolean | null;
  market_price_reason: MarketPriceReason | null;
  market_price_note: string | null;
}

/** By an operator or the market's model. */
export interface Verdict {
  market_price: boolean;
  reason: string | null;
  note: string | null;
  decided_by: 'operator' | 'model';
}

interface Judged {
  type: string;
  price: number | null;
  arms_length: boolean | null;
  arms_length_reason: string | null;
  verdict: Verdict | null;
}

/** An operator's verdict takes precedence, then the load's rules, then the model's. */
export function marketPriceOf({ type, price, arms_length, arms_length_reason, verdict }: Judged): MarketPrice {
  if (type !== 'deed' || (price === null && !verdict)) return present(null, null);
  if (verdict?.decided_by === 'operator') {
    return present(verdict.market_price, verdict.market_price ? null : verdict.reason, verdict.note);
  }
  if (arms_length === false) return present(false, OF_RULES[arms_length_reason ?? ''] ?? 'other');
  return verdict ? present(verdict.market_price, verdict.reason, verdict.note) : present(arms_length, null);
}

function present(isMarket: boolean | null, reason: string | null, note?: string | null): MarketPrice {
  const known = MARKET_PRICE_REASONS.find((each) => each === reason) ?? (isMarket === false ? 'other' : null);
  return {
    market_price: isMarket,
    market_price_reason: known,
    market_price_note: note ?? (known && NOTES[known]),
  };
}
