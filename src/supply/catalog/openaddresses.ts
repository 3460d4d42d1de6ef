// Reads the facts on OpenAddresses' US sources (area, kind of layer, URL, format, license) from a copy of its
// repository: a folder, or a Git host's ZIP archive.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { CommandError } from '../../base/lib/command-error.ts';
import type { Point } from '../../base/lib/geo.ts';
import { formatFips } from '../../base/lib/ids.ts';
import { keyOf } from '../../base/lib/place-name.ts';
import { STATES } from '../../base/lib/states.ts';
import { listZip, readZipMember } from '../../base/lib/zip-file.ts';
import type { County } from './catalog.ts';
import type { Layer } from './layers.ts';

interface Described {
  coverage?: {
    'US Census'?: { geoid?: string };
    state?: string;
    county?: string | string[];
    geometry?: { type: string; coordinates: unknown };
  };
  layers?: Record<string, DescribedLayer[]>;
}

interface DescribedLayer {
  name?: string;
  data?: unknown;
  protocol?: string;
  skip?: boolean;
  license?: string | { url?: string; text?: string };
  conform?: { format?: string; pid?: unknown };
}

export interface Surroundings {
  counties: Iterable<County>;
  countyAt(point: Point): number | undefined;
}

const KINDS = ['parcels', 'addresses', 'buildings'] as const;
const IN_US = /(^|\/)sources\/us\/([a-z]{2})\/([^/]+)\.json$/;

/** Omits sources that are skipped there or name no known area. */
export async function readOpenAddresses(path: string, around: Surroundings): Promise<Layer[]> {
  const files = statSync(path).isDirectory() ? listFolder(path) : await listArchive(path);
  if (files.length === 0)
    throw new CommandError(`${path} is not a copy of OpenAddresses: it has no sources/us/<state>/*.json.`);
  const counties = [...around.counties];
  const known = { ...around, names: namesOf(counties), codes: new Set(counties.map(({ fips }) => fips)) };
  return files.flatMap(({ name, text }) => layersOf(name, JSON.parse(text) as Described, known));
}

interface SourceFile {
  name: string;
  text: string;
}

function listFolder(folder: string): SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => IN_US.test(name))
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
}

async function listArchive(path: string): Promise<SourceFile[]> {
  const members = (await listZip(path)).filter(({ name }) => IN_US.test(name));
  const files: SourceFile[] = [];
  for (const member of members)
    files.push({ name: member.name, text: (await buffer(readZipMember(path, member))).toString('utf8') });
  return files;
}

const namesOf = (counties: Iterable<County>): Map<string, number> =>
  new Map([...counties].flatMap(({ fips, name, state }) => countyKeys(name).map((key) => [`${state} ${key}`, fips])));

/** `Dane County` is also called Dane. A city is not the county of its name. */
const countyKeys = (name: string): string[] => [
  keyOf(name),
  ...(name.endsWith(' city')
    ? []
    : [keyOf(name.replace(/ (County|Parish|Borough|City and Borough|Municipality)$/, ''))]),
];

type Known = Surroundings & { names: Map<string, number>; codes: Set<number> };

function layersOf(file: string, { coverage = {}, layers = {} }: Described, known: Known): Layer[] {
  const [, , state, stem] = IN_US.exec(file)!;
  const area = areaOf(state.toUpperCase(), stem, coverage, known);
  if (area === undefined) return [];
  const isCity = !/^(county|state|statewide)/.test(stem) && area.isPart;
  const name = isCity ? stem.replace(/^(city|town|village)_of_/, '').replaceAll('_', ' ') : '';
  return KINDS.flatMap((kind) =>
    (layers[kind] ?? []).flatMap((layer): Layer[] => {
      const { data, skip, conform, license } = layer;
      const format = formatOf(layer);
      // A county's own service listed under its state does not cover the whole state.
      if (area.code.length === 2 && layer.name === 'county') return [];
      if (skip || typeof data !== 'string' || !/^https?:/.test(data) || format === undefined) return [];
      const parcelField = kind === 'parcels' && typeof conform?.pid === 'string' ? conform.pid : '';
      return [{ area: area.code, kind, name, format, parcelField, license: licenseOf(license), url: data }];
    }),
  );
}

function areaOf(
  state: string,
  stem: string,
  { 'US Census': census, county, geometry }: NonNullable<Described['coverage']>,
  { names, codes, countyAt }: Known,
): { code: string; isPart: boolean } | undefined {
  const geoid = census?.geoid ?? '';
  const { fips } = STATES.find(({ code }) => code === state) ?? {};
  if (fips === undefined) return undefined;
  if (stem.startsWith('statewide')) return { code: fips, isPart: false };
  if (codes.has(Number(geoid)) && geoid.length === 5) return { code: geoid, isPart: false };
  const named = typeof county === 'string' ? names.get(`${state} ${keyOf(county)}`) : undefined;
  const isPart = /^\d{6,7}$/.test(geoid) || geometry?.type === 'Point';
  if (named !== undefined) return { code: formatFips(named), isPart };
  const [longitude, latitude] = (geometry?.type === 'Point' ? geometry.coordinates : []) as number[];
  const found = longitude === undefined ? undefined : countyAt({ longitude, latitude });
  return found === undefined ? undefined : { code: formatFips(found), isPart: true };
}

function formatOf({ protocol, conform }: DescribedLayer): string | undefined {
  if (protocol === 'ESRI') return 'arcgis';
  if (protocol !== 'http') return undefined;
  const format = conform?.format?.replace('shapefile-polygon', 'shapefile');
  return format && /^(csv|geojson|shapefile|gdb|xml)$/.test(format) ? format : undefined;
}

const licenseOf = (license: DescribedLayer['license']): string =>
  typeof license === 'string' ? license : (license?.text ?? license?.url ?? '');
