// Onboarding: shows the new keys once, then walks through the first API call.
import { useState } from 'react';
import type { Session } from '../session.ts';
import { useCall } from '../caller.tsx';
import { money, percent } from '../format.ts';
import { Link, useTitle } from '../router.tsx';
import type { Valuation } from '../types.ts';
import { Badge, Button, Card, Code, Copy, Notice, PageHead, ProblemNotice } from '../ui/parts.tsx';
import { useAct } from '../use-api.ts';

export const DEMO_ADDRESS = '1208 Lantern Hill Dr, Port Ellowby, ZZ 00103';

export function curlOf(key: string): string {
  return `curl -X POST ${window.location.origin}/api/v1/avm/estimate \\
  -H 'x-api-key: ${key}' -H 'content-type: application/json' \\
  -d '{"property":{"address":"${DEMO_ADDRESS}"}}'`;
}

export function FirstCall({ keys }: { keys: NonNullable<Session['keys']> }) {
  useTitle('Your first call');
  const test = keys.find(({ mode }) => mode === 'test');
  return (
    <div className="page">
      <PageHead title="Welcome to Platbook" lead="Here are your API keys. Copy them now; they won’t be shown again." />
      <div className="sections">
        {keys.length > 0 && (
          <Card>
            <div className="stack">
              {keys.map(({ id, mode, secret }) => (
                <div key={id} className="row secret">
                  <Badge tone={mode === 'live' ? 'good' : 'warn'}>{mode === 'live' ? 'Live' : 'Sandbox'}</Badge>
                  <code>{secret}</code>
                  <Copy text={secret} />
                </div>
              ))}
              <p className="fine">
                Sandbox keys use a fictional market, return the same results every time, and are never billed.
              </p>
            </div>
          </Card>
        )}
        <TryIt shownKey={test?.secret} />
      </div>
    </div>
  );
}

/** The first call, sent from this page or from a terminal. */
export function TryIt({ shownKey = 'sk_test_…', step = '' }: { shownKey?: string | undefined; step?: string }) {
  const call = useCall();
  const [answer, setAnswer] = useState<Valuation>();
  const act = useAct(async () => {
    setAnswer(await call<Valuation>('avm/estimate', { body: { property: { address: DEMO_ADDRESS } } }));
  });
  return (
    <Card
      title={`${step}Make your first call`}
      lead="Value a house in the sandbox. Send the request from here or paste it into a terminal."
      actions={
        <Button look="primary" icon="arrow" isRunning={act.isRunning} onClick={() => void act.run()}>
          Send request
        </Button>
      }
    >
      <div className="stack">
        <Code label="Shell">{curlOf(shownKey)}</Code>
        <ProblemNotice problem={act.problem} />
        {answer && (
          <>
            <Notice tone="good" title={`Estimated value: ${money(answer.estimated_value)}`}>
              <p>
                {percent(answer.confidence_interval.level, 0)} interval: {money(answer.confidence_interval.low)} to{' '}
                {money(answer.confidence_interval.high)}. Receipt <code>{answer.id}</code>.
              </p>
              <div className="row">
                {answer.property_id && (
                  <Link className="button small" href={`/p/${answer.property_id}`}>
                    View property and comparables
                  </Link>
                )}
                <Link className="button small" href="/dashboard/requests">
                  View in request log
                </Link>
              </div>
            </Notice>
            <Code label="Response">{JSON.stringify(answer, null, 2)}</Code>
          </>
        )}
      </div>
    </Card>
  );
}
