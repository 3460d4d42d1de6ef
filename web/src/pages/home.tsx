// The home page: the live sandbox map with one address box, then what Platbook does and how to call it.
import { lazy, Suspense } from 'react';
import { useCaller } from '../caller.tsx';
import { SearchBox } from '../explore/search-box.tsx';
import { Link, navigate, useTitle } from '../router.tsx';
import { Code } from '../ui/parts.tsx';
import { Icon, type IconName } from '../ui/icons.tsx';

// The map library is larger than the rest of the page, which can be read before it arrives.
const HomeMap = lazy(() => import('../map/home-map.tsx').then((module) => ({ default: module.HomeMap })));

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

const EXAMPLE = '1208 Lantern Hill Dr, Port Ellowby';

const CALL = `curl -X POST ${window.location.origin}/api/v1/avm/estimate \\
  -H 'x-api-key: sk_test_…' -H 'content-type: application/json' \\
  -d '{"property":{"address":"1208 Lantern Hill Dr, Port Ellowby, ZZ 00103"}}'`;

const open = (id: string) => navigate(`/p/${id}`);

export function Home() {
  useTitle('');
  const { isGuest, mode } = useCaller();
  const isSandbox = mode === 'test';
  return (
    <>
      <section className="home-hero">
        <Suspense fallback={<div className="map" />}>
          <HomeMap onPick={open} />
        </Suspense>
        <div className="home-card">
          <h1>What a property is worth, and why.</h1>
          <p className="hero-lead">Valuations, records, and risk data for US properties, through one API.</p>
          <SearchBox onFound={open} {...(isSandbox && { example: EXAMPLE })} />
          <p className="fine">
            {isSandbox
              ? 'This map is the sandbox: an invented town with invented people, on the same service as real places.'
              : 'Type an address, or pick a home on the map.'}
          </p>
          <div className="row">
            <Link href="/explore" className="button primary">
              Explore the map
            </Link>
            <Link href={isGuest ? '/sign-up' : '/dashboard'} className="button">
              {isGuest ? 'Sign up free' : 'Dashboard'}
            </Link>
          </div>
        </div>
      </section>
      <div className="page home">
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
            See the <a href="/docs">guides</a> and the <a href="/docs/reference">API reference</a>. Sandbox keys return
            the same results every time and are never billed.
          </p>
        </section>
      </div>
    </>
  );
}
