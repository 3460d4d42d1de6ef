// A home's fifteen-year history: sales, mortgages, releases, foreclosures, gifts and bulk transfers, owner after owner.
import { dayNumber } from '../src/base/lib/clock.ts';
import { firstDayOf, FIRST_SALE_DAY, isoOf, LAST_DAY, yearOfDay } from './dates.ts';
import type { PropertyType } from './land/district.ts';
import { WENDEMERE } from '../src/supply/sandbox/geography.ts';
import { CONDITIONS, type Home } from './homes.ts';
import { conditionOn, salePriceUsd, valueUsd } from './prices.ts';
import { builder, lender } from './names.ts';
import { chooseOwner, companyOwner, successor, type Owner } from './owners.ts';
import { randomFor, type Random } from './random.ts';

export type Transaction = {
  id: string;
  type: 'deed' | 'mortgage' | 'release' | 'foreclosure' | 'other';
  documentType: string;
  documentNumber: string;
  book: string | null;
  page: string | null;
  recordedOn: string;
  soldOn: string | null;
  datePrecision: 'day' | 'month';
  priceUsd: number | null;
  armsLength: boolean | null;
  armsLengthReason: string | null;
  buyers: string[];
  sellers: string[];
  lender: string | null;
  loanUsd: number | null;
  refersTo: string[];
  attributes: Record<string, unknown> | null;
};
type Ownership = Owner & { knownOn: string; since: string; endedOn: string | null };
export type Life = { transactions: Transaction[]; owners: Ownership[] };

type Loan = { lender: string; amountUsd: number };
type State = {
  home: Home;
  random: Random;
  owner: Owner;
  loan: Loan | null;
  lastSaleDay: number;
  busyUntilDay: number;
  life: Life;
};
type Document = Partial<Transaction> & Pick<Transaction, 'type' | 'documentType'>;

const YEARLY_RATE: Record<PropertyType, number> = {
  single_family: 0.056,
  condo: 0.07,
  townhouse: 0.064,
  multi_family: 0.046,
  apartment: 0.03,
  manufactured: 0.05,
  land: 0.04,
  commercial: 0.03,
  other: 0.006,
};
/** A year's sales relative to the mean: busy in 2021, slow since rates rose in 2023. */
const VOLUME: Record<number, number> = {
  2011: 0.68,
  2012: 0.78,
  2013: 0.92,
  2014: 0.95,
  2015: 1.04,
  2016: 1.1,
  2017: 1.12,
  2018: 1.08,
  2019: 1.09,
  2020: 1.12,
  2021: 1.34,
  2022: 1.12,
  2023: 0.8,
  2024: 0.82,
  2025: 0.9,
  2026: 0.93,
};
const SEASON = [0.68, 0.72, 0.95, 1.08, 1.22, 1.3, 1.22, 1.16, 1.0, 0.98, 0.86, 0.83];
/** Per home and month. */
const GIFT_RATE = 0.0011;
const BULK_RATE = 0.00015;
type Month = { firstDay: number; activity: number };
const MONTHS: readonly Month[] = Array.from({ length: 180 }, (_, index) => {
  const year = 2011 + Math.floor((index + 6) / 12);
  const month = (index + 6) % 12;
  return { firstDay: dayNumber(`${year}-${pad(month + 1)}-01`), activity: VOLUME[year] * SEASON[month] };
});
/** Before 2014 one county published only the month of a sale. */
const MONTHS_ONLY_BEFORE = '2014-01-01';

/** `saleDays` scripts the sales of a home instead of leaving them to chance. */
export function live(home: Home, saleDays?: readonly string[]): Life {
  const state = begin(home, randomFor(saleDays ? 'story' : 'life', home.id));
  const { life } = state;
  if (saleDays) for (const date of saleDays) sell(state, dayNumber(date));
  else for (const month of MONTHS) if (month.firstDay > state.busyUntilDay) liveMonth(state, month);
  life.transactions.sort((a, b) => (a.recordedOn < b.recordedOn ? -1 : a.recordedOn > b.recordedOn ? 1 : 0));
  return life;
}

/** The first owner: whoever had the home before records begin, or the builder, who sells it when it is finished. */
function begin(home: Home, random: Random): State {
  const builtDay = firstDayOf(home.yearBuilt ?? 1900) + random.whole(30, 330);
  const isNew = builtDay > FIRST_SALE_DAY && home.type !== 'other';
  const owner = isNew ? companyOwner(random, builder(random)) : chooseOwner(home, random);
  const longAgo = FIRST_SALE_DAY - Math.floor(random.next() ** 1.5 * 8000) - 40;
  const since = isoOf(isNew ? builtDay - random.whole(250, 700) : Math.max(longAgo, builtDay));
  const life: Life = { transactions: [], owners: [{ ...owner, knownOn: since, since, endedOn: null }] };
  const state: State = { home, random, owner, loan: null, lastSaleDay: -9999, busyUntilDay: 0, life };
  if (isNew) {
    state.busyUntilDay = builtDay;
    sell(state, builtDay);
  } else if (owner.type === 'individual' && random.chance(0.6)) {
    const amountUsd = roundLoan(valueUsd(home, FIRST_SALE_DAY) * random.between(0.2, 0.8));
    state.loan = { lender: lender(random), amountUsd };
  }
  return state;
}

function liveMonth(state: State, month: Month): void {
  const { home, random } = state;
  const day = month.firstDay + random.whole(0, 29);
  if (day < state.busyUntilDay) return;
  const rested = day - state.lastSaleDay;
  const rest = rested < 240 ? 0.15 : rested < 700 ? 0.7 : 1;
  const rate = (YEARLY_RATE[home.type] / 12) * home.district.turnover * month.activity * rest;
  const uniform = random.next();
  const year = yearOfDay(day);
  const distress = year < 2014 ? 0.0003 : 0.00008;
  if (uniform < rate) return sell(state, day);
  if (uniform < rate + GIFT_RATE) return give(state, day);
  if (uniform < rate + GIFT_RATE + distress && state.loan) return foreclose(state, day);
  if (uniform > 1 - BULK_RATE && home.type !== 'other') return sellInBulk(state, day);
  const cheapMoney = (year > 2012 && year < 2013.4) || (year > 2020.3 && year < 2021.8);
  if (uniform > 1 - (cheapMoney ? 0.009 : 0.0016) && state.loan) refinance(state, day);
}

function sell(state: State, day: number): void {
  const { home, random, owner } = state;
  const price = salePriceUsd(home, day, random);
  const buyer = chooseOwner(home, random);
  const isRecorded = transfer(state, day, buyer, {
    documentType: random.weighted({ 'Warranty Deed': 78, 'Special Warranty Deed': 14, 'Grant Deed': 8 }),
    priceUsd: price,
    armsLength: true,
    attributes: attributesAt(home, day),
    sellers: owner.names,
  });
  if (!isRecorded) return;
  state.lastSaleDay = day;
  const isFinanced = random.chance(buyer.type === 'company' ? 0.45 : home.type === 'land' ? 0.2 : 0.74);
  if (!isFinanced) return;
  borrow(state, day, price * random.pick([0.6, 0.7, 0.75, 0.8, 0.8, 0.8, 0.9, 0.95, 0.965]), 'Mortgage');
}

function give(state: State, day: number): void {
  const { random, owner } = state;
  if (owner.type === 'company' || owner.type === 'government' || owner.type === 'nonprofit') return;
  const next = successor(owner, random);
  transfer(state, day, next.owner, {
    documentType: 'Quitclaim Deed',
    priceUsd: random.pick([0, 1, 1, 10, 10, 100]),
    armsLength: false,
    armsLengthReason: next.isTrust ? 'trust_transfer' : 'family_transfer',
    sellers: owner.names,
    keepsLoan: true,
  });
}

/** Many homes for one price: the deed shows the total, far from the value of this one. */
function sellInBulk(state: State, day: number): void {
  const { home, random, owner } = state;
  transfer(state, day, companyOwner(random), {
    documentType: 'Special Warranty Deed',
    priceUsd: Math.round((valueUsd(home, day) * random.between(4, 14)) / 50_000) * 50_000,
    armsLength: false,
    armsLengthReason: 'bulk_sale',
    sellers: owner.names,
  });
}

function foreclose(state: State, day: number): void {
  const { home, random, owner, loan } = state;
  const bank = loan!.lender;
  record(state, day, {
    type: 'foreclosure',
    documentType: 'Lis Pendens',
    lender: bank,
    loanUsd: loan!.amountUsd,
    sellers: owner.names,
  });
  const auctionDay = day + random.whole(150, 330);
  state.busyUntilDay = auctionDay;
  const bid = Math.round((valueUsd(home, auctionDay) * random.between(0.55, 0.8)) / 100) * 100;
  const isAuctioned = transfer(state, auctionDay, companyOwner(random, bank), {
    documentType: "Trustee's Deed",
    priceUsd: bid,
    armsLength: false,
    armsLengthReason: 'foreclosure',
    sellers: owner.names,
  });
  if (!isAuctioned) return;
  const resaleDay = auctionDay + random.whole(90, 260);
  state.busyUntilDay = resaleDay + 60;
  const buyer = chooseOwner(home, random);
  const isSold = transfer(state, resaleDay, buyer, {
    documentType: 'Special Warranty Deed',
    priceUsd: salePriceUsd(home, resaleDay, random, -0.2),
    armsLength: false,
    armsLengthReason: 'bank_owned',
    sellers: [bank],
  });
  if (isSold) state.lastSaleDay = resaleDay;
}

function refinance(state: State, day: number): void {
  const owed = state.loan!.amountUsd;
  release(state, day + 12);
  borrow(
    state,
    day,
    Math.min(owed * state.random.between(0.95, 1.25), valueUsd(state.home, day) * 0.85),
    'Mortgage (Refinance)',
  );
}

/** A deed changes the owner and ends the old loan. Skipped if it would be recorded after the last day. */
interface Deed extends Partial<Transaction> {
  keepsLoan?: boolean;
}

function transfer(state: State, day: number, buyer: Owner, { keepsLoan = false, ...deed }: Deed): boolean {
  const knownOn = record(state, day, {
    type: 'deed',
    documentType: 'Deed',
    soldOn: isoOf(day),
    buyers: buyer.names,
    ...deed,
  });
  if (!knownOn) return false;
  const { owners } = state.life;
  owners[owners.length - 1].endedOn = isoOf(day);
  owners.push({ ...buyer, knownOn, since: isoOf(day), endedOn: null });
  if (!keepsLoan && state.loan) release(state, day + state.random.whole(10, 40));
  state.owner = buyer;
  return true;
}

function borrow(state: State, day: number, amount: number, documentType: string): void {
  const loan = { lender: lender(state.random), amountUsd: roundLoan(amount) };
  const knownOn = record(state, day, {
    type: 'mortgage',
    documentType,
    lender: loan.lender,
    loanUsd: loan.amountUsd,
    buyers: state.owner.names,
  });
  if (knownOn) state.loan = loan;
}

function release(state: State, day: number): void {
  const { lender: bank, amountUsd } = state.loan!;
  record(state, day, {
    type: 'release',
    documentType: 'Release of Mortgage',
    lender: bank,
    loanUsd: amountUsd,
    buyers: state.owner.names,
  });
  state.loan = null;
}

function record(state: State, day: number, document: Document): string | undefined {
  const { home, random, life } = state;
  const recordedDay = day + random.whole(2, 19);
  if (recordedDay > LAST_DAY) return undefined;
  const recordedOn = isoOf(recordedDay);
  const isCity = home.fips === WENDEMERE;
  const isMonthOnly = !isCity && document.soldOn !== undefined && recordedOn < MONTHS_ONLY_BEFORE;
  const sequence = random.whole(0, 9999);
  const documentNumber = isCity
    ? `${recordedOn.slice(0, 4)}-${String((recordedDay % 366) * 100 + (sequence % 100)).padStart(5, '0')}${pad(sequence % 97)}`
    : `R${recordedDay}${String(sequence).padStart(4, '0')}`;
  life.transactions.push({
    id: `${home.id} ${life.transactions.length} ${documentNumber}`,
    documentNumber,
    book: isCity ? null : String(800 + Math.floor((recordedDay - FIRST_SALE_DAY) / 9)),
    page: isCity ? null : String(1 + (sequence % 900)),
    recordedOn,
    datePrecision: isMonthOnly ? 'month' : 'day',
    priceUsd: null,
    armsLength: null,
    armsLengthReason: null,
    buyers: [],
    sellers: [],
    lender: null,
    loanUsd: null,
    refersTo: [],
    attributes: null,
    ...document,
    soldOn: document.soldOn ? (isMonthOnly ? `${document.soldOn.slice(0, 7)}-01` : document.soldOn) : null,
  });
  return recordedOn;
}

/** What the deed's transfer form says about the home on that day: what a model may train on. */
function attributesAt(home: Home, day: number): Record<string, unknown> | null {
  if (home.sqft === null) return home.lotSqft === null ? null : { property_type: home.type, lot_sqft: home.lotSqft };
  const condition = conditionOn(home, day);
  return {
    property_type: home.type,
    sqft: home.sqft,
    lot_sqft: home.lotSqft,
    bedrooms: home.bedrooms,
    bathrooms: home.bathsFull === null ? null : home.bathsFull + home.bathsHalf! / 2,
    year_built: home.yearBuilt,
    condition: condition === null ? null : CONDITIONS[condition],
  };
}

const roundLoan = (amount: number): number => Math.round(amount / 100) * 100;
function pad(number: number): string {
  return String(number).padStart(2, '0');
}
