// Every place that comes with the program: as many properties (or areas) as the files themselves have, counted apart.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { readConfig } from '../../src/base/config.ts';
import { compileMap } from '../../src/supply/ingest/map/map.ts';
import { stagedColumns } from '../../src/supply/ingest/map/targets.ts';
import { fetchFiles } from '../../src/supply/ingest/fetch/fetch.ts';
import { openTable } from '../../src/supply/ingest/read/table.ts';
import type { Row } from '../../src/supply/ingest/read/rows.ts';
import type { Dataset, Target } from '../../src/supply/ingest/source.ts';
import { readSources } from '../../sources/sources.ts';

const folder = readConfig({ PLATBOOK_DATA: process.env.PLATBOOK_DATA }).recordsFolder;
const skip = existsSync(join(folder, 'lyme')) ? false : `no public records in ${folder}`;

/** Each so many rows, all that a row says about a property is read; for the others, which property it is about. */
const READ_IN_FULL = 20;

/** How many different things of a kind the map of a dataset makes. */
async function mapped(id: string, target: Target, key: string): Promise<number> {
  const source = readSources().find((item) => item.id === id.split('/')[0])!;
  const whole = source.datasets.find((item) => item.id === id)!;
  const records = whole.records.filter(({ into }) => into === target);
  const full = { ...whole, records };
  const brief = { ...whole, records: records.map((record) => ({ ...record, fields: {} })) };
  const found = new Set<unknown>();
  for (const file of await fetchFiles(whole, whole.files, { from: folder, cache: '' })) {
    const { header, rows } = await openTable(file.path, whole.format);
    const [inFull, inBrief] = (target === 'properties' ? [full, brief] : [full, full]).map((dataset: Dataset) => {
      const at = stagedColumns(dataset, target).indexOf(key);
      const context = { source, dataset, file: file.name, publishedOn: whole.publishedOn, fileRank: 1 };
      const map = compileMap(header, { ...context, stamper: undefined });
      return (row: Row) => map(row).records.map(({ values }) => values[at]);
    });
    for await (const batch of rows)
      for (const row of batch)
        for (const value of (row.line % READ_IN_FULL === 0 ? inFull : inBrief)(row)) found.add(value);
  }
  return found.size;
}

const textOf = (path: string) => gunzipSync(readFileSync(join(folder, path))).toString('utf8');

/** Different keys in a table, by a reader that shares nothing with ours. `cell` is of the row at hand, by column name. */
function counted(path: string, keyOf: (cell: (name: string) => string) => string | undefined): number {
  const lines = textOf(path)
    .replace(/^\uFEFF/, '')
    .replaceAll('\r', '')
    .split('\n');
  const names = cellsOf(lines[0]).map((name) => name.trim());
  const found = new Set<string>();
  for (let at = 1; at < lines.length; at++) {
    let line = lines[at];
    // An odd number of quotes: the line break is inside a cell.
    while (line.includes('"') && line.split('"').length % 2 === 0 && at + 1 < lines.length) line += `\n${lines[++at]}`;
    const cells = cellsOf(line);
    if (cells.length < names.length) continue;
    const key = keyOf((name) => cells[names.indexOf(name)].trim());
    if (key !== undefined) found.add(key);
  }
  return found.size;
}

/** Commas in quotes are put aside while the others split. */
const cellsOf = (line: string) =>
  line.includes('"')
    ? line
        .replace(/"[^"]*"/g, (quoted) => quoted.slice(1, -1).replaceAll(',', '\u0000'))
        .split(',')
        .map((cell) => cell.replaceAll('\u0000', ','))
    : line.split(',');

const unitAfter = (place: string) =>
  (place.includes('#') ? place.slice(place.indexOf('#') + 1) : '').trim().toUpperCase();
const features = (path: string) =>
  (JSON.parse(textOf(path)) as { features: { properties: Record<string, unknown> }[] }).features;

describe('the places that come with the program', { skip }, () => {
  const properties: [dataset: string, count: () => number][] = [
    ['milwaukee-wi/parcels', () => counted('milwaukee/parcels.csv.gz', (cell) => String(Number(cell('taxkey'))))],
    [
      'king-county-wa/house-sales',
      () => counted('king-county/kc_house_sales.csv.gz', (cell) => String(Number(cell('id')))),
    ],
    [
      'new-york-ny/sales',
      () =>
        counted('nyc/rolling_sales.csv.gz', (cell) => {
          const door = /^(09|10|17)/.test(cell('building_class_category'))
            ? (cell('apartment_number') || (cell('address').split(',')[1] ?? '').trim()).toUpperCase()
            : '';
          return [cell('borough'), Number(cell('block')), Number(cell('lot')), door].join('|');
        }),
    ],
    [
      'philadelphia-pa/opa-properties',
      () => counted('philadelphia/opa_properties_public.csv.gz', (cell) => String(Number(cell('parcel_number')))),
    ],
    [
      'cambridge-ma/tax-roll-2014',
      () =>
        counted('cambridge/tax_fy2014.csv.gz', (cell) =>
          cell('ML') ? `${cell('ML')}#${unitAfter(cell('Location'))}` : undefined,
        ),
    ],
    ['chicago-il/parcels', () => counted('chicago/parcels.csv.gz', (cell) => String(BigInt(cell('pin14'))))],
    [
      'lyme-nh/parcels',
      () =>
        counted('lyme/parcels.csv.gz', (cell) =>
          /^\d+$/.test(cell('SD_PID'))
            ? [cell('SD_Map'), cell('SD_Lot'), cell('SD_Unit'), cell('SD_Subunit')].join('|')
            : undefined,
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
