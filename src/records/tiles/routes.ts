// HTTP routes for vector tiles.
import Type from 'typebox';
import type { Deps } from '../../base/deps.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import { fail } from '../../base/lib/errors.ts';
import { wholeNumber } from '../../base/lib/schema.ts';
import type { FilterInput } from '../properties/filter.ts';
import { filterOf } from '../properties/request.ts';
import { readBoundaryTile } from './boundaries.ts';
import { describeTiles, readTile } from './tiles.ts';
import { MAX_ZOOM, TileJson, TileQuery } from './schema.ts';

export function tileRoutes(app: App, deps: Deps): void {
  const reads = operationsOf('tiles', { scope: 'tiles:read', meter: 'none', liveData: true, openToGuests: true });
  const coordinate = (description: string) => wholeNumber({ minimum: 0, maximum: 2 ** MAX_ZOOM, description });

  app.get(
    '/tiles',
    reads('describe_tiles', 'Get the TileJSON of the vector tiles', { etag: true, response: { 200: TileJson } }),
    (request) => describeTiles(deps, request.caller.key.mode),
  );

  const params = Type.Object({
    z: Type.Integer({ minimum: 0, maximum: MAX_ZOOM, description: 'Zoom.' }),
    x: coordinate('Column.'),
    y: coordinate('Row.'),
  });
  const response = {
    200: {
      description: 'A Mapbox vector tile.',
      content: {
        'application/vnd.mapbox-vector-tile': {
          schema: Type.Unsafe<Buffer>({ type: 'string', format: 'binary', maxLength: 50_000_000 }),
        },
      },
    },
  };
  const checkTile = ({ z, x, y }: { z: number; x: number; y: number }) => {
    if (x < 2 ** z && y < 2 ** z) return;
    fail(
      'resource_not_found',
      `Tile ${z}/${x}/${y} does not exist: at zoom ${z}, columns and rows end at ${2 ** z - 1}.`,
    );
  };

  app.get(
    '/tiles/:z/:x/:y(^\\d+).mvt',
    reads('get_tile', 'Get one vector tile', {
      budget: 'tiles',
      params,
      querystring: TileQuery,
      response,
      errors: ['geometry_invalid', 'geometry_too_large'],
    }),
    async (request, reply) => {
      checkTile(request.params);
      const { color = 'value', area, ...input } = request.query;
      const filter = filterOf(request.caller, { ...(input as FilterInput), ...(area && { geometry: ringOf(area) }) });
      const spot = { mode: request.caller.key.mode, ...request.params };
      const tile = await readTile(deps, spot, { filter, figure: color });
      return reply.type('application/vnd.mapbox-vector-tile').header('cache-control', 'private, max-age=60').send(tile);
    },
  );

  app.get(
    '/tiles/boundaries/:z/:x/:y(^\\d+).mvt',
    reads('get_boundary_tile', 'Get one vector tile of boundaries', { params, response }),
    async (request, reply) => {
      checkTile(request.params);
      const tile = await readBoundaryTile(deps, { mode: request.caller.key.mode, ...request.params });
      return reply
        .type('application/vnd.mapbox-vector-tile')
        .header('cache-control', 'private, max-age=600')
        .send(tile);
    },
  );
}

/** A ring as a query parameter has it, which need not be closed. */
function ringOf(area: string) {
  const ring = area
    .split(';')
    .map((corner) => corner.split(',').map((part) => (part === '' ? Number.NaN : Number(part))));
  if (ring.length < 3 || !ring.every((corner) => corner.length === 2 && corner.every(Number.isFinite)))
    fail('geometry_invalid', 'Invalid geometry: `area` must be three or more corners as `lng,lat;lng,lat;…`.');
  const isClosed = ring.length > 3 && String(ring[0]) === String(ring.at(-1));
  return { type: 'Polygon' as const, coordinates: [isClosed ? ring : [...ring, ring[0]]] };
}
