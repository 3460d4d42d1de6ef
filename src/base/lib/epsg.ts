// EPSG codes as proj4 text.
import { createRequire } from 'node:module';

/** The shift of NAD 27 to WGS 84, the mean of the contiguous states: good to a few meters without a grid file. */
const NAD27 = '+ellps=clrk66 +towgs84=-8,160,176';

/** Undefined for an unknown code. Loaded when first asked for: the list has 5,000 entries. */
export function epsgDefinition(code: number): string | undefined {
  const list = createRequire(import.meta.url)('proj4-list') as Record<string, [string, string]>;
  return list[`EPSG:${code}`]?.[1].replace('+datum=NAD27', NAD27);
}
