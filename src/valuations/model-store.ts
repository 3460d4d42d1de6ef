// How training reads tract incomes and stores models; the queries themselves stay in this room's sql.ts.
import type { Deps } from '../deps.ts';
import * as sql from './sql.ts';

/** Income by census tract, for the fairness tables. */
export async function listTractIncomes(deps: Pick<Deps, 'data'>, market: string): Promise<Map<string, number>> {
  return new Map((await sql.listTractIncomes(deps.data, market)).map(({ tract, income }) => [tract, income]));
}

export async function findServing(deps: Pick<Deps, 'control'>, market: string): Promise<sql.ModelRow | undefined> {
  return (await sql.listModels(deps.control, market)).find(({ state }) => state === 'current');
}

export async function publishModels(deps: Pick<Deps, 'control'>, models: sql.NewModel[]): Promise<void> {
  await sql.insertModels(deps.control, models);
}
