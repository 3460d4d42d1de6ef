// Adds a county by its name: chooses among the catalog's layers, downloads them into the county's folder, and writes a
// drafted recipe next to them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Config } from '../../base/config.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import { STATES } from '../../base/lib/states.ts';
import type { County, Entry, Fact } from '../../supply/catalog/catalog.ts';
import { addresses } from '../../records/address/filing.ts';
import { noteReading } from '../../supply/catalog/readings.ts';
import { parseRecipe } from '../../supply/ingest/recipes.ts';
import { scaffoldSource, type FileAt, type Meanings, type Scaffold } from '../../supply/ingest/scaffold.ts';
import {
  fetchTo,
  isLayerUrl,
  layerFileName,
  listTables,
  narrowTo,
  type ServiceOptions,
} from '../../supply/ingest/service.ts';
import { freeId } from './counties.ts';
import { safeName } from './files.ts';

/** Formats that `platbook` reads; others are reported so a person can convert them. */
const READABLE = new Set(['arcgis', 'csv', 'geojson', 'shapefile', 'gdb']);

interface Adding {
  config: Config;
  county: County;
  entries: Entry[];
  today: string;
  /** Receives progress messages, in full sentences. */
  say: (text: string) => void;
  options: Omit<ServiceOptions, 'cache'>;
}

/** The folder of a county that was added by name. */
const folderOfCounty = ({ home }: Config, id: string): string => join(home, 'counties', id);

/** False for unsupported formats and manual downloads. */
export const isReadable = ({ format }: Entry): boolean => READABLE.has(format);

const idOfCounty = ({ name, state }: County): string => freeId({ place: name, county: name }, state);

export type AddedCounty = Awaited<ReturnType<typeof prepareCounty>>;

export async function prepareCounty(adding: Adding) {
  const { config, county } = adding;
  const id = idOfCounty(county);
  const folder = folderOfCounty(config, id);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const parcels = await fetchFirst(adding, folder, 'parcels');
  const files = [parcels.file, ...(await fetchTables(adding, folder, parcels.entry.url))];
  let scaffold = await begin(adding, id, files, parcels.entry);
  if (scaffold.missing.includes('street address')) {
    const addresses = await fetchFirst(adding, folder, 'addresses').catch((error: unknown) => {
      adding.say(`No addresses: ${(error as Error).message}`);
      return undefined;
    });
    const both = addresses && (await begin(adding, id, [...files, addresses.file], parcels.entry));
    if (both && addresses && joinsByParcel(both, addresses.file)) {
      files.push(addresses.file);
      scaffold = both;
    } else if (both) adding.say('The address points name no parcels, so they are left out.');
  }
  noteScaffold(config.home, parcels.entry.url, adding.today, scaffold);
  const recipePath = join(folder, `${id}.yaml`);
  writeFileSync(recipePath, scaffold.recipe, { mode: 0o600 });
  return { source: parseRecipe(scaffold.recipe, recipePath), folder, recipePath, scaffold, files };
}

/** The first layer of a kind that can be fetched: the county's own, then its state's. */
async function fetchFirst(
  adding: Adding,
  folder: string,
  kind: Entry['kind'],
): Promise<{ entry: Entry; file: FileAt }> {
  const { county, entries, say } = adding;
  const candidates = entries.filter((entry) => entry.kind === kind && isReadable(entry));
  if (candidates.length === 0)
    throw new CommandError(
      `The catalog lists no layer of ${kind} for ${county.name}, ${county.state} that can be read.`,
    );
  const failures: string[] = [];
  for (const entry of candidates) {
    try {
      say(`Reading ${entry.url}`);
      return { entry, file: await fetchEntry(adding, folder, entry) };
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      failures.push(error.message);
      say(`It cannot be read: ${error.message}`);
    }
  }
  throw new CommandError(failures.join('\n'));
}

async function fetchEntry({ county, options, say }: Adding, folder: string, entry: Entry): Promise<FileAt> {
  const own = { ...options, cache: folder };
  const isOfState = entry.area.length === 2;
  if (isOfState && !isLayerUrl(entry.url))
    throw new CommandError('It is one file for the whole state; load it with a recipe of the state instead.');
  const url = isOfState ? await narrowTo(entry.url, county, own) : entry.url;
  if (url === undefined) throw new CommandError(`No column of it names ${county.name}.`);
  if (isOfState) say(`Of the state's rows: ${new URL(url).searchParams.get('where')}`);
  const isLayer = isLayerUrl(url);
  const name = isLayer ? layerFileName(url) : safeName(basename(new URL(url).pathname));
  const path = join(folder, name);
  await fetchTo(path, url, own);
  return { path, url, ...(isLayer && { paging: 'arcgis' as const }), license: entry.license };
}

/** An unreadable table does not prevent loading the parcels. */
async function fetchTables({ options, say }: Adding, folder: string, url: string): Promise<FileAt[]> {
  if (!isLayerUrl(url)) return [];
  const files: FileAt[] = [];
  for (const table of await listTables(url, { ...options, cache: folder })) {
    const path = join(folder, layerFileName(table.url));
    try {
      say(`Reading the table ${table.name}`);
      await fetchTo(path, table.url, { ...options, cache: folder });
      files.push({ path, url: table.url, paging: 'arcgis' });
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      say(`It cannot be read: ${error.message}`);
    }
  }
  return files;
}

function begin(
  { county, today, config }: Adding,
  id: string,
  files: FileAt[],
  { parcelField }: Entry,
): Promise<Scaffold> {
  return scaffoldSource({
    files,
    cacheFolder: join(config.home, 'downloads'),
    place: { id, name: placeOf(county), state: county.state, fips: county.fips, county: county.name },
    meanings: meaningsOf(parcelField),
    today,
    addresses,
  });
}

/** `Dane County, Wisconsin` */
export const placeOf = ({ name, state }: County): string =>
  `${name}, ${STATES.find(({ code }) => code === state)?.name ?? state}`;

/** Servers change the case of their columns. If the catalog names a row counter, the file's own guess is better. */
export function meaningsOf(parcelField: string): Meanings {
  const column = parcelField.slice(parcelField.lastIndexOf('.') + 1);
  if (column === '' || /^(object_?id|fid|oid|globalid)$/i.test(column)) return {};
  return Object.fromEntries([column, column.toUpperCase(), column.toLowerCase()].map((name) => [name, 'parcel']));
}

const joinsByParcel = ({ files }: Scaffold, { path }: FileAt): boolean =>
  files.find(({ name }) => name === basename(path))?.columns.some(({ role }) => role === 'parcel') ?? false;

const TOLD_BY: Record<Exclude<Fact, 'shapes'>, RegExp> = {
  addresses: /^(address_line1|street_name)$/,
  owners: /^owner$/,
  assessments: /value|assess/,
  attributes: /^(sqft|year_built|bedrooms|age)$/,
  sales: /^sale_price$/,
};

/** The facts found in the files' columns. */
export const factsOf = ({ found, files }: Scaffold): Fact[] => [
  ...(files.some(({ shapes }) => shapes > 0) ? (['shapes'] as const) : []),
  ...(Object.keys(TOLD_BY) as (keyof typeof TOLD_BY)[]).filter((fact) =>
    found.some((role) => TOLD_BY[fact].test(role)),
  ),
];

/** Records a layer's facts in the catalog. */
export const noteScaffold = (home: string, url: string, day: string, scaffold: Scaffold): void =>
  noteReading(home, url, { day, rows: scaffold.files[0].rows, brings: factsOf(scaffold) });
