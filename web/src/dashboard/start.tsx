// The quick start: a key, a call, and the proof that it was counted.
import { TryIt } from '../pages/first-call.tsx';
import { Link } from '../router.tsx';
import { Card, Code, PageHead } from '../ui/parts.tsx';

const NEXT: [title: string, text: string, href: string][] = [
  ['Search the market', 'Every filter of the API, on a map.', '/explore'],
  ['Enrich a list', 'Upload a CSV of addresses and get records, risk and values back.', '/dashboard/batches'],
  ['Hear about changes', 'Watch properties and receive webhooks.', '/dashboard/webhooks'],
  ['Connect an agent', 'The same answers as tools, over MCP.', '/dashboard/agents'],
];

export function StartSection() {
  return (
    <>
      <PageHead title="Quick start" lead="Three steps: a key, a call, and a look at the log." />
      <div className="sections">
        <Card
          title="1. A key"
          lead="A sandbox key sees the invented island and costs nothing."
          actions={
            <Link className="button primary" href="/dashboard/keys">
              Make a key
            </Link>
          }
        />
        <TryIt />
        <Card title="In TypeScript" lead="Any language with HTTP will do; this needs nothing installed.">
          <Code label="TypeScript">{`const response = await fetch('${window.location.origin}/api/v1/properties/search?state=ZZ&limit=3', {
  headers: { 'x-api-key': process.env.PLATBOOK_KEY },
});
const { data } = await response.json();`}</Code>
        </Card>
        <div className="grid-2">
          {NEXT.map(([title, text, href]) => (
            <Card
              key={href}
              title={title}
              lead={text}
              actions={
                <Link className="button small" href={href} aria-label={`Open: ${title}`}>
                  Open
                </Link>
              }
            />
          ))}
        </div>
      </div>
    </>
  );
}
