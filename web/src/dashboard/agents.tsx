// Setting up an agent: the MCP server over HTTP and as a program, for the common clients.
import { useState } from 'react';
import { Link } from '../router.tsx';
import { Badge, Card, Code, PageHead } from '../ui/parts.tsx';
import { Table } from '../ui/table.tsx';

const TOOLS: [name: string, what: string, cost: 'free' | '1 call' | '1 valuation'][] = [
  ['resolve_property', 'Address, parcel number or point to one property', '1 call'],
  ['estimate_value', 'Value with interval and confidence', '1 valuation'],
  ['explain_value', 'Comparables and what moved the value', 'free'],
  ['search_properties', 'The whole search grammar, page by page', '1 call'],
  ['count_properties', 'How many a search would find', 'free'],
  ['get_property', 'The record with its sources', '1 call'],
  ['get_risk', 'The six layers', '1 call'],
  ['get_transactions', 'Deeds and mortgages', '1 call'],
  ['get_market_accuracy', 'Measured error of a market', 'free'],
  ['describe_coverage', 'What is loaded', 'free'],
  ['get_usage', 'What is left of the allowance', 'free'],
];

export function AgentsSection() {
  const { origin } = window.location;
  const key = 'sk_test_…';
  const snippets: Record<string, string> = {
    'Claude Code': `claude mcp add --transport http platbook ${origin}/mcp \\
  --header "Authorization: Bearer ${key}"`,
    'Cursor, VS Code': JSON.stringify(
      { mcpServers: { platbook: { url: `${origin}/mcp`, headers: { Authorization: `Bearer ${key}` } } } },
      null,
      2,
    ),
    'Claude Desktop': JSON.stringify(
      {
        mcpServers: {
          platbook: { command: 'npx', args: ['platbook', 'mcp'], env: { PLATBOOK_KEY: key, BASE_URL: origin } },
        },
      },
      null,
      2,
    ),
    'Any client': `POST ${origin}/mcp
Authorization: Bearer ${key}
Accept: application/json, text/event-stream
Content-Type: application/json

{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
  };
  const [shown, setShown] = useState('Claude Code');
  return (
    <>
      <PageHead
        title="Agents (MCP)"
        lead="The same answers as tools. Read-only, priced like the API, at most 20 kB an answer."
        actions={
          <Link className="button primary" href="/dashboard/keys">
            Make a key for the agent
          </Link>
        }
      />
      <div className="sections">
        <Card
          title="Set it up"
          lead={
            <>
              Put a key of yours in place of <code>{key}</code>, then ask: “What is 1208 Lantern Hill Dr, Port Ellowby
              worth, and why?”
            </>
          }
        >
          <div className="stack">
            <div className="tabs" role="group" aria-label="Client">
              {Object.keys(snippets).map((name) => (
                <button key={name} type="button" aria-pressed={shown === name} onClick={() => setShown(name)}>
                  {name}
                </button>
              ))}
            </div>
            <Code label={shown}>{snippets[shown]}</Code>
          </div>
        </Card>
        <Card flush title="The tools" lead="What fails is free, as in the API; sandbox keys pay nothing at all.">
          <Table
            caption="Tools"
            rows={TOOLS}
            keyOf={([name]) => name}
            columns={[
              { head: 'Tool', cell: ([name]) => <code>{name}</code> },
              { head: 'What it answers', wide: true, cell: ([, what]) => what },
              {
                head: 'Cost',
                align: 'right',
                cell: ([, , cost]) => <Badge tone={cost === 'free' ? 'good' : 'neutral'}>{cost}</Badge>,
              },
            ]}
          />
        </Card>
      </div>
    </>
  );
}
