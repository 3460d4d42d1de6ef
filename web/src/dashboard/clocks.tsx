// Test clocks: make one, pass its time, change its plan, see its invoices, and delete it.
import { useState } from 'react';
import type { Static } from 'typebox';
import { PLANS } from '../../../src/customers/accounts/plans.ts';
import type { InvoiceShape } from '../../../src/customers/billing/schema.ts';
import type {
  TestClock as ClockSchema,
  TestClockWithKey as KeyedSchema,
} from '../../../src/customers/clocks/schema.ts';
import { useCall, useCaller } from '../caller.tsx';
import { cents, day, words } from '../format.ts';
import { Dialog, FormDialog } from '../ui/dialog.tsx';
import {
  Badge,
  Button,
  Card,
  Code,
  Empty,
  Field,
  Notice,
  PageHead,
  ProblemNotice,
  Skeleton,
  Stat,
  SureButton,
  type Tone,
} from '../ui/parts.tsx';
import { Table } from '../ui/table.tsx';
import { useAct, useList } from '../use-api.ts';

type Clock = Static<typeof ClockSchema>;
type KeyedClock = Static<typeof KeyedSchema>;
type Invoice = Static<typeof InvoiceShape>;

const TONES: Record<Clock['billing_status'], Tone> = {
  none: 'neutral',
  trialing: 'info',
  active: 'good',
  past_due: 'bad',
  canceled: 'warn',
};
const DAY_MS = 86_400_000;
const LEAPS: [label: string, days: number][] = [
  ['A day', 1],
  ['A week', 7],
  ['A month', 31],
];

export function ClocksSection() {
  const { session } = useCaller();
  const list = useList<Clock>('test-clocks?limit=20');
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<KeyedClock>();
  const mayChange = session?.role !== 'viewer';
  const make = mayChange && (
    <Button look="primary" onClick={() => setMaking(true)}>
      Create test clock
    </Button>
  );
  return (
    <>
      <PageHead
        title="Test clocks"
        lead="Sandbox accounts whose date you can move: trials end, months close and invoices are written as they would be for you. No money moves."
        actions={list.data && list.data.length > 0 && make}
      />
      <div className="sections">
        <ProblemNotice problem={list.problem} onRetry={list.reload} />
        {!list.data && list.isLoading && <Skeleton />}
        {list.data?.length === 0 && (
          <Card>
            <Empty icon="clock" title="No test clocks yet" action={make}>
              Create one to see a year of invoices in a minute.
            </Empty>
          </Card>
        )}
        {list.data?.map((clock) => (
          <ClockCard key={clock.id} clock={clock} mayChange={mayChange} onChange={list.reload} />
        ))}
      </div>
      {isMaking && (
        <MakeDialog
          onClose={() => setMaking(false)}
          onDone={(clock) => {
            setMaking(false);
            setMade(clock);
            list.reload();
          }}
        />
      )}
      {made && (
        <Dialog title={`${made.name} is ready`} onClose={() => setMade(undefined)}>
          <div className="stack">
            <Notice title="Copy its key now">
              <p>It is shown only once. Calls with it are counted and billed at the clock’s time.</p>
            </Notice>
            <Code label="Key">{made.key}</Code>
          </div>
        </Dialog>
      )}
    </>
  );
}

function ClockCard({ clock, mayChange, onChange }: { clock: Clock; mayChange: boolean; onChange: () => void }) {
  const call = useCall();
  const invoices = useList<Invoice>(`test-clocks/${clock.id}/invoices?limit=12`);
  const act = useAct(async (path: string, options: Parameters<typeof call>[1]) => {
    await call(`test-clocks/${clock.id}${path}`, options);
    onChange();
    if (options?.method !== 'DELETE') invoices.reload();
  });
  const advance = (days: number) =>
    act.run('/advance', { body: { to: new Date(Date.parse(clock.now) + days * DAY_MS).toISOString() } });
  return (
    <Card title={clock.name}>
      <div className="stack">
        <dl className="stats">
          <Stat label="Now" value={day(clock.now)} />
          <Stat label="Plan" value={PLANS[clock.plan].name} />
          <Stat
            label="Billing"
            value={<Badge tone={TONES[clock.billing_status]}>{words(clock.billing_status)}</Badge>}
          />
          {clock.term_end && <Stat label="Term ends" value={day(clock.term_end)} />}
        </dl>
        <ProblemNotice problem={act.problem ?? invoices.problem} />
        {mayChange && (
          <div className="row">
            <span className="fine">Advance by</span>
            {LEAPS.map(([label, days]) => (
              <Button
                key={label}
                small
                isRunning={act.isRunning}
                aria-label={`Advance ${clock.name} by ${label.toLowerCase()}`}
                onClick={() => void advance(days)}
              >
                {label}
              </Button>
            ))}
            <SureButton
              small
              sure="Confirm delete"
              aria-label={`Delete ${clock.name}`}
              onSure={() => void act.run('', { method: 'DELETE' })}
            >
              Delete
            </SureButton>
          </div>
        )}
        {invoices.data && invoices.data.length > 0 && (
          <Table
            caption={`Invoices of ${clock.name}`}
            rows={invoices.data}
            keyOf={({ id }) => id}
            more={invoices}
            columns={[
              { head: 'Issued', cell: (row) => day(row.issued_at) },
              {
                head: 'Description',
                wide: true,
                cell: (row) => row.lines.map(({ description }) => description).join('; '),
              },
              { head: 'Total', align: 'right', cell: (row) => cents(row.total_cents) },
              {
                head: 'Status',
                cell: (row) => <Badge tone={row.status === 'paid' ? 'good' : 'warn'}>{words(row.status)}</Badge>,
              },
            ]}
          />
        )}
      </div>
    </Card>
  );
}

function MakeDialog({ onDone, onClose }: { onDone: (clock: KeyedClock) => void; onClose: () => void }) {
  const call = useCall();
  const act = useAct(async (form: FormData) => {
    const plan = String(form.get('plan'));
    const body = {
      name: form.get('name'),
      now: `${String(form.get('now'))}T00:00:00.000Z`,
      card: form.get('card'),
      ...(plan !== 'trial' && { plan }),
    };
    onDone(await call<KeyedClock>('test-clocks', { body }));
  });
  return (
    <FormDialog
      title="Create test clock"
      submit="Create clock"
      isRunning={act.isRunning}
      problem={act.problem}
      onSubmit={(form) => void act.run(form)}
      onClose={onClose}
    >
      <Field label="Name">{(id) => <input id={id} name="name" type="text" maxLength={100} required />}</Field>
      <div className="pair">
        <Field label="Begins on">
          {(id) => (
            <input id={id} name="now" type="date" defaultValue={new Date().toISOString().slice(0, 10)} required />
          )}
        </Field>
        <Field label="Plan">
          {(id) => (
            <select id={id} name="plan" defaultValue="builder">
              {(['trial', 'builder', 'pro', 'scale'] as const).map((plan) => (
                <option key={plan} value={plan}>
                  {PLANS[plan].name}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <Field label="Card" hint="A card that declines shows what an unpaid renewal leads to.">
        {(id, described) => (
          <select id={id} name="card" defaultValue="tok_test_visa" aria-describedby={described}>
            <option value="tok_test_visa">Pays</option>
            <option value="tok_test_declined">Declines</option>
          </select>
        )}
      </Field>
    </FormDialog>
  );
}
