// How training reads tract incomes, homes and the serving model; the queries themselves stay in this room.
import type { Attributes } from '../avm/attributes.ts';
import type { Deps } from '../../base/deps.ts';
import type { Model } from '../avm/model.ts';
import { unpack } from '../avm/pack.ts';
import { attributesOf } from './records.ts';
import * as sql from './model-sql.ts';
import * as homes from './sql.ts';

/** Income by census tract, for the fairness tables. */
export const listTractIncomes = async (deps: Pick<Deps, 'data'>, market: string): Promise<Map<string, number>> =>
  new Map((await homes.listTractIncomes(deps.data, market)).map(({ tract, income }) => [tract, income]));

/** Some thousands of a market's homes, whether sold or not. */
export const sampleHomes = async (deps: Pick<Deps, 'data'>, market: string): Promise<Attributes[]> =>
  (await homes.sampleHomes(deps.data, market, SAMPLE)).map(attributesOf);

const SAMPLE = 10_000;

export const findServing = async (deps: Pick<Deps, 'control'>, market: string) =>
  (await sql.listModelCards(deps.control, market)).find(({ state }) => state === 'current');

/** The serving model itself; undefined where there is none that this version can read. */
export async function readServing(deps: Pick<Deps, 'control'>, market: string): Promise<Model | undefined> {
  const row = await findServing(deps, market);
  const bytes = row && (await sql.findModelBytes(deps.control, row.hash));
  return bytes && unpack<Model>(bytes);
}
