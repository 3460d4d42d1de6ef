// The risk layers of properties. Coverage decides between "no lien" and "no lien data here", which never look alike.
import { isStatementTimeout } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { emptyOf, type Finding, type Layer } from '../../supply/layers/layer.ts';
import { LAYERS, type LayerName } from '../../supply/layers/layers.ts';
import { newestCoverage, todayIn, type Catalog } from '../markets/catalog.ts';
import type { PropertyRow } from '../properties/sql.ts';
import type { RiskReport } from './schema.ts';

type RiskDeps = Pick<Deps, 'data' | 'clock' | 'catalog'>;

export async function readRiskReports(
  deps: RiskDeps,
  rows: PropertyRow[],
  names: readonly LayerName[],
  isUnavailable: (propertyId: string, layer: LayerName) => boolean = () => false,
): Promise<RiskReport[]> {
  const catalog = await deps.catalog.read();
  const layers = await Promise.all(
    names.map(async (name) => {
      const layer: Layer = LAYERS[name];
      return { name, empty: emptyOf(layer.members), find: await openLayer(deps, layer, rows) };
    }),
  );
  return rows.map((row) => ({
    object: 'risk_report',
    property_id: row.id,
    as_of: todayIn(catalog, row.market, deps.clock),
    layers: Object.fromEntries(
      layers.map(({ name, empty, find }) => {
        const source = sourceOf(catalog, row, name);
        const body =
          find && !isUnavailable(row.id, name)
            ? present(find(row, source !== null), empty, source !== null)
            : { ...empty, status: 'temporarily_unavailable' };
        return [name, { ...body, source }];
      }),
    ) as RiskReport['layers'],
  }));
}

/** Undefined where the query timed out: one slow layer does not hold up the others. */
async function openLayer(deps: RiskDeps, layer: Layer, rows: PropertyRow[]) {
  try {
    return await layer.read(deps.data, rows);
  } catch (error) {
    if (isStatementTimeout(error)) return undefined;
    throw error;
  }
}

function present({ found, none, always }: Finding, empty: object, isCovered: boolean) {
  if (found) return { status: 'found', ...found };
  // Members that are always known come first, as they do where something was found.
  const known = { ...always, ...empty, ...always };
  return isCovered && none ? { status: 'none_found', ...known, ...none } : { status: 'not_covered', ...known };
}

/** The newest source that covers this layer at the property; null if none does. */
function sourceOf(catalog: Catalog, row: PropertyRow, layer: LayerName) {
  const covering = newestCoverage(catalog, row, (item) => item.layer === layer);
  const source = covering && catalog.sources.get(covering.source_id);
  if (!source) return null;
  return {
    id: source.id,
    name: source.name,
    url: source.url,
    licence: source.licence,
    attribution: source.attribution,
    published_at: covering.published_on,
    loaded_at: covering.loaded_at.toISOString(),
    covers_from: covering.covers_from,
    covers_to: covering.covers_to,
  };
}
