// The front door: what it is, shown with a real answer, and the two ways to begin.
import { useCaller } from '../caller.tsx';
import { Link, useTitle } from '../router.tsx';
import { IntervalBar } from '../charts/interval.tsx';
import { Code } from '../ui/parts.tsx';
import { Icon, type IconName } from '../ui/icons.tsx';

const SHOWN: [IconName, string, string][] = [
  [
    'chart',
    'Values that admit their error',
    'Each estimate comes with a calibrated interval, the comparable sales behind it and the measured error of its market.',
  ],
  [
    'shield',
    'Six layers, four answers',
    'Flood, liens, permits, violations, census and opportunity zones: found, none found, not covered, or away for the moment. Never a guess.',
  ],
  [
    'search',
    'Where each fact is from',
    'Source, date and the values not chosen stand beside every field, so that you can defend a number.',
  ],
  [
    'spark',
    'Made for agents, too',
    'The same answers through MCP: resolve, value, explain and check a property in a handful of calls.',
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
          <h1>What a property is worth, and why you can believe it.</h1>
          <p className="hero-lead">
            Valuations, records and risk layers for American property over one REST API. Open the map, or make your
            first call in two minutes.
          </p>
          <div className="row">
            {credential ? (
              <>
                <Link href="/explore" className="button primary large">
                  Open the explorer
                </Link>
                <Link href="/dashboard" className="button large">
                  Dashboard
                </Link>
              </>
            ) : (
              <>
                <Link href="/sign-up" className="button primary large">
                  Create an account
                </Link>
                <Link href="/sign-in" className="button large">
                  Use an API key
                </Link>
              </>
            )}
          </div>
        </div>
        <figure className="hero-figure" aria-label="An example of a valuation">
          <div className="row spread">
            <strong>Single family, 1,840 sq ft</strong>
            <span className="badge good">High confidence</span>
          </div>
          <p className="hero-value">$412,000</p>
          <IntervalBar low={381_000} value={412_000} high={446_000} level={0.8} />
          <figcaption className="fine">
            An example of an answer. The band promises to hold eight of ten sales; how many it held is on the accuracy
            page.
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
        <h2>The first call</h2>
        <Code label="Shell">{CALL}</Code>
        <p className="fine">
          The <a href="/docs">docs</a> have guides and <a href="/docs/reference">every route</a>. Sandbox keys see an
          invented island, always answer the same and are never billed.
        </p>
      </section>
    </div>
  );
}
