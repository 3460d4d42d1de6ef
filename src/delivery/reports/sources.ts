// Lists the sources of a lender's file and their uses. Pure.
import { newestCoverage, type CoveredCatalog } from '../../records/markets/catalog.ts';
import type { PropertyRow } from '../../records/properties/sql.ts';
import type { Dossier } from './decide.ts';
import type { ReportSource } from './schema.ts';

export function listSources(
  catalog: CoveredCatalog,
  row: PropertyRow,
  { property, title, risk, market, rent }: Pick<Dossier, 'property' | 'title' | 'risk' | 'market' | 'rent'>,
): ReportSource[] {
  const uses = new Map<string, Set<string>>();
  const use = (id: string | null | undefined, what: string) => {
    if (id) uses.set(id, (uses.get(id) ?? new Set()).add(what));
  };
  const { provenance } = property;
  use(provenance?.default_source, 'property record');
  for (const [field, { source }] of Object.entries(provenance?.fields ?? {})) use(source, field.replaceAll('_', ' '));
  for (const { source } of property.assessments ?? []) use(source, 'assessments');
  for (const { id } of title.coverage.sources) use(id, 'title');
  for (const { source } of [...title.chain, ...title.mortgages, ...title.other_liens]) use(source, 'title');
  for (const { source } of title.other_documents) use(source, 'title');
  for (const [name, layer] of Object.entries(risk.layers)) use(layer.source?.id, name.replaceAll('_', ' '));
  for (const series of [market.local, market.market, market.index]) {
    for (const { id } of series?.sources ?? []) use(id, 'sales, comparables and market figures');
  }
  for (const { source } of rent?.basis.areas ?? []) use(source, 'rent');
  return [...uses]
    .map(([id, used]) => describe(catalog, row, id, [...used].sort()))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function describe(catalog: CoveredCatalog, row: PropertyRow, id: string, used_for: string[]): ReportSource {
  const source = catalog.sources.get(id);
  const newest = newestCoverage(catalog, row, ({ source_id }) => source_id === id);
  return {
    id,
    name: source?.name ?? id,
    publisher: source?.publisher ?? '',
    used_for,
    url: source?.url ?? null,
    licence: source?.licence ?? '',
    attribution: source?.attribution ?? '',
    published_on: newest?.published_on ?? null,
    loaded_at: newest?.loaded_at.toISOString() ?? null,
    covers_to: newest?.covers_to ?? null,
  };
}
