// Opens the finder of a nationwide file: only what its rows are looked up by is read.
import type { Client } from '../../../base/db/postgres.ts';
import { makeFinder, type Finder, type ReadAddress } from '../map/find.ts';
import type { Dataset } from '../source.ts';
import * as sql from './find-sql.ts';

export const hasFinder = (dataset: Dataset) => dataset.records.some(({ key }) => (key ?? dataset.key)?.find);

export async function openFinder(
  client: Client,
  dataset: Dataset,
  options: { counties: number[]; readAddress: ReadAddress | undefined },
): Promise<Finder | undefined> {
  if (!hasFinder(dataset)) return undefined;
  const { counties, readAddress } = options;
  const scope = { counties, sourceId: dataset.id };
  const ways = dataset.records.map(({ key }) => (key ?? dataset.key)?.find);
  const uses = (way: 'parcel' | 'line' | 'inside') => ways.some((find) => find?.[way]);
  return makeFinder({
    counties: await sql.listCountyNames(client, counties),
    parcels: uses('parcel') ? await sql.listParcels(client, scope) : [],
    addresses: uses('line') && readAddress ? await sql.listAddresses(client, scope) : [],
    points: uses('inside') ? await sql.listPoints(client, counties) : [],
    readAddress,
  });
}
