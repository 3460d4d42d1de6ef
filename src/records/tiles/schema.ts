// The TileJSON that describes our vector tiles.
import Type from 'typebox';
import { FilterParameters } from '../properties/filter.ts';
import { decimal, list, named, oneOf, strict, text, wholeNumber } from '../../base/lib/schema.ts';
import { FIGURES } from '../../supply/map-aggregates/figures.ts';

export const MAX_ZOOM = 22;

export const TileQuery = strict({
  ...FilterParameters,
  area: Type.Optional(
    text(40_000, {
      description: 'Only homes inside this ring: `lng,lat;lng,lat;…`, from three corners up to 1,000.',
      examples: ['-70.1,40.2;-70.0,40.2;-70.0,40.3'],
    }),
  ),
  color: Type.Optional(
    oneOf(FIGURES, {
      description: 'The `figure` of each property, and the `median` of each cell. Default: value.',
      default: 'value',
    }),
  ),
});

export const TileJson = named('TileJson', {
  tilejson: oneOf(['3.0.0']),
  name: text(100),
  tiles: list(text(500)),
  minzoom: wholeNumber({ minimum: 0, maximum: MAX_ZOOM }),
  maxzoom: wholeNumber({ minimum: 0, maximum: MAX_ZOOM }),
  center: Type.Optional(
    Type.Array(decimal(), {
      minItems: 3,
      maxItems: 3,
      description: 'Longitude, latitude and zoom of the largest market.',
    }),
  ),
  basemap: Type.Optional(
    text(500, { description: 'PMTiles of Protomaps to draw underneath, where the operator has one.' }),
  ),
  vector_layers: list(
    Type.Object({
      id: text(40),
      minzoom: wholeNumber({ minimum: 0, maximum: MAX_ZOOM }),
      maxzoom: wholeNumber({ minimum: 0, maximum: MAX_ZOOM }),
      fields: Type.Record(Type.String({ maxLength: 40 }), text(20)),
    }),
  ),
});
