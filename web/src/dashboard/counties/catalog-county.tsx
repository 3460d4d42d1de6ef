// One county of the catalog: what is loaded, which fields its homes state, and the layers that can be loaded.
import { useCall } from '../../caller.tsx';
import { day, whole, words } from '../../format.ts';
import { Link, navigate, useTitle } from '../../router.tsx';
import type { CountyFields } from '../../../../src/records/markets/schema.ts';
import type { Page } from '../../api.ts';
import { FieldTable } from '../../pages/coverage.tsx';
import { Badge, Button, Card, Empty, PageHead, ProblemNotice, Skeleton, Stat } from '../../ui/parts.tsx';
import { useAct, useApi, useList } from '../../use-api.ts';
import type { Draft, DraftSummary } from './draft.ts';

interface Entry {
  kind: string;
  name: string;
  area: 'state' | 'county' | 'city';
  format: string;
  url: string;
  license: string;
  brings: string[];
  certainty: 'listed' | 'read';
  read_on: string | null;
  rows: number | null;
  note: string | null;
  is_readable: boolean;
}

interface CatalogCounty {
  county: { fips: string; name: string; state: string; place: string };
  day: string;
  property_count: number;
  markets: string[];
  entries: Entry[];
}

export function CatalogCountySection({ fips }: { fips: string }) {
  const { data, problem, reload } = useApi<CatalogCounty>(`/session/counties/catalog/${fips}`);
  const isLoaded = (data?.property_count ?? 0) > 0;
  const fields = useApi<Page<CountyFields>>(isLoaded ? `coverage/fields?fips=${fips}` : null);
  const drafts = useList<DraftSummary>('/session/counties');
  const own = drafts.data?.filter(({ place }) => place.fips === fips) ?? [];
  useTitle(data?.county.place ?? 'County');
  if (!data) return problem ? <ProblemNotice problem={problem} onRetry={reload} /> : <Skeleton lines={6} />;
  const { county, entries, property_count: properties, markets } = data;
  return (
    <>
      <PageHead
        title={county.place}
        lead={isLoaded ? `${whole(properties)} properties are loaded.` : 'Nothing of it is loaded yet.'}
      />
      <div className="sections">
        {isLoaded && (
          <Card title="Loaded" flush>
            <dl className="stats market-stats">
              <Stat label="Properties" value={whole(properties)} />
              {markets.map((market) => (
                <Stat
                  key={market}
                  label="Market"
                  value={<Link href={`/explore?market=${market}`}>{market}</Link>}
                  note={<Link href="/accuracy">Accuracy</Link>}
                />
              ))}
            </dl>
            <ProblemNotice problem={fields.problem} onRetry={fields.reload} />
            {fields.data?.data.map((item) => (
              <FieldTable key={item.market} county={item} />
            ))}
          </Card>
        )}
        {own.length > 0 && (
          <Card title="Drafts">
            <ul>
              {own.map(({ id, place, file }) => (
                <li key={id}>
                  <Link href={`/dashboard/counties/${id}`}>{place.name}</Link> <span className="fine">{file.name}</span>
                </li>
              ))}
            </ul>
          </Card>
        )}
        <Card
          title="What can be loaded"
          lead={`Listed on ${day(data.day)}. A layer is listed until it has been read here.`}
        >
          {entries.length === 0 && (
            <Empty icon="map" title="Nothing is listed">
              Ask the county’s assessor for a file of parcels or sales, and begin with New county.
            </Empty>
          )}
          <ul className="county-entries">
            {entries.map((entry) => (
              <EntryLine key={`${entry.kind} ${entry.url}`} entry={entry} county={county} />
            ))}
          </ul>
        </Card>
      </div>
    </>
  );
}

const WHOSE = { state: 'The whole state', county: 'The county', city: 'A city in it' };

function EntryLine({ entry, county }: { entry: Entry; county: CatalogCounty['county'] }) {
  const call = useCall();
  const act = useAct(async () => {
    const body = { county: county.name, place: county.place, fips: county.fips, url: entry.url };
    const draft = await call<Draft>('/session/counties', { body });
    navigate(`/dashboard/counties/${draft.id}`);
  });
  return (
    <li>
      <div className="row">
        <span>
          <strong>{words(entry.kind)}</strong> {entry.name === '' ? WHOSE[entry.area] : entry.name}{' '}
          <Badge tone={entry.certainty === 'read' ? 'good' : 'neutral'}>
            {entry.certainty === 'read' ? `Read on ${entry.read_on}` : 'Listed'}
          </Badge>
        </span>
        {entry.is_readable && entry.kind !== 'buildings' && (
          <Button
            look={entry.kind === 'parcels' ? 'primary' : undefined}
            isRunning={act.isRunning}
            onClick={() => void act.run()}
          >
            Load this
          </Button>
        )}
      </div>
      <p className="fine">
        {entry.certainty === 'read' ? 'Has' : 'Brings'} {entry.brings.join(', ')}
        {entry.rows !== null && `; ${whole(entry.rows)} rows`}.{' '}
        {entry.license === '' ? 'No license is stated.' : `License: ${entry.license}.`} {entry.note}
      </p>
      <p className="fine">
        <a href={entry.url}>{entry.url}</a>
      </p>
      <ProblemNotice problem={act.problem} />
    </li>
  );
}
