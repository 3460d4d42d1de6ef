// Field completeness of a county's properties, with the source and newest date of each field.
import { formatFips } from '../../base/lib/ids.ts';
import { LAYER_FIELD, STATED_FIELDS } from '../../supply/ingest/stated-fields.ts';
import { listCoverage, type Catalog, type CoveredCatalog } from './catalog.ts';
import type { CountyFields } from './schema.ts';
import type { CoverageRow, FieldCountsRow } from './sql.ts';

export function presentFields(row: FieldCountsRow, catalog: CoveredCatalog): CountyFields {
  const county = catalog.counties.get(row.fips);
  return {
    object: 'county_fields',
    fips: formatFips(row.fips),
    county: county?.name ?? '',
    state: county?.state ?? '',
    market: row.market,
    property_count: row.property_count,
    fields: [...Object.entries(STATED_FIELDS), ...fieldsOfLayers(catalog)].map(([column, { name, layer, says }]) => {
      const { stated, source } = row.fields[column] ?? { stated: 0, source: null };
      const covered = listCoverage(catalog, row, (item) => item.layer === layer);
      // Sales, assessments and layers have no per-field claims: they use their coverage.
      const behind =
        stated === 0
          ? undefined
          : layer === 'properties'
            ? covered.find(({ source_id }) => source_id === source)
            : largest(covered);
      const from = layer === 'properties' ? source : (behind?.source_id ?? null);
      return {
        field: name,
        description: says,
        share: row.property_count === 0 ? 0 : Math.round((stated / row.property_count) * 10_000) / 10_000,
        stated_count: stated,
        source: from,
        license: (from && catalog.sources.get(from)?.licence) ?? null,
        newest_on: behind ? (behind.covers_to ?? behind.published_on) : null,
      };
    }),
  };
}

const fieldsOfLayers = ({ layers }: Pick<Catalog, 'layers'>) =>
  [...layers.values()].map(({ name: layer, title }) => {
    const name = `${LAYER_FIELD}${layer}`;
    return [name, { name, layer, says: `${title}: a record of the layer.` }] as const;
  });

const largest = (rows: CoverageRow[]): CoverageRow | undefined =>
  rows.toSorted((a, b) => b.record_count - a.record_count).at(0);
