// What a live tile shows, since it costs nothing: where homes are, of which type, and in which band their value lies. Pure.
import { FEWEST, middleOfBand } from '../lib/bands.ts';
import type { TilePoint } from './mvt.ts';
import type { TileCellRow, TileRow } from './sql.ts';

export const LIVE_FIELDS = { id: 'String', property_type: 'String', value: 'Number' };

export function coarsePoint({ id, latitude, longitude, property_type, value }: TileRow): TilePoint {
  return { latitude, longitude, properties: { id, property_type, value: value === null ? null : middleOfBand(value) } };
}

/** The average of few homes says what each is worth. */
export function coarseCell({ latitude, longitude, count, average_value: average }: TileCellRow): TilePoint {
  const average_value = average === null || count < FEWEST ? null : middleOfBand(average);
  return { latitude, longitude, properties: { count, average_value } };
}
