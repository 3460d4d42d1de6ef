// `platbook catalog`: describes the catalog of counties, or updates its list of layers from a copy of OpenAddresses.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../../base/config.ts';
import { isoDate, systemClock } from '../../base/lib/clock.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import { ownLayers, readCatalog } from '../../supply/catalog/catalog.ts';
import { fetchTo } from '../../supply/ingest/service.ts';
import { makeLayers } from '../counties/update-catalog.ts';

const USAGE = `platbook catalog
platbook catalog update <folder, ZIP file or URL of a ZIP file with a copy of OpenAddresses>`;

export async function runCatalog(config: Config, [verb, from]: string[]): Promise<void> {
  if (verb === 'update' && from !== undefined) await update(config, from);
  else if (verb !== undefined) throw new CommandError(USAGE);
  const catalog = readCatalog(config.home);
  const counties = [...catalog.counties.keys()].map((fips) => catalog.entriesOf(fips));
  const having = (kind: string) => counties.filter((entries) => entries.some((entry) => entry.kind === kind)).length;
  console.log(
    `${counties.length.toLocaleString('en')} counties; layers as of ${catalog.day}. Parcels are listed for ${having('parcels').toLocaleString('en')} ` +
      `of them, addresses for ${having('addresses').toLocaleString('en')}, buildings for ${having('buildings').toLocaleString('en')}, ` +
      `sales for ${having('sales').toLocaleString('en')}.`,
  );
}

async function update(config: Config, from: string): Promise<void> {
  const path = ownLayers(config.home);
  mkdirSync(dirname(path), { recursive: true });
  let copy = from;
  if (/^https?:/.test(from)) {
    copy = join(dirname(path), 'openaddresses.zip');
    await fetchTo(copy, from, { cache: join(config.home, 'downloads') });
  }
  writeFileSync(path, await makeLayers(copy, isoDate(systemClock())));
}
