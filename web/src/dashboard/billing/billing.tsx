// Billing: the plan and the cost of changing it, the card on file, and invoices.
import { useState } from 'react';
import type { Static } from 'typebox';
import { PLANS } from '../../../../src/customers/accounts/plans.ts';
import type { InvoiceShape, PlanChangeShape } from '../../../../src/customers/billing/schema.ts';
import { queryOf, send } from '../../api.ts';
import { useCall, useCaller } from '../../caller.tsx';
import { saveFile } from '../../save-file.ts';
import { cents, day, whole, words } from '../../format.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import {
  Badge,
  Button,
  Card,
  Empty,
  Notice,
  PageHead,
  ProblemNotice,
  Skeleton,
  Stat,
  type Tone,
} from '../../ui/parts.tsx';
import { Table } from '../../ui/table.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useAct, useApi, useList } from '../../use-api.ts';
import type { Billing } from '../answers.ts';
import { CardDialog } from './card.tsx';
import { DetailsCard } from './details.tsx';

type Invoice = Static<typeof InvoiceShape>;
type PlanChange = Static<typeof PlanChangeShape>;
type Sold = 'builder' | 'pro' | 'scale';

const SOLD: Sold[] = ['builder', 'pro', 'scale'];
const STATUS: Record<Billing['status'], [string, Tone]> = {
  none: ['No subscription', 'neutral'],
  trialing: ['Trial', 'info'],
  active: ['Active', 'good'],
  past_due: ['Payment overdue', 'bad'],
  canceled: ['Canceled', 'warn'],
};
const INVOICE_TONES: Record<Invoice['status'], Tone> = {
  open: 'warn',
  paid: 'good',
  void: 'neutral',
  uncollectible: 'bad',
};

export function BillingSection() {
  const call = useCall();
  const say = useToast();
  const { refresh } = useCaller();
  const billing = useApi<Billing>('/session/billing');
  const invoices = useList<Invoice>('invoices?limit=24');
  const [dialog, setDialog] = useState<'card' | 'plan'>();
  const reload = () => {
    setDialog(undefined);
    billing.reload();
    invoices.reload();
    void refresh();
  };
  const end = useAct(async (what: 'cancel' | 'resume') => {
    const { ends_at: endsAt } = await call<{ ends_at: string | null }>(`/session/billing/${what}`, { method: 'POST' });
    say(endsAt ? `Your plan ends on ${day(endsAt)}` : 'Your plan will renew');
    reload();
  });
  const { data } = billing;
  return (
    <>
      <PageHead title="Billing" lead="You get one itemized invoice per month. Only successful live calls count." />
      <div className="sections">
        <ProblemNotice problem={billing.problem ?? end.problem} onRetry={billing.reload} />
        {!data && billing.isLoading && <Skeleton lines={5} />}
        {data && (
          <>
            {!data.card && (
              <Notice tone="warn" title="No card on file">
                <p>Add a card to start your 14-day trial. You won’t be charged during the trial.</p>
                <Button small look="primary" onClick={() => setDialog('card')}>
                  Add card
                </Button>
              </Notice>
            )}
            <div className="grid-2">
              <PlanCard billing={data} onChange={() => setDialog('plan')} end={end} />
              <Card
                title="Card"
                actions={
                  <Button small onClick={() => setDialog('card')}>
                    {data.card ? 'Change card' : 'Add card'}
                  </Button>
                }
              >
                {data.card ? (
                  <dl className="stats">
                    <Stat
                      label={words(data.card.brand)}
                      value={`•••• ${data.card.last_four}`}
                      note={`Expires ${data.card.exp_month}/${data.card.exp_year}`}
                    />
                    <Stat label="Credit" value={cents(data.credit_cents)} />
                  </dl>
                ) : (
                  <p className="fine">
                    Your card number goes to the payment provider. We keep only the last four digits.
                  </p>
                )}
              </Card>
            </div>
          </>
        )}
        {data && <DetailsCard billing={data} onSaved={reload} />}
        <Invoices list={invoices} onPaid={reload} />
      </div>
      {dialog === 'card' && data && <CardDialog billing={data} onDone={reload} onClose={() => setDialog(undefined)} />}
      {dialog === 'plan' && data && <PlanDialog billing={data} onDone={reload} onClose={() => setDialog(undefined)} />}
    </>
  );
}

function PlanCard({
  billing,
  onChange,
  end,
}: {
  billing: Billing;
  onChange: () => void;
  end: { run: (what: 'cancel' | 'resume') => Promise<void>; isRunning: boolean };
}) {
  const plan = PLANS[billing.plan];
  const [text, tone] = STATUS[billing.status];
  return (
    <Card
      title={`${plan.name} plan`}
      lead={
        billing.term_end
          ? `${billing.cancels_at_end ? 'Ends' : 'Renews'} on ${day(billing.term_end)}, billed ${billing.interval === 'month' ? 'monthly' : 'yearly'}`
          : undefined
      }
      actions={<Badge tone={tone}>{text}</Badge>}
    >
      <div className="stack">
        <dl className="stats">
          <Stat label="Calls" value={plan.includedCalls === null ? 'No monthly limit' : whole(plan.includedCalls)} />
          <Stat
            label="Valuations"
            value={plan.includedAvmCalls === null ? 'No monthly limit' : whole(plan.includedAvmCalls)}
          />
          <Stat label="Calls per hour" value={whole(plan.rateLimitPerHour)} />
        </dl>
        {billing.next_plan && (
          <p className="fine">Changes to {PLANS[billing.next_plan].name} at the end of this period.</p>
        )}
        <div className="row">
          <Button look="primary" onClick={onChange}>
            Change plan
          </Button>
          {billing.status === 'active' && (
            <Button
              look="quiet"
              isRunning={end.isRunning}
              onClick={() => void end.run(billing.cancels_at_end ? 'resume' : 'cancel')}
            >
              {billing.cancels_at_end ? 'Keep plan' : 'Cancel at period end'}
            </Button>
          )}
        </div>
      </div>
    </Card>
  );
}

function PlanDialog({ billing, onDone, onClose }: { billing: Billing; onDone: () => void; onClose: () => void }) {
  const call = useCall();
  const say = useToast();
  const [plan, setPlan] = useState<Sold>(SOLD.find((id) => id !== billing.plan)!);
  const [interval, setInterval] = useState(billing.interval);
  const preview = useApi<PlanChange>(`/session/billing/preview${queryOf({ plan, interval })}`);
  const act = useAct(async () => {
    const change = await call<PlanChange>('/session/billing/plan', { body: { plan, interval } });
    say(describeChange(change, PLANS[plan].name));
    onDone();
  });
  return (
    <FormDialog
      title="Change plan"
      submit="Confirm change"
      isRunning={act.isRunning}
      problem={act.problem ?? preview.problem}
      onSubmit={() => void act.run()}
      onClose={onClose}
    >
      <fieldset>
        <legend>Plan</legend>
        {SOLD.map((id) => (
          <label key={id} className="check">
            <input type="radio" name="plan" checked={plan === id} onChange={() => setPlan(id)} />
            <strong>{PLANS[id].name}</strong>
            <span className="fine">
              {cents(PLANS[id].priceCentsPerMonth)} / month, {whole(PLANS[id].includedCalls)} calls,{' '}
              {whole(PLANS[id].includedAvmCalls)} valuations
            </span>
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend>Billing interval</legend>
        <div className="row">
          {(['month', 'year'] as const).map((value) => (
            <label key={value} className="check">
              <input type="radio" name="interval" checked={interval === value} onChange={() => setInterval(value)} />
              {value === 'month' ? 'Monthly' : 'Yearly (save 20%)'}
            </label>
          ))}
        </div>
      </fieldset>
      {preview.data && (
        <Notice
          title={
            preview.data.effect === 'scheduled'
              ? `Takes effect ${day(preview.data.at)}`
              : preview.data.effect === 'unchanged'
                ? 'No change'
                : `${cents(preview.data.amount_cents)} due now`
          }
        >
          <ul className="bullets">
            {preview.data.lines.map((line) => (
              <li key={line.description}>
                {line.description}: {cents(line.amount_cents)}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </FormDialog>
  );
}

function describeChange({ effect, at }: PlanChange, plan: string): string {
  if (effect === 'scheduled') return `Your plan changes on ${day(at)}`;
  if (effect === 'processing') return `Your bank is processing the payment. ${plan} starts when it is confirmed`;
  return `You’re now on ${plan}`;
}

function Invoices({ list, onPaid }: { list: ReturnType<typeof useList<Invoice>>; onPaid: () => void }) {
  const call = useCall();
  const { credential } = useCaller();
  const act = useAct(async (what: 'pdf' | 'pay', invoice: Invoice) => {
    if (what === 'pdf') {
      const response = await send(credential, `invoices/${invoice.id}.pdf`);
      saveFile(await response.blob(), `${invoice.number}.pdf`);
    } else {
      await call(`/session/billing/invoices/${invoice.id}/pay`, { method: 'POST' });
      onPaid();
    }
  });
  return (
    <Card flush title="Invoices">
      <ProblemNotice problem={list.problem ?? act.problem} onRetry={list.reload} />
      {list.data?.length === 0 && (
        <Empty icon="card" title="No invoices yet">
          Your first invoice is issued when you start a paid plan.
        </Empty>
      )}
      {list.data && list.data.length > 0 && (
        <Table
          caption="Invoices"
          rows={list.data}
          keyOf={({ id }) => id}
          more={list}
          columns={[
            { head: 'Number', cell: (row) => <strong>{row.number}</strong> },
            { head: 'Issued', cell: (row) => day(row.issued_at) },
            { head: 'Description', wide: true, cell: (row) => row.lines.map((line) => line.description).join('; ') },
            { head: 'Total', align: 'right', cell: (row) => cents(row.total_cents) },
            { head: 'Status', cell: (row) => <Badge tone={INVOICE_TONES[row.status]}>{words(row.status)}</Badge> },
            {
              head: <span className="unseen">Actions</span>,
              align: 'right',
              cell: (row) => (
                <span className="row nowrap end">
                  {row.status === 'open' && (
                    <Button small look="primary" onClick={() => void act.run('pay', row)}>
                      Pay
                    </Button>
                  )}
                  <Button small onClick={() => void act.run('pdf', row)} aria-label={`Download PDF of ${row.number}`}>
                    PDF
                  </Button>
                </span>
              ),
            },
          ]}
        />
      )}
    </Card>
  );
}
