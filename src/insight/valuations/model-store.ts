// How training reads tract incomes, homes and the serving model; the queries themselves stay in this room.
import { assessedOn, type Attributes } from '../avm/attributes.ts';
import type { Deps } from '../../base/deps.ts';
import type { Model } from '../avm/model.ts';
import { unpack } from '../avm/pack.ts';
import { assessedOf, attributesOf } from './records.ts';
import * as sql from './model-sql.ts';
import * as homes from './sql.ts';

/** Income by census tract, for the fairness tables. */
export const listTractIncomes = async (deps: Pick<Deps, 'data'>, market: string): Promise<Map<string, number>> =>
  new Map((await homes.listTractIncomes(deps.data, market)).map(({ tract, income }) => [tract, income]));

/** A few thousand of a market's homes, sold or not. */
export async function sampleHomes({ data }: Pick<Deps, 'data'>, market: string): Promise<Attributes[]> {
  const rolls = await homes.readRolls(data, market);
  const read = (row: homes.AttributeRow) => assessedOn(attributesOf(row), assessedOf(row, rolls), Infinity);
  return (await homes.sampleHomes(data, market, SAMPLE)).map(read);
}

const SAMPLE = 10_000;

export const findServing = async (deps: Pick<Deps, 'control'>, market: string) =>
  (await sql.listModelCards(deps.control, market)).find(({ state }) => state === 'current');

/** The serving model; undefined if none can be read by this version. */
export async function readServing(deps: Pick<Deps, 'control'>, market: string): Promise<Model | undefined> {
  const row = await findServing(deps, market);
  const bytes = row && (await sql.findModelBytes(deps.control, row.hash));
  return bytes && unpack<Model>(bytes);
}
