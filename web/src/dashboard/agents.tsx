// Setup instructions for agents: the MCP server over HTTP and stdio, for common clients.
import { useState } from 'react';
import { Link } from '../router.tsx';
import { Badge, Card, Code, PageHead } from '../ui/parts.tsx';
import { Table } from '../ui/table.tsx';
import { ConnectedApps } from './connected-apps.tsx';

const TOOLS: [name: string, what: string, cost: 'free' | '1 call' | '1 valuation'][] = [
  ['resolve_property', 'Find a property by address, parcel number, or point', '1 call'],
  ['estimate_value', 'Estimate a value with interval and confidence', '1 valuation'],
  ['explain_value', 'Show comparables and what drove the value', 'free'],
  ['search_properties', 'Search with every API filter; counting is free', '1 call'],
  ['get_property', 'Get a property record with its sources', '1 call'],
  ['get_risk', 'Get the six risk layers', '1 call'],
  ['get_title', 'Get the chain of title, mortgages, and liens', '1 call'],
  ['get_transactions', 'List deeds and mortgages', '1 call'],
  ['get_market_accuracy', 'Get measured accuracy for a market', 'free'],
  ['describe_coverage', 'List loaded markets, layers, and how many homes state each field', 'free'],
  ['get_usage', 'Get usage and remaining allowance', 'free'],
  ['list_portfolios', 'List watchlists, to value them together', 'free'],
  ['get_portfolio', 'Get the joint value and exposure of a watchlist', '1 call'],
];

export function AgentsSection() {
  const { origin } = window.location;
  const key = 'sk_test_…';
  const snippets: Record<string, string> = {
    'Sign in': `${origin}/mcp`,
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
  const [shown, setShown] = useState('Sign in');
  return (
    <>
      <PageHead
        title="Agents (MCP)"
        lead="Platbook’s data as MCP tools: read-only, priced like the API, with responses up to 20 kB."
        actions={
          <Link className="button primary" href="/dashboard/keys">
            Create a key
          </Link>
        }
      />
      <div className="sections">
        <Card
          title="Setup"
          lead={
            <>
              Add the URL under “Sign in” as a connector: your assistant opens a page here where you allow it.
              Elsewhere, replace <code>{key}</code> with your key. Then ask: “What is 1208 Lantern Hill Dr, Port Ellowby
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
        <ConnectedApps />
        <Card flush title="Tools" lead="Failed calls are free, as in the API. Sandbox calls are always free.">
          <Table
            caption="Tools"
            rows={TOOLS}
            keyOf={([name]) => name}
            columns={[
              { head: 'Tool', cell: ([name]) => <code>{name}</code> },
              { head: 'Description', wide: true, cell: ([, what]) => what },
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
