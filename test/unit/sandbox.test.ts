// The sandbox market: deterministic, believable, and containing every magic input.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { polygonsHold } from '../../src/base/lib/geo.ts';
import { fipsOfPropertyId, isPropertyId } from '../../src/base/lib/ids.ts';
import { QUILLMOOR, WENDEMERE } from '../../src/supply/sandbox/geography.ts';
import { DEMO, findMagicOutcome, FIXTURES } from '../../src/supply/sandbox/fixtures.ts';
import { coastX, distanceToLake, riverY } from '../../sandbox/geography.ts';
import { conditionOn, logValue } from '../../sandbox/prices.ts';
import type { Estate } from '../../sandbox/estate.ts';
import { publishSandbox } from '../../sandbox/publish.ts';
import { generateWorld } from '../../sandbox/world.ts';
import { randomFor } from '../../sandbox/random.ts';
import { LAST_LOAD, SANDBOX_VERSION } from '../../sandbox/version.ts';
import { dayNumber } from '../../src/base/lib/clock.ts';

const TODAY = '2026-06-30';
const market = generateWorld(2_000);
const byId = new Map(market.estates.map((estate) => [estate.home.id, estate]));

const editions = publishSandbox(2_000);

/** Hashes every record as it is published, so that no change to the data goes unnoticed. */
function digestOf(published: typeof editions): string {
  const hash = createHash('sha256');
  for (const { day, sources } of published)
    for (const { id, made } of sources.flatMap(({ datasets }) => datasets)) {
      hash.update(`${day} ${id}\n`);
      for (const record of made!()) hash.update(`${JSON.stringify(record)}\n`);
    }
  return hash.digest('hex').slice(0, 16);
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function shareOf(isOne: (estate: Estate) => boolean): number {
  return market.estates.filter(isOne).length / market.estates.length;
}

function assertWithin(value: number, low: number, high: number, what: string): void {
  assert.ok(value >= low && value <= high, `${what} is ${value}, not within ${low} to ${high}`);
}

describe('the generator', () => {
  it('makes the same records every time', () => {
    assert.equal(digestOf(publishSandbox(2_000)), digestOf(editions));
  });

  it('changes its records only together with SANDBOX_VERSION, so that installations rebuild', () => {
    assert.deepEqual(
      { version: SANDBOX_VERSION, digest: digestOf(editions) },
      { version: 14, digest: 'c1fd92a163916f26' },
    );
  });

  it('ends with the load that marks it as complete, on the day that is today forever', () => {
    const { day, sources } = editions.at(-1)!;
    const last = sources.at(-1)!;
    assert.deepEqual([last.datasets.at(-1)!.id, day, last.market!.frozenOn], [LAST_LOAD.dataset, TODAY, TODAY]);
    assert.equal(LAST_LOAD.publishedOn, TODAY);
  });

  it('gives every subject its own stream, whatever was drawn before', () => {
    const first = randomFor('home', 1).next();
    randomFor('home', 2).next();
    assert.equal(randomFor('home', 1).next(), first);
    assert.notEqual(randomFor('home', 2).next(), first);
    const normals = Array.from({ length: 4000 }, (_, index) => randomFor('normal', index).normal());
    assertWithin(normals.reduce((sum, value) => sum + value, 0) / normals.length, -0.05, 0.05, 'the mean');
    assertWithin(Math.sqrt(normals.reduce((sum, value) => sum + value ** 2, 0) / normals.length), 0.95, 1.05, 'sigma');
  });
});

describe('magic inputs', () => {
  it('keep their ids', () => {
    assert.equal(DEMO.property_id, 'prop_r5ebv95m3tdzj4wkwbq2');
    assert.deepEqual(
      FIXTURES.filter(({ request }) => request.property_id).map(({ name, request }) => [name, request.property_id]),
      [
        ['layer_unavailable', 'prop_r5ebddfrn6fphy3v4cpp'],
        ['layer_not_covered', 'prop_r5ezkfe15cecy83jzdz3'],
        ['rent_not_covered', 'prop_r5ezkfe15cecy83jzdz3'],
        ['rent_with_leases', 'prop_r5ebv95m3tdzj4wkwbq2'],
        ['flood_zone', 'prop_r5eendbprv4fwf7svfrx'],
        ['superseded', 'prop_r5e802sxwbnw117ewe98'],
        ['merged', 'prop_r5e97th14ebd0mhwjmdb'],
        ['sources_disagree', 'prop_r5ebjqscya28ev05rwpg'],
        ['owner_suppressed', 'prop_r5efvn7gebz8861tcwp2'],
        ['title_missing_link', 'prop_r5efanqe5wvf7qhmdkzw'],
        ['title_names', 'prop_r5ea1a7wr11882v32tsv'],
        ['title_out_of_order', 'prop_r5eaq4m857pses6drwfy'],
        ['title_mortgages', 'prop_r5eeqqt56372cqge7szz'],
        ['title_strays', 'prop_r5efjgn5z8enpemhs28d'],
        ['equity_with_open_loans', 'prop_r5eeqqt56372cqge7szz'],
        ['foreclosure_pending', 'prop_r5efjgn5z8enpemhs28d'],
        ['free_and_clear', 'prop_r5eaq4m857pses6drwfy'],
      ],
    );
  });

  it('exist as properties in a market of any size', () => {
    const smallest = new Set(generateWorld(1_000).estates.map(({ home }) => home.id));
    for (const { name, request } of FIXTURES) {
      if (request.property_id) assert.ok(byId.has(request.property_id) && smallest.has(request.property_id), name);
    }
    const lines = new Set(
      market.estates.filter(({ listed }) => listed !== 'until_june').map(({ home }) => lineOf(home)),
    );
    for (const { name, request, expect } of FIXTURES) {
      const isOnFile = request.address !== undefined && lines.has(request.address);
      if (request.address && expect.code !== 'address_not_resolved' && expect.code !== 'address_ambiguous')
        assert.ok(isOnFile, name);
      if (expect.code === 'address_not_resolved') assert.ok(!isOnFile, name);
    }
  });

  it('are ambiguous in the data itself', () => {
    const count = (line1: RegExp) =>
      market.estates.filter(({ home }) => line1.test(home.line1)).map(({ home }) => home.district.city);
    assert.equal(count(/^20 Fogbell Ln$/).length, 5);
    assert.deepEqual(count(/^350 [NS] Lighthouse Ave$/), ['Port Ellowby', 'Port Ellowby']);
    assert.deepEqual(count(/^77 Market St$/), ['Port Ellowby', 'Quillmoor']);
  });

  it('fix an outcome by address, id or parcel number, in any spelling', () => {
    const limited = { kind: 'error', code: 'rate_limited', calls: 'all', retryAfterSeconds: 30 };
    assert.deepEqual(findMagicOutcome('429 Sandbox Way, Port Ellowby, ZZ 00101'), limited);
    assert.deepEqual(findMagicOutcome('  429  sandbox way'), limited);
    assert.deepEqual(findMagicOutcome('99001:900-0002-002'), limited);
    const unavailable = FIXTURES.find(({ name }) => name === 'layer_unavailable')!;
    assert.deepEqual(findMagicOutcome(unavailable.request.property_id!), {
      kind: 'layer_unavailable',
      layer: 'permits',
    });
    for (const address of [
      '1429 Sandbox Way',
      '429 Sandbox Wayside Dr',
      '404 Sandbox Way',
      DEMO.address,
      '',
      'x'.repeat(10_000),
    ]) {
      assert.equal(findMagicOutcome(address), undefined, address.slice(0, 40));
    }
  });

  it('a parcel that leaves the roll has successors at its address', () => {
    const addresses = (listed: Estate['listed']) =>
      market.estates.filter((estate) => estate.listed === listed).map(({ home }) => home.line1);
    assert.deepEqual(addresses('until_june'), ['410 Sandbox Way', '301 Sandbox Way', '301 Sandbox Way']);
    assert.deepEqual(addresses('from_june'), ['410 Sandbox Way', '410 Sandbox Way', '301 Sandbox Way']);
  });

  it('the demo home has sales, permits and neighbors that sold recently', () => {
    const demo = byId.get(DEMO.property_id)!;
    assert.equal(lineOf(demo.home), DEMO.address);
    assert.equal(demo.life.transactions.filter(({ armsLength }) => armsLength).length, 3);
    assert.ok(demo.layers.permits.length >= 2);
    const near = market.estates.filter(
      ({ home, life }) =>
        Math.hypot(home.x - demo.home.x, home.y - demo.home.y) < 1 &&
        life.transactions.some(({ armsLength, soldOn }) => armsLength && soldOn! > '2023-06-30'),
    );
    assert.ok(near.length >= 10, `${near.length} sales near`);
  });
});

describe('properties', () => {
  it('are as many as requested, each with its own id, address and parcel', () => {
    assertWithin(market.estates.length, 1_980, 2_020, 'the number of properties');
    assert.equal(byId.size, market.estates.length);
    assert.equal(new Set(market.estates.map(({ home }) => lineOf(home))).size, market.estates.length);
    for (const { home } of market.estates) {
      assert.ok(isPropertyId(home.id) && fipsOfPropertyId(home.id) === home.fips);
    }
  });

  it('come in the proportions of a real city', () => {
    const share = (type: string) => shareOf(({ home }) => home.type === type);
    assertWithin(share('single_family'), 0.42, 0.58, 'single-family');
    assertWithin(share('condo'), 0.12, 0.28, 'condos');
    assertWithin(share('townhouse'), 0.06, 0.15, 'townhouses');
    for (const type of ['multi_family', 'apartment', 'manufactured', 'land', 'commercial', 'other']) {
      assertWithin(share(type), 0.004, 0.12, type);
    }
    assertWithin(
      shareOf(({ life }) => life.owners.at(-1)!.isOccupant),
      0.45,
      0.7,
      'owner-occupied',
    );
  });

  it('are on dry land inside the tracts of their county', () => {
    for (const { home, tract2010, tract2020, blockGroup } of market.estates) {
      assert.ok(home.x < coastX(home.y) && distanceToLake(home) > 0, home.line1);
      if (home.x > 3.7) assert.ok(Math.abs(home.y - riverY(home.x)) > 0.05, home.line1);
      assert.ok(tract2010!.startsWith(String(home.fips)) && tract2020!.startsWith(String(home.fips)), home.line1);
      assert.ok(blockGroup!.startsWith(tract2020!));
    }
  });

  it('lie within their ZIP code, but for a few at the edge of a town', () => {
    const polygons = new Map(market.zips.map((zip) => [zip.id, zip.polygons]));
    const isOutside = ({ home }: Estate) => !polygonsHold(polygons.get(home.district.zip)!, home);
    assertWithin(shareOf(isOutside), 0, 0.03, 'the share outside');
  });

  it('write their addresses in every form that has to be parsed', () => {
    const lines = market.estates.map(({ home }) => `${home.line1}${home.unit ? ` ${home.unit}` : ''}`);
    const forms = [
      /^\d+ 1\/2 /, // fraction
      /^\d{3}-\d\d [EW] /, // duplex range
      /^\d\d-\d\d \d+(st|nd|rd|th) Ave$/, // Queens
      /^\d+ [EW] \d+00 [NS]$/, // Utah
      /^N\d+W\d+ /, // Wisconsin
      /^W\d+ County Road [A-Z]+$/,
      / US Highway \d+$/,
      / State Route \d+$/,
      / St (NW|SE)$/, // quadrants
      / St [A-Z]\w+ /, // St for Saint
      / Saint [A-Z]\w+ /,
      / [NS] \d+(st|nd|rd|th) St$/,
      / Unit \d+$/,
      / Apt \d[A-D]$/,
      / # \d+$/,
      / PH \d$/,
      / Bldg [A-F] Apt \d$/,
      / Lot \d+$/,
      / (Rear|Bsmt|Fl \d)$/,
    ];
    for (const form of forms)
      assert.ok(
        lines.some((line) => form.test(line)),
        String(form),
      );
  });

  it('have consistent rooms, ages and lots', () => {
    const houses = market.estates.map(({ home }) => home).filter(({ type }) => type === 'single_family');
    const known = houses.filter(({ sqft, bedrooms, yearBuilt }) => sqft && bedrooms !== null && yearBuilt);
    assertWithin(median(known.map(({ sqft }) => sqft!)), 1_500, 2_200, 'median area');
    assertWithin(median(known.map(({ bedrooms }) => bedrooms!)), 3, 4, 'median bedrooms');
    assertWithin(Math.min(...known.map(({ yearBuilt }) => yearBuilt!)), 1_870, 1_900, 'the oldest home');
    assert.ok(known.every(({ yearBuilt }) => yearBuilt! <= 2_026));
    const large = median(known.filter(({ sqft }) => sqft! > 2_400).map(({ bedrooms }) => bedrooms!));
    const small = median(known.filter(({ sqft }) => sqft! < 1_300).map(({ bedrooms }) => bedrooms!));
    assert.ok(large > small);
    assertWithin(1 - known.length / houses.length, 0.003, 0.08, 'the share with gaps');
  });
});

describe('sales', () => {
  const sales = market.estates.flatMap(({ home, life }) =>
    life.transactions.filter(({ armsLength }) => armsLength).map((deed) => ({ home, deed })),
  );

  it('span fifteen years and never the future', () => {
    const dates = market.estates.flatMap(({ life }) => life.transactions.map(({ recordedOn }) => recordedOn)).sort();
    assertWithin(dayNumber(dates[0]), dayNumber('2011-07-01'), dayNumber('2011-09-01'), 'the first record');
    assert.ok(dates.at(-1)! <= TODAY && dates.at(-1)! >= '2026-06-01');
    assertWithin(sales.length / market.estates.length, 0.7, 1.1, 'sales per property');
  });

  it('leave about seven percent to chance for a model that knows everything on record', () => {
    const errors = sales
      .filter(
        ({ home, deed }) =>
          deed.datePrecision === 'day' &&
          home.sqft &&
          home.condition !== null &&
          home.quality !== null &&
          home.yearBuilt &&
          home.bathsFull !== null &&
          home.bedrooms !== null,
      )
      .map(({ home, deed }) =>
        Math.abs(Math.exp(logValue(home, dayNumber(deed.soldOn!)) - home.hidden) / deed.priceUsd! - 1),
      );
    assertWithin(median(errors), 0.06, 0.085, 'the median error');
  });

  it('follow the market: a dip, a boom, a correction', () => {
    const yearly = (year: string) =>
      median(
        sales
          .filter(({ home, deed }) => deed.soldOn!.startsWith(year) && home.sqft && home.bedrooms)
          .map(({ home, deed }) => deed.priceUsd! / home.sqft!),
      );
    assert.ok(yearly('2016') > yearly('2012') * 1.1);
    assert.ok(yearly('2022') > yearly('2019') * 1.2);
  });

  it('flag sales that are not at arm’s length, with the reason', () => {
    const deeds = market.estates.flatMap(({ life }) => life.transactions.filter(({ type }) => type === 'deed'));
    const reasons = new Set(deeds.map(({ armsLengthReason }) => armsLengthReason));
    for (const reason of ['family_transfer', 'trust_transfer', 'bulk_sale', 'foreclosure', 'bank_owned', null])
      assert.ok(reasons.has(reason), String(reason));
    for (const deed of deeds) assert.equal(deed.armsLength, deed.armsLengthReason === null);
    assertWithin(deeds.filter(({ armsLength }) => !armsLength).length / deeds.length, 0.08, 0.3, 'not at arm’s length');
  });

  it('have only the month of old sales in one county', () => {
    const coarse = sales.filter(({ deed }) => deed.datePrecision === 'month');
    assert.ok(coarse.length > 20);
    for (const { home, deed } of coarse) {
      assert.equal(home.fips, QUILLMOOR);
      assert.ok(deed.soldOn!.endsWith('-01') && deed.recordedOn < '2014-01-01');
    }
  });

  it('pass the home from owner to owner without a gap', () => {
    for (const { home, life } of market.estates) {
      assert.equal(life.owners.at(-1)!.endedOn, null);
      for (let index = 1; index < life.owners.length; index++) {
        assert.equal(life.owners[index - 1].endedOn, life.owners[index].since, home.line1);
      }
    }
  });

  it('record the condition as of the day', () => {
    const remodelled = market.estates.find(
      ({ home, life }) => home.remodelSteps > 0 && life.transactions.some(({ attributes }) => attributes),
    )!;
    assert.ok(
      conditionOn(remodelled.home, dayNumber('1990-01-01'))! < conditionOn(remodelled.home, dayNumber('2027-01-01'))!,
    );
  });
});

describe('layers', () => {
  it('have code violations in only one county', () => {
    for (const { home, layers } of market.estates)
      assert.equal(layers.violations !== undefined, home.fips === WENDEMERE);
  });

  it('contain a little of everything, and mostly nothing', () => {
    assertWithin(
      shareOf(({ layers }) => layers.permits.length > 0),
      0.35,
      0.75,
      'permits',
    );
    assertWithin(
      shareOf(({ layers }) => layers.liens.length > 0),
      0.01,
      0.12,
      'liens',
    );
    assertWithin(
      shareOf(({ layers }) => (layers.violations?.length ?? 0) > 0),
      0.04,
      0.25,
      'violations',
    );
    const designated = new Set(market.zones.map(({ geoid }) => geoid));
    assertWithin(
      shareOf(({ tract2010 }) => designated.has(tract2010!)),
      0.03,
      0.25,
      'opportunity zones',
    );
  });

  it('assess below market value and tax what is assessed', () => {
    for (const { assessments } of market.estates) {
      for (const { land, improvements, total, marketTotal } of assessments) {
        assert.equal(land + improvements, total);
        assert.ok(total <= marketTotal);
      }
    }
    const bills = market.estates.flatMap(({ taxes }) => taxes);
    assert.deepEqual([...new Set(bills.map(({ status }) => status))].sort(), [
      'delinquent',
      'exempt',
      'paid',
      'partially_paid',
    ]);
  });
});

describe('editions', () => {
  const records = editions.map(({ sources }) =>
    sources.flatMap(({ datasets }) => datasets.flatMap(({ made }) => [...made!()])),
  );
  const [may, june] = records;

  it('publish nothing before its day, and every record in the end', () => {
    const count = (list: typeof may, into: string) => list.filter((record) => record.into === into).length;
    for (const [into, total] of [
      ['transactions', market.estates.flatMap(({ life }) => life.transactions).length],
      ['taxes', market.estates.flatMap(({ taxes }) => taxes).length],
    ] as const)
      assert.equal(count(may, into) + count(june, into), total, into);
    const recorded = may.flatMap(({ fields }) => (fields.recording_date as string | undefined) ?? []);
    assert.ok(recorded.every((day) => day <= '2026-05-31'));
  });

  it('bring sales, owners, permits, liens and corrections in June', () => {
    const kinds = new Set(june.map(({ into }) => into));
    for (const kind of ['properties', 'transactions', 'owners', 'permits', 'tax_liens', 'assessments', 'areas'])
      assert.ok(kinds.has(kind as (typeof june)[0]['into']), kind);
    const conditionOf = (list: typeof may) =>
      list.find(({ into, property }) => into === 'properties' && property!.id === DEMO.property_id)!.fields.condition;
    assert.deepEqual([conditionOf(may), conditionOf(june)], ['average', 'good']);
  });
});

function lineOf(home: Estate['home']): string {
  return `${home.line1}${home.unit ? ` ${home.unit}` : ''}, ${home.district.city}, ZZ ${home.district.zip}`;
}
