// An appraisal review as a PDF: the questions first, then their evidence.
import { INK } from '../../base/pdf/colors.ts';
import { openPaper, type Brand } from '../../base/pdf/paper.ts';
import { drawFacts, drawList, leftOf, rightOf } from '../../base/pdf/table.ts';
import { asDay, asMoney, asNumber, asShare, asText, asTitle, DASH } from '../../base/lib/figures.ts';
import type { Review } from './schema.ts';

interface Content {
  review: Review;
  author: string;
  brand?: Brand;
}

export async function render({ review, author, brand }: Content): Promise<Buffer> {
  const { value, comparables, questions, reference, id, mode } = review;
  const address = review.address ?? review.property_id;
  const paper = await openPaper({
    title: `Appraisal review: ${address}`,
    author,
    subject: `Appraised at ${asMoney(review.appraised_value)} as of ${review.effective_date}`,
    keywords: [id, value.valuation_id, review.property_id, ...(reference === null ? [] : [reference])].join(', '),
    ...(brand?.logo && { logo: brand.logo }),
    createdAt: new Date(review.created_at),
    head: {
      left: `${brand?.name ?? author}${mode === 'test' ? '  ·  SANDBOX' : ''}`,
      right: [address, ...(reference === null ? [] : [reference])].join('  ·  '),
    },
    foot: `${id}  ·  ${asDay(review.created_at.slice(0, 10))}  ·  receipt ${value.valuation_id}`,
  });
  paper.heading('Appraisal review', { note: address, room: 120 });
  drawFacts(paper, [
    ['Appraised value', asMoney(review.appraised_value)],
    ['Effective date', asDay(review.effective_date)],
    ['Our value on that day', asMoney(value.estimated_value)],
    [`${Math.round(value.level * 100)}% interval`, `${asMoney(value.low)} to ${asMoney(value.high)}`],
    ['Appraised to ours', asShare(value.ratio)],
    ['Position', `${asTitle(value.position)} the interval, ${value.standard_deviations} standard deviations`],
    ['Confidence of ours', asTitle(value.confidence)],
    ['Index, one year', review.market ? `${asShare(review.market.change)} (${review.market.area})` : DASH],
  ]);
  paper.heading('Questions', { note: `${questions.length}`, room: 160 });
  drawList(
    paper,
    questions,
    [
      leftOf('About', 1.2, ({ comparable }) => (comparable === null ? 'Appraisal' : `Comparable ${comparable}`)),
      leftOf('Question', 3, ({ question }) => ({ text: question, maxLines: 4 })),
      leftOf('Evidence', 4, ({ evidence }) => ({ text: evidence, maxLines: 8 })),
    ],
    { size: 8, empty: 'Nothing in the records raises a question.' },
  );
  paper.heading('Comparables of the appraisal', { note: `${comparables.length}`, room: 160 });
  drawList(
    paper,
    comparables,
    [
      leftOf('', 0.3, ({ number }) => String(number)),
      leftOf('Property', 3, (each) => ({ text: each.matched_address ?? asText(each.stated_address), maxLines: 2 })),
      rightOf('Stated', 1.2, (each) => ({ text: asMoney(each.stated_price), note: asDay(each.stated_date) })),
      rightOf('On record', 1.2, ({ sale }) => ({
        text: asMoney(sale.recorded_price),
        note: asDay(sale.recorded_date),
      })),
      leftOf('Sale', 1.3, ({ sale }) => ({
        text: asTitle(sale.status),
        color: sale.status === 'confirmed' ? INK.text : INK.warn,
        maxLines: 2,
      })),
      rightOf('Miles', 0.7, ({ distance_miles }) => asNumber(distance_miles)),
      rightOf('Net', 0.8, ({ net_adjustment_rate }) => asShare(net_adjustment_rate)),
      rightOf('Gross', 0.8, ({ gross_adjustment_rate }) => asShare(gross_adjustment_rate)),
    ],
    { size: 8, empty: 'The appraisal states none.' },
  );
  paper.heading('More similar sales that it does not use', { room: 120 });
  drawList(
    paper,
    review.passed_over,
    [
      leftOf('Property', 3, (sale) => ({ text: asText(sale.address ?? sale.property_id), maxLines: 2 })),
      rightOf('Price', 1.2, ({ sale_price }) => asMoney(sale_price)),
      rightOf('Sold', 1.2, ({ sale_date }) => asDay(sale_date)),
      rightOf('Miles', 0.7, ({ distance_miles }) => asNumber(distance_miles)),
      rightOf('Sq ft', 0.8, ({ sqft }) => asNumber(sqft)),
      rightOf('Adjusted', 1.2, ({ adjusted_price }) => asMoney(adjusted_price)),
    ],
    { size: 8, empty: 'None.' },
  );
  paper.paragraph(review.notice, { size: 8, color: INK.faint });
  return paper.finish();
}
