// The area page: prices over time beside other areas, a map and a ranking of its parts, and what stands there.
import { useMemo } from 'react';
import type { Static } from 'typebox';
import type { Market } from '../../../src/records/markets/schema.ts';
import type { Page } from '../api.ts';
import { queryOf } from '../api.ts';
import { OldSalesNote } from '../explore/old-sales.tsx';
import { calm, day, plural } from '../format.ts';
import { useOldSales } from '../markets.ts';
import { navigate, useQuery, useTitle } from '../router.tsx';
import { ShareButton } from '../share/share-button.tsx';
import type { AreaSummary, SalesSeries } from '../types.ts';
import { Copy, Empty, PageHead, ProblemNotice, Skeleton } from '../ui/parts.tsx';
import { useApi, type Reading } from '../use-api.ts';
import { AreaPicker } from './picker.tsx';
import { IndexCard } from './price-index.tsx';
import { Parts } from './parts.tsx';
import { PriceCard } from './prices.tsx';
import { MOST_AREAS, readState, seriesRequest, writeState, type AreaKey, type AreaState } from './state.ts';
import { Glance, StockCards } from './stock.tsx';
import { areaText } from './words.ts';

export function AreasPage() {
  const [query] = useQuery();
  const text = query.toString();
  const asked = useMemo(() => readState(new URLSearchParams(text)), [text]);
  const markets = useApi<Page<Static<typeof Market>>>('markets');
  const listed = markets.data?.data ?? [];
  const market = listed.find(({ id }) => id === asked.market) ?? listed[0];
  useTitle(asked.areas.length > 0 ? asked.areas.map((area) => areaText(area)).join(', ') : 'Areas');
  if (!markets.data) {
    return (
      <div className="page">
        <ProblemNotice problem={markets.problem} onRetry={markets.reload} />
        {markets.isLoading && <Skeleton lines={6} />}
      </div>
    );
  }
  if (!market) {
    return (
      <div className="page">
        <Empty icon="map" title="No markets loaded yet">
          Live keys see the markets loaded on this server. Sandbox keys always see the fictional sandbox market.
        </Empty>
      </div>
    );
  }
  // Without a market in the address, the area itself says where it is.
  const isNamed = asked.market !== undefined || listed.length === 1 || asked.areas.length === 0;
  const areas = asked.areas.length > 0 ? asked.areas : [{ kind: 'market' as const, id: market.id }];
  const state = { ...asked, areas, market: isNamed ? market.id : undefined };
  return <AreaView state={state} markets={listed} />;
}

function AreaView({ state, markets }: { state: AreaState; markets: Static<typeof Market>[] }) {
  const [first] = state.areas;
  const change = (changes: Partial<AreaState>) => navigate(writeState({ ...state, ...changes }), { replace: true });
  const open = (area: AreaKey) => navigate(writeState({ ...state, areas: [area] }));
  const summary = useApi<AreaSummary>(
    // Homes that a search finds are not counted beforehand.
    first.kind === 'search'
      ? null
      : `analytics/summary${queryOf({ kind: first.kind, area: first.id, market: state.market })}`,
  );
  const readings = useSeries(state);
  const oldSales = useOldSales();
  const reload = () => {
    for (const reading of [summary, ...readings]) if (reading.problem) reading.reload();
  };
  const place = summary.data?.area ?? readings[0].data?.area;
  const title = areaText(first, place?.name);
  const problem = summary.problem ?? readings.find((reading) => reading.problem)?.problem;
  const market = markets.find(({ id }) => id === (place?.market ?? state.market));
  return (
    <div className="page areas">
      <PageHead
        title={title}
        lead={
          summary.data
            ? [
                first.kind !== 'market' && market?.name,
                plural(summary.data.stock.homes, 'home'),
                `figures of ${day(summary.data.updated_at)}`,
              ]
                .filter(Boolean)
                .join(' · ')
            : 'Sales, prices, homes and values of an area, from public records.'
        }
        actions={
          <>
            <Copy text={window.location.href} label="Copy link" />
            {first.kind !== 'search' && (
              <ShareButton what={{ area: { kind: first.kind, area: first.id, market: state.market } }} calls={2} />
            )}
          </>
        }
      />
      <AreaPicker
        state={state}
        markets={markets}
        onOpen={open}
        onMarket={(id) => change({ market: id, areas: [{ kind: 'market', id }] })}
        onCompare={(area) => change({ areas: [...state.areas, area].slice(0, MOST_AREAS) })}
        onRemove={(index) => change({ areas: state.areas.filter((_, each) => each !== index) })}
      />
      <OldSalesNote old={oldSales.get(market?.id ?? '')} hasValues={false} />
      <ProblemNotice problem={problem} onRetry={reload} />
      {problem?.suggestions && (
        <p className="row">
          Try{' '}
          {problem.suggestions.map((id) => (
            <button
              key={String(id)}
              type="button"
              className="button small"
              onClick={() => open({ kind: first.kind, id: String(id) })}
            >
              {areaText({ kind: first.kind, id: String(id) })}
            </button>
          ))}
        </p>
      )}
      <div className="sections">
        <Glance reading={readings[0]} state={state} />
        <PriceCard state={state} readings={readings} onChange={change} />
        {first.kind !== 'search' && <IndexCard state={state} />}
        {market && (
          <Parts
            state={state}
            market={{ id: market.id, name: calm(market.name) }}
            chosen={first}
            box={summary.data?.bbox ?? undefined}
            onChange={change}
            onOpen={open}
          />
        )}
        {summary.data ? <StockCards summary={summary.data} /> : summary.isLoading && <Skeleton lines={8} />}
      </div>
    </div>
  );
}

/** One reading per area compared; always as many hooks. */
function useSeries(state: AreaState): Reading<SalesSeries>[] {
  const requestOf = (area: AreaKey | undefined): [path: string | null, body?: unknown] =>
    area ? seriesRequest(area, state) : [null];
  const all = [
    useApi<SalesSeries>(...requestOf(state.areas[0])),
    useApi<SalesSeries>(...requestOf(state.areas[1])),
    useApi<SalesSeries>(...requestOf(state.areas[2])),
    useApi<SalesSeries>(...requestOf(state.areas[3])),
    useApi<SalesSeries>(...requestOf(state.areas[4])),
  ];
  return all.slice(0, state.areas.length);
}
