// Cities and ZIPs of every county, kept in memory and read again when a load has changed them.
import type { Pool } from '../db/postgres.ts';
import type { Connections } from '../deps.ts';
import { Gazetteer } from './parse/gazetteer.ts';
import { countyRange, type AddressMode } from './store/postgres.ts';
import * as sql from './store/sql.ts';

const CHECK_EVERY_MS = 5_000;

interface Places {
  read(mode: AddressMode): Promise<Gazetteer>;
  /** After a load in this process. */
  forget(): void;
}

declare module '../deps.ts' {
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
      // Whoever comes first waits for the reading and so do all others; later ones get the old places until it is done.
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

async function readPlaces(data: Pool, mode: AddressMode, known: Held | undefined): Promise<Held> {
  const version = await sql.readVersion(data);
  if (known?.version === version) return { ...known, checkedAt: performance.now() };
  const range = countyRange(mode);
  const [localities, aliases] = await Promise.all([sql.listLocalities(data, range), sql.listCityAliases(data, range)]);
  return { version, checkedAt: performance.now(), gazetteer: new Gazetteer(localities, aliases) };
}
