// The risk layers of properties. Coverage distinguishes "no lien" from "no lien data here".
import { WrittenOnce } from '../../base/lib/written-once.ts';
import { isStatementTimeout } from '../../base/db/postgres.ts';
import { pick } from '../../base/lib/pick.ts';
import type { Deps } from '../../base/deps.ts';
import {
  dependsOnValue,
  emptyVals,
  isAreaJoin,
  presentVals,
  type LayerDefinition,
  type LayerVals,
} from '../../supply/layers/definition.ts';
import { emptyOf, type Finding, type Layer } from '../../supply/layers/layer.ts';
import { LAYER_NAMES, LAYERS, type LayerName } from '../../supply/layers/layers.ts';
import { areaKeyOf, readLayerValues } from '../../supply/layers/values.ts';
import { newestCoverage, todayIn, type Catalog, type CoveredCatalog } from '../markets/catalog.ts';
import type { PropertyRow } from '../properties/sql.ts';
import type { RiskReport } from './schema.ts';

type RiskDeps = Pick<Deps, 'data' | 'clock' | 'catalog'>;

/** A layer opened for a set of properties. */
interface OpenLayer {
  name: string;
  find(row: PropertyRow, source: LayerSource): object;
  /** The answer while it cannot be read. */
  unavailable: object;
}
type LayerSource = ReturnType<typeof findSource>;

/** Every layer: built-in ones, then those of recipes. */
export const layerNamesOf = ({ layers }: Pick<Catalog, 'layers'>): string[] => [...LAYER_NAMES, ...layers.keys()];

/** A report's default layers. A sandbox-only layer is not reported as missing elsewhere. */
export function layersShownOf(catalog: Catalog, market: string): string[] {
  const covered = catalog.coveredLayers[catalog.markets.get(market)?.sandbox ? 'test' : 'live'];
  return [...LAYER_NAMES, ...catalog.layers.keys().filter((name) => covered.has(name))];
}

export async function readRiskReports(
  deps: RiskDeps,
  rows: PropertyRow[],
  names?: readonly string[],
  isUnavailable: (propertyId: string, layer: string) => boolean = () => false,
): Promise<RiskReport[]> {
  const catalog = await deps.catalog.readCovered(rows);
  if (rows.length === 0) return [];
  const wanted = names ?? layersShownOf(catalog, rows[0].market);
  const builtIn = wanted.filter((name): name is LayerName => name in LAYERS);
  const loaded = wanted.flatMap((name) => catalog.layers.get(name) ?? []);
  const layers = (
    await Promise.all([...builtIn.map((name) => openBuiltIn(deps, name, rows)), openLoaded(deps, loaded, rows)])
  ).flat();
  const sourcesOf = sourcesIn(catalog);
  return rows.map((row) => {
    const sourceOf = sourcesOf(row);
    const found: Record<string, object> = {};
    for (const { name, find, unavailable } of layers) {
      const source = sourceOf(name);
      found[name] = isUnavailable(row.id, name) ? { ...unavailable, source } : find(row, source);
    }
    const as_of = todayIn(catalog, row.market, deps.clock);
    return { object: 'risk_report', property_id: row.id, as_of, layers: found };
  });
}

/** Undefined where the query timed out: one slow layer does not hold up the others. */
async function unlessTimedOut<Result>(read: Promise<Result>): Promise<Result | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isStatementTimeout(error)) return undefined;
    throw error;
  }
}

async function openBuiltIn(deps: RiskDeps, name: LayerName, rows: PropertyRow[]): Promise<OpenLayer> {
  const layer: Layer = LAYERS[name];
  const empty = emptyOf(layer.members);
  const unavailable = { ...empty, status: 'temporarily_unavailable' };
  const find = await unlessTimedOut(layer.read(deps.data, rows));
  return {
    name,
    unavailable,
    find(row, source) {
      const isCovered = source !== null;
      return { ...(find ? present(find(row, isCovered), empty, isCovered) : unavailable), source };
    },
  };
}

function present({ found, none, always }: Finding, empty: object, isCovered: boolean) {
  if (found) return { status: 'found', ...found };
  // Always-known members come first, as in a found result.
  const known = { ...always, ...empty, ...always };
  return isCovered && none ? { status: 'none_found', ...known, ...none } : { status: 'not_covered', ...known };
}

/** Layers by recipe are read together, however many there are. */
async function openLoaded(deps: RiskDeps, layers: LayerDefinition[], rows: PropertyRow[]): Promise<OpenLayer[]> {
  const valsOf = layers.length === 0 ? undefined : await unlessTimedOut(readLayerValues(deps.data, layers, rows));
  return layers.map((layer): OpenLayer => {
    const { name, join } = layer;
    const unavailable = { status: 'temporarily_unavailable', ...emptyVals(layer, null) };
    const notCovered = { status: 'not_covered', ...emptyVals(layer, null) };
    const none = { status: 'none_found', ...emptyVals(layer, 'No record.') };
    const bySource = shared((source: LayerSource) => ({
      unavailable: new WrittenOnce({ ...unavailable, source }),
      notCovered: new WrittenOnce({ ...notCovered, source }),
      none: new WrittenOnce({ ...none, source }),
      // Homes of a tract share the answer, unless it depends on each home's value.
      found: shared(
        (vals: LayerVals) => new WrittenOnce({ status: 'found', ...presentVals(layer, vals, null), source }),
      ),
    }));
    const isOfValue = dependsOnValue(layer);
    const canBeFound = (row: PropertyRow) =>
      isAreaJoin(join) ? areaKeyOf(join, row) !== null : join === 'parcel' || row.latitude !== null;
    return {
      name,
      unavailable,
      find(row, source) {
        const answers = bySource(source);
        if (!valsOf) return answers.unavailable;
        const vals = source === null ? undefined : valsOf(row, name);
        if (!vals) return source !== null && canBeFound(row) ? answers.none : answers.notCovered;
        return isOfValue ? { status: 'found', ...presentVals(layer, vals, row.value), source } : answers.found(vals);
      },
    };
  });
}

/** Memoizes the answers. */
function shared<Question, Answer>(make: (question: Question) => Answer): (question: Question) => Answer {
  const known = new Map<Question, Answer>();
  return (question) => {
    let answer = known.get(question);
    if (answer === undefined) known.set(question, (answer = make(question)));
    return answer;
  };
}

/** The newest source that covers a layer at a property; null if none does. A page of 500 homes is of a few places. */
function sourcesIn(catalog: CoveredCatalog) {
  const places = shared((market: string) =>
    shared((fips: number) => shared((layer: string) => findSource(catalog, { fips, market }, layer))),
  );
  return ({ fips, market }: PropertyRow) => places(market)(fips);
}

function findSource(catalog: CoveredCatalog, place: { fips: number; market: string }, layer: string) {
  const covering = newestCoverage(catalog, place, (item) => item.layer === layer);
  const source = covering && catalog.sources.get(covering.source_id);
  if (!source) return null;
  return {
    ...pick(source, ['id', 'name', 'url', 'licence', 'attribution']),
    published_at: covering.published_on,
    loaded_at: covering.loaded_at.toISOString(),
    covers_from: covering.covers_from,
    covers_to: covering.covers_to,
  };
}
