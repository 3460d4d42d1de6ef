// The ready set of rules: what a careful lender looks at before a file is passed, each with its reason.
import type { Rule } from './schema.ts';

export const STANDARD_RULES: readonly Rule[] = [
  {
    when: 'confidence_below',
    limit: 'medium',
    outcome: 'refer',
    note: 'A value of low confidence calls for an appraisal.',
  },
  { when: 'fsd_above', limit: 0.2, outcome: 'refer', note: 'One value in three is off by more than this deviation.' },
  { when: 'sales_older_than_days', limit: 180, outcome: 'refer', note: 'The value does not know what was paid since.' },
  { when: 'prices_fell_more_than', limit: 0.05, outcome: 'refer', note: 'Falling prices make comparables too dear.' },
  { when: 'comparables_fewer_than', limit: 5, outcome: 'refer', note: 'A grid of fewer sales leans on one of them.' },
  {
    when: 'largest_gross_adjustment_above',
    limit: 0.25,
    outcome: 'refer',
    note: 'A sale that needs more is another kind of home.',
  },
  {
    when: 'net_adjustment_above',
    limit: 0.15,
    outcome: 'refer',
    note: 'All comparables are better, or worse, than the home.',
  },
  {
    when: 'property_type_in',
    limit: ['apartment', 'land', 'commercial', 'other'],
    outcome: 'refer',
    note: 'The model is made for homes.',
  },
  { when: 'ltv_above', limit: 0.8, outcome: 'refer', note: 'Above this, lenders ask for mortgage insurance.' },
  {
    when: 'ltv_at_low_above',
    limit: 0.95,
    outcome: 'refer',
    note: 'If the value is at the low end, the home must still cover the loan.',
  },
  {
    when: 'cltv_above',
    limit: 0.85,
    outcome: 'refer',
    note: 'All debts on the home together, recorded liens included.',
  },
  { when: 'cltv_above', limit: 1, outcome: 'decline', note: 'The debts are more than the home is worth.' },
  { when: 'payoff_not_covered', outcome: 'refer', note: 'What is not paid off stays ahead of the new loan.' },
  {
    when: 'price_outside_interval',
    outcome: 'refer',
    note: 'Either the price or the value is not that of the market.',
  },
  { when: 'open_tax_liens_above', limit: 0, outcome: 'refer', note: 'Taxes come before any mortgage.' },
  { when: 'open_liens_above', limit: 0, outcome: 'refer', note: 'Recorded before the loan, they are paid before it.' },
  {
    when: 'open_violations_above',
    limit: 0,
    outcome: 'refer',
    note: 'Orders cost money, and some forbid living there.',
  },
  {
    when: 'title_flags',
    limit: [
      'missing_link',
      'owner_differs',
      'foreclosure_pending',
      'open_after_sale',
      'borrower_not_owner',
      'released_by_another',
      'assignment_without_mortgage',
    ],
    outcome: 'refer',
    note: 'An examiner has to clear these before the loan is insured.',
  },
  { when: 'flood_hazard_area', outcome: 'refer', note: 'Flood insurance is mandatory for most loans there.' },
  {
    when: 'data_missing',
    limit: ['title', 'flood', 'tax_liens', 'comparables', 'market'],
    outcome: 'refer',
    note: 'Nothing found where nothing is covered is not a clean result.',
  },
];
