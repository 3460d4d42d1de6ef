// Behind the link at the end of a digest: ends it without signing in. A click, because mail scanners open links by themselves.
import { call } from '../api.ts';
import { useState } from 'react';
import { Link, useQuery, useTitle } from '../router.tsx';
import { Button, Notice, ProblemNotice } from '../ui/parts.tsx';
import { useAct } from '../use-api.ts';

export function UnsubscribePage() {
  useTitle('End digests');
  const [query] = useQuery();
  const [isDone, setDone] = useState(false);
  const act = useAct(async () => {
    const token = encodeURIComponent(query.get('token') ?? '');
    await call(undefined, `/unsubscribe?token=${token}`, {
      body: 'List-Unsubscribe=One-Click',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    setDone(true);
  });
  return (
    <div className="page narrow">
      <h1>Digests by email</h1>
      {isDone ? (
        <Notice tone="good" title="You will get no more digests of this account">
          <p>
            You can choose them again under <Link href="/dashboard/settings">Settings</Link>.
          </p>
        </Notice>
      ) : (
        <div className="stack">
          <p>End the weekly and monthly digests that this mailbox gets from one account?</p>
          <ProblemNotice problem={act.problem} />
          <div className="row">
            <Button look="primary" isRunning={act.isRunning} onClick={() => void act.run()}>
              End digests
            </Button>
          </div>
        </div>
      )}
    </div>
  );
}
