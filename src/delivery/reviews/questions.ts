// The questions an underwriter would ask about an appraisal, each with the evidence for it. Pure.
import { asDay, asMoney, asPercent, asWords } from '../../base/lib/figures.ts';
import type { Question, Review, ReviewedComparable } from './schema.ts';

/** Usual guidance of lenders: net 15% and gross 25% of the price. */
const MAX_NET = 0.15;
const MAX_GROSS = 0.25;
/** An appraiser's month and ours may differ by as much without anyone being wrong. */
const MARKET_CHANGE_TOLERANCE = 0.03;
const RESALE_CHANGE = 0.15;

type Ask = Omit<Question, 'comparable'>;
type Known = Omit<Review, 'questions'>;

export const listQuestions = (review: Known, statedAdjusted: (number | undefined)[]): Question[] => [
  ...review.comparables.flatMap((each) =>
    aboutComparable(review, each).map((ask): Question => ({ ...ask, comparable: each.number })),
  ),
  ...aboutAppraisal(review, statedAdjusted).map((ask): Question => ({ ...ask, comparable: null })),
];

function aboutComparable(review: Known, each: ReviewedComparable): Ask[] {
  if (each.property_id === null) {
    const evidence = each.not_found_reason ?? 'No property was found.';
    return [ask('comparable_not_found', 'Which property is this comparable? It was not found on record.', evidence)];
  }
  return [...aboutSale(review, each), ...aboutFacts(each), ...aboutAdjustments(each)];
}

function aboutSale(
  review: Known,
  { property_id, sale, days_before, stated_price, stated_date }: ReviewedComparable,
): Ask[] {
  const asks: Ask[] = [];
  const recorded = `On record: ${asMoney(sale.recorded_price)} on ${asDay(sale.recorded_date)}. Stated: ${asMoney(stated_price)} on ${asDay(stated_date)}.`;
  if (property_id === review.property_id)
    asks.push(ask('comparable_is_subject', 'Why is the subject used as its own comparable?', recorded));
  if (sale.status === 'no_such_sale')
    asks.push(
      ask(
        'sale_not_on_record',
        'What is the source of this sale?',
        'No deed of this home is on record within 45 days of the stated date, and the records cover that day.',
      ),
    );
  if (sale.status === 'price_differs')
    asks.push(ask('sale_price_differs', 'Which price did the home sell for?', recorded));
  if (sale.status === 'date_differs') asks.push(ask('sale_date_differs', 'When did the home sell?', recorded));
  if (sale.market_price === false)
    asks.push(
      ask(
        'not_a_market_price',
        'Was this sale at arm’s length and at a market price?',
        `The sale is set aside as ${asWords(sale.market_price_reason)}.`,
      ),
    );
  if (sale.earlier_sale && Math.abs(sale.earlier_sale.change) > RESALE_CHANGE)
    asks.push(
      ask(
        'resold_within_a_year',
        'What explains the change in price since the earlier sale?',
        `It sold for ${asMoney(sale.earlier_sale.price)} on ${asDay(sale.earlier_sale.date)}, ${asPercent(Math.abs(sale.earlier_sale.change))} ${sale.earlier_sale.change > 0 ? 'less' : 'more'} than in the sale used.`,
      ),
    );
  if (days_before < 0)
    asks.push(
      ask(
        'sold_after_effective_date',
        'How could this sale be known on the effective date?',
        `It was sold ${-days_before} days after ${asDay(review.effective_date)}.`,
      ),
    );
  return asks;
}

const aboutFacts = ({ differences }: ReviewedComparable): Ask[] =>
  differences.length === 0
    ? []
    : [ask('comparable_facts_differ', 'Where do the stated facts of this home come from?', tell(differences))];

function aboutAdjustments(each: ReviewedComparable): Ask[] {
  const asks: Ask[] = [];
  const { adds_up, adjustments, net_adjustment_rate: net, gross_adjustment_rate: gross, index_change } = each;
  if (adds_up === false)
    asks.push(
      ask(
        'adjustments_do_not_add_up',
        'Which adjustment is missing or wrong?',
        'The price and the adjustments do not make the stated adjusted price.',
      ),
    );
  for (const { feature, amount, stated_rate, market_range: range, is_outside } of adjustments)
    if (is_outside && range)
      asks.push(
        ask(
          'adjustment_outside_range',
          `What supports the adjustment for ${asWords(feature)}?`,
          `${asMoney(amount)} is ${asMoney(stated_rate)} for each ${range.per}; among ${range.n} sales nearby it is ${asMoney(range.low)} to ${asMoney(range.high)}.`,
        ),
      );
  const time = adjustments.find(({ feature }) => feature === 'market_change');
  const stated = time ? time.amount / each.stated_price : 0;
  if (index_change !== null && Math.abs(stated - index_change) > MARKET_CHANGE_TOLERANCE)
    asks.push(
      ask(
        'market_change_differs',
        time
          ? 'What supports the adjustment for the market’s change?'
          : 'Why is there no adjustment for the market’s change?',
        `The price index of the area moved by ${asPercent(index_change)} from the sale to the effective date; the adjustment is ${asPercent(stated)}.`,
      ),
    );
  if ((net !== null && Math.abs(net) > MAX_NET) || (gross !== null && gross > MAX_GROSS))
    asks.push(
      ask(
        'large_adjustments',
        'Is there a more similar sale than this one?',
        `Net adjustments are ${asPercent(net ?? 0)} of the price, gross ${asPercent(gross ?? 0)}.`,
      ),
    );
  return asks;
}

function aboutAppraisal(review: Known, statedAdjusted: (number | undefined)[]): Ask[] {
  const { appraised_value, value, passed_over, subject_differences, comparables } = review;
  const asks: Ask[] = [];
  if (subject_differences.length > 0)
    asks.push(
      ask('subject_facts_differ', 'Where do the stated facts of the subject come from?', tell(subject_differences)),
    );
  if (passed_over.length > 0) {
    const shown = passed_over
      .slice(0, 3)
      .map(
        (each) =>
          `${each.address ?? each.property_id} (${asMoney(each.sale_price)} on ${asDay(each.sale_date)}, ${each.distance_miles} mi)`,
      );
    asks.push(ask('closer_sales_passed_over', 'Why were more similar sales left out?', `${shown.join('; ')}.`));
  }
  const nets = comparables.flatMap(({ net_adjustment_rate: net }) => (net === null ? [] : [net]));
  if (nets.length >= 3 && (nets.every((net) => net > 0) || nets.every((net) => net < 0)))
    asks.push(
      ask(
        'one_sided_adjustments',
        'Is there a comparable on the other side of the subject?',
        `All ${nets.length} comparables are adjusted ${nets[0] > 0 ? 'up' : 'down'}.`,
      ),
    );
  const adjusted = statedAdjusted.filter((price) => price !== undefined);
  const [low, high] = [Math.min(...adjusted), Math.max(...adjusted)];
  if (adjusted.length > 0 && (appraised_value < low || appraised_value > high))
    asks.push(
      ask(
        'value_outside_comparables',
        'How was the value reconciled?',
        `The adjusted prices run from ${asMoney(low)} to ${asMoney(high)}; the value is ${asMoney(appraised_value)}.`,
      ),
    );
  if (value.position !== 'inside')
    asks.push(
      ask(
        'value_outside_interval',
        `What supports a value ${value.position} the range of the sales on record?`,
        `The appraised value is ${asPercent(Math.abs(value.ratio - 1))} ${value.ratio > 1 ? 'above' : 'below'} our estimate of ${asMoney(value.estimated_value)}, whose ${Math.round(value.level * 100)}% interval is ${asMoney(value.low)} to ${asMoney(value.high)}.`,
      ),
    );
  return asks;
}

const ask = (code: Question['code'], question: string, evidence: string): Ask => ({ code, question, evidence });

const tell = (differences: ReviewedComparable['differences']) =>
  `${differences.map(({ field, stated, recorded }) => `${asWords(field)}: stated ${stated}, on record ${recorded}`).join('; ')}.`;
