// Setting up an agent: the MCP server over HTTP and as a program, for the common clients.
import { useState } from 'react';
import { Link } from '../router.tsx';
import { Card, Code, PageHead } from '../ui/parts.tsx';

const TOOLS: [name: string, what: string][] = [
  ['resolve_property', 'Address, parcel number or point to one property'],
  ['estimate_value', 'Value with interval and confidence'],
  ['explain_value', 'Comparables and what moved the value'],
  ['search_properties', 'The whole search grammar, page by page'],
  ['count_properties', 'How many a search would find, free'],
  ['get_property', 'The record with its sources'],
  ['get_risk', 'The six layers'],
  ['get_transactions', 'Deeds and mortgages'],
  ['get_market_accuracy', 'Measured error of a market'],
  ['describe_coverage', 'What is loaded, free'],
  ['get_usage', 'What is left of the allowance, free'],
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
        <Card title="Set it up" lead="Put a key of yours where it says sk_test_….">
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
        <Card title="The tools">
          <dl className="facts tools">
            {TOOLS.map(([name, what]) => (
              <div key={name}>
                <dt>
                  <code>{name}</code>
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </Card>
      </div>
    </>
  );
}
