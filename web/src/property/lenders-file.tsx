// The lender's file: asks for the loan, has the report made, and saves its PDF.
import { useState } from 'react';
import { send } from '../api.ts';
import { useCall, useCaller } from '../caller.tsx';
import { saveFile } from '../save-file.ts';
import { Link } from '../router.tsx';
import type { Report } from '../types.ts';
import { FormDialog } from '../ui/dialog.tsx';
import { Button, Field } from '../ui/parts.tsx';
import { useToast } from '../ui/toast.tsx';
import { useAct } from '../use-api.ts';

export const OUTCOMES: Record<Report['decision']['outcome'], string> = {
  pass: 'Pass',
  refer: 'Refer',
  decline: 'Decline',
  not_evaluated: 'No rules set',
};

export function LendersFile({ id }: { id: string }) {
  const { isGuest } = useCaller();
  const [isOpen, setOpen] = useState(false);
  if (isGuest) {
    return (
      <Link className="button primary" href="/sign-in">
        Lender’s file
      </Link>
    );
  }
  return (
    <>
      <Button look="primary" icon="log" onClick={() => setOpen(true)}>
        Lender’s file
      </Button>
      {isOpen && <LoanDialog id={id} onClose={() => setOpen(false)} />}
    </>
  );
}

const AMOUNTS = [
  ['amount', 'Loan amount', 'Leave empty for a file without loan-to-value.'],
  ['purchase_price', 'Purchase price', 'Lent against where it is lower than the value.'],
  ['existing_balance', 'Balance of existing mortgages', 'If you know it. Otherwise it is estimated from the title.'],
  ['other_liens', 'Other liens that stay', undefined],
] as const;

function LoanDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { mode, credential } = useCaller();
  const call = useCall();
  const say = useToast();
  const act = useAct(async (form: FormData) => {
    const report = await call<Report>('reports', { body: bodyOf(id, form) });
    const response = await send(credential, `reports/${report.id}/pdf`);
    saveFile(await response.blob(), `${report.id}.pdf`);
    say(`Lender’s file saved. Outcome: ${OUTCOMES[report.decision.outcome]}.`);
    onClose();
  });
  return (
    <FormDialog
      title="Lender’s file"
      submit="Make the file"
      isRunning={act.isRunning}
      problem={act.problem}
      onSubmit={(form) => void act.run(form)}
      onClose={onClose}
    >
      <p>
        A PDF with the value and its comparables, title, risk, market and data gaps, checked against the{' '}
        <Link href="/dashboard/reports">rules of your account</Link>.{' '}
        {mode === 'live' ? 'It counts as two valuation calls.' : 'Free in the sandbox.'}
      </p>
      {AMOUNTS.map(([name, label, hint]) => (
        <Field key={name} label={label} hint={hint}>
          {(field, described) => (
            <input
              id={field}
              name={name}
              type="number"
              min={name === 'amount' || name === 'purchase_price' ? 1 : 0}
              max={1_000_000_000}
              step={1}
              inputMode="numeric"
              placeholder="USD"
              aria-describedby={described}
            />
          )}
        </Field>
      ))}
      <Field label="Purpose" hint="A purchase or refinance pays off the mortgages on record.">
        {(field, described) => (
          <select id={field} name="purpose" aria-describedby={described} defaultValue="">
            <option value="">Not stated</option>
            <option value="purchase">Purchase</option>
            <option value="refinance">Refinance</option>
            <option value="home_equity">Home equity</option>
            <option value="other">Other</option>
          </select>
        )}
      </Field>
      <Field label="Your reference" hint="Printed on every page.">
        {(field, described) => (
          <input id={field} name="reference" type="text" maxLength={80} aria-describedby={described} />
        )}
      </Field>
    </FormDialog>
  );
}

function bodyOf(id: string, form: FormData) {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  const amounts = AMOUNTS.flatMap(([name]) => (text(name) === '' ? [] : [[name, Number(text(name))]]));
  const loan = { ...Object.fromEntries(amounts), ...(text('purpose') && { purpose: text('purpose') }) };
  return {
    property: { id },
    ...(text('amount') !== '' && { loan }),
    ...(text('reference') && { reference: text('reference') }),
  };
}
