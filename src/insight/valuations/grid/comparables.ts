// Chooses comparable sales as an appraiser would: by rules that are widened only if too few sales meet them, then by
// similarity and least gross adjustment.
import { rounded } from '../../../base/lib/figures.ts';
import { countParts, countSteps, partsOf, writeSteps } from '../../avm/adjustments.ts';
import { logLevelOf, WINDOW_DAYS, type Appraisal, type Reading } from '../../avm/appraise.ts';
import type { Book } from '../../avm/evidence.ts';
import { logLevelOn, type Model } from '../../avm/model.ts';
import { findNeighbors, type Neighbors } from '../../avm/neighbors.ts';
import { likenessOf } from '../../avm/similarity.ts';
import { KM_PER_MILE, wholeWeights, type ChosenSale } from './grid.ts';
import type { ComparablesBasis } from './schema.ts';

/** The caller's hard limits; the rules apply within them. */
export type GridOptions = { count: number; maxKm: number; maxAgeDays?: number; exclude: string[] };

/** Comparables are chosen from this many of the nearest sales. */
const CANDIDATES = 300;
/** In a dense city, where the nearest sales of the last twelve months do not reach a mile, this many. */
const CANDIDATES_OF_CITY = 2000;
/** Rules are not widened if this many sales meet them. */
const ENOUGH = 5;

type Rules = ComparablesBasis['rules'];
type Rule = keyof Rules;

const RULES: Rules = {
  same_property_type: true,
  max_distance_miles: 1,
  max_age_days: 365,
  max_area_difference: 0.25,
};

/** One rule is widened at a time, in this order, until enough sales meet all of them. */
const WIDENED: Partial<Rules>[] = [
  { max_distance_miles: 2 },
  { max_age_days: 730 },
  { max_area_difference: 0.35 },
  { max_distance_miles: 5 },
  { max_age_days: WINDOW_DAYS },
  { max_area_difference: 0.5 },
  { max_distance_miles: 9 },
  { max_area_difference: null },
  { same_property_type: false },
];
/** The rules after zero, one, two … widening steps. */
const LADDER = Array.from({ length: WIDENED.length + 1 }, (_, steps): Rules =>
  Object.assign({}, RULES, ...WIDENED.slice(0, steps)),
);
const WIDEST = LADDER.length - 1;

/** Lenders question a comparable adjusted by more than this in total. */
const MOST_GROSS = 0.25;
/** Gross adjustment that divides a sale's preference by e, and price deviation that divides its weight by e. */
const GROSS_SCALE = 0.15;
const ODDNESS_SCALE = 0.12;

/** A sale that meets the applied rules. */
type Candidate = {
  i: number;
  km: number;
  similarity: number;
  facts: Facts;
  /** The first rung of the ladder whose rules it meets. */
  rung: number;
};

type Chosen = { sales: ChosenSale[]; basis: ComparablesBasis };

/** The subject with its reading and appraisal. */
type ValuedHome = { model: Model; book: Book; reading: Reading; appraisal: Pick<Appraisal, 'logValue' | 'base'> };

/** Weights are multiples of 1/10,000 that sum to exactly 1. */
export function chooseComparables({ model, book, reading, appraisal }: ValuedHome, options: GridOptions): Chosen {
  const { rung, eligible } = listEligible({ model, book, reading }, options);
  const applied = LADDER[rung];
  const chosen = eligible.toSorted((a, b) => b.preference - a.preference || a.i - b.i).slice(0, options.count);
  const exceeded = new Set(chosen.flatMap(({ facts }) => listExceeded(facts)));
  return {
    sales: withWeights(model, book, chosen, appraisal.logValue - logLevelOf(model, reading) - appraisal.base),
    basis: {
      rules: RULES,
      applied: {
        ...applied,
        max_distance_miles: Math.min(applied.max_distance_miles, rounded(options.maxKm / KM_PER_MILE, 2)),
        max_age_days: Math.min(applied.max_age_days + pauseOf(reading), options.maxAgeDays ?? Infinity),
      },
      widened: (Object.keys(RULES) as Rule[]).filter((rule) => exceeded.has(rule)),
    },
  };
}

/** Sales that meet the rules and need only moderate adjustment. If there are too few, rules are widened; if that does
    not help, those with the smallest adjustments are taken: five, if five sales meet the rules. */
function listEligible({ model, book, reading }: Omit<ValuedHome, 'appraisal'>, options: GridOptions) {
  const adjust = adjuster(model, book, reading);
  const look = (lowest: number) => {
    const { rung, candidates } = listCandidates(book, reading, { ...options, lowest });
    const admitted = candidates.map(adjust);
    return { rung, admitted, eligible: admitted.filter(({ gross }) => gross <= MOST_GROSS) };
  };
  const narrow = look(0);
  let wide = narrow;
  while (wide.eligible.length < ENOUGH && wide.rung < WIDEST) wide = look(wide.rung + 1);
  if (wide.eligible.length >= ENOUGH) return wide;
  const { rung, admitted } = narrow;
  return { rung, eligible: admitted.toSorted((a, b) => a.gross - b.gross || a.i - b.i).slice(0, ENOUGH) };
}

/** The market's lag in days behind the valuation date if it has no new sales. Rules are extended by the lag, and the
    response reports it. */
const pauseOf = ({ day, marketDay }: Pick<Reading, 'day' | 'marketDay'>): number => day - marketDay;

/** The rules' maximum distances, ascending. */
const REACHES = [...new Set(LADDER.map((rules) => rules.max_distance_miles))];

/** The lowest rung from `least` on met by enough homes, with their sales. Searches only as far as those rules reach. */
function listCandidates(book: Book, reading: Reading, { lowest, ...options }: GridOptions & { lowest: number }) {
  const read = rungReader(book, reading, options);
  let [step, rung] = [0, WIDEST];
  let reached: Reached[];
  do {
    reached = reachOut(book, reading, { withinKm: REACHES[step] * KM_PER_MILE, lowest }, read);
    rung = Math.max(lowest, lowestRung(book, reached));
  } while (LADDER[rung].max_distance_miles > REACHES[step++]);
  return { rung, candidates: candidatesUpTo(rung, reached, book, reading) };
}

/** The nearest sales of the last year and, unless enough of them meet every rule, the nearest of three years. */
function reachOut(
  book: Book,
  { marketDay, subject }: Reading,
  { withinKm, lowest }: { withinKm: number; lowest: number },
  read: RungReader,
): Reached[] {
  const find = (days: number, want: number): Reached => {
    const window = { from: marketDay - days, knownBefore: marketDay, withinKm };
    return read(findNeighbors(book.evidence, subject.x, subject.y, subject.property, window, want));
  };
  let year = find(RULES.max_age_days, CANDIDATES);
  const isCut = year.sale.length === CANDIDATES && year.km[CANDIDATES - 1] < RULES.max_distance_miles * KM_PER_MILE;
  if (isCut && (lowest > 0 || lowestRung(book, [year]) > 0)) year = find(RULES.max_age_days, CANDIDATES_OF_CITY);
  // Older sales meet no rule within this distance.
  const isNear = withinKm <= RULES.max_distance_miles * KM_PER_MILE;
  if (isNear || (lowest === 0 && lowestRung(book, [year]) === 0)) return [year];
  const older = find(WINDOW_DAYS, CANDIDATES);
  const seen = new Set(year.sale);
  for (let k = 0; k < older.sale.length; k++) if (seen.has(older.sale[k])) older.rung[k] = OUT;
  return [year, older];
}

/** Sales within reach, with the facts that the rules test. */
type Reached = Neighbors & {
  /** The first rung whose rules it meets; `OUT` if none, or if the caller's limits exclude it. */
  rung: Uint8Array;
  isSameType: Uint8Array;
  /** Days from the sale to the valuation. */
  days: Int32Array;
  areaDifference: Float64Array;
};

const OUT = LADDER.length;
const [MILES, DAYS, AREAS] = (['max_distance_miles', 'max_age_days', 'max_area_difference'] as const).map((rule) =>
  Float64Array.from(LADDER, (rules) => rules[rule] ?? Infinity),
);
const ANY_TYPE = LADDER.findIndex((rules) => !rules.same_property_type);

type RungReader = (near: Neighbors) => Reached;

function rungReader(book: Book, reading: Reading, options: GridOptions): RungReader {
  const { day, subject, attributes } = reading;
  const { evidence, type, typeNumbers } = book;
  const pause = pauseOf(reading);
  const oldest = options.maxAgeDays ?? Infinity;
  const ownType = typeNumbers.get(attributes.propertyType);
  const excluded = new Set(options.exclude.map((id) => book.propertyNumbers.get(id)));
  // A missing area was imputed, and the grid compares with the imputed value.
  const isFilled = Number.isNaN(subject.logSqft) && attributes.sqft !== null;
  const logSqft = isFilled ? Math.log(attributes.sqft!) : subject.logSqft;
  return ({ sale, km }) => {
    const count = sale.length;
    const [rung, isSameType] = [new Uint8Array(count), new Uint8Array(count)];
    const days = new Int32Array(count);
    const areaDifference = new Float64Array(count);
    // Fetch everything first, in loops that do nothing else, so that memory reads overlap.
    for (let k = 0; k < count; k++) days[k] = day - evidence.soldDay[sale[k]];
    for (let k = 0; k < count; k++) isSameType[k] = type[sale[k]] === ownType ? 1 : 0;
    for (let k = 0; k < count; k++) areaDifference[k] = evidence.logSqft[sale[k]];
    for (let k = 0; k < count; k++) {
      const difference = Math.abs(Math.exp(areaDifference[k] - logSqft) - 1);
      // An unknown area counts as maximally different.
      areaDifference[k] = difference === difference ? difference : Infinity;
    }
    for (let k = 0; k < count; k++) {
      const isOut = km[k] > options.maxKm || days[k] > oldest;
      const isExcluded = excluded.size > 0 && excluded.has(evidence.property[sale[k]]);
      rung[k] =
        isOut || isExcluded ? OUT : rungOf(isSameType[k], km[k] / KM_PER_MILE, days[k] - pause, areaDifference[k]);
    }
    return { sale, km, rung, isSameType, days, areaDifference };
  };
}

/** Rungs only widen, so a sale that meets a rule also meets it on every higher rung. */
function rungOf(isSameType: number, miles: number, days: number, areaDifference: number): number {
  let rung = isSameType === 1 ? 0 : ANY_TYPE;
  while (rung < OUT && miles > MILES[rung]) rung++;
  while (rung < OUT && days > DAYS[rung]) rung++;
  while (rung < OUT && areaDifference > AREAS[rung]) rung++;
  return rung;
}

/** The first rung whose rules enough homes meet; the last if none. */
function lowestRung({ evidence: { property } }: Book, reached: Reached[]): number {
  const homes = new Set<number>();
  for (let wanted = 0; wanted < WIDEST; wanted++) {
    for (const { sale, rung } of reached)
      for (let k = 0; k < sale.length; k++) if (rung[k] === wanted) homes.add(property[sale[k]]);
    if (homes.size >= ENOUGH) return wanted;
  }
  return WIDEST;
}

function candidatesUpTo(highest: number, reached: Reached[], book: Book, reading: Reading): Candidate[] {
  const pause = pauseOf(reading);
  const candidates: Candidate[] = [];
  for (const { sale, km, rung, isSameType, days, areaDifference } of reached) {
    for (let k = 0; k < sale.length; k++) {
      if (rung[k] > highest) continue;
      const miles = km[k] / KM_PER_MILE;
      const facts = { isSameType: isSameType[k] === 1, miles, days: days[k], areaDifference: areaDifference[k] };
      const similarity = similarityOf(likenessOf(book.evidence, sale[k], reading.subject), km[k], days[k] - pause);
      candidates.push({ i: sale[k], km: km[k], similarity, facts, rung: rung[k] });
    }
  }
  return onePerHome(book, candidates);
}

type Facts = { isSameType: boolean; miles: number; days: number; areaDifference: number };

/** The original rules that a sale does not meet. */
function listExceeded({ isSameType, miles, days, areaDifference }: Facts): Rule[] {
  const isExceeded: Record<Rule, boolean> = {
    same_property_type: !isSameType,
    max_distance_miles: miles > RULES.max_distance_miles,
    max_age_days: days > RULES.max_age_days,
    max_area_difference: areaDifference > RULES.max_area_difference!,
  };
  return (Object.keys(RULES) as Rule[]).filter((rule) => isExceeded[rule]);
}

/** Gross adjustment of a price of 1: the sum of absolute steps, given a first log step and the others. */
function grossOf(first: number, steps: Float64Array): number {
  let level = Math.exp(first);
  let gross = Math.abs(level - 1);
  for (const step of steps) {
    if (step === 0) continue;
    const next = level * Math.exp(step);
    gross += Math.abs(next - level);
    level = next;
  }
  return gross;
}

/** Likeness of the attributes, halved every 1.4 km and every 1.4 years. */
const similarityOf = (likeness: number, km: number, days: number): number =>
  Math.sqrt(likeness) * Math.exp(-km / 2 - days / 730);

/** For a home that sold twice, the sale that meets narrower rules, or else the more similar one. */
function onePerHome(book: Book, candidates: Candidate[]): Candidate[] {
  const homes = new Map<number, Candidate>();
  for (const candidate of candidates) {
    const { i, rung, similarity } = candidate;
    const other = homes.get(book.evidence.property[i]);
    if (other && (other.rung < rung || (other.rung === rung && other.similarity >= similarity))) continue;
    homes.set(book.evidence.property[i], candidate);
  }
  return [...homes.values()];
}

/** A candidate with its adjustments. */
type Adjusted = Candidate & {
  /** Sum of the absolute adjustments as a share of the price. */
  gross: number;
  preference: number;
  time: number;
};

/** Hundreds of candidates are evaluated for ten comparables, so this allocates nothing but its result. */
function adjuster(model: Model, book: Book, reading: Reading) {
  const own = partsOf(model, reading.attributes);
  // Up to the market's last day: the extrapolation from there is the same for every sale.
  const time = logLevelOn(model, reading.marketDay, reading.level);
  const read = partsReader(model, book);
  const parts = new Float64Array(own.length);
  const steps = new Float64Array(countSteps(model));
  return ({ i, km, similarity, facts, rung }: Candidate): Adjusted => {
    const soldDay = book.evidence.soldDay[i];
    const then = logLevelOn(model, soldDay, soldDay > model.trainedOn ? book.level(soldDay) : 0);
    read(i, parts);
    const gross = grossOf(time - then, writeSteps(model, { from: parts, to: own, km }, steps));
    return {
      i,
      km,
      similarity,
      facts,
      rung,
      gross,
      preference: similarity * Math.exp(-gross / GROSS_SCALE),
      time: then,
    };
  };
}

/** Reads the parts of a sale that the grid adjusts for. */
const partsReader = (model: Model, book: Book): ((i: number, out: Float64Array) => void) =>
  book.readParts ?? ((i, out) => out.set(partsOf(model, book.sales.at(i).attributes)));

/** Weights by the square root of preference, so no sale dominates. `beyond` is the home's price deviation not explained
    by its attributes and location; a sale weighs less the more its own deviation differs from it. */
function withWeights(model: Model, book: Book, chosen: Adjusted[], premium: number): ChosenSale[] {
  const read = partsReader(model, book);
  const oddness = (i: number): number => Math.exp(-Math.abs(book.evidence.residual[i] - premium) / ODDNESS_SCALE);
  const weights = wholeWeights(chosen.map(({ i, preference }) => Math.sqrt(preference) * oddness(i) + 1e-9));
  return chosen.map(({ i, km, similarity, facts, time }, k) => {
    const { id: saleId, propertyId, priceUsd, soldDay, attributes, address } = book.sales.at(i);
    const home = { saleId, propertyId, priceUsd, soldDay, attributes, address };
    const parts = new Float64Array(countParts(model));
    read(i, parts);
    return { ...home, km, similarity, weight: weights[k], exceeds: listExceeded(facts), time, parts };
  });
}
