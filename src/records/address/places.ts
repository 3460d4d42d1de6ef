// The cities and ZIP codes of every county, held in memory and reread after a load changes them.
import type { Queryable } from '../../base/db/postgres.ts';
import type { Connections } from '../../base/deps.ts';
import { Gazetteer } from './parse/gazetteer.ts';
import { countyRange, type AddressMode } from './store/postgres.ts';
import * as sql from './store/sql.ts';

const CHECK_EVERY_MS = 5_000;

interface Places {
  read(mode: AddressMode): Promise<Gazetteer>;
  /** Call after a load in this process. */
  forget(): void;
}

declare module '../../base/deps.ts' {
  interface Deps {
    places: Places;
  }
}

interface Held {
  version: number;
  checkedAt: number;
  gazetteer: Gazetteer;
}

export function createPlaces({ data }: Pick<Connections, 'data'>): Places {
  const held = new Map<AddressMode, Promise<Held>>();
  return {
    async read(mode) {
      const known = await held.get(mode);
      if (known && performance.now() - known.checkedAt < CHECK_EVERY_MS) return known.gazetteer;
      if (known) known.checkedAt = performance.now();
      const fresh = readPlaces(data, mode, known);
      // On the first read everyone waits. After that, callers get the old places while one of them rereads.
      if (!known) {
        held.set(mode, fresh);
        fresh.catch(() => held.delete(mode));
      } else {
        held.set(mode, Promise.resolve(await fresh));
      }
      return (await fresh).gazetteer;
    },
    forget: () => held.clear(),
  };
}

async function readPlaces(data: Queryable, mode: AddressMode, known: Held | undefined): Promise<Held> {
  const version = await sql.readVersion(data);
  if (known?.version === version) return { ...known, checkedAt: performance.now() };
  return { version, checkedAt: performance.now(), gazetteer: await readGazetteer(data, mode) };
}

export async function readGazetteer(data: Queryable, mode: AddressMode): Promise<Gazetteer> {
  const range = countyRange(mode);
  const [localities, aliases, suffixWords] = await Promise.all([
    sql.listLocalities(data, range),
    sql.listCityAliases(data, range),
    sql.listSuffixWords(data, range),
  ]);
  return new Gazetteer(localities, { aliases, suffixWords });
}
