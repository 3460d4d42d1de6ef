// The user's passkeys: add one with the password, rename and remove them.
import { useState } from 'react';
import { startRegistration, type PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser';
import type { Static } from 'typebox';
import type { Passkey } from '../../../../src/customers/people/schema.ts';
import { useCall, useCaller } from '../../caller.tsx';
import { ago, day } from '../../format.ts';
import { explainPasskey } from '../../session.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { Button, Card, Field, ProblemNotice } from '../../ui/parts.tsx';
import { Table } from '../../ui/table.tsx';
import { useAct, useList } from '../../use-api.ts';

type PasskeyRow = Static<typeof Passkey>;

export function PasskeysCard() {
  const call = useCall();
  const passkeys = useList<PasskeyRow>('/session/passkeys');
  const [isAdding, setAdding] = useState(false);
  const [renamed, setRenamed] = useState<PasskeyRow>();
  const [removed, setRemoved] = useState<PasskeyRow>();
  const add = useAct(async (form: FormData) => {
    const { options } = await call<{ options: PublicKeyCredentialCreationOptionsJSON }>('/session/passkeys/options', {
      body: proofOf(form),
    });
    const response = await explainPasskey(startRegistration({ optionsJSON: options }));
    await call('/session/passkeys', { body: { name: form.get('name'), response } });
    setAdding(false);
    passkeys.reload();
  });
  const change = useAct(async (method: 'PATCH' | 'DELETE', id: string, body?: object) => {
    await call(`/session/passkeys/${id}`, { method, body });
    setRenamed(undefined);
    setRemoved(undefined);
    passkeys.reload();
  });
  return (
    <Card
      flush
      title="Passkeys"
      lead="Sign in with your fingerprint, face or device PIN instead of a password and code."
      actions={<Button onClick={() => setAdding(true)}>Add passkey</Button>}
    >
      <ProblemNotice problem={passkeys.problem ?? change.problem} />
      {passkeys.data && passkeys.data.length > 0 && (
        <Table
          caption="Passkeys"
          rows={passkeys.data}
          keyOf={({ id }) => id}
          columns={[
            { head: 'Name', wide: true, cell: (row) => row.name },
            { head: 'Added', cell: (row) => day(row.created_at) },
            { head: 'Last used', cell: (row) => (row.last_used_at ? ago(row.last_used_at) : 'Never') },
            {
              head: <span className="unseen">Actions</span>,
              align: 'right',
              cell: (row) => (
                <div className="row">
                  <Button small look="quiet" aria-label={`Rename ${row.name}`} onClick={() => setRenamed(row)}>
                    Rename
                  </Button>
                  <Button small look="quiet" aria-label={`Remove ${row.name}`} onClick={() => setRemoved(row)}>
                    Remove
                  </Button>
                </div>
              ),
            },
          ]}
        />
      )}
      {isAdding && (
        <FormDialog
          title="Add passkey"
          submit="Continue"
          isRunning={add.isRunning}
          problem={add.problem}
          onSubmit={(form) => void add.run(form)}
          onClose={() => setAdding(false)}
        >
          <NameField />
          <ProofFields />
        </FormDialog>
      )}
      {removed && (
        <FormDialog
          title={`Remove ${removed.name}`}
          submit="Remove"
          isRunning={change.isRunning}
          problem={change.problem}
          onSubmit={(form) => void change.run('DELETE', removed.id, proofOf(form))}
          onClose={() => setRemoved(undefined)}
        >
          <ProofFields />
        </FormDialog>
      )}
      {renamed && (
        <FormDialog
          title="Rename passkey"
          submit="Save"
          isRunning={change.isRunning}
          problem={change.problem}
          onSubmit={(form) => void change.run('PATCH', renamed.id, { name: form.get('name') })}
          onClose={() => setRenamed(undefined)}
        >
          <NameField value={renamed.name} />
        </FormDialog>
      )}
    </Card>
  );
}

function proofOf(form: FormData) {
  const code = form.get('code');
  return { password: form.get('password'), ...(code && { code }) };
}

function ProofFields() {
  const { session } = useCaller();
  return (
    <>
      <CurrentPasswordField />
      {session?.user.has_two_factor && <CodeField />}
    </>
  );
}

/** Asked for again before something that only the person may do. */
export function CurrentPasswordField() {
  return (
    <Field label="Password">
      {(id) => <input id={id} name="password" type="password" autoComplete="current-password" required />}
    </Field>
  );
}

/** For whoever has turned the second factor on. */
export function CodeField() {
  return (
    <Field label="Authentication or recovery code">
      {(id) => <input id={id} name="code" type="text" autoComplete="one-time-code" required />}
    </Field>
  );
}

function NameField({ value = '' }: { value?: string }) {
  return (
    <Field label="Name" hint="For example, the device it is on.">
      {(id, described) => (
        <input
          id={id}
          name="name"
          type="text"
          maxLength={60}
          defaultValue={value}
          aria-describedby={described}
          required
        />
      )}
    </Field>
  );
}
