// What a recipe would load: a full load into a database that is thrown away, its counts, and records as the API shows them.
import type { Config } from '../../base/config.ts';
import { withScratchDatabase } from '../../base/db/scratch.ts';
import { countOutside } from '../../base/lib/states.ts';
import { ingest, type IngestDeps } from '../../supply/ingest/ingest.ts';
import { drawMap } from '../../supply/ingest/picture.ts';
import type { LoadReport } from '../../supply/ingest/report.ts';
import type { Source } from '../../supply/ingest/source.ts';
import type { Clock } from '../../base/lib/clock.ts';
import { createCatalog } from '../../records/markets/catalog.ts';
import { presentProperty } from '../../records/properties/record.ts';
import type { Property } from '../../records/properties/schema.ts';
import * as sql from './sql.ts';

export interface Preview {
  reports: LoadReport[];
  /** Fully described records first. */
  samples: Property[];
  /** How many properties there are, and what share of them states each of the fields that values depend on. */
  properties: number;
  filled: Record<string, number>;
  /** The share of those with coordinates that lie outside the state. */
  outside: number;
  map: string;
}

interface PreviewOptions {
  from: string;
  datasets?: string[];
  clock: Clock;
  cacheFolder: string;
  write?: (text: string) => void;
  makeProgress?: IngestDeps['makeProgress'];
  samples?: number;
}

const MOST_DOTS = 50_000;

/** Personal columns are loaded like all others and never shown: samples carry no names. */
export function previewSource(config: Config, source: Source, options: PreviewOptions): Promise<Preview> {
  const { clock, cacheFolder, write, makeProgress, from, datasets } = options;
  return withScratchDatabase(config, async (data) => {
    const deps = { data, clock, cacheFolder, write, makeProgress };
    const reports = await ingest(deps, [source], [source], { from, datasets });
    const catalog = await createCatalog({ data }).read();
    const rows = await sql.listBestDescribed(data, options.samples ?? 3);
    const { total, filled } = await sql.countFilled(data);
    const points = await sql.listPoints(data, MOST_DOTS);
    return {
      reports,
      samples: rows.map((row) => presentProperty(row, catalog)),
      properties: total,
      filled,
      outside: points.length === 0 ? 0 : countOutside(source.market?.state, points) / points.length,
      map: drawMap(source.market?.name ?? source.id, points, total),
    };
  });
}
