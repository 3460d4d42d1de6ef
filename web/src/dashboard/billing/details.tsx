// Who invoices are made out to: name, postal address, place and tax number.
import { useState } from 'react';
import { useCall } from '../../caller.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Button, Card, Field } from '../../ui/parts.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useAct } from '../../use-api.ts';
import type { Billing } from '../answers.ts';

export function DetailsCard({ billing, onSaved }: { billing: Billing; onSaved: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const { bill_to: to } = billing;
  return (
    <Card
      title="Billing details"
      actions={
        <Button small onClick={() => setOpen(true)}>
          {to ? 'Edit' : 'Add details'}
        </Button>
      }
    >
      {to ? (
        <div>
          {[to.name, ...to.lines, [to.region, to.country].filter(Boolean).join(', '), to.tax_id]
            .filter((line) => line !== null)
            .map((line) => (
              <div key={line}>{line}</div>
            ))}
        </div>
      ) : (
        <p className="fine">Added to your invoices. Your country and state decide whether tax applies.</p>
      )}
      {isOpen && (
        <DetailsDialog
          billing={billing}
          onDone={() => {
            setOpen(false);
            onSaved();
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </Card>
  );
}

function DetailsDialog({ billing, onDone, onClose }: { billing: Billing; onDone: () => void; onClose: () => void }) {
  const call = useCall();
  const say = useToast();
  const { bill_to: to } = billing;
  const act = useAct(async (form: FormData) => {
    const text = (name: string) => String(form.get(name) ?? '').trim();
    await call('/session/billing/details', {
      method: 'PUT',
      body: {
        name: text('name'),
        lines: text('lines')
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== ''),
        country: text('country').toUpperCase(),
        region: text('region').toUpperCase() || null,
        tax_id: text('tax_id') || null,
      },
    });
    say('Billing details saved');
    onDone();
  });
  return (
    <FormDialog
      title="Billing details"
      submit="Save"
      isRunning={act.isRunning}
      problem={act.problem}
      onSubmit={(form) => void act.run(form)}
      onClose={onClose}
    >
      <Field label="Company or name">
        {(id) => <input id={id} name="name" required maxLength={200} defaultValue={to?.name} />}
      </Field>
      <Field label="Postal address">
        {(id) => <textarea id={id} name="lines" rows={3} defaultValue={to?.lines.join('\n')} />}
      </Field>
      <Field label="Country" hint="Two letters, such as US">
        {(id) => (
          <input
            id={id}
            name="country"
            required
            pattern="[A-Za-z]{2}"
            maxLength={2}
            defaultValue={to?.country ?? 'US'}
          />
        )}
      </Field>
      <Field label="State or region" hint="Such as WA">
        {(id) => (
          <input id={id} name="region" pattern="[A-Za-z0-9]{1,3}" maxLength={3} defaultValue={to?.region ?? ''} />
        )}
      </Field>
      <Field label="Tax ID">
        {(id) => <input id={id} name="tax_id" maxLength={60} defaultValue={to?.tax_id ?? ''} />}
      </Field>
    </FormDialog>
  );
}
