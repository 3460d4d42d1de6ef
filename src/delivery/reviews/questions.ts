// The questions an underwriter would ask about an appraisal, each with the evidence for it. Pure.
import { asDay, asMoney, asPercent, asWords } from '../../base/lib/figures.ts';
import written from './questions.json' with { type: 'json' };
import type { Question, Review, ReviewedComparable } from './schema.ts';

/** Usual guidance of lenders: net 15% and gross 25% of the price. */
const MAX_NET = 0.15;
const MAX_GROSS = 0.25;
/** An appraiser's month and ours may differ by this much with both being right. */
const MARKET_CHANGE_TOLERANCE = 0.03;
const RESALE_CHANGE = 0.15;

type Ask = Omit<Question, 'comparable'>;
type Known = Omit<Review, 'questions'>;

export const listQuestions = (review: Known, statedAdjusted: (number | undefined)[], unsold: string[]): Question[] => [
  ...review.comparables.flatMap((each) =>
    aboutComparable(review, each).map((ask): Question => ({ ...ask, comparable: each.number })),
  ),
  ...aboutAppraisal(review, statedAdjusted).map((ask): Question => ({ ...ask, comparable: null })),
  ...unsold.map((evidence): Question => ({ ...ask('comparable_not_sold', evidence), comparable: null })),
];

function aboutComparable(review: Known, each: ReviewedComparable): Ask[] {
  if (each.property_id === null) {
    return [ask('comparable_not_found', each.not_found_reason ?? 'No property was found.')];
  }
  return [...aboutSale(review, each), ...aboutFacts(each), ...aboutAdjustments(each)];
}

function aboutSale(
  { property_id: subject, effective_date }: Known,
  { property_id, sale, days_before, stated_price, stated_date }: ReviewedComparable,
): Ask[] {
  const { status, earlier_sale: earlier } = sale;
  const recorded = `On record: ${asMoney(sale.recorded_price)} on ${asDay(sale.recorded_date)}. Stated: ${asMoney(stated_price)} on ${asDay(stated_date)}.`;
  return present([
    property_id === subject && ask('comparable_is_subject', recorded),
    status === 'no_such_sale' && ask('sale_not_on_record', NO_SUCH_SALE),
    status === 'price_differs' && ask('sale_price_differs', recorded),
    status === 'date_differs' && ask('sale_date_differs', recorded),
    sale.market_price === false &&
      ask('not_a_market_price', `The sale is set aside as ${asWords(sale.market_price_reason)}.`),
    earlier &&
      Math.abs(earlier.change) > RESALE_CHANGE &&
      ask(
        'resold_within_a_year',
        `It sold for ${asMoney(earlier.price)} on ${asDay(earlier.date)}, ${asPercent(Math.abs(earlier.change))} ${earlier.change > 0 ? 'less' : 'more'} than in the sale used.`,
      ),
    days_before < 0 &&
      ask('sold_after_effective_date', `It was sold ${-days_before} days after ${asDay(effective_date)}.`),
  ]);
}

const NO_SUCH_SALE =
  'No deed of this home is on record within 45 days of the stated date, and the records cover that day.';

const aboutFacts = ({ differences }: ReviewedComparable): Ask[] =>
  present([differences.length > 0 && ask('comparable_facts_differ', describe(differences))]);

function aboutAdjustments(each: ReviewedComparable): Ask[] {
  const { adds_up, adjustments, net_adjustment_rate: net, gross_adjustment_rate: gross, index_change } = each;
  const time = adjustments.find(({ feature }) => feature === 'market_change');
  const stated = time ? time.amount / each.stated_price : 0;
  return present([
    adds_up === false &&
      ask('adjustments_do_not_add_up', 'The price and the adjustments do not make the stated adjusted price.'),
    ...adjustments.map(
      ({ feature, amount, stated_rate, market_range: range, is_outside }) =>
        is_outside &&
        range &&
        ask(
          'adjustment_outside_range',
          `${asMoney(amount)} is ${asMoney(stated_rate)} for each ${range.per}; among ${range.n} sales nearby it is ${asMoney(range.low)} to ${asMoney(range.high)}.`,
          `What supports the adjustment for ${asWords(feature)}?`,
        ),
    ),
    index_change !== null &&
      Math.abs(stated - index_change) > MARKET_CHANGE_TOLERANCE &&
      ask(
        'market_change_differs',
        `The price index of the area moved by ${asPercent(index_change)} from the sale to the effective date; the adjustment is ${asPercent(stated)}.`,
        time ? undefined : 'Why is there no adjustment for the market’s change?',
      ),
    ((net !== null && Math.abs(net) > MAX_NET) || (gross !== null && gross > MAX_GROSS)) &&
      ask(
        'large_adjustments',
        `Net adjustments are ${asPercent(net ?? 0)} of the price, gross ${asPercent(gross ?? 0)}.`,
      ),
  ]);
}

function aboutAppraisal(review: Known, statedAdjusted: (number | undefined)[]): Ask[] {
  const { appraised_value, value, passed_over, subject_differences, comparables } = review;
  const nets = comparables.flatMap(({ net_adjustment_rate: net }) => (net === null ? [] : [net]));
  const isOneSided = nets.length >= 3 && (nets.every((net) => net > 0) || nets.every((net) => net < 0));
  const adjusted = statedAdjusted.filter((price) => price !== undefined);
  const [low, high] = [Math.min(...adjusted), Math.max(...adjusted)];
  return present([
    subject_differences.length > 0 && ask('subject_facts_differ', describe(subject_differences)),
    passed_over.length > 0 &&
      ask('closer_sales_passed_over', `${passed_over.slice(0, 3).map(describeSale).join('; ')}.`),
    isOneSided &&
      ask('one_sided_adjustments', `All ${nets.length} comparables are adjusted ${nets[0] > 0 ? 'up' : 'down'}.`),
    adjusted.length > 0 &&
      (appraised_value < low || appraised_value > high) &&
      ask(
        'value_outside_comparables',
        `The adjusted prices run from ${asMoney(low)} to ${asMoney(high)}; the value is ${asMoney(appraised_value)}.`,
      ),
    value.position !== 'inside' &&
      ask(
        'value_outside_interval',
        `The appraised value is ${asPercent(Math.abs(value.ratio - 1))} ${value.ratio > 1 ? 'above' : 'below'} our estimate of ${asMoney(value.estimated_value)}, whose ${Math.round(value.level * 100)}% interval is ${asMoney(value.low)} to ${asMoney(value.high)}.`,
        `What supports a value ${value.position} the range of the sales on record?`,
      ),
  ]);
}

const describeSale = ({ address, property_id, sale_price, sale_date, distance_miles }: Known['passed_over'][number]) =>
  `${address ?? property_id} (${asMoney(sale_price)} on ${asDay(sale_date)}, ${distance_miles} mi)`;

const ask = (code: Question['code'], evidence: string, question: string = written[code]): Ask => ({
  code,
  question,
  evidence,
});

const present = (asks: (Ask | false | null)[]): Ask[] => asks.filter((each) => each !== false && each !== null);

const describe = (differences: ReviewedComparable['differences']) =>
  `${differences.map(({ field, stated, recorded }) => `${asWords(field)}: stated ${stated}, on record ${recorded}`).join('; ')}.`;
