// What a property and a call cost, fitted over the sizes measured, and what the whole country would need by that.
import { readFileSync } from 'node:fs';
import type { Pool } from '../src/base/db/postgres.ts';
import { printTable } from './measure.ts';

/** Parcels of the United States with a home or another building. */
const COUNTRY = 123_000_000;
const GB = 1e9;

export interface Footprint {
  properties: number;
  tableBytes: number;
  indexBytes: number;
  copySeconds: number;
  indexSeconds: number;
}

export async function readFootprint(data: Pool, properties: number): Promise<Footprint> {
  const { rows } = await data.query<{ table: number; indexes: number; copy: number; index: number }>(
    `select pg_table_size('properties') as table, pg_indexes_size('properties') as indexes,
       copy_seconds as copy, index_seconds as index from bench_fill`,
  );
  const { table, indexes, copy, index } = rows[0];
  return { properties, tableBytes: table, indexBytes: indexes, copySeconds: copy, indexSeconds: index };
}

/** Milliseconds of CPU that PostgreSQL, on this machine, takes for one database until the result is called; NaN where
    /proc does not tell. */
export async function watchCpu(data: Pool): Promise<() => Promise<number>> {
  const read = async (): Promise<number> => {
    const { rows } = await data.query<{ pid: number }>(
      'select pid from pg_stat_activity where datname = current_database()',
    );
    return rows.reduce((sum, { pid }) => sum + ticksOf(pid), 0) * 10;
  };
  const before = await read();
  return async () => (await read()) - before;
}

/** Hundredths of a second. */
function ticksOf(pid: number): number {
  try {
    // The name, in parentheses, may have spaces; what follows it has none.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return NaN;
  }
}

type Costs = Footprint & { cpu: { service: number; postgres: number } };

export function printCosts(costs: Costs[]): void {
  const per = (of: (each: Costs) => number, digits: number) => costs.map((each) => of(each).toFixed(digits));
  const largest = costs.at(-1)!;
  printTable(
    'Cost per property and per call',
    ['', ...costs.map(({ properties }) => `${properties / 1e6} M`)],
    [
      ['table, bytes per property', ...per((each) => each.tableBytes / each.properties, 0)],
      ['indexes, bytes per property', ...per((each) => each.indexBytes / each.properties, 0)],
      ['copied, µs per property', ...per((each) => (1e6 * each.copySeconds) / each.properties, 1)],
      ['indexed, µs per property', ...per((each) => (1e6 * each.indexSeconds) / each.properties, 1)],
      ['CPU of the service, ms per call', ...per(({ cpu }) => cpu.service, 2)],
      ['CPU of PostgreSQL, ms per call', ...per(({ cpu }) => cpu.postgres, 2)],
    ],
  );
  if (costs.length < 2) return;
  const atCountry = (of: (each: Costs) => number) => fitted(costs, of)(COUNTRY);
  const tables = atCountry((each) => each.tableBytes);
  const indexes = atCountry((each) => each.indexBytes);
  const load = atCountry((each) => each.copySeconds + each.indexSeconds);
  // Indexes are trees: what a call does grows with the logarithm of the properties, if at all.
  const service = fitted(costs, ({ cpu }) => cpu.service, Math.log10)(COUNTRY);
  const postgres = fitted(costs, ({ cpu }) => cpu.postgres, Math.log10)(COUNTRY);
  const nodes = Math.ceil(COUNTRY / largest.properties);
  printTable(
    `${COUNTRY / 1e6} million properties, by a straight line through these`,
    ['', 'needed'],
    [
      ['disk for properties: tables + indexes, GB', `${(tables / GB).toFixed(0)} + ${(indexes / GB).toFixed(0)}`],
      ['memory that holds all of it, GB', ((tables + indexes) / GB).toFixed(0)],
      ['memory that holds the indexes, GB', (indexes / GB).toFixed(0)],
      ['hours to copy and index, one process', (load / 3600).toFixed(1)],
      ['CPU ms per call: service + PostgreSQL', `${service.toFixed(2)} + ${postgres.toFixed(2)}`],
      ['cores for 1,000 calls a second', Math.ceil(service + postgres)],
      [`nodes of ${largest.properties / 1e6} million each, the largest size measured`, nodes],
      ['disk of each such node, GB', ((largest.tableBytes + largest.indexBytes) / GB).toFixed(1)],
    ],
  );
}

/** Least squares over the sizes, on the scale given. */
function fitted(costs: Costs[], of: (each: Costs) => number, scale = (n: number) => n): (n: number) => number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [costs.map(({ properties }) => scale(properties)), costs.map(of)];
  const [middle, height] = [mean(x), mean(y)];
  const slope =
    x.reduce((sum, value, k) => sum + (value - middle) * (y[k] - height), 0) /
    x.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  return (n) => height + slope * (scale(n) - middle);
}
