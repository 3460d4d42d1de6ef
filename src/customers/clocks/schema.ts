// The shapes of test clocks.
import Type from 'typebox';
import { PLAN_IDS } from '../accounts/plans.ts';
import { intervalShape } from '../billing/schema.ts';
import { TEST_CARDS } from '../billing/test-bank.ts';
import { instant, named, nullable, oneOf, page, strict, text } from '../../base/lib/schema.ts';

const soldPlan = oneOf(['builder', 'pro', 'scale']);
const card = oneOf(TEST_CARDS, {
  description: '`tok_test_declined` is on file like any card, and refuses every charge.',
});

export const TestClock = named('TestClock', {
  object: oneOf(['test_clock']),
  id: text(40, { description: 'Also the id of its account.' }),
  name: text(100),
  now: instant({ description: 'The instant at which its account lives.' }),
  began_at: instant({ description: 'The instant at which it was made to begin.' }),
  plan: oneOf(PLAN_IDS),
  account_status: oneOf(['active', 'suspended', 'closed']),
  billing_status: oneOf(['none', 'trialing', 'active', 'past_due', 'canceled']),
  term_end: nullable(instant()),
  next_plan: nullable(oneOf(PLAN_IDS)),
  cancels_at_end: Type.Boolean(),
});
export const TestClockPage = page('TestClockPage', TestClock);
export const TestClockWithKey = named('TestClockWithKey', {
  ...TestClock.properties,
  key: text(80, { description: 'A sandbox key of its account, in this response only.' }),
});

export const NewTestClock = strict({
  name: text(100, { minLength: 1 }),
  now: Type.Optional(
    instant({ description: 'Where it begins, within ten years of the present. Defaults to the present.' }),
  ),
  plan: Type.Optional(soldPlan),
  interval: Type.Optional(intervalShape),
  card: Type.Optional(nullable(card)),
});

export const TestClockPatch = strict({
  card: Type.Optional(card),
  plan: Type.Optional(soldPlan),
  interval: Type.Optional(intervalShape),
  when: Type.Optional(oneOf(['now', 'trial_end'])),
  cancels_at_end: Type.Optional(
    Type.Boolean({ description: 'True cancels the plan at the end of its term; false resumes it.' }),
  ),
});

export const Advance = strict({ to: instant({ description: 'Later than `now`, by 24 months at most.' }) });
