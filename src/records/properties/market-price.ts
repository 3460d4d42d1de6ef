// Explains in plain English why a sale's price is not a market price. Pure.
const NOTES = {
  part_interest: 'Only a part of the property was sold, or a right less than ownership.',
  family_transfer: 'Buyer and seller are the same, related, or a person and their company or trust.',
  estate: 'Sold by an estate, an executor or heirs.',
  bulk: 'One price for several parcels.',
  foreclosure: 'A forced sale, or a sale by or to a lender after one.',
  flip: 'Resold within a year for 1.6 times the price or more, and far below what comparable sales make of the home.',
  nominal: 'No price, or one too small to be more than a formality.',
  far_below_value: 'Less than half of what comparable sales make of the home: often a part interest or a family sale.',
  far_above_value: 'More than 2.5 times what comparable sales make of the home.',
  before_construction: 'Sold years before the home on record was built: the price of a lot, or of the house before.',
  stated_by_source: 'The publisher marks the sale as not valid for comparison.',
  not_a_sale: 'A kind of deed that transfers title without a sale, such as a quitclaim or a correction.',
  other: 'An operator found that this is not a market price.',
};
export type MarketPriceReason = keyof typeof NOTES;
export const MARKET_PRICE_REASONS = Object.keys(NOTES) as MarketPriceReason[];

/** Load rules by the reason shown to callers. */
const OF_RULES: Record<string, MarketPriceReason> = {
  price_zero: 'nominal',
  token_price: 'nominal',
  below_floor: 'nominal',
  stated_by_source: 'stated_by_source',
  kind_of_deed: 'not_a_sale',
  same_party: 'family_transfer',
  family: 'family_transfer',
  part_interest: 'part_interest',
  estate: 'estate',
  foreclosure: 'foreclosure',
  bulk: 'bulk',
};

interface MarketPrice {
  market_price: boolean | null;
  market_price_reason: MarketPriceReason | null;
  market_price_note: string | null;
}

/** Of an operator or of the market's model. */
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

/** An operator's word comes first, then the rules of the load, then the model's view. */
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
