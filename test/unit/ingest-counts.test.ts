// Every place that comes with the program: as many properties (or areas) as the files themselves have, counted apart.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { readConfig } from '../../src/config.ts';
import { compileMap } from '../../src/ingest/map/map.ts';
import { stagedColumns } from '../../src/ingest/map/targets.ts';
import { fetchFiles } from '../../src/ingest/fetch/fetch.ts';
import { openTable } from '../../src/ingest/read/table.ts';
import type { Target } from '../../src/ingest/source.ts';
import { SOURCES } from '../../sources/sources.ts';

const folder = readConfig({ PLATBOOK_DATA: process.env.PLATBOOK_DATA }).recordsFolder;
const skip = existsSync(join(folder, 'lyme')) ? false : `no public records in ${folder}`;

/** How many different things of a kind the map of a dataset makes. */
async function mapped(id: string, target: Target, key: string): Promise<number> {
  const source = SOURCES.find((item) => item.id === id.split('/')[0])!;
  const dataset = source.datasets.find((item) => item.id === id)!;
  const at = stagedColumns(dataset, target).indexOf(key);
  const found = new Set<unknown>();
  for (const file of await fetchFiles(dataset, dataset.files, { from: folder, cache: '' })) {
    const { header, rows } = await openTable(file.path, dataset.format);
    const { publishedOn } = dataset;
    const context = {
      source,
      dataset,
      stamper: undefined,
      file: file.name,
      publishedOn,
      fileRank: 1,
      lookup: undefined,
    };
    const map = compileMap(header, context);
    for await (const batch of rows)
      for (const row of batch)
        for (const record of map(row).records) if (record.target === target) found.add(record.values[at]);
  }
  return found.size;
}

const textOf = (path: string) => gunzipSync(readFileSync(join(folder, path))).toString('utf8');

/** Different keys in a table, by a reader that shares nothing with ours. */
function counted(path: string, keyOf: (row: Record<string, string>) => string | undefined): number {
  const text = textOf(path).replace(/^\uFEFF/, '');
  const found = new Set<string>();
  let [cell, cells, quoted]: [string, string[], boolean] = ['', [], false];
  let names: string[] | undefined;
  const endRow = () => {
    cells.push(cell);
    cell = '';
    if (!names) names = cells.map((name) => name.trim());
    else if (cells.length >= names.length) {
      const key = keyOf(Object.fromEntries(names.map((name, i) => [name, cells[i].trim()])));
      if (key !== undefined) found.add(key);
    }
    cells = [];
  };
  for (const letter of text) {
    if (letter === '"') quoted = !quoted;
    else if (quoted) cell += letter;
    else if (letter === ',') {
      cells.push(cell);
      cell = '';
    } else if (letter === '\n') endRow();
    else if (letter !== '\r') cell += letter;
  }
  if (cell !== '' || cells.length > 0) endRow();
  return found.size;
}

const unitAfter = (place: string) => (place.split('#')[1] ?? '').trim().toUpperCase();
const features = (path: string) =>
  (JSON.parse(textOf(path)) as { features: { properties: Record<string, unknown> }[] }).features;

describe('the places that come with the program', { skip }, () => {
  const properties: [dataset: string, count: () => number][] = [
    ['milwaukee-wi/parcels', () => counted('milwaukee/parcels.csv.gz', (row) => String(Number(row.taxkey)))],
    ['king-county-wa/house-sales', () => counted('king-county/kc_house_sales.csv.gz', (row) => String(Number(row.id)))],
    [
      'new-york-ny/sales',
      () =>
        counted('nyc/rolling_sales.csv.gz', (row) => {
          const door = /^(09|10|17)/.test(row.building_class_category)
            ? (row.apartment_number || (row.address.split(',')[1] ?? '').trim()).toUpperCase()
            : '';
          return [row.borough, Number(row.block), Number(row.lot), door].join('|');
        }),
    ],
    [
      'philadelphia-pa/opa-properties',
      () => counted('philadelphia/opa_properties_public.csv.gz', (row) => String(Number(row.parcel_number))),
    ],
    [
      'cambridge-ma/tax-roll-2014',
      () =>
        counted('cambridge/tax_fy2014.csv.gz', (row) => (row.ML ? `${row.ML}#${unitAfter(row.Location)}` : undefined)),
    ],
    ['chicago-il/parcels', () => counted('chicago/parcels.csv.gz', (row) => String(BigInt(row.pin14)))],
    [
      'lyme-nh/parcels',
      () =>
        counted('lyme/parcels.csv.gz', (row) =>
          /^\d+$/.test(row.SD_PID) ? [row.SD_Map, row.SD_Lot, row.SD_Unit, row.SD_Subunit].join('|') : undefined,
        ),
    ],
  ];
  for (const [dataset, count] of properties) {
    it(`has as many properties as its file: ${dataset}`, async () => {
      assert.equal(await mapped(dataset, 'properties', 'property_id'), count());
    });
  }

  it('has as many flood zones as its file: washington-dc/flood', async () => {
    const ids = features('dc/flood_sfha.geojson.gz')
      .filter(({ properties: own }) => own.FLD_ZONE)
      .map(({ properties: own }) => `${own.OBJECTID_1}-${own.FLD_AR_ID}`);
    assert.equal(await mapped('washington-dc/flood', 'areas', 'id'), new Set(ids).size);
  });

  it('has as many opportunity zones as the list: us-opportunity-zones/designated', async () => {
    const tracts = textOf('us/opportunity_zones_2018.csv.gz').match(/(?<=^|,)"?\d{10,11}"?(?=,)/gm)!;
    assert.equal(
      await mapped('us-opportunity-zones/designated', 'opportunity_zones', 'tract_geoid'),
      new Set(tracts.map((tract) => Number(tract.replaceAll('"', '')))).size,
    );
  });
});
