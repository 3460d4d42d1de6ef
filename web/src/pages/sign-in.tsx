// Sign up, sign in, or continue with an API key.
import { useState, type FormEvent, type ReactNode } from 'react';
import { call } from '../api.ts';
import { useCaller } from '../caller.tsx';
import { Link, navigate, useQuery, useTitle } from '../router.tsx';
import { askReset, signIn, signInWithPasskey, signUp, startSso } from '../session.ts';
import { Button, Card, Field, Notice, ProblemNotice } from '../ui/parts.tsx';
import { problemOf, useAct } from '../use-api.ts';

const MIN_PASSWORD = 10;

export function Frame({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  useTitle(title);
  return (
    <div className="page narrow">
      <header className="page-head">
        <div>
          <h1>{title}</h1>
          {lead && <p className="lead">{lead}</p>}
        </div>
      </header>
      <div className="stack">{children}</div>
    </div>
  );
}

export function formOf(event: FormEvent<HTMLFormElement>): Record<string, string> {
  event.preventDefault();
  return Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
}

/** Our server's reason for refusing single sign-on, left in a cookie that only this page sees. */
function ssoProblem(): string {
  const reason = /(?:^|; )sso_problem=([^;]*)/.exec(document.cookie)?.[1];
  return reason === undefined ? 'Single sign-on did not work. Try again.' : decodeURIComponent(reason);
}

/** After sign-in, stay on the requested page; from the sign-in pages themselves, go to `to`. */
function goOn(to: string): void {
  if (/^\/(sign-in|sign-up|verify|reset|invitation)?$/.test(window.location.pathname)) navigate(to);
}

/** Replaces a page that requires a signed-in user or an API key. */
export function Entrance() {
  return (
    <Frame
      title="Sign in to continue"
      lead={
        <>
          Use your account or any API key. New to Platbook? <Link href="/sign-up">Sign up free</Link>
        </>
      }
    >
      <SignInForm />
      <KeyForm />
    </Frame>
  );
}

export function SignInPage() {
  return (
    <Frame
      title="Sign in"
      lead={
        <>
          New to Platbook? <Link href="/sign-up">Start a 14-day free trial</Link>
        </>
      }
    >
      <SignInForm />
      <KeyForm />
    </Frame>
  );
}

type Way = 'password' | 'forgot' | 'sso';

const SUBMIT: Record<Way, string> = { password: 'Sign in', forgot: 'Send reset link', sso: 'Continue' };

export function SignInForm() {
  const { refresh } = useCaller();
  const [query] = useQuery();
  const [way, setWay] = useState<Way>('password');
  const [isSent, setSent] = useState(false);
  const [needsCode, setNeedsCode] = useState(false);
  const passkey = useAct(async () => {
    await signInWithPasskey();
    await refresh();
    goOn('/dashboard');
  });
  const act = useAct(async (form: Record<string, string>) => {
    if (way === 'sso') return startSso(form.email);
    if (way === 'forgot') {
      await askReset(form.email);
      setSent(true);
      return;
    }
    try {
      await signIn({ email: form.email, password: form.password, ...(form.code && { code: form.code }) });
    } catch (error) {
      if (problemOf(error).code === 'two_factor_required') setNeedsCode(true);
      throw error;
    }
    await refresh();
    goOn('/dashboard');
  });
  return (
    <Card>
      <form className="stack" onSubmit={(event) => void act.run(formOf(event))}>
        <Field label="Email">{(id) => <input id={id} name="email" type="email" autoComplete="email" required />}</Field>
        {way === 'password' && (
          <Field label="Password">
            {(id) => <input id={id} name="password" type="password" autoComplete="current-password" required />}
          </Field>
        )}
        {needsCode && way === 'password' && (
          <Field
            label="Authentication code"
            hint="Enter the six-digit code from your authenticator app, or a recovery code."
          >
            {(id, described) => (
              <input
                id={id}
                name="code"
                type="text"
                inputMode="numeric"
                autoComplete="one-time-code"
                aria-describedby={described}
              />
            )}
          </Field>
        )}
        {query.get('sso') === 'refused' && <Notice tone="bad">{ssoProblem()}</Notice>}
        <ProblemNotice problem={act.problem ?? passkey.problem} />
        {isSent && <Notice tone="good">If an account exists for that email, we’ve sent a reset link.</Notice>}
        <div className="row spread">
          <Button look="primary" type="submit" isRunning={act.isRunning}>
            {SUBMIT[way]}
          </Button>
          <Button look="quiet" small onClick={() => setWay(way === 'password' ? 'forgot' : 'password')}>
            {way === 'password' ? 'Forgot password?' : 'Back'}
          </Button>
        </div>
        {way === 'password' && (
          <div className="row">
            <Button small isRunning={passkey.isRunning} onClick={() => void passkey.run()}>
              Use a passkey
            </Button>
            <Button small onClick={() => setWay('sso')}>
              Single sign-on
            </Button>
          </div>
        )}
      </form>
    </Card>
  );
}

/** Any API key opens the explorer and whatever its scopes allow. It is kept in this tab only. */
function KeyForm() {
  const { useKey } = useCaller();
  const act = useAct(async (form: Record<string, string>) => {
    const key = form.key.trim();
    await call({ kind: 'key', key }, 'markets');
    useKey(key);
    goOn('/explore');
  });
  return (
    <Card title="Use an API key" lead="Your key stays in this tab until you close it.">
      <form className="stack" onSubmit={(event) => void act.run(formOf(event))}>
        <Field
          label="API key"
          hint="Create keys in the dashboard. On your own server, “npm start” prints a sandbox key."
        >
          {(id, described) => (
            <input
              id={id}
              name="key"
              type="password"
              autoComplete="off"
              placeholder="sk_test_…"
              aria-describedby={described}
              required
            />
          )}
        </Field>
        <ProblemNotice problem={act.problem} />
        <div>
          <Button type="submit" icon="key" isRunning={act.isRunning}>
            Continue with key
          </Button>
        </div>
      </form>
    </Card>
  );
}

export function SignUpPage() {
  const [mailedTo, setMailedTo] = useState<string>();
  const act = useAct(async (form: Record<string, string>) => {
    const { name, email, password, company } = form;
    await signUp({ name, email, password, ...(company && { company }) });
    setMailedTo(email);
  });
  if (mailedTo) {
    return (
      <Frame title="Check your email">
        <Notice tone="good" title={`We sent a link to ${mailedTo}`}>
          <p>Open it to confirm your email and get your API keys.</p>
          <p className="fine">If no mail server is configured, the server prints the link to its terminal.</p>
        </Notice>
      </Frame>
    );
  }
  return (
    <Frame
      title="Create your account"
      lead="Try Platbook free for 14 days with 1,000 calls and 25 valuations. The sandbox is always free."
    >
      <Card>
        <form className="stack" onSubmit={(event) => void act.run(formOf(event))}>
          <Field label="Your name">
            {(id) => <input id={id} name="name" type="text" autoComplete="name" required />}
          </Field>
          <Field label="Work email">
            {(id) => <input id={id} name="email" type="email" autoComplete="email" required />}
          </Field>
          <Field label="Company (optional)">
            {(id) => <input id={id} name="company" type="text" autoComplete="organization" />}
          </Field>
          <PasswordField label="Password" />
          <ProblemNotice problem={act.problem} />
          <Button look="primary" type="submit" isRunning={act.isRunning}>
            Create account
          </Button>
        </form>
      </Card>
      <p className="fine">
        Already have an account? <Link href="/sign-in">Sign in</Link>
      </p>
    </Frame>
  );
}

export function PasswordField({ label }: { label: string }) {
  return (
    <Field label={label} hint={`At least ${MIN_PASSWORD} characters. A passphrase is easier to remember.`}>
      {(id, described) => (
        <input
          id={id}
          name="password"
          type="password"
          autoComplete="new-password"
          minLength={MIN_PASSWORD}
          aria-describedby={described}
          required
        />
      )}
    </Field>
  );
}
