// The explorer: search, filters, and results next to the map. All of its state lives in the URL.
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Page } from '../api.ts';
import { areaHref, searchHref } from '../areas/state.ts';
import { useCaller } from '../caller.tsx';
import { month, plural, whole } from '../format.ts';
import { drawnLayers, type LoadedLayer } from '../map/loaded-layers.ts';
import { PropertyMap, type View } from '../map/map.tsx';
import { readFigure } from '../map/figures.ts';
import { Legend } from '../map/legend.tsx';
import {
  monthAfter,
  monthOf,
  readOverlays,
  readPeriod,
  readTractFigure,
  writeOverlays,
  writePeriod,
  type OverlayId,
  type TractFigureId,
} from '../map/overlays.ts';
import { readPlace, writePlace, type Position } from '../map/place.ts';
import { useMarkets } from '../markets.ts';
import { oldSalesOf, type OldSales } from '../old-sales.ts';
import { Link, useQuery, useTitle } from '../router.tsx';
import type { Property } from '../types.ts';
import { Icon } from '../ui/icons.tsx';
import { Button, Empty, ProblemNotice, Skeleton } from '../ui/parts.tsx';
import { useToast } from '../ui/toast.tsx';
import { useApi } from '../use-api.ts';
import { areaParameter } from './area.ts';
import { AreaDialog } from './area-dialog.tsx';
import { Beside } from './beside.tsx';
import { DownloadButton } from './download.tsx';
import { DrawingBar, MeasuringBar } from './drawing.tsx';
import { bodyOfQuery, describeFilters, ringOf, SORTS, tileFilters } from './filter.ts';
import { FiltersDialog } from './filters.tsx';
import { OldSalesNote } from './old-sales.tsx';
import { OverlayMenu, SalesSlider } from './overlay-menu.tsx';
import { Results } from './results.tsx';
import { SearchBox } from './search-box.tsx';
import { NOT_SEARCHED, useChosenPlace, useComing, useFound, useSearchBody, useSettled } from './use-search.ts';

/** Filters that are areas, the smallest first. */
const AREA_FILTERS = [
  ['census_tract', 'tract'],
  ['zip', 'zip'],
  ['city', 'city'],
  ['fips', 'county'],
] as const;
/** A market without values is colored by what it has: assessors know every home, sales only some. */
const FIGURES_BY_DEFAULT = ['value', 'assessed_value', 'last_sale_price', 'year_built'] as const;

type Tool = { kind: 'area' | 'measure'; corners: Position[] };

export function ExplorePage() {
  useTitle('Explore');
  const { mode } = useCaller();
  const [query, change] = useQuery();
  const [view, setView] = useState<View>();
  const [hovered, setHovered] = useState<string>();
  const [isFiltering, setFiltering] = useState(false);
  const [tool, setTool] = useState<Tool>();
  const [isTyping, setTyping] = useState(false);
  const [isSheetUp, setSheetUp] = useState(false);
  const settled = useSettled(view);
  const markets = useMarkets();
  const oldSales = oldSalesOf(markets, Date.now());
  const unmapped = markets.filter(({ is_mapped }) => !is_mapped).map(({ name }) => name);
  const toast = useToast();

  const chips = describeFilters(query);
  const area = query.get('area');
  const [fallback, setFallback] = useState(0);
  const figure = query.get('color') === null ? FIGURES_BY_DEFAULT[fallback] : readFigure(query.get('color'));
  const overlays = readOverlays(query.get('layers'));
  const [otherTractFigure, setOtherTractFigure] = useState<TractFigureId>();
  const tractFigure = readTractFigure(query.get('tracts') ?? otherTractFigure ?? null);
  const listed = useApi<Page<LoadedLayer>>('layers');
  const layers = useMemo(() => drawnLayers(listed.data?.data ?? []), [listed.data]);
  const loaded = layers.find(({ name }) => name === query.get('shade'));
  const chosen = query.get('p') ?? undefined;
  const body = useSearchBody(query, settled);
  const { data, problem, isLoading, reload } = useApi<Page<Property>>(body ? 'properties/search' : null, body);
  const properties = useMemo(() => data?.data ?? [], [data]);
  const isFirstListComing = useComing(data !== undefined || problem !== undefined);
  // The next market may have what this one lacks.
  useEffect(() => setFallback(0), [properties[0]?.identifiers?.market]);
  const open = useCallback((id: string) => {
    change({ p: id });
    setSheetUp(true);
  }, []);
  const start = useMemo(() => readPlace(new URLSearchParams(window.location.search).get('at')), []);
  const goTo = useChosenPlace(chosen, properties);
  const found = useFound(properties, chosen ?? hovered, chosen ? goTo : undefined);
  const path = useMemo(() => window.location.pathname, []);
  const onView = useCallback((next: View) => {
    setView(next);
    // A map that flies on while the next page is opening would write its place into that page's address.
    if (window.location.pathname !== path) return;
    const search = new URLSearchParams(window.location.search);
    search.set('at', writePlace(next));
    // Bypass the router: the map moves many times a second and nothing else depends on its position.
    window.history.replaceState(null, '', `${path}?${search}`);
  }, []);
  const ring = useMemo(() => ringOf(area), [area]);
  const drawn = tool?.corners ?? ring;
  const searchIn = (text: string) => {
    change({ area: text, latitude: undefined, longitude: undefined, radius_miles: undefined });
    setTool(undefined);
    setTyping(false);
  };
  const pick = (kind: Tool['kind']) => setTool(tool?.kind === kind ? undefined : { kind, corners: [] });
  const draw = (corners: Position[]) => setTool((now) => now && { ...now, corners });
  const setOverlays = (next: OverlayId[]) => change({ layers: writeOverlays(next) });
  const share = async () => {
    await navigator.clipboard.writeText(window.location.href);
    toast('Link copied. It opens this map with its filters and layers.');
  };
  const total = data?.pagination.total ?? properties.length;
  const old = firstOld(properties, oldSales);
  const newestSale = monthOf(old ? new Date(old.through) : new Date());
  const period = readPeriod(query.get('sold')) ?? { from: monthAfter(newestSale, -11), to: newestSale };

  return (
    <div className="explore">
      <aside className={`explore-panel ${isSheetUp ? 'up' : ''}`}>
        <h1 className="unseen">Explore properties</h1>
        <button
          type="button"
          className="sheet-handle"
          aria-expanded={isSheetUp}
          aria-label={isSheetUp ? 'Show the map' : 'Show the list'}
          onClick={() => setSheetUp(!isSheetUp)}
        />
        <SearchBox onFound={open} />
        {chosen ? (
          <div className="explore-list">
            <Beside key={chosen} id={chosen} oldSales={oldSales} onClose={() => change({ p: undefined })} />
          </div>
        ) : (
          <>
            <div className="row">
              <Button icon="filter" small onClick={() => setFiltering(true)}>
                Filters{chips.length > 0 ? ` (${chips.length})` : ''}
              </Button>
              <Button small icon="map" aria-pressed={tool?.kind === 'area'} onClick={() => pick('area')}>
                Draw an area
              </Button>
              <label className="unseen" htmlFor="sort">
                Sort by
              </label>
              <select
                id="sort"
                className="small-select"
                value={query.get('sort') ?? ''}
                onChange={(event) => change({ sort: event.target.value })}
              >
                {SORTS.filter(([value]) => value !== 'distance' || query.get('radius_miles')).map(([value, label]) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </select>
            </div>
            {chips.length > 0 && (
              <ul className="chips" aria-label="Active filters">
                {chips.map((chip) => (
                  <li key={chip.text}>
                    <button
                      type="button"
                      onClick={() => change(Object.fromEntries(chip.names.map((name) => [name, undefined])))}
                    >
                      {chip.text}
                      <Icon name="close" size={13} />
                      <span className="unseen">Remove</span>
                    </button>
                  </li>
                ))}
              </ul>
            )}
            <div className="row spread results-head">
              <p role="status">
                {data ? (
                  <>
                    <strong>{plural(total, 'property', 'properties')}</strong>{' '}
                    <span className="fine">{area || query.get('radius_miles') ? 'in this area' : 'in view'}</span>
                  </>
                ) : (
                  <span className="fine">{problem ? '' : 'Loading properties…'}</span>
                )}
              </p>
              {chips.length > 0 && (
                <Link className="button small quiet" href={`/dashboard/watchlists?new=1&${watchQuery(query)}`}>
                  <Icon name="eye" size={15} />
                  Watch
                </Link>
              )}
              <Link className="button small quiet" href={areaLinkOf(query)}>
                <Icon name="chart" size={15} />
                Area figures
              </Link>
              {properties.length > 0 && body && <DownloadButton body={body} total={total} />}
            </div>
            <div className="explore-list" tabIndex={0} role="region" aria-label="Results" aria-busy={isLoading}>
              <ProblemNotice problem={problem} onRetry={reload} />
              {!data && isLoading && <Skeleton lines={8} />}
              {data && properties.length === 0 && (
                <Empty icon="search" title="No matches">
                  Zoom out or remove a filter.
                  {unmapped.length > 0 &&
                    ` Records of ${unmapped.join(' and ')} have no coordinates: search for an address.`}
                </Empty>
              )}
              <OldSalesNote old={old} hasValues={properties.some(({ valuation }) => valuation != null)} />
              <Results
                properties={properties}
                chosenId={hovered}
                oldSales={oldSales}
                onHover={setHovered}
                onOpen={open}
              />
              {data?.pagination.has_more && (
                <p className="fine results-end">
                  Showing the first {whole(properties.length)}. Zoom in or add a filter to see the rest.
                </p>
              )}
            </div>
          </>
        )}
      </aside>
      <div className="map-holder">
        <PropertyMap
          label="Property map"
          start={start}
          isHeld={isFirstListComing}
          goTo={goTo}
          figure={figure}
          filters={tileFilters(query, mode)}
          overlays={overlays}
          period={period}
          tractFigure={tractFigure}
          loadedLayer={loaded?.name}
          found={found}
          chosenId={chosen ?? hovered}
          drawn={drawn}
          isLine={tool?.kind === 'measure'}
          isDrawing={tool !== undefined}
          onPoint={(position) => tool && draw([...tool.corners, position])}
          onPick={open}
          onView={onView}
          onNoFigure={() => setFallback((now) => Math.min(now + 1, FIGURES_BY_DEFAULT.length - 1))}
          onOtherTractFigure={setOtherTractFigure}
          legend={({ readings, breaks, tractBreaks, missing }) => (
            <Legend
              figure={figure}
              readings={readings}
              breaks={breaks}
              tracts={overlays.includes('tracts') ? { figure: tractFigure, breaks: tractBreaks } : undefined}
              loaded={loaded}
              missing={missing}
              onFigure={(next) => change({ color: next })}
              brush={{ min: numberOf(query, `min_${figure}`), max: numberOf(query, `max_${figure}`) }}
              onBrush={({ min, max }) => change({ [`min_${figure}`]: textOf(min), [`max_${figure}`]: textOf(max) })}
            />
          )}
        />
        <div className="map-tools">
          <OverlayMenu
            overlays={overlays}
            tractFigure={tractFigure}
            loaded={{ layers, chosen: loaded }}
            onLoaded={(next) => change({ shade: next })}
            onChange={setOverlays}
            onTractFigure={(next) => change({ tracts: next })}
          />
          <button
            type="button"
            className="map-button"
            aria-pressed={tool?.kind === 'measure'}
            onClick={() => pick('measure')}
          >
            <Icon name="ruler" size={17} />
            Measure
          </button>
          <button type="button" className="map-button" onClick={() => void share()}>
            <Icon name="share" size={17} />
            Share
          </button>
        </div>
        {overlays.includes('sales') && (
          <SalesSlider
            period={period}
            newest={newestSale}
            onChange={(next) => change({ sold: writePeriod(next) })}
            onClose={() => setOverlays(overlays.filter((id) => id !== 'sales'))}
          />
        )}
        {old && <p className="map-note">Sales known through {month(old.through)}</p>}
        {tool?.kind === 'area' && (
          <DrawingBar
            corners={tool.corners}
            center={view?.center}
            onChange={draw}
            onFinish={() => searchIn(areaParameter(tool.corners))}
            onCancel={() => setTool(undefined)}
            onType={() => setTyping(true)}
          />
        )}
        {tool?.kind === 'measure' && (
          <MeasuringBar
            corners={tool.corners}
            center={view?.center}
            onChange={draw}
            onClose={() => setTool(undefined)}
          />
        )}
      </div>
      {isTyping && <AreaDialog ring={drawn} onApply={searchIn} onClose={() => setTyping(false)} />}
      {isFiltering && (
        <FiltersDialog
          query={query}
          center={view?.center}
          bbox={view?.bbox}
          onApply={change}
          onClose={() => setFiltering(false)}
        />
      )}
    </div>
  );
}

/** The page of the area that the filters name, of what they find, or, without any, of the market. */
function areaLinkOf(query: URLSearchParams): string {
  const { property_type: types, market, ...filters } = bodyOfQuery(query);
  const names = Object.keys(filters);
  const [name, kind] = AREA_FILTERS.find(([each]) => each in filters) ?? [];
  if (name && names.length === 1 && !String(filters[name]).includes(','))
    return areaHref(kind, String(filters[name]).trim(), market as string | undefined);
  if (names.length > 0) return searchHref({ ...filters, ...(market !== undefined && { market }) }, String(types ?? ''));
  return market === undefined ? '/areas' : areaHref('market', String(market));
}

function firstOld(properties: Property[], oldSales: Map<string, OldSales>) {
  for (const { identifiers } of properties) {
    const old = oldSales.get(identifiers?.market ?? '');
    if (old) return old;
  }
  return undefined;
}

function numberOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  return text === null || text === '' ? undefined : Number(text);
}

const textOf = (amount: number | undefined): string | undefined => (amount === undefined ? undefined : String(amount));

/** The filters without what is about the map alone, and without the sort order. */
function watchQuery(query: URLSearchParams): string {
  const kept = new URLSearchParams(query);
  for (const name of [...NOT_SEARCHED, 'sort']) kept.delete(name);
  return kept.toString();
}
