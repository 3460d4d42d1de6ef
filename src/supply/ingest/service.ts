// Layers of ArcGIS servers: URL detection, related tables, and filtering a statewide layer to a county.
import { copyFileSync } from 'node:fs';
import { formatFips } from '../../base/lib/ids.ts';
import { keyOf } from '../../base/lib/place-name.ts';
import { downloadFeatures, type LayerOptions } from './fetch/arcgis.ts';
import { plainName } from './fetch/arcgis-feature.ts';
import { openLayer, query, readFacts, withParameters, type LayerField } from './fetch/arcgis-layer.ts';
import { downloadFile } from './fetch/socrata.ts';

export type ServiceOptions = LayerOptions;

/** The URL of a layer, of its query, or of a service. */
export const isLayerUrl = (url: string): boolean => /\/(Feature|Map)Server(\/\d+)?(\/query)?\/?(\?|$)/i.test(url);

/** `Parcels_2-0.geojsonl` for `…/services/Parcels 2/MapServer/0`. */
export function layerFileName(url: string): string {
  const path = new URL(url).pathname.replace(/\/query$/, '');
  const [, service = 'layer', number = '0'] = /([^/]+)\/(?:Feature|Map)Server(?:\/(\d+))?/i.exec(path) ?? [];
  return `${decodeURIComponent(service).replace(/\W+/g, '_')}-${number}.geojsonl`;
}

/** Downloads the rows of a layer, or a file, to `path`. */
export async function fetchTo(path: string, url: string, options: ServiceOptions): Promise<void> {
  copyFileSync(await (isLayerUrl(url) ? downloadFeatures(url, options) : downloadFile(url, options)), path);
}

/** Tables next to a layer with owners, sales, buildings or values. */
export async function listTables(url: string, options: ServiceOptions): Promise<{ name: string; url: string }[]> {
  const root = url.replace(/\/\d+(\/query)?\/?(\?.*)?$/, '');
  if (root === url) return [];
  const parameters = Object.fromEntries(new URL(url).searchParams);
  const facts = await readFacts(root, parameters, options).catch(() => undefined);
  return (facts?.tables ?? [])
    .filter(({ name }) => /sale|owner|cama|assess|apprais|dwelling|building|improve|resid|tax|roll/i.test(name))
    .map(({ id, name }) => ({ name, url: `${root}/${id}` }));
}

const COUNTY_FIELD = /^(county|cnty|co|cty|parish|jurisdict|juris|fips|stcofips|geoid|stcnty)/i;
const MOST_FIELDS = 8;

/** The query for a county's rows of a statewide layer; undefined if no column identifies counties. */
export async function narrowTo(
  url: string,
  county: { fips: number; name: string },
  options: ServiceOptions,
): Promise<string | undefined> {
  const layer = await openLayer(url, options);
  const candidates = (layer.facts.fields ?? []).filter(
    ({ name, type = '' }) => COUNTY_FIELD.test(plainName(name)) && !/OID|Date|Geometry/.test(type),
  );
  for (const field of candidates.slice(0, MOST_FIELDS)) {
    const asked = { outFields: field.name, returnDistinctValues: 'true', returnGeometry: 'false' };
    const answer = await query(layer, asked, 'features', { ...options, attempts: 2 }).catch(() => undefined);
    const values = ((answer?.features ?? []) as { attributes?: Record<string, unknown> }[]).flatMap(
      ({ attributes = {} }) => Object.values(attributes),
    );
    const value = values.find((item) => isCounty(item, field, county));
    if (value === undefined) continue;
    const text = typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`;
    return withParameters(`${layer.url}/query`, { ...layer.parameters, where: `${field.name} = ${text}` });
  }
  return undefined;
}

/** By name, or by code in a column declared as FIPS: other county numbers are state-specific. */
function isCounty(value: unknown, { name, domain }: LayerField, county: { fips: number; name: string }): boolean {
  if (value === null || value === undefined || value === '') return false;
  const label = domain?.codedValues?.find(({ code }) => String(code) === String(value))?.name ?? String(value);
  const bare = (text: string) => keyOf(text.replace(/ (county|parish|borough|census area|city)$/i, ''));
  if (keyOf(label) === keyOf(county.name) || bare(label) === bare(county.name)) return true;
  if (!/^\d+$/.test(label)) return false;
  const code = formatFips(county.fips);
  return label.padStart(5, '0') === code || (/fips|fp$/i.test(name) && label.padStart(3, '0') === code.slice(2));
}
