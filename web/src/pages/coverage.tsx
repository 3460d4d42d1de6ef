// What is loaded: markets with their counts, and the source, period, and age of each layer.
import { useState } from 'react';
import type { Static } from 'typebox';
import type { CountyFields, Coverage, Market } from '../../../src/records/markets/schema.ts';
import type { Page } from '../api.ts';
import { ago, day, month, percent, whole, words } from '../format.ts';
import { useTitle } from '../router.tsx';
import { Badge, Card, Empty, PageHead, ProblemNotice, Skeleton, Stat } from '../ui/parts.tsx';
import { Table } from '../ui/table.tsx';
import { useApi } from '../use-api.ts';

type CoverageAnswer = Static<typeof Coverage>;
type Item = CoverageAnswer['data'][number];

export function CoveragePage() {
  useTitle('Coverage');
  const markets = useApi<Page<Static<typeof Market>>>('markets');
  const coverage = useApi<CoverageAnswer>('coverage');
  const items = coverage.data?.data ?? [];
  return (
    <div className="page">
      <PageHead
        title="Coverage"
        lead="The data we have: sources, periods, and freshness by market. Anything not listed is not covered, and API responses say so."
      />
      <ProblemNotice problem={markets.problem ?? coverage.problem} onRetry={coverage.reload} />
      {!markets.data && markets.isLoading && <Skeleton lines={6} />}
      {markets.data?.data.length === 0 && (
        <Empty icon="map" title="No markets loaded yet">
          Live keys see the markets loaded on this server. Sandbox keys always see the fictional sandbox market.
        </Empty>
      )}
      <div className="sections">
        {markets.data?.data.map((market) => (
          <Card
            key={market.id}
            title={market.name}
            lead={market.description}
            flush
            actions={<Badge>{market.state}</Badge>}
          >
            <dl className="stats market-stats">
              <Stat label="Properties" value={whole(market.property_count)} />
              <Stat
                label="Counties"
                value={market.counties.length}
                note={market.counties.map(({ name }) => name).join(', ')}
              />
              {market.sales_through && <Stat label="Sales through" value={month(market.sales_through)} />}
              {Object.entries(market.counts_by_type)
                .toSorted((a, b) => b[1] - a[1])
                .slice(0, 3)
                .map(([type, count]) => (
                  <Stat key={type} label={words(type)} value={whole(count)} />
                ))}
            </dl>
            <CoverageTable items={items.filter((item) => item.market === market.id)} market={market} />
            <FieldRates market={market.id} />
          </Card>
        ))}
      </div>
    </div>
  );
}

function CoverageTable({ items, market }: { items: Item[]; market: Static<typeof Market> }) {
  const countyOf = (fips: string) => market.counties.find((county) => county.fips === fips)?.name ?? fips;
  return (
    <Table
      caption={`Layers in ${market.name}`}
      rows={items}
      keyOf={(item) => `${item.fips}-${item.layer}-${item.source.id}`}
      columns={[
        { head: 'Layer', cell: (item) => <strong>{words(item.layer)}</strong> },
        { head: 'County', cell: (item) => <span title={`FIPS ${item.fips}`}>{countyOf(item.fips)}</span> },
        { head: 'Records', align: 'right', cell: (item) => whole(item.record_count) },
        {
          head: 'Covers',
          cell: (item) => periodOf(item),
        },
        { head: 'Loaded', cell: (item) => <span title={item.loaded_at}>{ago(item.loaded_at)}</span> },
        {
          head: 'Source',
          wide: true,
          cell: (item) => (
            <>
              {item.source.url ? <a href={item.source.url}>{item.source.name}</a> : item.source.name}
              <span className="fine"> · {item.source.licence}</span>
            </>
          ),
        },
      ]}
    />
  );
}

/** How many homes state each field, read when it is opened: a market may have dozens of counties. */
function FieldRates({ market }: { market: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const path = isOpen ? `coverage/fields?limit=100&market=${encodeURIComponent(market)}` : null;
  const { data, problem, isLoading, reload } = useApi<Page<CountyFields>>(path);
  return (
    <details className="field-rates" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Fields: how many homes state each</summary>
      <ProblemNotice problem={problem} onRetry={reload} />
      {isLoading && !data && <Skeleton lines={4} />}
      {data?.data.map((county) => (
        <FieldTable key={county.fips} county={county} />
      ))}
    </details>
  );
}

export function FieldTable({ county }: { county: CountyFields }) {
  const stated = county.fields.filter(({ stated_count }) => stated_count > 0);
  const absent = county.fields.filter(({ stated_count }) => stated_count === 0);
  return (
    <>
      <Table
        caption={`Fields in ${county.county}, ${county.state}`}
        rows={stated}
        keyOf={({ field }) => field}
        columns={[
          { head: 'Field', cell: ({ field, description }) => <span title={description}>{field}</span> },
          { head: 'Stated', align: 'right', cell: ({ share }) => <ShareBar share={share} /> },
          { head: 'Newest', cell: ({ newest_on }) => (newest_on ? day(newest_on) : '–') },
          {
            head: 'Source',
            wide: true,
            cell: ({ source, license }) => (
              <>
                {source ?? '–'} <span className="fine">{license}</span>
              </>
            ),
          },
        ]}
      />
      {absent.length > 0 && (
        <p className="fine field-absent">Stated nowhere: {absent.map(({ field }) => field).join(', ')}.</p>
      )}
    </>
  );
}

function ShareBar({ share }: { share: number }) {
  return (
    <span className="share-bar">
      <meter min={0} max={1} value={share} aria-hidden="true" />
      {percent(share)}
    </span>
  );
}

function periodOf({ covers_from: from, covers_to: to }: Item): string {
  if (from && to) return `${day(from)} – ${day(to)}`;
  return from ? `Since ${day(from)}` : to ? `As of ${day(to)}` : 'Current';
}
