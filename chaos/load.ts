// Loads the county once, as `platbook ingest` does: `load.ts <folder> <published on> [dataset]`. Killed at any moment.
import { indexCounty } from '../src/records/address/filing.ts';
import { ingestDeps, withDeps } from '../src/operate/with-deps.ts';
import { readConfig } from '../src/base/config.ts';
import { ingest } from '../src/supply/ingest/ingest.ts';
import { valueMarket } from '../src/insight/valuations/bulk.ts';
import { hasModel } from '../src/insight/valuations/valuations.ts';
import { countyPublishedOn, FIPS } from './county.ts';

const [folder, publishedOn, dataset] = process.argv.slice(2);
const source = countyPublishedOn(publishedOn);

await withDeps(readConfig(), async (deps) => {
  await ingest(ingestDeps(deps), [source], [source], {
    from: folder,
    datasets: dataset ? [dataset] : undefined,
    afterLoad: async (market) => {
      await indexCounty(deps, FIPS);
      if (await hasModel(deps, market)) await valueMarket(deps, market);
    },
  });
});
