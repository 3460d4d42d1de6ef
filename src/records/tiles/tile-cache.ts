// Caches rendered tiles briefly: a map requests the same ones repeatedly, and many maps show the same place.
import { LRUCache } from 'lru-cache';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import { readAtlas, type Atlas } from './atlas.ts';
import type { TilePlace } from './mvt.ts';
import type { TownRow } from './sql.ts';

const PROPERTIES_TTL_MS = 60_000;
const BOUNDARIES_TTL_MS = 600_000;

export interface TileSpot extends TilePlace {
  mode: KeyMode;
  /** Names the view, where a place has more than one tile. */
  view?: string;
}

type TileCache = (tile: TileSpot, draw: () => Promise<Buffer>) => Promise<Buffer>;

interface TileCaches {
  properties: TileCache;
  boundaries: TileCache;
  /** Cities and ZIP codes, which move as slowly as counties are loaded. */
  towns: (mode: KeyMode, read: () => Promise<TownRow[]>) => Promise<TownRow[]>;
  atlas: () => Atlas;
}

declare module '../../base/deps.ts' {
  interface Deps {
    tiles: TileCaches;
  }
}

export function createTileCaches(): TileCaches {
  let atlas: Atlas | undefined;
  return {
    properties: createCache(PROPERTIES_TTL_MS),
    boundaries: createCache(BOUNDARIES_TTL_MS),
    towns: createTownCache(),
    atlas: () => (atlas ??= readAtlas()),
  };
}

function createTownCache(): TileCaches['towns'] {
  const cache = new LRUCache<KeyMode, Promise<TownRow[]>>({ max: 2, ttl: BOUNDARIES_TTL_MS });
  return (mode, read) => {
    const known = cache.get(mode);
    if (known) return known;
    const reading = read();
    cache.set(mode, reading);
    reading.catch(() => cache.delete(mode));
    return reading;
  };
}

function createCache(ttl: number): TileCache {
  const sizeCalculation = (tile: Buffer): number => tile.length + 1;
  const cache = new LRUCache<string, Buffer>({ max: 2_000, maxSize: 64 * 1024 * 1024, sizeCalculation, ttl });
  return async ({ mode, z, x, y, view = '' }, draw) => {
    const name = `${mode}/${z}/${x}/${y}/${view}`;
    const known = cache.get(name);
    if (known) return known;
    const tile = await draw();
    cache.set(name, tile);
    return tile;
  };
}
