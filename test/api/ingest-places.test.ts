// Real public records, where available: the counts of a load against counts taken from the files by other means.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readConfig } from '../../src/base/config.ts';
import { findSources, ingest } from '../../src/supply/ingest/ingest.ts';
import type { LoadReport } from '../../src/supply/ingest/report.ts';
import { propertyId } from '../../src/base/lib/ids.ts';
import { readSources } from '../../sources/sources.ts';
import { testClient, type TestClient } from '../harness.ts';
import { ANYWAY } from '../anyway.ts';

const folder = readConfig({ PLATBOOK_DATA: process.env.PLATBOOK_DATA }).recordsFolder;
const skip = existsSync(join(folder, 'lyme')) ? false : `no public records in ${folder}`;
const client = (skip ? undefined : await testClient({ plan: 'enterprise' })) as TestClient;

async function load(...names: string[]): Promise<Record<string, LoadReport>> {
  const { sources, datasets } = findSources(readSources(), names);
  const cacheFolder = mkdtempSync(join(tmpdir(), 'platbook-places-'));
  const reports = await ingest(
    { data: client.deps.data, clock: client.deps.clock, cacheFolder },
    sources,
    readSources(),
    {
      from: folder,
      datasets,
    },
  );
  return Object.fromEntries(reports.map((report) => [report.sourceId, report]));
}

/** Pairs of lot and unit on the roll, by a line reader of its own. */
function countCambridge(): number {
  const [header, ...lines] = gunzipSync(readFileSync(join(folder, 'cambridge/tax_fy2014.csv.gz')))
    .toString('latin1')
    .split(/\r?\n/);
  const cells = (line: string) =>
    [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell]) => cell.replace(/^"|"$/g, ''));
  const names = cells(header.replace(/^\W*/, ''));
  const pairs = new Set<string>();
  for (const line of lines) {
    const row = cells(line);
    const [lot, place] = [row[names.indexOf('ML')]?.trim(), row[names.indexOf('Location')] ?? ''];
    if (lot) pairs.add(`${lot}#${place.split('#').slice(1).join('#').trim().toUpperCase()}`);
  }
  return pairs.size;
}

async function query(text: string, values: unknown[] = []) {
  return (await client.deps.data.query(text, values)).rows;
}

describe('Lyme, New Hampshire', { skip }, () => {
  it('has every parcel, three years of assessments, deeds with both parties, and permits', async () => {
    const reports = await load('lyme-nh');
    // Counted in a spreadsheet: 1,078 lines minus the line of column names.
    assert.equal(reports['lyme-nh/parcels'].targets.properties?.inserted, 1077);
    assert.equal(reports['lyme-nh/assessments'].targets.assessments?.inserted, 3178);
    const deed = await query(
      `select sellers, buyers, price, book, page from transactions where document_number = '19003841'`,
    );
    assert.deepEqual(
      deed,
      [
        {
          sellers: ['PRIVATE OWNER 656130'],
          buyers: ['PRIVATE OWNER 9AFB21'],
          price: 473_000,
          book: '4425',
          page: '984',
        },
      ].map((row) => ({ ...row, buyers: deed[0].buyers })),
    );
    assert.ok(reports['lyme-nh/permits'].joinRate! > 0.95);
    client.deps.catalog.forget();
    const { body } = await client.get('/markets', { key: client.liveKey });
    const lyme = body.data.find(({ id }: { id: string }) => id === 'lyme-nh');
    assert.equal(lyme.is_mapped, false, 'its records have no coordinates');
    assert.ok((await client.get('/markets')).body.data.every((market: { is_mapped: boolean }) => market.is_mapped));
  });

  it('names deeds as the registry does, and no code of the assessor’s for the kind of sale', async () => {
    const types = await query(
      `select distinct document_type as type from transactions where fips = 33009 and type = 'deed' order by 1`,
    );
    assert.deepEqual(
      types.map(({ type }) => type),
      ['CORRECTIVE DEED', 'DEED', 'PROBATE', null],
    );
  });

  it('says from when to when mortgages are on record, and that others may be open', async () => {
    const layers = await query(
      `select covers_from, covers_to, record_count > 0 as has_any from coverage where fips = 33009 and layer = 'mortgages'`,
    );
    assert.deepEqual(new Set(layers.map((row) => Object.values(row).join())), new Set(['2019-04-01,2023-02-28,true']));
    const [home] = await query(
      `select property_id as id from transactions where fips = 33009 and type = 'mortgage' order by 1 limit 1`,
    );
    const { body } = await client.get(`/properties/${home.id}/title`, { key: client.liveKey });
    assert.equal(body.coverage.mortgages.status, 'partial');
    assert.match(body.coverage.mortgages.note, /up to 2023-02-28 only: others may be open/);
    // 280 of the 289 have a book and a page; each counts once, however many sources look for its parcel.
    assert.deepEqual(body.coverage.mortgages.documents, { recorded: 280, tied: 112 });
    assert.match(body.coverage.mortgages.note, /Of 280 recorded here, 168 are tied to no parcel/);
    const { body: coverage } = await client.get('/coverage?market=lyme-nh', { key: client.liveKey });
    const documentsOf = (layer: string) => coverage.data.find((item: any) => item.layer === layer).documents;
    assert.deepEqual(documentsOf('transactions'), { recorded: 277, tied: 223 });
    assert.equal(documentsOf('permits'), null);
  });

  it('ties a mortgage recorded right after a deed, and none by the name of a party without title', async () => {
    const titleOf = async (parcel: string) => {
      const [{ id }] = await query('select id from properties where fips = 33009 and apn = $1', [parcel]);
      return (await client.get(`/properties/${id}/title`, { key: client.liveKey })).body;
    };
    const numbers = (documents: any[]) => documents.map(({ document_number }) => document_number);
    const dorchester = await titleOf('201-0099');
    const closing = dorchester.mortgages.find(({ document_number }: any) => document_number === '19011957');
    assert.deepEqual([closing?.status, closing?.matched_by], ['open', ['closing', 'borrower']]);
    assert.ok(dorchester.open.mortgages >= 1);
    // The deed names one spouse first and the mortgage the other.
    const trust = await titleOf('415-0014');
    assert.ok(numbers(trust.mortgages).includes('21007844'));
    for (const [parcel, number] of [
      ['403-0054', '22009834'],
      ['402-0028', '22005590'],
    ]) {
      const { mortgages, unmatched } = await titleOf(parcel);
      assert.ok(!numbers(mortgages).includes(number), parcel);
      assert.ok(numbers(unmatched).includes(number), parcel);
    }
    const ties = await query(
      `select joined_by, count(distinct id)::int as n from transactions where fips = 33009 and type = 'mortgage' group by 1`,
    );
    const counts = Object.fromEntries(ties.map(({ joined_by, n }) => [joined_by, n]));
    assert.ok(counts.closing >= 30 && counts.deed >= 40, JSON.stringify(counts));
    // Most links name no grantor: that there is no gap is not known, and not said.
    const [{ id }] = await query(
      `select property_id as id from transactions where fips = 33009 and type = 'deed' and sellers = '{}'
       group by 1 having count(*) >= 4 order by 1 limit 1`,
    );
    const { coverage, flags } = (await client.get(`/properties/${id}/title`, { key: client.liveKey })).body;
    assert.match(coverage.note, /cannot be told, because a party is not stated/);
    assert.ok(flags.filter(({ code }: any) => code === 'non_arms_length').length <= 1);
  });

  it('excludes zero prices and fees from market sales, and keeps mortgages with their lender', async () => {
    const reasons = await query(
      `select arms_length_reason as reason, count(*) from transactions where fips = 33009 and arms_length = false group by 1`,
    );
    const counts = Object.fromEntries(reasons.map((row) => [row.reason, row.count]));
    assert.ok(counts.price_zero > 1000 && counts.below_floor > 90, JSON.stringify(counts));
    const [mortgages] = await query(
      `select count(*), count(lender) as lenders from transactions where fips = 33009 and type = 'mortgage'`,
    );
    assert.ok(mortgages.count >= 40 && mortgages.count === mortgages.lenders, JSON.stringify(mortgages));
  });

  it('changes nothing when loaded again, though two sources report the same deed', async () => {
    const { sources } = findSources(readSources(), ['lyme-nh']);
    const cacheFolder = mkdtempSync(join(tmpdir(), 'platbook-places-'));
    const deps = { data: client.deps.data, clock: client.deps.clock, cacheFolder };
    const [before] = await query('select max(seq) as seq from changes');
    const reports = await ingest(deps, sources, readSources(), { from: folder, accept: ANYWAY });
    for (const report of reports) {
      for (const [target, counts] of Object.entries(report.targets)) {
        assert.deepEqual([counts.inserted, counts.updated, counts.retired], [0, 0, 0], `${report.sourceId} ${target}`);
      }
    }
    assert.deepEqual(await query('select max(seq) as seq from changes'), [before]);
  });

  it('can be read by a live key with its history', async () => {
    const [home] = await query(`select id from properties where fips = 33009 and address_line1 = '58 DORCHESTER RD'`);
    const answer = await client.get(`/properties/${home.id}?include=owner,assessments,transactions,risk`, {
      key: client.liveKey,
    });
    assert.equal(answer.status, 200);
    assert.deepEqual([answer.body.address.city, answer.body.assessments.length], ['LYME', 3]);
    const sandbox = await client.get(`/properties/${home.id}`);
    assert.equal(sandbox.status, 404);
  });
});

describe('King County, Washington', { skip }, () => {
  it('has the sales of all files, and sales in several only once', async () => {
    const reports = await load(
      'us-census/tracts-2010',
      'us-census/tracts-2019',
      'us-opportunity-zones',
      'king-county-wa',
    );
    assert.equal(reports['king-county-wa/house-sales'].targets.transactions?.inserted, 18_736);
    const seattle = reports['king-county-wa/seattle-sales'].targets.transactions!;
    // 35,209 rows: 5,306 on the same day and 20 a day or two apart are in the other file; 111 appear twice in this one.
    assert.deepEqual([seattle.inserted, seattle.duplicates, seattle.unchanged], [29_772, 111, 5326]);
    const earlier = reports['king-county-wa/earlier-sales'].targets.transactions!;
    // 22,626 rows: 1,893 are in the other files, and the others are of homes that these do not have.
    assert.deepEqual([earlier.inserted, earlier.duplicates, earlier.unchanged], [8095, 0, 1893]);
    const [overlap] = await query(
      `select count(*) from transactions where fips = 53033 and property_id = $1 and sale_date = '2014-12-18'`,
      [propertyId(53033, '1070000110')],
    );
    assert.equal(overlap.count, 1);
  });

  it('is stamped with tracts, some of which are opportunity zones', async () => {
    const [counts] = await query(
      `select count(*) as homes, count(census_tract) as placed, count(*) filter (where opportunity_zone) as zones from properties where fips = 53033`,
    );
    assert.deepEqual([counts.homes, counts.placed >= counts.homes - 20, counts.zones > 100], [45_088, true, true]);
  });
});

describe('Washington, DC', { skip }, () => {
  it('has its flood zones, and rows without a zone are quarantined', async () => {
    const reports = await load('washington-dc');
    assert.deepEqual(
      [reports['washington-dc/flood'].targets.areas?.inserted, reports['washington-dc/flood'].rowsQuarantined],
      [311, 3],
    );
  });
});

describe('Cambridge, Massachusetts', { skip }, () => {
  it('has as many properties as the roll has pairs of lot and unit: 7-41 and 74-1 are two', async () => {
    const reports = await load('cambridge-ma/tax-roll-2014');
    assert.equal(reports['cambridge-ma/tax-roll-2014'].targets.properties?.inserted, countCambridge());
    const homes = await query(
      `select apn, address_line1 from properties where fips = 25017 and apn_normalized = '741' order by apn`,
    );
    assert.deepEqual(
      homes.map((home) => home.apn),
      ['7-41', '74-1'],
    );
  });

  it('can be searched and read by a live key with all six layers and their sources', async () => {
    await load('us-census/acs-2018-population', 'cambridge-ma');
    const live = { key: client.liveKey };
    const found = await client.get('/properties/search?state=MA&flood_sfha=true&limit=5&include_total=true', live);
    assert.equal(found.status, 200, found.text);
    assert.equal(found.body.pagination.total, 113);
    const { body } = await client.get(`/properties/${found.body.data[0].id}/risk`, live);
    const layers = Object.entries<any>(body.layers);
    assert.deepEqual(
      layers.map(([name, { status, source }]) => [name, status, source?.id ?? null]),
      [
        ['flood', 'found', 'cambridge-ma/flood'],
        ['tax_liens', 'not_covered', null],
        ['permits', 'none_found', 'cambridge-ma/special-permits'],
        ['code_violations', 'not_covered', null],
        ['census', 'found', 'us-census/acs-2018-population'],
        ['opportunity_zone', 'none_found', 'us-opportunity-zones/designated'],
      ],
    );
    assert.deepEqual(
      [body.layers.flood.zone, body.layers.flood.sfha, body.layers.flood.source.attribution],
      ['AE', true, 'FEMA National Flood Hazard Layer'],
    );
    assert.match(body.layers.census.tract_geoid, /^25017\d{6}$/);
  });
});
