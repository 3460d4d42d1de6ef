// The user's own security settings: password, two-factor authentication, active sessions.
import { useState, type FormEvent } from 'react';
import type { Static } from 'typebox';
import type { SessionPage } from '../../../../src/customers/people/schema.ts';
import { useCall, useCaller } from '../../caller.tsx';
import { ago, browserOf } from '../../format.ts';
import { formOf, PasswordField } from '../../pages/sign-in.tsx';
import { CodeField, CurrentPasswordField, PasskeysCard } from './passkeys.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Badge, Button, Card, Code, Field, Notice, PageHead, ProblemNotice } from '../../ui/parts.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { Table } from '../../ui/table.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useAct, useList } from '../../use-api.ts';

type SignInRow = Static<typeof SessionPage>['data'][number];

export function SecuritySection() {
  const call = useCall();
  const { session } = useCaller();
  const sessions = useList<SignInRow>('/session/sessions');
  const [ended, setEnded] = useState<SignInRow>();
  const end = useAct(async (id: string, form: FormData) => {
    await call(`/session/sessions/${id}`, { method: 'DELETE', body: { password: form.get('password') } });
    setEnded(undefined);
    sessions.reload();
  });
  return (
    <>
      <PageHead title="Security" lead={session?.user.email} />
      <div className="sections">
        <div className="grid-2">
          <PasswordCard />
          <TwoFactorCard />
        </div>
        <PasskeysCard />
        <Card flush title="Active sessions">
          <ProblemNotice problem={sessions.problem} />
          {sessions.data && (
            <Table
              caption="Sessions"
              rows={sessions.data}
              keyOf={({ id }) => id}
              columns={[
                {
                  head: 'Browser',
                  wide: true,
                  cell: (row) => <span title={row.user_agent ?? undefined}>{browserOf(row.user_agent)}</span>,
                },
                { head: 'IP', cell: (row) => row.ip },
                { head: 'Last active', cell: (row) => ago(row.last_seen_at) },
                {
                  head: <span className="unseen">Actions</span>,
                  align: 'right',
                  cell: (row) =>
                    row.is_current ? (
                      <Badge tone="good">This session</Badge>
                    ) : (
                      <Button small look="quiet" onClick={() => setEnded(row)}>
                        Sign out
                      </Button>
                    ),
                },
              ]}
            />
          )}
          {ended && (
            <FormDialog
              title={`Sign out ${browserOf(ended.user_agent)}`}
              submit="Sign out"
              isRunning={end.isRunning}
              problem={end.problem}
              onSubmit={(form) => void end.run(ended.id, form)}
              onClose={() => setEnded(undefined)}
            >
              <CurrentPasswordField />
            </FormDialog>
          )}
        </Card>
      </div>
    </>
  );
}

function PasswordCard() {
  const call = useCall();
  const { session } = useCaller();
  const say = useToast();
  const act = useAct(async (form: Record<string, string>, element: HTMLFormElement) => {
    const { current_password, password, code } = form;
    await call('/session/password', { body: { current_password, password, ...(code && { code }) } });
    element.reset();
    say('Password changed. Other sessions were signed out.');
  });
  const submit = (event: FormEvent<HTMLFormElement>) => void act.run(formOf(event), event.currentTarget);
  return (
    <Card title="Password">
      <form className="stack" onSubmit={submit}>
        <Field label="Current password">
          {(id) => <input id={id} name="current_password" type="password" autoComplete="current-password" required />}
        </Field>
        {session?.user.has_two_factor && <CodeField />}
        <PasswordField label="New password" />
        <ProblemNotice problem={act.problem} />
        <div>
          <Button type="submit" isRunning={act.isRunning}>
            Change password
          </Button>
        </div>
      </form>
    </Card>
  );
}

function TwoFactorCard() {
  const call = useCall();
  const { session, refresh } = useCaller();
  const [secret, setSecret] = useState<{ secret: string; otpauth_url: string }>();
  const [codes, setCodes] = useState<string[]>();
  const act = useAct(async (form: Record<string, string>) => {
    if (session?.user.has_two_factor) {
      await call('/session/two-factor/disable', { body: { password: form.password, code: form.code } });
      await refresh();
    } else if (secret) {
      const answer = await call<{ codes: string[] }>('/session/two-factor/confirm', { body: { code: form.code } });
      setCodes(answer.codes);
      setSecret(undefined);
      await refresh();
    } else setSecret(await call('/session/two-factor', { body: { password: form.password } }));
  });
  const isOn = session?.user.has_two_factor;
  return (
    <Card
      title="Two-factor authentication"
      actions={<Badge tone={isOn ? 'good' : 'neutral'}>{isOn ? 'On' : 'Off'}</Badge>}
    >
      {codes ? (
        <div className="stack">
          <Notice tone="warn">
            Save these recovery codes. Each one signs you in once if you lose access to your authenticator app.
          </Notice>
          <Code label="Recovery codes">{codes.join('\n')}</Code>
        </div>
      ) : (
        <form className="stack" onSubmit={(event) => void act.run(formOf(event))} key={secret ? 'code' : 'password'}>
          {secret ? (
            <>
              <p>
                Scan the QR code with your authenticator app or enter the secret, then type the six-digit code it shows.
              </p>
              <QrCode text={secret.otpauth_url} label="QR code for your authenticator app" />
              <Code label="Secret">{secret.secret}</Code>
              <p className="fine">
                <a href={secret.otpauth_url}>Open in an authenticator app on this device</a>
              </p>
              <Field label="Six-digit code">
                {(id) => (
                  <input id={id} name="code" type="text" inputMode="numeric" autoComplete="one-time-code" required />
                )}
              </Field>
            </>
          ) : (
            <>
              <p className="fine">
                {isOn
                  ? 'Enter your password and a code to turn it off.'
                  : 'Require a code from an authenticator app when you sign in.'}
              </p>
              <Field label="Password">
                {(id) => <input id={id} name="password" type="password" autoComplete="current-password" required />}
              </Field>
              {isOn && (
                <Field label="Authentication or recovery code">
                  {(id) => <input id={id} name="code" type="text" autoComplete="one-time-code" required />}
                </Field>
              )}
            </>
          )}
          <ProblemNotice problem={act.problem} />
          <div>
            <Button type="submit" isRunning={act.isRunning}>
              {secret ? 'Confirm' : isOn ? 'Turn off' : 'Set up'}
            </Button>
          </div>
        </form>
      )}
    </Card>
  );
}
