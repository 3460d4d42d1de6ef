// Previews a recipe: a full load into a temporary database, with its counts and with records as the API shows them.
import type { Config } from '../../base/config.ts';
import { withScratchDatabase } from '../../base/db/scratch.ts';
import { findNewestExamination, ingest, type IngestDeps, type IngestOptions } from '../../supply/ingest/ingest.ts';
import { drawMap } from '../../supply/ingest/picture.ts';
import type { Source } from '../../supply/ingest/source.ts';
import { createCatalog } from '../../records/markets/catalog.ts';
import { presentProperty } from '../../records/properties/record.ts';
import { addresses } from '../../records/address/filing.ts';
import * as sql from './sql.ts';

type PreviewOptions = Omit<IngestDeps, 'data' | 'addresses'> & Pick<IngestOptions, 'from' | 'datasets'>;

const SAMPLES = 3;
const MOST_DOTS = 50_000;

export type Preview = Awaited<ReturnType<typeof previewSource>>;

/** Personal columns are loaded but never shown: samples contain no names. */
export function previewSource(config: Config, source: Source, options: PreviewOptions) {
  const { from, datasets, ...loading } = options;
  return withScratchDatabase(config, async (data, real) => {
    const reports = await ingest({ ...loading, data, addresses }, [source], [source], {
      from,
      datasets,
      isTrial: true,
      findBefore: (sourceId) => findNewestExamination({ data: real }, sourceId),
    });
    const catalog = await createCatalog({ data }).read();
    const rows = await sql.listBestDescribed(data, SAMPLES);
    const { total, filled } = await sql.countFilled(data);
    const points = await sql.listPoints(data, MOST_DOTS);
    return {
      reports,
      /** The most complete records first. */
      samples: rows.map((row) => presentProperty(row, catalog)),
      /** Number of properties loaded, and of those with each field that valuations depend on. */
      properties: total,
      filled,
      map: drawMap(source.market?.name ?? source.id, points, total),
    };
  });
}
