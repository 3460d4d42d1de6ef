// The explorer: search, filters, and results next to the map. All of its state lives in the URL.
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Page } from '../api.ts';
import { areaHref } from '../areas/state.ts';
import { useCaller } from '../caller.tsx';
import { plural, whole } from '../format.ts';
import { PropertyMap, type View } from '../map/map.tsx';
import { placeOf, readPlace, writePlace, type Position, type TilesAnswer } from '../map/place.ts';
import { Link, navigate, useQuery, useTitle } from '../router.tsx';
import type { Property } from '../types.ts';
import { Icon } from '../ui/icons.tsx';
import { Button, Empty, ProblemNotice, Skeleton } from '../ui/parts.tsx';
import { useApi } from '../use-api.ts';
import { areaParameter } from './area.ts';
import { AreaDialog } from './area-dialog.tsx';
import { downloadCsv } from './download.ts';
import { DrawingBar } from './drawing.tsx';
import { bodyOfQuery, describeFilters, ringOf, SORTS } from './filter.ts';
import { FiltersDialog } from './filters.tsx';
import { Results } from './results.tsx';
import { SearchBox } from './search-box.tsx';

const PAGE_SIZE = 60;
const FIELDS =
  'identifiers,address,latitude,longitude,property_type,sqft,bedrooms,bathrooms,structure,last_sale,valuation,risk_summary';
const SETTLE_MS = 250;
/** Filters that are areas, the smallest first. */
const AREA_FILTERS = [
  ['census_tract', 'tract'],
  ['zip', 'zip'],
  ['city', 'city'],
  ['fips', 'county'],
  ['market', 'market'],
] as const;

export function ExplorePage() {
  useTitle('Explore');
  const { credential } = useCaller();
  const [query, change] = useQuery();
  const [view, setView] = useState<View>();
  const [hovered, setHovered] = useState<string>();
  const [isFiltering, setFiltering] = useState(false);
  const [drawing, setDrawing] = useState<Position[]>();
  const [isTyping, setTyping] = useState(false);
  const settled = useSettled(view);

  const chips = describeFilters(query);
  const area = query.get('area');
  const body = useSearchBody(query, settled);
  const { data, problem, isLoading, reload } = useApi<Page<Property>>(body ? 'properties/search' : null, body);
  const properties = useMemo(() => data?.data ?? [], [data]);
  const found = useMemo(
    () =>
      properties.flatMap(({ id, latitude, longitude }) =>
        latitude == null || longitude == null ? [] : [{ id, latitude, longitude }],
      ),
    [properties],
  );
  const open = useCallback((id: string) => navigate(`/p/${id}`), []);
  const asked = useMemo(() => readPlace(new URLSearchParams(window.location.search).get('at')), []);
  const tiles = useApi<TilesAnswer>(asked ? null : 'tiles');
  const start = useMemo(() => asked ?? placeOf(tiles.data?.center), [asked, tiles.data]);
  const isPlaced = asked !== undefined || !tiles.isLoading;
  const onView = useCallback((next: View) => {
    setView(next);
    const search = new URLSearchParams(window.location.search);
    search.set('at', writePlace(next));
    // Bypass the router: the map moves many times a second and nothing else depends on its position.
    window.history.replaceState(null, '', `${window.location.pathname}?${search}`);
  }, []);
  const drawn = useMemo(() => drawing ?? ringOf(area), [drawing, area]);
  const searchIn = (text: string) => {
    change({ area: text, latitude: undefined, longitude: undefined, radius_miles: undefined });
    setDrawing(undefined);
    setTyping(false);
  };
  const saveCsv = async () => {
    if (body) await downloadCsv(credential, body);
  };

  return (
    <div className="explore">
      <aside className="explore-panel">
        <h1 className="unseen">Explore properties</h1>
        <SearchBox onFound={open} />
        <div className="row">
          <Button icon="filter" small onClick={() => setFiltering(true)}>
            Filters{chips.length > 0 ? ` (${chips.length})` : ''}
          </Button>
          <Button
            small
            icon="map"
            aria-pressed={drawing !== undefined}
            onClick={() => setDrawing(drawing ? undefined : [])}
          >
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
                <strong>{plural(data.pagination.total ?? properties.length, 'property', 'properties')}</strong>{' '}
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
          {properties.length > 0 && (
            <Button small look="quiet" icon="export" onClick={() => void saveCsv()}>
              Download CSV
            </Button>
          )}
        </div>
        <div className="explore-list" tabIndex={0} role="region" aria-label="Results" aria-busy={isLoading}>
          <ProblemNotice problem={problem} onRetry={reload} />
          {!data && isLoading && <Skeleton lines={8} />}
          {data && properties.length === 0 && (
            <Empty icon="search" title="No matches">
              Zoom out or remove a filter.
            </Empty>
          )}
          <Results properties={properties} chosenId={hovered} onHover={setHovered} />
          {data?.pagination.has_more && (
            <p className="fine results-end">
              Showing the first {whole(properties.length)}. Zoom in or add a filter to see the rest.
            </p>
          )}
        </div>
      </aside>
      {isPlaced ? (
        <div className="map-holder">
          <PropertyMap
            label="Property map"
            start={start}
            found={chips.length > 0 ? found : undefined}
            chosenId={hovered}
            drawn={drawn}
            isDrawing={drawing !== undefined}
            onPoint={(position) => setDrawing((points) => [...(points ?? []), position])}
            onPick={open}
            onView={onView}
          />
          {drawing && (
            <DrawingBar
              corners={drawing}
              center={view?.center}
              onChange={setDrawing}
              onFinish={() => searchIn(areaParameter(drawing))}
              onCancel={() => setDrawing(undefined)}
              onType={() => setTyping(true)}
            />
          )}
        </div>
      ) : (
        <div className="map" />
      )}
      {isTyping && <AreaDialog ring={drawn} onApply={searchIn} onClose={() => setTyping(false)} />}
      {isFiltering && (
        <FiltersDialog query={query} center={view?.center} onApply={change} onClose={() => setFiltering(false)} />
      )}
    </div>
  );
}

/** The search request for the filters, limited to the visible map unless they name an area themselves. */
function useSearchBody(query: URLSearchParams, view: View | undefined) {
  const text = query.toString();
  return useMemo(() => {
    const asked = new URLSearchParams(text);
    const body = bodyOfQuery(asked);
    const hasPlace = body.geometry !== undefined || body.radius_miles !== undefined;
    if (!hasPlace && !view) return undefined;
    const sort = asked.get('sort');
    return {
      ...body,
      ...(!hasPlace && { bbox: view!.bbox }),
      ...(sort && { sort }),
      limit: PAGE_SIZE,
      include_total: true,
      fields: FIELDS,
    };
  }, [text, view]);
}

function useSettled(view: View | undefined): View | undefined {
  const [settled, setSettled] = useState(view);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(view), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [view]);
  return settled;
}

/** The page of the area that the filters name, if they name one. */
function areaLinkOf(query: URLSearchParams): string {
  for (const [name, kind] of AREA_FILTERS) {
    const [value, ...more] = query.get(name)?.split(',') ?? [];
    if (value && more.length === 0) return areaHref(kind, value.trim(), query.get('market') ?? undefined);
  }
  return '/areas';
}

/** The filters without the map position and sort order. */
function watchQuery(query: URLSearchParams): string {
  const kept = new URLSearchParams(query);
  for (const name of ['at', 'sort']) kept.delete(name);
  return kept.toString();
}
