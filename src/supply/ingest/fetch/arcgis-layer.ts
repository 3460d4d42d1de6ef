// Queries an ArcGIS server for a layer's metadata and features. Servers return errors with status 200, HTML instead of
// JSON, and names in a different case than described.
import { readPage, Refused, retry, Unwell, type DownloadOptions } from './download.ts';

interface Domain {
  type?: string;
  codedValues?: { code: unknown; name: string }[];
}

export interface LayerField {
  name: string;
  type?: string;
  alias?: string;
  domain?: Domain | null;
}

interface Subtype {
  id?: unknown;
  code?: unknown;
  name: string;
  domains?: Record<string, Domain> | { field: string; domain: Domain }[];
}

/** A layer's metadata; old servers omit most of it. */
export interface LayerFacts {
  name?: string;
  type?: string;
  description?: string;
  objectIdField?: string;
  maxRecordCount?: number;
  fields?: LayerField[] | null;
  typeIdField?: string | null;
  types?: Subtype[] | null;
  subtypeField?: string | null;
  subtypes?: Subtype[] | null;
  editingInfo?: { lastEditDate?: number; dataLastEditDate?: number } | null;
  layers?: LayerName[];
  tables?: LayerName[];
  subLayers?: LayerName[] | null;
}

export interface LayerName {
  id: number;
  name: string;
  type?: string;
  subLayerIds?: number[] | null;
}

export interface Answer extends LayerFacts {
  count?: number;
  objectIds?: (number | string)[] | null;
  objectIdFieldName?: string;
  features?: unknown[];
  exceededTransferLimit?: boolean;
  spatialReference?: SpatialReference;
  transform?: Quantized;
  error?: { code?: number; message?: string; details?: string[] | null };
}

export interface SpatialReference {
  wkid?: number;
  latestWkid?: number;
  wkt?: string;
}

export interface Quantized {
  originPosition?: string;
  scale: number[];
  translate: number[];
}

export interface Layer {
  url: string;
  /** Parameters from the given URL: `where`, `token`, `outFields`. */
  parameters: Record<string, string>;
  facts: LayerFacts;
  idField: string;
}

/** Error codes for a missing, invalid or expired token. */
const SIGN_IN = [403, 498, 499];

export class NeedsToken extends Refused {}

/** `url` is a layer, its `/query?where=…`, or a service or a group with a single layer. */
export async function openLayer(url: string, options: DownloadOptions): Promise<Layer> {
  const address = new URL(url);
  const parameters = Object.fromEntries(address.searchParams);
  const base = `${address.origin}${address.pathname}`.replace(/\/(query)?\/?$/, '');
  const facts = await readFacts(base, parameters, options);
  const inner = layersWithin(facts);
  if (inner.length === 1) {
    const root = /(Feature|Map)Server$/.test(base) ? base : base.replace(/\/\d+$/, '');
    return openLayer(withParameters(`${root}/${inner[0].id}`, parameters), options);
  }
  if (inner.length > 1)
    throw new Refused(
      `${base} has several layers; name one of them: ${inner.map(({ id, name }) => `${base.replace(/\/\d+$/, '')}/${id} (${name})`).join(', ')}.`,
    );
  return { url: base, parameters, facts, idField: idFieldOf(facts) };
}

export async function readFacts(
  base: string,
  { token }: Record<string, string>,
  options: DownloadOptions,
): Promise<LayerFacts> {
  try {
    return await askServer(base, { f: 'json', ...(token && { token }) }, undefined, options);
  } catch (error) {
    // Some hide a layer's metadata but still answer queries.
    if (error instanceof Refused && !(error instanceof NeedsToken) && /\/\d+$/.test(base)) return {};
    throw error;
  }
}

/** The layers of a service or of a group; a layer itself has none. */
function layersWithin({ type, layers, tables, subLayers, fields }: LayerFacts): LayerName[] {
  if (fields?.length) return [];
  const isGroup = ({ type: kind, subLayerIds }: LayerName) => /group/i.test(kind ?? '') || Boolean(subLayerIds?.length);
  if (layers || tables) return [...(layers ?? []).filter((layer) => !isGroup(layer)), ...(tables ?? [])];
  return /group/i.test(type ?? '') ? (subLayers ?? []) : [];
}

function idFieldOf({ objectIdField, fields }: LayerFacts): string {
  if (objectIdField) return objectIdField;
  const oid = fields?.find(({ type }) => type === 'esriFieldTypeOID');
  return (oid ?? fields?.find(({ name }) => /^(object_?id|fid|oid)$/i.test(name)))?.name ?? 'OBJECTID';
}

export function withParameters(url: string, parameters: Record<string, string>): string {
  const address = new URL(url);
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  return address.href;
}

/** Queries the layer; `where` narrows the URL's own condition. An answer without the wanted member is an error. */
export function query(
  layer: Layer,
  parameters: Record<string, string>,
  wanted: keyof Answer,
  options: DownloadOptions,
): Promise<Answer> {
  const conditions = [layer.parameters.where, parameters.where].filter((part) => part && part !== '1=1');
  const where = conditions.length > 1 ? conditions.map((part) => `(${part})`).join(' AND ') : (conditions[0] ?? '1=1');
  return askServer(`${layer.url}/query`, { f: 'json', ...parameters, ...layer.parameters, where }, wanted, options);
}

function askServer(
  url: string,
  parameters: Record<string, string>,
  wanted: keyof Answer | undefined,
  options: DownloadOptions,
): Promise<Answer> {
  const address = withParameters(url, parameters);
  const { pathname } = new URL(url);
  return retry(options, async () => {
    const answer = parseAnswer(await readPage(address, { ...options, attempts: 1 }), url);
    if (answer.error) throw refusalOf(pathname, answer.error, wanted);
    if (wanted && !Object.hasOwn(answer, wanted)) throw new Unwell(`${pathname} answered without \`${wanted}\`.`);
    return answer;
  });
}

function refusalOf(pathname: string, error: NonNullable<Answer['error']>, wanted: keyof Answer | undefined): Error {
  const { code = 0, message = 'error', details } = error;
  const text = `${pathname} answered ${code}: ${[message, ...(details ?? [])].join(' ').trim()}`;
  if (SIGN_IN.includes(code))
    return new NeedsToken(`${text}. It asks to sign in: add &token=… to its URL, or choose another layer.`);
  // Overloaded servers reject a page with 400 and answer it a second later.
  return code >= 500 || wanted === 'features' ? new Unwell(text) : new Refused(text);
}

function parseAnswer(text: string, url: string): Answer {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    // NaN and Infinity are invalid JSON, but some servers write them as coordinates.
    try {
      return JSON.parse(text.replace(/(?<=[[,:]\s*)-?(?:NaN|Infinity)(?=\s*[\],}])/g, 'null')) as Answer;
    } catch {
      throw new Unwell(`${url} answered with a web page instead of JSON; open it in a browser to see why.`);
    }
  }
}
