// Decides whether a deed was an open-market sale and, if not, which rule says so.

export interface Deed {
  priceUsd: number | null;
  documentType: string | null;
  buyers: string[];
  sellers: string[];
  /** The publisher's verdict: true for a list of validated sales, false for a code that marks the sale invalid. */
  stated: boolean | null;
  priceFloorUsd: number;
}

interface Verdict {
  armsLength: boolean | null;
  reason: string | null;
}

/** Deeds that transfer title without a sale, or under compulsion. */
const OTHER_DEEDS =
  /QUIT ?CLAIM|CORRECTI|SHERIFF|FORECLOS|TAX DEED|IN LIEU|GIFT|PROBATE|EXECUTOR|DEATH|TRUSTEE TO|INTRA ?FAMILY/i;

const COMPANY =
  /\b(LLC|L L C|INC|CORP|CO|COMPANY|LP|LLP|LTD|BANK|TRUST|TR|ESTATE|CHURCH|CITY|TOWN|COUNTY|STATE|UNITED STATES|AUTHORITY|ASSOC\w*|PRIVATE OWNER|OWNER)\b/i;

/** A price this low is a fee or a token, whoever the parties are. */
const TOKEN_PRICE_USD = 1000;

export function judgeDeed(deed: Deed): Verdict {
  const no = (reason: string): Verdict => ({ armsLength: false, reason });
  if (deed.priceUsd === null) return { armsLength: null, reason: 'no_price' };
  if (deed.priceUsd === 0) return no('price_zero');
  if (deed.priceUsd < TOKEN_PRICE_USD) return no('token_price');
  if (deed.stated === false) return no('stated_by_source');
  if (deed.documentType && OTHER_DEEDS.test(deed.documentType)) return no('kind_of_deed');
  if (sharesParty(deed)) return no('same_party');
  if (sharesFamilyName(deed)) return no('family');
  // The publisher has reviewed the sale; the floor is for lists that nobody reviewed.
  if (deed.stated === true) return { armsLength: true, reason: 'stated_by_source' };
  if (deed.priceUsd < deed.priceFloorUsd) return no('below_floor');
  return { armsLength: true, reason: null };
}

function sharesParty({ buyers, sellers }: Deed): boolean {
  const sold = new Set(sellers.map((name) => name.toUpperCase()));
  return buyers.some((name) => sold.has(name.toUpperCase()));
}

/** Recorders write SMITH JOHN A or SMITH, JOHN, so a person's first word is the family name. */
function sharesFamilyName({ buyers, sellers }: Deed): boolean {
  const sold = new Set(sellers.map(familyName).filter((name) => name !== null));
  return buyers.some((name) => sold.has(familyName(name) ?? ''));
}

function familyName(name: string): string | null {
  if (COMPANY.test(name)) return null;
  const first = /^[A-Z][A-Z'’-]+/i.exec(name.trim())?.[0].toUpperCase();
  return first && first.length >= 3 ? first : null;
}
