// Asks a signed-in person whether an app may act for their account: who it is, what it may do, and what it is charged to.
import { useState } from 'react';
import { call, type Mode } from '../api.ts';
import { useCaller } from '../caller.tsx';
import { Link } from '../router.tsx';
import { Button, Card, Notice, ProblemNotice, Skeleton } from '../ui/parts.tsx';
import { useAct, useApi } from '../use-api.ts';
import { Frame, SignInForm } from './sign-in.tsx';

interface Consent {
  client: { name: string; origin: string; is_verified: boolean; redirect_uri: string; sent_to: string };
  scopes: { scope: string; words: string }[];
  modes: Mode[];
  account: { name: string; plan: string };
  email: string;
}

const MODE_WORDS: Record<Mode, { name: string; hint: string }> = {
  test: { name: 'Sandbox', hint: 'An invented market. Free, and nothing of yours is shown.' },
  live: { name: 'Live data', hint: 'Calls count against your plan.' },
};

export function ConsentPage({ uid }: { uid: string }) {
  const { isReady, session } = useCaller();
  if (!isReady)
    return (
      <div className="page narrow">
        <Skeleton lines={5} />
      </div>
    );
  if (session) return <Question uid={uid} />;
  return (
    <Frame
      title="Sign in to connect an app"
      lead={
        <>
          An app asks to use your account. New to Platbook? <Link href="/sign-up">Sign up free</Link>, then start again
          from the app.
        </>
      }
    >
      <SignInForm />
    </Frame>
  );
}

function Question({ uid }: { uid: string }) {
  const { data, problem } = useApi<Consent>(`/oauth/consent/${uid}/request`);
  if (problem)
    return (
      <Frame title="Connect an app">
        <ProblemNotice problem={problem} />
      </Frame>
    );
  return data ? <Form uid={uid} consent={data} /> : <Frame title="Connect an app">{<Skeleton lines={5} />}</Frame>;
}

function Form({ uid, consent: { client, scopes, modes, account, email } }: { uid: string; consent: Consent }) {
  const [mode, setMode] = useState<Mode>('test');
  const [refused, setRefused] = useState<readonly string[]>([]);
  const act = useAct(async (allow: boolean) => {
    const chosen = scopes.map(({ scope }) => scope).filter((scope) => !refused.includes(scope));
    const { url } = await call<{ url: string }>(undefined, `/oauth/consent/${uid}`, {
      body: allow ? { allow, mode, scopes: chosen } : { allow },
    });
    window.location.assign(url);
  });
  return (
    <Frame title={`Connect ${client.name}?`} lead={`It asks to use ${account.name} as ${email}.`}>
      {client.is_verified && (
        <p>
          This app belongs to <strong>{client.origin}</strong>.
        </p>
      )}
      {!(client.is_verified && client.sent_to === client.origin) && (
        <Notice tone="warn" title={`You will be sent to ${client.sent_to}`}>
          <p>
            {!client.is_verified && 'The name above is the app’s own word. '}
            Continue only if you started this yourself.
          </p>
          <p className="fine">
            <code>{client.redirect_uri}</code>
          </p>
        </Notice>
      )}
      <Card title="It may use">
        <fieldset className="stack">
          <legend className="unseen">Data</legend>
          {modes.map((name) => (
            <label key={name} className="check">
              <input type="radio" name="mode" checked={mode === name} onChange={() => setMode(name)} />
              <span>
                <strong>{MODE_WORDS[name].name}</strong>{' '}
                <span className="fine">
                  {name === 'live'
                    ? `Calls are charged to the ${account.plan} plan of ${account.name}.`
                    : MODE_WORDS[name].hint}
                </span>
              </span>
            </label>
          ))}
        </fieldset>
      </Card>
      <Card title="It will be able to">
        <fieldset className="stack">
          <legend className="unseen">Permissions</legend>
          {scopes.map(({ scope, words }) => (
            <label key={scope} className="check">
              <input
                type="checkbox"
                checked={!refused.includes(scope)}
                onChange={({ target }) =>
                  setRefused(target.checked ? refused.filter((name) => name !== scope) : [...refused, scope])
                }
              />
              <span>{words}</span>
            </label>
          ))}
        </fieldset>
      </Card>
      <ProblemNotice problem={act.problem} />
      <div className="row">
        <Button
          look="primary"
          isRunning={act.isRunning}
          disabled={refused.length === scopes.length}
          onClick={() => void act.run(true)}
        >
          Allow
        </Button>
        <Button disabled={act.isRunning} onClick={() => void act.run(false)}>
          Refuse
        </Button>
      </div>
      <p className="fine">
        End it at any time under Agents in the dashboard. Without being used it ends after 30 days.
      </p>
    </Frame>
  );
}
