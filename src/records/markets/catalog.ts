// The catalog of markets, counties, sources and coverage, kept in memory until a load announces a change. It decides which
// counties a key may see (test keys the sandbox, live keys the rest) and maps codes to names, so that no read needs a join.
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import { CATALOG_CHANNEL } from '../../base/db/catalog-news.ts';
import { listenOn, type Listener } from '../../base/db/listener.ts';
import { readShards, type Shards } from '../../base/db/distribution.ts';
import type { Pool } from '../../base/db/postgres.ts';
import { isoDate, type Clock } from '../../base/lib/clock.ts';
import type { Box } from '../../base/lib/geo.ts';
import { summarize } from '../../supply/examination/finding.ts';
import type { LayerDefinition } from '../../supply/layers/definition.ts';
import { listDefinitions } from '../../supply/layers/sql.ts';
import { listExaminedLoads } from '../../supply/ingest/ingest.ts';
import { listLooks } from '../../supply/ingest/freshness.ts';
import { createCoverage, type Coverage } from './covered.ts';
import type { Source } from './schema.ts';
import * as sql from './sql.ts';

/** Poll interval without a listener: in commands, and while the connection is lost. */
const POLL_MS = 5_000;
/** Poll interval while changes are announced; a missed announcement is caught within minutes. */
const NOTIFIED_POLL_MS = 300_000;

export interface Catalog {
  markets: Map<string, sql.MarketRow>;
  counties: Map<number, sql.CountyRow>;
  sources: Map<string, Source>;
  counts: sql.CountRow[];
  /** The counts visible to each key mode: every search reads them, and the country has tens of thousands. */
  visible: Record<KeyMode, sql.CountRow[]>;
  /** The markets that keys of a mode may see. */
  marketIds: Record<KeyMode, string[]>;
  /** Indexed by market, because scanning all counts for each of 3,000 markets was quadratic. */
  countsByMarket: Map<string, sql.CountRow[]>;
  readCoverage: ReturnType<typeof createCoverage>;
  /** Needed only for coverage answers, so loaded on first use. */
  readLooks(): ReturnType<typeof readLooks>;
  /** Loaded averages of thirty-year mortgages in percent, by month: `2026-05`. */
  mortgageRates: Map<string, number>;
  /** The layers that recipes define, by name. */
  layers: Map<string, LayerDefinition>;
  /** The layers with any coverage visible to each key mode. */
  coveredLayers: Record<KeyMode, Set<string>>;
  /** Undefined where the data plane is one database. */
  shards: Shards | undefined;
}

export type CoveredCatalog = Catalog & { coverage: Coverage };

interface CatalogReader {
  read(): Promise<Catalog>;
  /** Adds the coverage of the places' markets. Use names from rows, never from callers, because each is cached. */
  readCovered(places: Iterable<{ market: string }>): Promise<CoveredCatalog>;
  /** Call after a load in this process. */
  forget(): void;
  /** From here on it is reread only after a change. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

declare module '../../base/deps.ts' {
  interface Deps {
    catalog: CatalogReader;
  }
}

/** Without a URL it cannot listen. */
export function createCatalog({ data, dataUrl }: { data: Pool; dataUrl?: string }): CatalogReader {
  let held: { catalog: Promise<Catalog>; readAt: number } | undefined;
  let listener: Listener | undefined;
  const forget = () => {
    held = undefined;
  };
  const reader: CatalogReader = {
    read() {
      const keepMs = listener?.isListening() ? NOTIFIED_POLL_MS : POLL_MS;
      if (held && performance.now() - held.readAt < keepMs) return held.catalog;
      const fresh = { catalog: readCatalog(data), readAt: performance.now() };
      held = fresh;
      // A failed read is not cached; the next caller tries again.
      fresh.catalog.catch(() => {
        if (held === fresh) held = undefined;
      });
      return fresh.catalog;
    },
    async readCovered(places) {
      const catalog = await reader.read();
      return { ...catalog, coverage: await catalog.readCoverage(new Set(Array.from(places, ({ market }) => market))) };
    },
    forget,
    async start() {
      if (dataUrl === undefined) return;
      listener ??= listenOn({ url: dataUrl, channel: CATALOG_CHANNEL, onMessage: forget, onGap: forget });
      await listener.opened;
    },
    async stop() {
      await listener?.stop();
      listener = undefined;
    },
  };
  return reader;
}

async function readCatalog(data: Pool): Promise<Catalog> {
  const [markets, counties, sources, counts, coveredLayers, layers, rates] = await Promise.all([
    sql.listMarkets(data),
    sql.listCounties(data),
    sql.listSources(data),
    sql.listCounts(data),
    sql.listCoveredLayers(data),
    listDefinitions(data),
    sql.listMortgageRates(data),
  ]);
  const marketsById = new Map(markets.map((row) => [row.id, row]));
  const ofMode = <Row extends { market: string }>(rows: Row[], mode: KeyMode) =>
    rows.filter((row) => isVisibleMarket({ markets: marketsById }, row.market, mode));
  const idsOf = (sandbox: boolean) => markets.filter((row) => row.sandbox === sandbox).map(({ id }) => id);
  const layersOf = (mode: KeyMode) => new Set(ofMode(coveredLayers, mode).map(({ layer }) => layer));
  let looked: ReturnType<typeof readLooks> | undefined;
  return {
    markets: marketsById,
    counties: new Map(counties.map((row) => [row.fips, row])),
    sources: new Map(sources.map((row) => [row.id, row])),
    counts,
    visible: { live: ofMode(counts, 'live'), test: ofMode(counts, 'test') },
    marketIds: { live: idsOf(false), test: idsOf(true) },
    countsByMarket: Map.groupBy(counts, ({ market }) => market),
    readCoverage: createCoverage((ids) => sql.listCoverage(data, ids)),
    readLooks() {
      looked ??= readLooks(data);
      // A failed read is not kept, as above.
      looked.catch(() => (looked = undefined));
      return looked;
    },
    mortgageRates: new Map(rates.map(({ month, percent }) => [month, percent])),
    layers: new Map(layers.map((layer) => [layer.name, layer])),
    coveredLayers: { live: layersOf('live'), test: layersOf('test') },
    shards: await readShards(
      data,
      counties.map(({ fips }) => fips),
    ),
  };
}

/** By source, its last check, and the examination findings of the served load, if it was examined. */
async function readLooks(data: Pool) {
  const [looks, examined] = await Promise.all([listLooks(data), listExaminedLoads(data)]);
  return {
    looks: new Map(looks.map((row) => [row.sourceId, row])),
    findings: new Map(
      examined
        .filter(({ state }) => state === 'completed')
        .map(({ source_id, findings }) => [source_id, findings.map(summarize)]),
    ),
  };
}

export const listCoverage = (
  { coverage }: Pick<CoveredCatalog, 'coverage'>,
  place: { fips: number; market: string },
  isWanted: (row: sql.CoverageRow) => boolean,
): sql.CoverageRow[] => coverage.ofPlace(place).filter(isWanted);

/** The most recently loaded of the matching rows. */
export const newestCoverage = (...wanted: Parameters<typeof listCoverage>): sql.CoverageRow | undefined =>
  listCoverage(...wanted).toSorted((a, b) => b.loaded_at.getTime() - a.loaded_at.getTime())[0];

export const isVisibleMarket = (catalog: Pick<Catalog, 'markets'>, market: string, mode: KeyMode): boolean =>
  catalog.markets.get(market)?.sandbox === (mode === 'test');

/** Today's date in a market. The calendar of a frozen market stands still, so its answers never change. */
export const todayIn = (catalog: Pick<Catalog, 'markets'>, market: string, clock: Clock): string =>
  catalog.markets.get(market)?.frozen_on ?? isoDate(clock());

/** The latest date that is today in any market of a key mode: the frozen date if all of them are frozen. */
export function todayFor(catalog: Pick<Catalog, 'markets' | 'marketIds'>, mode: KeyMode, clock: Clock): string {
  const days = catalog.marketIds[mode].map((id) => todayIn(catalog, id, clock)).sort();
  return days.at(-1) ?? isoDate(clock());
}

/** Whether any of the counted homes may lie in the box, or within `margin` degrees of it. */
export function mayLieIn(row: sql.CountRow, box: Box, margin = 0): boolean {
  const { min_latitude, max_latitude, min_longitude, max_longitude } = row;
  if (min_latitude === null || max_latitude === null || min_longitude === null || max_longitude === null) return false;
  return (
    min_latitude <= box.maxLatitude + margin &&
    max_latitude >= box.minLatitude - margin &&
    min_longitude <= box.maxLongitude + margin &&
    max_longitude >= box.minLongitude - margin
  );
}

/** The visible counties and markets with homes that may lie in the box, or within `margin` degrees of it. */
export const placesIn = (catalog: Catalog, mode: KeyMode, box: Box, margin = 0) =>
  placesOf(catalog.visible[mode].filter((row) => mayLieIn(row, box, margin)));

export const placesOf = (rows: sql.CountRow[]) => ({
  markets: [...new Set(rows.map(({ market }) => market))],
  counties: [...new Set(rows.map(({ fips }) => fips))],
});
