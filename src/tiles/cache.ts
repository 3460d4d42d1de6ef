// Keeps drawn tiles for a while: a map asks for the same ones again and again, and many maps for the same ones.
import { LRUCache } from 'lru-cache';
import type { KeyMode } from '../accounts/key-format.ts';
import type { Pool } from '../db/postgres.ts';
import type { Deps } from '../deps.ts';

type TileDeps = Pick<Deps, 'dataReplica'>;
type Draw = (deps: TileDeps, mode: KeyMode, z: number, x: number, y: number) => Promise<Buffer>;

/** The same function, which draws a tile of a database once in `ttlMs`. */
export function keepTiles(ttlMs: number, draw: Draw): Draw {
  const caches = new WeakMap<Pool, LRUCache<string, Buffer>>();
  return async (deps, mode, z, x, y) => {
    const cache = caches.get(deps.dataReplica) ?? createCache(ttlMs);
    caches.set(deps.dataReplica, cache);
    const name = `${mode}/${z}/${x}/${y}`;
    const known = cache.get(name);
    if (known) return known;
    const tile = await draw(deps, mode, z, x, y);
    cache.set(name, tile);
    return tile;
  };
}

function createCache(ttl: number): LRUCache<string, Buffer> {
  const sizeCalculation = (tile: Buffer): number => tile.length + 1;
  return new LRUCache({ max: 2_000, maxSize: 64 * 1024 * 1024, sizeCalculation, ttl });
}
