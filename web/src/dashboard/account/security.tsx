// One's own sign-in: password, second factor, where one is signed in.
import { useState, type FormEvent } from 'react';
import type { Static } from 'typebox';
import type { SessionPage } from '../../../../src/people/schema.ts';
import { useCall, useCaller } from '../../caller.tsx';
import { ago, browserOf } from '../../format.ts';
import { formOf, PasswordField } from '../../pages/sign-in.tsx';
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
  const end = useAct(async (id: string) => {
    await call(`/session/sessions/${id}`, { method: 'DELETE' });
    sessions.reload();
  });
  return (
    <>
      <PageHead title="Sign-in and security" lead={session?.user.email} />
      <div className="sections">
        <div className="grid-2">
          <PasswordCard />
          <TwoFactorCard />
        </div>
        <Card flush title="Where you are signed in">
          <ProblemNotice problem={sessions.problem ?? end.problem} />
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
                { head: 'Address', cell: (row) => row.ip },
                { head: 'Last seen', cell: (row) => ago(row.last_seen_at) },
                {
                  head: <span className="unseen">Actions</span>,
                  align: 'right',
                  cell: (row) =>
                    row.is_current ? (
                      <Badge tone="good">This one</Badge>
                    ) : (
                      <Button small look="quiet" onClick={() => void end.run(row.id)}>
                        End
                      </Button>
                    ),
                },
              ]}
            />
          )}
        </Card>
      </div>
    </>
  );
}

function PasswordCard() {
  const call = useCall();
  const say = useToast();
  const act = useAct(async (form: Record<string, string>, element: HTMLFormElement) => {
    await call('/session/password', { body: { current_password: form.current_password, password: form.password } });
    element.reset();
    say('The password is changed; other sessions have ended');
  });
  const submit = (event: FormEvent<HTMLFormElement>) => void act.run(formOf(event), event.currentTarget);
  return (
    <Card title="Password">
      <form className="stack" onSubmit={submit}>
        <Field label="Present password">
          {(id) => <input id={id} name="current_password" type="password" autoComplete="current-password" required />}
        </Field>
        <PasswordField label="New password" />
        <ProblemNotice problem={act.problem} />
        <div>
          <Button type="submit" isRunning={act.isRunning}>
            Change it
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
      await call('/session/two-factor/disable', { body: { password: form.password } });
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
    <Card title="Second factor" actions={<Badge tone={isOn ? 'good' : 'neutral'}>{isOn ? 'On' : 'Off'}</Badge>}>
      {codes ? (
        <div className="stack">
          <Notice tone="warn">
            Keep these recovery codes: each opens your account once if you lose the authenticator.
          </Notice>
          <Code label="Recovery codes">{codes.join('\n')}</Code>
        </div>
      ) : (
        <form className="stack" onSubmit={(event) => void act.run(formOf(event))} key={secret ? 'code' : 'password'}>
          {secret ? (
            <>
              <p>Scan this with your authenticator, or enter the secret in it, then the six digits it shows.</p>
              <QrCode text={secret.otpauth_url} label="QR code of the secret" />
              <Code label="Secret">{secret.secret}</Code>
              <p className="fine">
                <a href={secret.otpauth_url}>Open in the authenticator of this device</a>
              </p>
              <Field label="Six digits">
                {(id) => (
                  <input id={id} name="code" type="text" inputMode="numeric" autoComplete="one-time-code" required />
                )}
              </Field>
            </>
          ) : (
            <>
              <p className="fine">
                {isOn
                  ? 'To turn it off, enter your password.'
                  : 'An authenticator app makes a stolen password useless.'}
              </p>
              <Field label="Password">
                {(id) => <input id={id} name="password" type="password" autoComplete="current-password" required />}
              </Field>
            </>
          )}
          <ProblemNotice problem={act.problem} />
          <div>
            <Button type="submit" isRunning={act.isRunning}>
              {secret ? 'Confirm' : isOn ? 'Turn it off' : 'Set it up'}
            </Button>
          </div>
        </form>
      )}
    </Card>
  );
}
