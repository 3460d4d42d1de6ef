// Vector tiles of the base map: land, water, roads, borders, names, tracts, neighborhoods, ZIPs, zones.
import type { Deps } from '../../base/deps.ts';
import * as geo from '../../base/lib/geo.ts';
import { shapeCellsAround } from '../../base/lib/shapes.ts';
import { type Catalog } from '../markets/catalog.ts';
import { POLYGON_LAYERS } from '../../supply/layers/layers.ts';
import type { Atlas } from './atlas.ts';
import { drawLoadedLayers, readLevels } from './loaded-layers.ts';
import { boundsOfTile, encodeTile, type Layer, type TileLines, type TilePoint, type TilePolygons } from './mvt.ts';
import { namePoint, placesIn, readTowns } from './place-names.ts';
import { fitStreets } from './streets.ts';
import type { TileSpot } from './tile-cache.ts';
import * as sql from './sql.ts';

const ZONE_ZOOM = 8;
/** From this zoom on, the outline of a loaded county follows its tracts, which are drawn more finely than the atlas. */
const TRACT_ZOOM = 9;
const COUNTY_ZOOM = 5;
/** The zoom from which roads of each rank are drawn. */
const ROAD_ZOOMS = [
  [9, 1],
  [11, 2],
  [13, 3],
  [15, 4],
] as const;
/** From this zoom on, a tile covers few enough index squares to list them. */
const NEAR_ZOOM = 13;
const STREET_NAME_ZOOM = 14;
const AREA_NAME_ZOOM = 10;
/** An area smaller than this share of a tile is a dot on the screen. */
const SMALLEST_SHARE = 1 / 128;
const WIDE_DEGREES = 0.06;
/** Degrees that a county's areas and roads may extend beyond its simplified atlas outline. */
const MARGIN = 0.25;
/** Further out, the ZIP codes of a state are dots. */
const ZIP_ZOOM = 6;
/** Degrees that a ZIP code may extend from the center of its homes. */
const ZIP_MARGIN = 1;
const TRACT_KINDS = ['tract'];
const KINDS: Record<string, string> = {
  tract: 'tracts',
  neighborhood: 'neighborhoods',
  ...Object.fromEntries(POLYGON_LAYERS.map(({ name }) => [name, name])),
  water: 'water',
};
const STYLES = new Map(POLYGON_LAYERS.map(({ name, polygons }) => [name as string, polygons.map]));

type GroundDeps = Pick<Deps, 'dataReplica' | 'catalog' | 'tiles'>;

/** A newly loaded layer is drawn immediately. */
export async function readBoundaryTile(deps: GroundDeps, spot: TileSpot): Promise<Buffer> {
  const view = [...(await deps.catalog.read()).layers.keys()].join();
  return deps.tiles.boundaries({ ...spot, view }, async () => encodeTile(await drawGround(deps, spot), spot));
}

interface Ground {
  spot: TileSpot;
  catalog: Catalog;
  box: geo.Box;
  markets: string[];
  counties: number[];
}

async function drawGround(deps: GroundDeps, spot: TileSpot): Promise<Layer[]> {
  const catalog = await deps.catalog.read();
  const visible = catalog.visible[spot.mode];
  const box = boundsOfTile(spot.z, spot.x, spot.y);
  const ground: Ground = {
    spot,
    catalog,
    box,
    markets: [...new Set(visible.map((row) => row.market))],
    counties: countiesNear(deps.tiles.atlas(), box, new Set(visible.map((row) => row.fips))),
  };
  const [areas, zips, zones, lines, streets, places, withTracts, loaded] = await Promise.all([
    readAreas(deps, ground),
    drawZips(deps, ground),
    drawZones(deps, ground),
    drawLines(deps, ground),
    nameStreets(deps, ground),
    placesIn(deps, ground),
    spot.z >= TRACT_ZOOM ? sql.listCountiesWith(deps.dataReplica, 'areas', ground.counties, TRACT_KINDS) : [],
    drawLoadedLayers(deps, catalog, { ...ground, z: spot.z, minSpan: smallestAt(spot.z) }),
  ]);
  const land = drawLand(deps.tiles.atlas(), ground, new Set(withTracts));
  const names = [...places, ...nameAreas(areas, ground)];
  const ofGround = [...land, ...drawAreas(areas), ...zips, ...zones, ...loaded, ...lines, ...streets];
  return [...ofGround, { name: 'places', points: names }];
}

/** A county missing from the atlas, such as the sandbox's, may be anywhere. */
function countiesNear(atlas: Atlas, box: geo.Box, counties: Set<number>): number[] {
  const near = geo.widenBox(box, MARGIN);
  const far = new Set(atlas.counties.filter((county) => !geo.boxesTouch(county.box, near)).map(({ code }) => code));
  return [...counties].filter((fips) => !far.has(fips));
}

/** Counties with loaded tracts are drawn from those; a strip of land covers the gap between the two outlines. */
function drawLand(atlas: Atlas, { spot, box }: Ground, withTracts: Set<number>): Layer[] {
  const isNear = (item: { box: geo.Box }) => geo.boxesTouch(item.box, box);
  const pieces = spot.z < COUNTY_ZOOM ? atlas.states : atlas.counties.filter(({ code }) => !withTracts.has(code));
  const land = [...atlas.abroad, ...pieces].filter(isNear).map(({ polygons }) => ({ polygons, properties: {} }));
  const isShown = ({ isState }: { isState: boolean }) => isState || spot.z >= COUNTY_ZOOM;
  const borders = atlas.lines
    .filter((line) => isShown(line) && isNear(line))
    .map(({ path, isState, counties }) => ({
      lines: [path],
      properties: { state: isState, ...(counties.some((code) => withTracts.has(code)) && { seam: true }) },
    }));
  return [
    { name: 'land', areas: land },
    { name: 'borders', lines: borders },
  ];
}

type KnownArea = sql.AreaRow & { figures: object | undefined };

async function readAreas(deps: GroundDeps, { spot, catalog, box, counties }: Ground): Promise<KnownArea[]> {
  const kinds = Object.keys(KINDS).filter((kind) => spot.z >= (STYLES.get(kind)?.fromZoom ?? 0));
  const rows = await sql.listTileAreas(deps.dataReplica, { counties, kinds, box, minSpan: smallestAt(spot.z) });
  const tracts = rows.filter(({ kind }) => TRACT_KINDS.includes(kind)).map(({ id }) => id);
  const [figures, levels] = await Promise.all([
    sql.listTractFigures(deps.dataReplica, counties, tracts),
    readLevels(deps, catalog, { kind: 'tract', ids: tracts }),
  ]);
  return rows.map((row) => ({ ...row, figures: { ...figures.get(row.id), ...levels.get(row.id) } }));
}

const smallestAt = (z: number): number => (360 / 2 ** z) * SMALLEST_SHARE;

/** ZIP codes that have homes. They have no county, since many span several. */
async function drawZips(deps: GroundDeps, { spot, catalog, box }: Ground): Promise<Layer[]> {
  if (spot.z < ZIP_ZOOM) return [];
  const near = geo.widenBox(box, ZIP_MARGIN);
  const zips = (await readTowns(deps, spot.mode)).filter((town) => town.kind === 'zip' && geo.boxHolds(near, town));
  if (zips.length === 0) return [];
  const rows = await sql.listTileZips(deps.dataReplica, {
    zips: zips.map(({ name }) => name),
    box,
    minSpan: smallestAt(spot.z),
  });
  const levels = await readLevels(deps, catalog, { kind: 'zip', ids: rows.map(({ id }) => id) });
  return [
    { name: 'zips', areas: rows.map(({ id, polygons }) => ({ polygons, properties: { id, ...levels.get(id) } })) },
  ];
}

function drawAreas(rows: KnownArea[]): Layer[] {
  const layers = Map.groupBy(rows, (row) => KINDS[row.kind]);
  return [...layers].map(([name, areas]) => ({ name, areas: areas.map(presentArea) }));
}

/** Neighborhoods and waters are named once, in the tile that has their middle. */
function nameAreas(rows: KnownArea[], { spot, box }: Ground): TilePoint[] {
  if (spot.z < AREA_NAME_ZOOM) return [];
  return rows.flatMap(({ kind, name, polygons }) => {
    const isNamed = kind === 'water' || (kind === 'neighborhood' && widthOf(polygons) <= WIDE_DEGREES);
    return name && isNamed ? namePoint(kind === 'water' ? 'water' : 'district', { name, polygons }, box) : [];
  });
}

function presentArea({ kind, id, name, attributes, polygons, figures }: KnownArea): TilePolygons {
  const drawn = STYLES.get(kind)?.attributes({ name, attributes });
  // Rural districts can be wider than a town; their outline is not informative on a map.
  const isWide = kind === 'neighborhood' && widthOf(polygons) > WIDE_DEGREES;
  return { polygons, properties: { id, name, ...figures, ...drawn, ...(isWide && { wide: true }) } };
}

/** Opportunity zones, by the tracts of the census they were designated in. */
async function drawZones(deps: GroundDeps, { spot, box, counties }: Ground): Promise<Layer[]> {
  if (spot.z < ZONE_ZOOM) return [];
  const rows = await sql.listTileZones(deps.dataReplica, { counties, kinds: TRACT_KINDS, box });
  return [{ name: 'zones', areas: rows.map(({ id, polygons }) => ({ polygons, properties: { id } })) }];
}

async function drawLines(deps: GroundDeps, { spot, box, counties }: Ground): Promise<Layer[]> {
  const maxRank = ROAD_ZOOMS.findLast(([zoom]) => spot.z >= zoom)?.[1];
  if (maxRank === undefined) return [];
  const cells = spot.z >= NEAR_ZOOM ? shapeCellsAround(box) : undefined;
  const rows = await sql.listTileLines(deps.dataReplica, { counties, box, maxRank, cells });
  const drawn = (wanted: string): TileLines[] =>
    rows
      .filter(({ kind }) => kind === wanted)
      .map(({ path, name, rank }) => ({ lines: path, properties: { name, rank } }));
  return [
    { name: 'roads', lines: drawn('road') },
    { name: 'streams', lines: drawn('stream') },
  ];
}

/** Names along the homes of a street, in counties whose roads are not loaded: the same line in every tile it crosses. */
async function nameStreets(deps: GroundDeps, { spot, box, markets, counties }: Ground): Promise<Layer[]> {
  if (spot.z < STREET_NAME_ZOOM) return [];
  const withRoads = new Set(await sql.listCountiesWith(deps.dataReplica, 'map_lines', counties, ['road']));
  const without = counties.filter((fips) => !withRoads.has(fips));
  if (without.length === 0) return [];
  const cells = geo.cellsOfBox(box, geo.FINE_DEGREES);
  const rows = await sql.listDoorsteps(deps.dataReplica, { markets, counties: without, cells });
  const lines = [...Map.groupBy(rows, ({ cell }) => cell).values()]
    .flatMap((homes) => fitStreets(homes))
    .map(({ name, path, homes }) => ({ lines: [path], properties: { name, homes } }));
  return [{ name: 'streets', lines }];
}

function widthOf(polygons: geo.MultiPolygon): number {
  const box = geo.boxOfPolygon(polygons);
  return box.maxLongitude - box.minLongitude;
}
