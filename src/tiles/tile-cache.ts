// Caches rendered tiles briefly: a map requests the same ones repeatedly, and many maps show the same place.
import { LRUCache } from 'lru-cache';
import type { KeyMode } from '../accounts/key-format.ts';
import type { TilePlace } from './mvt.ts';

const PROPERTIES_TTL_MS = 60_000;
const BOUNDARIES_TTL_MS = 600_000;

export interface TileSpot extends TilePlace {
  mode: KeyMode;
}

type TileCache = (tile: TileSpot, draw: () => Promise<Buffer>) => Promise<Buffer>;

interface TileCaches {
  properties: TileCache;
  boundaries: TileCache;
}

declare module '../deps.ts' {
  interface Deps {
    tiles: TileCaches;
  }
}

export function createTileCaches(): TileCaches {
  return { properties: createCache(PROPERTIES_TTL_MS), boundaries: createCache(BOUNDARIES_TTL_MS) };
}

function createCache(ttl: number): TileCache {
  const sizeCalculation = (tile: Buffer): number => tile.length + 1;
  const cache = new LRUCache<string, Buffer>({ max: 2_000, maxSize: 64 * 1024 * 1024, sizeCalculation, ttl });
  return async ({ mode, z, x, y }, draw) => {
    const name = `${mode}/${z}/${x}/${y}`;
    const known = cache.get(name);
    if (known) return known;
    const tile = await draw();
    cache.set(name, tile);
    return tile;
  };
}
