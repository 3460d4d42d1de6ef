// The quick start: create a key, make a call, find it in the log.
import { useState } from 'react';
import { DEMO_ADDRESS, TryIt } from '../pages/first-call.tsx';
import { Link } from '../router.tsx';
import { Card, Code, PageHead } from '../ui/parts.tsx';
import { Icon, type IconName } from '../ui/icons.tsx';
import { useList } from '../use-api.ts';
import type { ApiKey, LoggedRequest } from './answers.ts';
import { isOwnRead } from './usage/status.ts';

const NEXT: [icon: IconName, title: string, text: string, href: string][] = [
  ['map', 'Search on the map', 'Every API filter, in the explorer.', '/explore'],
  ['batch', 'Enrich a list', 'Upload a CSV of addresses to get records, risk, and values.', '/dashboard/batches'],
  ['hook', 'Get notified of changes', 'Watch properties and receive webhooks.', '/dashboard/webhooks'],
  ['spark', 'Connect an agent', 'Use the same data as tools, over MCP.', '/dashboard/agents'],
];

export function StartSection() {
  const keys = useList<ApiKey>('keys?limit=500');
  const requests = useList<LoggedRequest>('requests?limit=100');
  const hasKey = (keys.data?.length ?? 0) > 0;
  const hasCalled = requests.data?.some((row) => !isOwnRead(row)) ?? false;
  const hasSucceeded = requests.data?.some((row) => !isOwnRead(row) && row.status < 300) ?? false;
  return (
    <>
      <PageHead title="Quick start" lead="Create a key, make a call, and find it in the log." />
      <div className="sections">
        <ol className="first-steps" aria-label="First steps">
          <Step isDone={hasKey}>Create a key</Step>
          <Step isDone={hasCalled}>Make a call</Step>
          <Step isDone={hasSucceeded}>Get a first successful response</Step>
        </ol>
        <Card
          title="1. Create a key"
          lead="Sandbox keys use fictional data and are free."
          actions={
            <Link className="button" href="/dashboard/keys">
              API keys
            </Link>
          }
        />
        <TryIt step="2. " />
        <Languages />
        <Card
          title="3. Find it in the log"
          lead="Every call appears within a second, with its request ID, duration, and usage."
          actions={
            <Link className="button" href="/dashboard/requests">
              Request log
            </Link>
          }
        />
        <h2 className="next-head">Next steps</h2>
        <div className="grid-2">
          {NEXT.map(([icon, title, text, href]) => (
            <Link key={href} className="card next" href={href}>
              <span className="empty-icon">
                <Icon name={icon} size={20} />
              </span>
              <span>
                <strong>{title}</strong>
                <span className="fine">{text}</span>
              </span>
              <Icon name="arrow" size={16} />
            </Link>
          ))}
        </div>
      </div>
    </>
  );
}

/** Ticks itself off: what the log and the list of keys show has been done. */
function Step({ isDone, children }: { isDone: boolean; children: string }) {
  return (
    <li className={isDone ? 'done' : ''}>
      <span className="step-mark" aria-hidden="true">
        {isDone && <Icon name="check" size={13} />}
      </span>
      {children}
      <span className="unseen">{isDone ? ' (done)' : ' (to do)'}</span>
    </li>
  );
}

function Languages() {
  const { origin } = window.location;
  const snippets: Record<string, string> = {
    TypeScript: `import { createClient } from '@platbook/sdk';

const platbook = createClient({ apiKey: process.env.PLATBOOK_KEY!, baseUrl: '${origin}' });
const value = await platbook.valuations.estimate({ property: { address: '${DEMO_ADDRESS}' } });
console.log(value.estimated_value, value.confidence_interval);`,
    Python: `import json, os, urllib.request

request = urllib.request.Request(
    "${origin}/api/v1/avm/estimate",
    data=json.dumps({"property": {"address": "${DEMO_ADDRESS}"}}).encode(),
    headers={"x-api-key": os.environ["PLATBOOK_KEY"], "content-type": "application/json"},
)
print(json.load(urllib.request.urlopen(request))["estimated_value"])`,
  };
  const [shown, setShown] = useState('TypeScript');
  return (
    <Card
      title="Other languages"
      lead={
        <>
          Any HTTP client works. See the <a href="/docs">docs</a> for more.
        </>
      }
      actions={
        <div className="tabs" role="group" aria-label="Language">
          {Object.keys(snippets).map((name) => (
            <button key={name} type="button" aria-pressed={shown === name} onClick={() => setShown(name)}>
              {name}
            </button>
          ))}
        </div>
      }
    >
      <Code label={shown}>{snippets[shown]}</Code>
    </Card>
  );
}
