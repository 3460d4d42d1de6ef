// `platbook markets`: what is loaded, layer by layer, and where it comes from.
import type { Config } from '../config.ts';
import { listMarkets } from '../ingest/ingest.ts';
import { withDeps } from './with-deps.ts';

export async function runMarkets(config: Config): Promise<void> {
  await withDeps(config, async (deps) => {
    const rows = await listMarkets(deps);
    for (const [market, layers] of Map.groupBy(rows, (row) => row.id)) {
      console.log(`\n${market}  ${layers[0].name}  ${layers[0].properties.toLocaleString('en')} properties`);
      for (const row of layers) {
        const period =
          row.covers_from || row.covers_to ? `${row.covers_from ?? '…'} to ${row.covers_to ?? '…'}` : 'undated';
        console.log(
          `  ${row.layer.padEnd(18)} ${row.records.toLocaleString('en').padStart(10)}  ${period}  ${row.publisher}  [${row.licence}]`,
        );
      }
    }
  });
}
