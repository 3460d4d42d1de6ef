// Pages opened from links in emails: confirm an email, reset a password, accept an invitation.
import { useState } from 'react';
import { useCaller } from '../caller.tsx';
import { navigate, useQuery } from '../router.tsx';
import { acceptInvitation, askReset, resetPassword, verify, type Session } from '../session.ts';
import { Button, Card, Field, Notice, ProblemNotice } from '../ui/parts.tsx';
import { problemOf, useAct } from '../use-api.ts';
import { FirstCall } from './first-call.tsx';
import { formOf, Frame, PasswordField } from './sign-in.tsx';

/** Requires a click, so mail scanners that open every link don't use up the token. */
export function VerifyPage() {
  const { refresh } = useCaller();
  const [query] = useQuery();
  const [session, setSession] = useState<Session>();
  /** The sign-up form was filled in elsewhere, so name and password are chosen here. */
  const [isAsked, setAsked] = useState(false);
  const act = useAct(async (form: Record<string, string>) => {
    const made = await verify({ token: query.get('token') ?? '', ...form }).catch((error: unknown) => {
      if (problemOf(error).code === 'password_required') setAsked(true);
      throw error;
    });
    await refresh();
    setSession(made);
  });
  if (session) return <FirstCall keys={session.keys ?? []} />;
  return (
    <Frame title="Confirm your email" lead="Your API keys are on the next page.">
      <Card>
        <form className="stack" onSubmit={(event) => void act.run(formOf(event))}>
          <ProblemNotice problem={act.problem} />
          {isAsked && (
            <>
              <Field label="Your name">
                {(id) => <input id={id} name="name" type="text" autoComplete="name" required />}
              </Field>
              <PasswordField label="Password" />
            </>
          )}
          <Button look="primary" type="submit" isRunning={act.isRunning}>
            Confirm and show keys
          </Button>
        </form>
      </Card>
    </Frame>
  );
}

export function ResetPage() {
  const [query] = useQuery();
  const token = query.get('token');
  const [isSent, setSent] = useState(false);
  const act = useAct(async (form: Record<string, string>) => {
    if (token) {
      await resetPassword(token, form.password);
      navigate('/sign-in');
    } else {
      await askReset(form.email);
      setSent(true);
    }
  });
  return (
    <Frame title="Reset your password" lead="Resetting your password signs you out everywhere.">
      <Card>
        <form className="stack" onSubmit={(event) => void act.run(formOf(event))}>
          {token ? (
            <PasswordField label="New password" />
          ) : (
            <Field label="Email">
              {(id) => <input id={id} name="email" type="email" autoComplete="email" required />}
            </Field>
          )}
          <ProblemNotice problem={act.problem} />
          {isSent && <Notice tone="good">If an account exists for that email, we’ve sent a reset link.</Notice>}
          <Button look="primary" type="submit" isRunning={act.isRunning}>
            {token ? 'Save password' : 'Send reset link'}
          </Button>
        </form>
      </Card>
    </Frame>
  );
}

export function InvitationPage() {
  const { session, refresh } = useCaller();
  const [query] = useQuery();
  const token = query.get('token') ?? '';
  const [hasAccount, setHasAccount] = useState(false);
  const act = useAct(async (form: Record<string, string>) => {
    await acceptInvitation({
      token,
      ...(form.name && { name: form.name }),
      ...(form.password && { password: form.password }),
      ...(form.code && { code: form.code }),
    });
    await refresh();
    navigate('/dashboard');
  });
  return (
    <Frame title="You’re invited" lead="Join with the email the invitation was sent to.">
      <Card>
        <form className="stack" onSubmit={(event) => void act.run(formOf(event))}>
          {!session && !hasAccount && (
            <>
              <Field label="Your name">
                {(id) => <input id={id} name="name" type="text" autoComplete="name" required />}
              </Field>
              <PasswordField label="Password" />
            </>
          )}
          {!session && hasAccount && <ExistingPassword />}
          <ProblemNotice problem={act.problem} />
          <div className="row spread">
            <Button look="primary" type="submit" isRunning={act.isRunning}>
              Join
            </Button>
            {!session && (
              <Button look="quiet" small onClick={() => setHasAccount(!hasAccount)}>
                {hasAccount ? 'I’m new here' : 'I already have an account'}
              </Button>
            )}
          </div>
        </form>
      </Card>
    </Frame>
  );
}

/** Also for members who were removed and belong to no account they could sign in to. */
function ExistingPassword() {
  return (
    <>
      <Field label="Your password">
        {(id) => <input id={id} name="password" type="password" autoComplete="current-password" required />}
      </Field>
      <Field label="Authentication code" hint="Only if you turned on two-factor authentication.">
        {(id, described) => (
          <input id={id} name="code" type="text" autoComplete="one-time-code" aria-describedby={described} />
        )}
      </Field>
    </>
  );
}
