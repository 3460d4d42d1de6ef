// The plans, read from the same table that limits and invoices use.
import { useState } from 'react';
import { ANNUAL_DISCOUNT_PERCENT, PLANS, type Plan } from '../../../src/customers/accounts/plans.ts';
import { cents, whole, words } from '../format.ts';
import { useCaller } from '../caller.tsx';
import { Link, useTitle } from '../router.tsx';
import { PageHead } from '../ui/parts.tsx';

export function PricingPage() {
  useTitle('Pricing');
  const [isYearly, setYearly] = useState(false);
  return (
    <div className="page">
      <PageHead
        title="Pricing"
        lead="Plans include calls and valuations. Only successful live requests count. The sandbox is always free."
        actions={
          <div className="tabs" role="group" aria-label="Billing interval">
            <button type="button" aria-pressed={!isYearly} onClick={() => setYearly(false)}>
              Monthly
            </button>
            <button type="button" aria-pressed={isYearly} onClick={() => setYearly(true)}>
              Yearly (save {ANNUAL_DISCOUNT_PERCENT}%)
            </button>
          </div>
        }
      />
      <div className="plans">
        {Object.values(PLANS).map((plan) => (
          <PlanCard key={plan.id} plan={plan} isYearly={isYearly} />
        ))}
      </div>
    </div>
  );
}

function PlanCard({ plan, isYearly }: { plan: Plan; isYearly: boolean }) {
  const price = plan.priceCentsPerMonth;
  const shown = price === null ? null : isYearly ? price * (1 - ANNUAL_DISCOUNT_PERCENT / 100) : price;
  const { session } = useCaller();
  const per = (amount: number | null) => (amount === null ? (plan.id === 'trial' ? 'None' : 'Custom') : cents(amount));
  return (
    <section className="card plan">
      <h2>{plan.name}</h2>
      <p className="plan-price">
        {shown === null ? 'Custom' : cents(shown).replace('.00', '')}
        {shown !== null && shown > 0 && <small> / month</small>}
        {plan.trialDays !== null && <small> for {plan.trialDays} days</small>}
      </p>
      <dl className="facts single">
        <Row name="Calls" value={plan.includedCalls === null ? 'By contract' : whole(plan.includedCalls)} />
        <Row name="Extra call" value={per(plan.overageCentsPerCall)} />
        <Row name="Valuations" value={plan.includedAvmCalls === null ? 'By contract' : whole(plan.includedAvmCalls)} />
        <Row name="Extra valuation" value={per(plan.overageCentsPerAvmCall)} />
        <Row name="Calls per hour" value={`${whole(plan.rateLimitPerHour)}${plan.includedCalls === null ? '+' : ''}`} />
        <Row name="Batch size" value={whole(plan.batchAddresses)} />
        <Row name="Webhooks" value={whole(plan.webhooks)} />
        <Row name="Uptime" value={plan.uptimePercent === null ? 'No SLA' : `${plan.uptimePercent}%`} />
        <Row name="Support" value={words(plan.support)} />
      </dl>
      <Link
        href={session ? '/dashboard/billing' : '/sign-up'}
        className={`button ${plan.id === 'pro' ? 'primary' : ''}`}
        aria-current={session?.account.plan === plan.id || undefined}
      >
        {labelOf(plan, session?.account.plan)}
      </Link>
    </section>
  );
}

/** Enterprise has no self-serve checkout, so its button leads to the trial. */
function labelOf({ id, name }: Plan, current: string | undefined): string {
  if (id === current) return 'Current plan';
  if (id === 'trial' || id === 'enterprise')
    return current ? 'View billing' : id === 'trial' ? 'Start free trial' : 'Try it first';
  return `Choose ${name}`;
}

function Row({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
