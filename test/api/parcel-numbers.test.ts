// Parcel numbers: different ones never become one property, and any usual spelling finds the right one.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { constant, digits, names, text, upper } from '../../src/supply/ingest/map/fields.ts';
import { ingest } from '../../src/supply/ingest/ingest.ts';
import type { Field, Source } from '../../src/supply/ingest/source.ts';
import { compactApn } from '../../src/base/lib/ids.ts';
import { testClient } from '../harness.ts';

const client = await testClient({ plan: 'enterprise' });
const folder = mkdtempSync(join(tmpdir(), 'platbook-parcels-'));
const live = { key: client.liveKey };

interface Place {
  id: string;
  fips: number;
  apn?: Field;
  parcels?: Source['parcels'];
}

function place({ id, fips, apn = text('pin'), parcels }: Place): Source {
  return {
    id,
    market: { id, name: id, state: 'ZY', description: 'Invented' },
    counties: [{ fips, name: id, state: 'ZY' }],
    parcels,
    datasets: [
      {
        id: `${id}/roll`,
        name: 'Roll',
        publisher: id,
        landingPage: 'https://example.com',
        licence: 'CC0',
        attribution: id,
        cadence: 'once',
        publishedOn: '2026-01-31',
        format: { type: 'csv' },
        files: [{ path: `${id}.csv` }],
        personal: ['owner'],
        key: { fips, apn },
        records: [
          {
            into: 'properties',
            complete: true,
            fields: { address_line1: upper('address'), property_type: constant('single_family') },
          },
          { into: 'owners', fields: { names: names('owner') } },
        ],
        layers: [{ layer: 'properties' }],
      },
    ],
  };
}

async function load(source: Source, pins: string[]) {
  const lines = pins.map((pin, i) => `${pin},${i + 1} Elm St,OWNER ${i + 1}`);
  writeFileSync(join(folder, `${source.id}.csv`), `pin,address,owner\n${lines.join('\n')}\n`);
  const deps = { data: client.deps.data, clock: client.deps.clock, cacheFolder: folder };
  const [report] = await ingest(deps, [source], [source], { from: folder });
  client.deps.catalog.forget();
  return report;
}

const read = (reference: string) => client.get(`/properties/${encodeURIComponent(reference)}`, live);

describe('numbers that differ only in where their parts end', () => {
  const fips = 99_731;
  const pins = ['7-41', '74-1', '741', '7.4-1', '0741', '7-41A', '12 3', '12-3', '020-0011'];

  it('are as many properties as the file has numbers, each shown as written', async () => {
    const report = await load(place({ id: 'varied', fips }), pins);
    assert.equal(report.targets.properties?.inserted, pins.length);
    for (const pin of pins) {
      const { status, body } = await read(`99731:${pin}`);
      assert.deepEqual([status, body.identifiers?.apn], [200, pin], pin);
    }
  });

  it('are found under any usual spelling that fits only one of them', async () => {
    for (const [spelling, pin] of [
      ['7/41', '7-41'],
      ['0007-0041', '7-41'],
      ['74 1', '74-1'],
      ['7-41a', '7-41A'],
      ['20-11', '020-0011'],
      ['0200011', '020-0011'],
    ]) {
      const { status, body } = await read(`99731:${spelling}`);
      assert.deepEqual([status, body.identifiers?.apn], [200, pin], spelling);
    }
  });

  it('are all named when a spelling fits several', async () => {
    const { status, body } = await read('99731:123');
    assert.deepEqual([status, body.code], [422, 'address_ambiguous']);
    assert.deepEqual(body.candidates.map((candidate: { apn: string }) => candidate.apn).sort(), ['12 3', '12-3']);
  });
});

describe('a load in which two numbers would become one property', () => {
  const folds: [string, Place, string[]][] = [
    ['fixed widths that are not', { id: 'fold-1', fips: 99_732, parcels: { fixedWidth: true } }, ['7-41', '74-1']],
    [
      'a map that drops what tells them apart',
      { id: 'fold-2', fips: 99_733, apn: { ...text('pin'), read: ([cell]) => compactApn(cell) } },
      ['7-41', '74-1'],
    ],
    [
      'a map that cuts off a suffix',
      { id: 'fold-3', fips: 99_734, apn: { ...text('pin'), read: ([cell]) => cell.slice(0, 5) } },
      ['12345-A', '12345-B'],
    ],
  ];
  for (const [what, spec, pins] of folds) {
    it(`stops and names both: ${what}`, async () => {
      const [one, other] = pins;
      await assert.rejects(load(place(spec), pins), (error: Error) => {
        assert.match(error.message, /would become one property/);
        return error.message.includes(one) && error.message.includes(other);
      });
      const { rows } = await client.deps.data.query('select 1 from properties where fips = $1', [spec.fips]);
      assert.equal(rows.length, 0);
    });
  }

  it('is not stopped by zeros that a spreadsheet dropped, nor by separators where widths are fixed', async () => {
    const padded = await load(place({ id: 'padded', fips: 99_735, apn: digits('pin', 8) }), ['00012345', '12345']);
    assert.deepEqual([padded.targets.properties?.inserted, padded.targets.properties?.duplicates], [1, 1]);
    const fixed = { id: 'fixed', fips: 99_736, parcels: { fixedWidth: true } };
    const report = await load(place(fixed), ['12-0345', '120345', '12-0346']);
    assert.equal(report.targets.properties?.inserted, 2);
  });
});

describe('two towns of one county with the same numbers', () => {
  it('are kept apart by a prefix, and refused without one', async () => {
    const fips = 99_737;
    await load(place({ id: 'north-town', fips }), ['7-41', '7-42']);
    await assert.rejects(load(place({ id: 'south-town', fips }), ['7-41']), /already belongs to the market north-town/);
    const report = await load(place({ id: 'south-town', fips, parcels: { prefix: 'south' } }), ['7-41']);
    assert.equal(report.targets.properties?.inserted, 1);
    const { status, body } = await read('99737:7-41');
    assert.deepEqual([status, body.code, body.candidates.length], [422, 'address_ambiguous', 2]);
  });
});
