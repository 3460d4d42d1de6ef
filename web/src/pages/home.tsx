// The home page: what Platbook is, an example valuation, and ways to get started.
import { useCaller } from '../caller.tsx';
import { Link, useTitle } from '../router.tsx';
import { IntervalBar } from '../charts/interval.tsx';
import { Code } from '../ui/parts.tsx';
import { Icon, type IconName } from '../ui/icons.tsx';

const SHOWN: [IconName, string, string][] = [
  [
    'chart',
    'Valuations with measured error',
    'Every estimate comes with a calibrated interval, the comparable sales behind it, and the model’s measured error in that market.',
  ],
  [
    'shield',
    'Six risk layers',
    'Flood, tax liens, permits, code violations, census, and opportunity zones. Each one reports whether we found records, found none, or have no coverage.',
  ],
  [
    'search',
    'A source for every field',
    'See where each value came from, when, and what other sources say, so you can defend every number.',
  ],
  [
    'spark',
    'Built for agents',
    'The same data over MCP: resolve, value, explain, and check a property in a handful of calls.',
  ],
];

const CALL = `curl -X POST ${window.location.origin}/api/v1/avm/estimate \\
  -H 'x-api-key: sk_test_…' -H 'content-type: application/json' \\
  -d '{"property":{"address":"1208 Lantern Hill Dr, Port Ellowby, ZZ 00103"}}'`;

export function Home() {
  useTitle('');
  const { credential } = useCaller();
  return (
    <div className="page home">
      <section className="hero">
        <div className="stack">
          <h1>What a property is worth, and why.</h1>
          <p className="hero-lead">
            Valuations, records, and risk data for US properties through one REST API. Explore the map, or make your
            first call in two minutes.
          </p>
          <div className="row">
            {credential ? (
              <>
                <Link href="/explore" className="button primary large">
                  Open explorer
                </Link>
                <Link href="/dashboard" className="button large">
                  Dashboard
                </Link>
              </>
            ) : (
              <>
                <Link href="/sign-up" className="button primary large">
                  Create account
                </Link>
                <Link href="/sign-in" className="button large">
                  Use an API key
                </Link>
              </>
            )}
          </div>
        </div>
        <figure className="hero-figure" aria-label="Example valuation">
          <div className="row spread">
            <strong>Single family, 1,840 sq ft</strong>
            <span className="badge good">High confidence</span>
          </div>
          <p className="hero-value">$412,000</p>
          <IntervalBar low={381_000} value={412_000} high={446_000} level={0.8} />
          <figcaption className="fine">
            Example response with an 80% interval. The accuracy page shows how often these intervals held.
          </figcaption>
        </figure>
      </section>
      <section className="grid-2 home-points">
        {SHOWN.map(([icon, title, text]) => (
          <div key={title} className="point">
            <span className="empty-icon">
              <Icon name={icon} size={22} />
            </span>
            <div>
              <h2>{title}</h2>
              <p>{text}</p>
            </div>
          </div>
        ))}
      </section>
      <section className="stack">
        <h2>Your first call</h2>
        <Code label="Shell">{CALL}</Code>
        <p className="fine">
          See the <a href="/docs">guides</a> and the <a href="/docs/reference">API reference</a>. Sandbox keys use a
          fictional market, return the same results every time, and are never billed.
        </p>
      </section>
    </div>
  );
}
