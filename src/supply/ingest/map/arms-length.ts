// Decides whether a deed was an open-market sale and, if not, by which rule.
import { COMPANY, ESTATE, KINDS_OF_DEED, LENDER, PLAIN_WORDS } from './words.ts';

export interface Deed {
  priceUsd: number | null;
  documentType: string | null;
  buyers: string[];
  sellers: string[];
  /** The publisher's verdict: true for a list of validated sales, false for a code that marks the sale invalid. */
  stated: boolean | null;
  priceFloorUsd: number;
  /** The row states that only a share was sold. */
  isPartInterest?: boolean;
  /** The row states that the price covers several parcels. */
  isPackage?: boolean;
}

interface Verdict {
  armsLength: boolean | null;
  reason: string | null;
}

/** A price this low is a fee or a token, regardless of the parties. */
const TOKEN_PRICE_USD = 1000;

export function judgeDeed(deed: Deed): Verdict {
  const no = (reason: string): Verdict => ({ armsLength: false, reason });
  if (deed.priceUsd === null) return { armsLength: null, reason: 'no_price' };
  if (deed.priceUsd === 0) return no('price_zero');
  if (deed.priceUsd < TOKEN_PRICE_USD) return no('token_price');
  if (deed.stated === false) return no('stated_by_source');
  if (deed.isPartInterest) return no('part_interest');
  if (deed.isPackage) return no('bulk');
  const kind = KINDS_OF_DEED.find(([, pattern]) => pattern.test(deed.documentType ?? ''));
  if (kind) return no(kind[0]);
  if (sharesParty(deed)) return no('same_party');
  if (sharesFamilyName(deed)) return no('family');
  // The publisher has reviewed the sale; the rules below are for unreviewed lists.
  if (deed.stated === true) return { armsLength: true, reason: 'stated_by_source' };
  if (isToOwnCompany(deed)) return no('family');
  if (deed.sellers.some((name) => ESTATE.test(name))) return no('estate');
  if ([...deed.sellers, ...deed.buyers].some((name) => LENDER.test(name))) return no('foreclosure');
  return deed.priceUsd < deed.priceFloorUsd ? no('below_floor') : { armsLength: true, reason: null };
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

/** A person on one side, and on the other a company or trust that carries their family name. */
function isToOwnCompany({ buyers, sellers }: Deed): boolean {
  const carries = (people: string[], companies: string[]) => {
    const words = new Set(
      companies.filter((name) => COMPANY.test(name)).flatMap((name) => name.toUpperCase().split(/[^A-Z'’-]+/)),
    );
    return people.some((name) => {
      const family = familyName(name);
      return family !== null && family.length >= 4 && !PLAIN_WORDS.has(family) && words.has(family);
    });
  };
  return carries(buyers, sellers) || carries(sellers, buyers);
}
