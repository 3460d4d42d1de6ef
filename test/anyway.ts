// Accepts any file a test loads: the same files again, or a file that lost parcels or records.
import { TARGETS } from '../src/supply/ingest/map/targets.ts';

export const ANYWAY = {
  ids: ['unchanged', 'vanished', ...Object.keys(TARGETS).map((target) => `fewer:${target}`)],
  by: 'test',
};
