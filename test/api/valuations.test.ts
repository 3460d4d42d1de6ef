// Valuations through HTTP on the sandbox market: what a caller gets, what is refused, and that receipts replay.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import Value from 'typebox/value';
import { createAccount, createKey } from '../../src/customers/accounts/accounts.ts';
import { SCOPES } from '../../src/customers/accounts/scopes.ts';
import { dayNumber, isoDate } from '../../src/base/lib/clock.ts';
import { formatCard } from '../../src/insight/training/table.ts';
import { assessedOn } from '../../src/insight/avm/attributes.ts';
import { Valuation } from '../../src/insight/valuations/schema.ts';
import { getCard } from '../../src/insight/valuations/reports.ts';
import { replayReceipts } from '../../src/insight/valuations/receipts.ts';
import { valueMarket } from '../../src/insight/valuations/bulk.ts';
import { insertModels } from '../../src/insight/valuations/model-sql.ts';
import type { Model } from '../../src/insight/avm/model.ts';
import { hashOf, pack, unpack } from '../../src/insight/avm/pack.ts';
import { attributesOf } from '../../src/insight/valuations/records.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { testClient } from '../harness.ts';

// The template's sandbox already has a model and values.
const NOW = '2026-11-20T12:00:00Z';
/** The sandbox has a fixed calendar. */
const TODAY = '2026-06-30';

const client = await testClient();
const replay = async (id: string) => (await replayReceipts(client.deps, [id]).next()).value!;
client.deps.travel(NOW);
const estimate = (body: object, options?: object) => client.post('/avm/estimate', body, options);
const { rows: homes } = await client.deps.data.query(
  `select p.* from properties p join transactions t on t.fips = p.fips and t.property_id = p.id
   where p.property_type = 'single_family' and p.status = 'active' and p.sqft is not null and p.address_line1 is not null
     and t.type = 'deed' and t.arms_length and t.date_precision = 'day' and t.sale_date between '2025-10-01' and '2026-05-01'
     and t.price > 50000
   order by p.id limit 1`,
);
const home = homes[0];

describe('POST /avm/estimate 200', () => {
  it('values a home by id, with an interval, comparables and an explanation that adds up', async () => {
    const { status, body } = await estimate({ property: { id: home.id } });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.object, 'valuation');
    // It is sent as composed, without a serializer that would only let through what the shape names.
    assert.deepEqual(Value.Errors(Valuation, body), []);
    assert.deepEqual(Value.Clean(Valuation, structuredClone(body)), body);
    assert.match(body.id, /^val_/);
    assert.equal(body.property_id, home.id);
    assert.ok(
      body.confidence_interval.low < body.estimated_value && body.estimated_value < body.confidence_interval.high,
    );
    assert.equal(body.confidence_interval.level, 0.8);
    assert.ok(['high', 'medium', 'low'].includes(body.confidence));
    assert.ok(body.median_error_rate > 0 && body.error_basis.sample_size > 0);
    assert.equal(body.resolution.method, 'property_id');
    assert.ok(body.resolution.fields_from_database.includes('sqft'));
    assert.deepEqual(body.resolution.fields_from_request, []);
    assert.ok(body.comparables.length > 0 && body.comparables.length <= 10);
    let indicated = 0;
    for (const line of body.comparables) {
      const sum = line.adjustments.reduce(
        (total: number, { amount }: { amount: number }) => total + amount,
        line.sale_price,
      );
      assert.equal(sum, line.adjusted_price);
      assert.equal(line.net_adjustment_rate, Math.round((1e4 * (sum - line.sale_price)) / line.sale_price) / 1e4);
      assert.ok(line.gross_adjustment_rate >= Math.abs(line.net_adjustment_rate));
      assert.ok(line.exceeds.every((rule: string) => body.comparables_basis.widened.includes(rule)));
      assert.notEqual(line.property_id, home.id);
      indicated += line.weight * line.adjusted_price;
    }
    const { reconciliation, contributions } = body.explanation;
    assert.equal(Math.round(indicated), reconciliation.comparables_indicated_value);
    assert.equal(reconciliation.comparables_indicated_value + reconciliation.model_adjustment, body.estimated_value);
    assert.equal(
      contributions.reduce((total: number, { amount }: { amount: number }) => total + amount, 0),
      body.estimated_value,
    );
  });

  it('finds the same home by address, parcel number and coordinates', async () => {
    const byId = (await estimate({ property: { id: home.id } })).body;
    const address = `${home.address_line1}, ${home.city}, ${home.state} ${home.zip}`;
    const locators = [
      [{ address }, 'address'],
      [{ fips: String(home.fips).padStart(5, '0'), apn: home.apn }, 'apn'],
      [{ latitude: home.latitude, longitude: home.longitude }, 'coordinates'],
    ] as const;
    for (const [property, method] of locators) {
      const { status, body } = await estimate({ property });
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.resolution.method, method);
      assert.equal(body.property_id, home.id);
      assert.equal(body.estimated_value, byId.estimated_value);
    }
  });

  it('lets attributes in the request override the record, and lists them', async () => {
    const plain = (await estimate({ property: { id: home.id } })).body;
    const { body } = await estimate({ property: { id: home.id, sqft: Math.round(home.sqft * 1.5) } });
    assert.ok(body.estimated_value > plain.estimated_value);
    assert.deepEqual(body.resolution.fields_from_request, ['sqft']);
    assert.equal(body.resolution.fields_from_database.includes('sqft'), false);
  });

  it('values a home that is not on record from coordinates and attributes', async () => {
    const { status, body } = await estimate({
      property: {
        latitude: home.latitude + 0.0007,
        longitude: home.longitude,
        sqft: 1800,
        bedrooms: 3,
        bathrooms: 2,
        property_type: 'single_family',
      },
    });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.resolution.method, 'attributes');
    assert.equal(body.property_id, null);
    assert.ok(body.warnings.some(({ code }: { code: string }) => code === 'attributes_filled'));
  });

  it('widens the interval with the requested level', async () => {
    const width = async (interval_level: number) => {
      const { confidence_interval } = (await estimate({ property: { id: home.id }, options: { interval_level } })).body;
      return confidence_interval.high - confidence_interval.low;
    };
    assert.ok((await width(0.5)) < (await width(0.8)));
    assert.ok((await width(0.8)) < (await width(0.95)));
  });

  it('is less certain without the living area than with it', async () => {
    const place = { latitude: home.latitude, longitude: home.longitude };
    await client.deps.data.query('update properties set sqft = null where fips = $1 and id = $2', [home.fips, home.id]);
    const without = (await estimate({ property: { id: home.id } })).body;
    await client.deps.data.query('update properties set sqft = $3 where fips = $1 and id = $2', [
      home.fips,
      home.id,
      home.sqft,
    ]);
    const known = (await estimate({ property: { id: home.id } })).body;
    assert.ok(without.fsd > known.fsd, `${without.fsd} ${known.fsd} ${JSON.stringify(place)}`);
    assert.ok(without.warnings.some(({ detail }: { detail: string }) => detail.includes('living area')));
    // The rule on areas is kept with the area that was filled in, which the grid shows.
    assert.ok(!without.comparables_basis.widened.includes('max_area_difference'));
    const lines = without.comparables.flatMap(({ adjustments }: any) => adjustments);
    const shown = lines.find(({ feature }: any) => feature === 'living_area').subject;
    assert.match(shown, /^[\d,.]+ sqft \(filled in\)$/);
    const filled = Number.parseFloat(shown.replace(',', ''));
    for (const { sqft } of without.comparables) assert.ok(Math.abs(sqft / filled - 1) <= 0.2501, `${sqft} ${filled}`);
  });

  it('shows five comparables or more, wherever the homes are', async () => {
    const { rows } = await client.deps.data.query(
      `select id from properties where market = 'sandbox' and status = 'active' and sqft is not null
         and property_type in ('single_family', 'condo', 'townhouse') order by md5(id) limit 40`,
    );
    for (const { id } of rows) {
      const { body } = await estimate({ property: { id } });
      assert.ok(body.comparables.length >= 5, `${id}: ${body.comparables.length}`);
    }
  });

  it('respects the comparables options', async () => {
    const first = (await estimate({ property: { id: home.id } })).body.comparables;
    const exclude = [first[0].property_id];
    const comparables = { count: 4, max_distance_miles: 3, max_age_days: 500, exclude };
    const { body } = await estimate({ property: { id: home.id }, options: { comparables, include: ['comparables'] } });
    assert.ok(body.comparables.length >= 3 && body.comparables.length <= 4);
    assert.ok(body.comparables_basis.applied.max_distance_miles <= 3);
    assert.ok(body.comparables_basis.applied.max_age_days <= 500);
    assert.equal('explanation' in body, false);
    // Counted from the last known sale: the sandbox's records end in June.
    const oldest = '2025-01-01';
    for (const line of body.comparables) {
      assert.ok(line.distance_miles <= 3 && line.sale_date >= oldest && line.property_id !== exclude[0]);
    }
  });

  it('warns about values outside the market’s usual range', async () => {
    const { status, body } = await estimate({ property: { id: home.id, bedrooms: 30, sqft: 90_000 } });
    assert.equal(status, 200);
    assert.deepEqual(
      body.warnings
        .filter(({ code }: { code: string }) => code === 'unusual_value')
        .map(({ field }: { field: string }) => field),
      ['sqft', 'bedrooms'],
    );
    assert.equal(body.confidence, 'low');
  });

  it('only resolves the property in a dry run', async () => {
    const { status, body, headers } = await estimate({ property: { id: home.id }, options: { dry_run: true } });
    assert.equal(status, 200);
    assert.equal(body.object, 'valuation_dry_run');
    assert.equal(body.property_id, home.id);
    assert.equal('estimated_value' in body, false);
    assert.equal(headers['x-usage-units'], '0');
  });
});

describe('as_of', () => {
  it('matches the back-test for a sale in the test period', async () => {
    const { backTest } = await import('../../src/insight/training/back-test.ts');
    const { unpack } = await import('../../src/insight/avm/pack.ts');
    const { readSales } = await import('../../src/insight/valuations/open-models.ts');
    const { rows } = await client.deps.control.query(
      `select bytes from models where state = 'earlier' order by trained_on limit 1`,
    );
    const model = unpack<any>(rows[0].bytes);
    const sales = await readSales(client.deps, 'sandbox');
    const { tested } = backTest(model, sales, model.trainedOn, Infinity);
    const records = await client.deps.data.query('select * from properties where id = any ($1)', [
      tested.map(({ sale }) => sale.propertyId),
    ]);
    const today = new Map(records.rows.map((row) => [row.id, attributesOf(row)]));
    // Sales whose home has not changed since, because the request gives no attributes.
    const same = tested
      .filter(({ sale }) => isDeepStrictEqual(today.get(sale.propertyId), assessedOn(sale.attributes, [], 0)))
      .slice(0, 5);
    assert.ok(same.length > 0);
    for (const { sale, value } of same) {
      const { body } = await estimate({
        property: { id: sale.propertyId },
        options: { as_of: isoDate(new Date(sale.soldDay * 86_400_000)) },
      });
      assert.equal(body.model_version, model.version);
      assert.equal(body.estimated_value, Math.round(value));
    }
  });

  it('does not look ahead: a planted sale on the next day changes nothing', async () => {
    const as_of = '2026-03-01';
    const before = (await estimate({ property: { id: home.id }, options: { as_of } })).body;
    assert.ok(
      before.comparables.every((line: { sale_date: string }) => dayNumber(line.sale_date) + 14 < dayNumber(as_of)),
    );
  });

  it('is refused in the future and before the first model', async () => {
    for (const as_of of ['2030-01-01', '1999-01-01']) {
      const { status, body } = await estimate({ property: { id: home.id }, options: { as_of } });
      assert.equal(status, 422);
      assert.equal(body.code, 'as_of_out_of_range');
    }
  });
});

describe('receipts', () => {
  it('are returned unchanged, to their owner only, and replay bit for bit', async () => {
    const { body } = await estimate({
      property: { id: home.id, bedrooms: 4 },
      options: { include: ['comparables', 'explanation', 'history'] },
    });
    const receipt = await client.get(`/avm/valuations/${body.id}`);
    assert.equal(receipt.status, 200);
    assert.deepEqual(receipt.body.result, body);
    assert.equal(receipt.body.request.property.bedrooms, 4);
    assert.match(receipt.body.model_hash, /^[0-9a-f]{64}$/);
    const stranger = await createAccount(client.deps.control, client.deps.clock(), 'Other', 'pro');
    const theirs = await createKey(client.deps, stranger.id, { name: 'x', mode: 'test', scopes: [...SCOPES] });
    for (const key of [client.liveKey, theirs.secret])
      assert.equal((await client.get(`/avm/valuations/${body.id}`, { key })).status, 404);
    const again = await replay(body.id);
    assert.equal(again.isSame, true);
    assert.deepEqual(JSON.parse(JSON.stringify(again.replayed)), body);
  });

  it('return 404 if they do not exist', async () => {
    assert.equal((await client.get('/avm/valuations/val_00000000000000000000')).status, 404);
  });
});

describe('models and accuracy', () => {
  it('are published next to the baselines', async () => {
    const models = (await client.get('/avm/models')).body.data;
    assert.deepEqual(
      models.map(({ status }: { status: string }) => status),
      ['current', 'earlier'],
    );
    const [report] = (await client.get('/avm/accuracy?market=sandbox')).body.data;
    const all = report.segments.find(({ kind }: { kind: string }) => kind === 'all');
    const usual = report.segments.find(({ segment }: { segment: string }) => segment === 'market price') ?? all;
    assert.ok(all.median_error_rate > 0 && all.interval_coverage['0.8'] > 0.6);
    assert.deepEqual(
      report.baselines.map(({ name }: { name: string }) => name),
      ['median price per sqft by area', 'comparables only', 'linear hedonic'],
    );
    const { vei, low, high, groups } = report.vertical_equity;
    assert.ok(low <= vei && vei <= high && [2, 4, 10].includes(groups.length));
    assert.equal(
      groups.reduce((sum: number, group: { sample_size: number }) => sum + group.sample_size, 0),
      usual.sample_size,
    );
    assert.ok(report.baselines.every((each: { sample_size: number }) => each.sample_size === usual.sample_size));
    assert.equal(models[0].median_error_rate, usual.median_error_rate);
    const labels = (await client.get('/avm/accuracy?segment=confidence')).body.data[0].segments;
    assert.ok(labels.every(({ kind }: { kind: string }) => kind === 'confidence'));
  });

  it('are printed by `platbook backtest` as served', async () => {
    const [report] = (await client.get('/avm/accuracy?market=sandbox')).body.data;
    const table = formatCard(await getCard(client.deps, 'sandbox'));
    const shown = report.segments.filter(({ kind }: { kind: string }) =>
      ['property_type', 'price_band', 'confidence'].includes(kind),
    );
    assert.ok(shown.length > 8);
    for (const { segment, sample_size, median_error_rate } of [
      ...shown,
      ...report.baselines.map((each: { name: string }) => ({ ...each, segment: each.name })),
    ])
      assert.ok(table.includes(`| ${segment} | ${sample_size} | ${(100 * median_error_rate).toFixed(2)} |`), segment);
    for (const { segment, share_above_low } of shown) {
      const row = table.split('\n').find((line) => line.startsWith(`| ${segment} |`))!;
      // The share is rounded to four digits before the table's one.
      assert.ok(Math.abs(Number(row.split('|').at(-2)) - 100 * share_above_low) < 0.06, row);
    }
    assert.ok(table.includes(`vertical equity (VEI) ${report.vertical_equity.vei.toFixed(1)}%`), table);
    await assert.rejects(getCard(client.deps, 'nowhere'), /no model. Train it first/);
  });

  it('are hidden from keys of the other mode', async () => {
    assert.deepEqual((await client.get('/avm/models', { key: client.liveKey })).body.data, []);
    assert.equal((await client.get('/avm/accuracy?market=sandbox', { key: client.liveKey })).status, 404);
  });

  it('can be pinned', async () => {
    const { version } = (await client.get('/avm/models')).body.data[1];
    const { body } = await estimate({ property: { id: home.id }, options: { model_version: version } });
    assert.equal(body.model_version, version);
    const unknown = await estimate({ property: { id: home.id }, options: { model_version: 'nope' } });
    assert.equal(unknown.status, 400);
  });

  it('stay pinnable and replayable 90 days after a newer release', async () => {
    const { body: before } = await estimate({ property: { id: home.id } });
    const { rows } = await client.deps.control.query(`select * from models where state = 'current'`);
    const [{ created_at: _, ...old }] = rows;
    const version = `${old.version}-next`;
    const bytes = pack({ ...unpack<Model>(old.bytes), version });
    const newer = { ...old, version, bytes, hash: hashOf(bytes), createdAt: client.deps.clock() };
    try {
      await insertModels(client.deps.control, [newer]);
      client.deps.models.forget();
      client.deps.travel('2027-03-01T12:00:00Z');
      assert.equal((await estimate({ property: { id: home.id } })).body.model_version, newer.version);
      const options = { model_version: old.version };
      const { body: pinned } = await estimate({ property: { id: home.id }, options });
      assert.equal(pinned.model_version, old.version);
      assert.equal(pinned.estimated_value, before.estimated_value);
      assert.equal((await replay(before.id)).isSame, true);

      // Trained again and refused this time, a published model stays published.
      await insertModels(client.deps.control, [{ ...newer, state: 'refused' }]);
      client.deps.models.forget();
      assert.equal((await estimate({ property: { id: home.id } })).body.model_version, newer.version);
    } finally {
      await client.deps.control.query('delete from models where version = $1', [newer.version]);
      await client.deps.control.query(`update models set state = 'current' where version = $1`, [old.version]);
      client.deps.models.forget();
      client.deps.travel(NOW);
    }
  });
});

describe('GET /properties/:id/comparables', () => {
  it('lists adjusted sales', async () => {
    const { status, body } = await client.get(`/properties/${home.id}/comparables?count=3`);
    assert.equal(status, 200);
    assert.equal(body.data.length, 3);
    for (const line of body.data) {
      assert.equal(
        line.adjustments.reduce((sum: number, { amount }: { amount: number }) => sum + amount, line.sale_price),
        line.adjusted_price,
      );
    }
  });
});

describe('bulk valuation', () => {
  it('writes the value to the record, keeps history and records what changed', async () => {
    const result = await valueMarket(client.deps, 'sandbox');
    assert.ok(result.valued > 3000);
    const { body } = await estimate({ property: { id: home.id }, options: { include: ['history'] } });
    const { rows } = await client.deps.data.query('select * from properties where fips = $1 and id = $2', [
      home.fips,
      home.id,
    ]);
    assert.equal(rows[0].value, body.estimated_value);
    assert.equal(rows[0].value_low, body.confidence_interval.low);
    assert.equal(rows[0].valued_on, TODAY);
    assert.deepEqual(body.history[0], {
      date: TODAY,
      value: body.estimated_value,
      low: body.confidence_interval.low,
      high: body.confidence_interval.high,
      model_version: body.model_version,
      basis: 'published',
    });
    const earlier = body.history.slice(1) as {
      date: string;
      value: number;
      low: number;
      high: number;
      basis: string;
    }[];
    assert.ok(earlier.length > 36, `${earlier.length} months`);
    assert.deepEqual(
      earlier.map(({ date }) => date),
      earlier
        .map(({ date }) => date)
        .toSorted()
        .toReversed(),
    );
    for (const { date, value, low, high, basis } of earlier) {
      assert.equal(basis, 'recomputed');
      assert.match(date, /-01$/);
      assert.ok(low < value && value < high, date);
    }
    assert.ok(
      Math.abs(earlier[0].value / body.estimated_value - 1) < 0.15,
      `${earlier[0].value} before ${body.estimated_value}`,
    );
    for (const [k, { date, value }] of earlier.slice(1, 36).entries())
      assert.ok(Math.abs(value / earlier[k].value - 1) < 0.15, `${date}: ${value} after ${earlier[k].value}`);
    await client.deps.data.query('update properties set value = 1000 where fips = $1 and id = $2', [
      home.fips,
      home.id,
    ]);
    await valueMarket(client.deps, 'sandbox');
    const changes = await client.deps.data.query(
      `select before, after from changes where property_id = $1 and kind = 'valuation.changed' and (before->>'value')::int = 1000`,
      [home.id],
    );
    assert.deepEqual(changes.rows, [{ before: { value: 1000 }, after: { value: body.estimated_value } }]);
  });
});

describe('400', () => {
  const refused: Array<[string, object]> = [
    ['no locator', { property: {} }],
    ['half a coordinate', { property: { latitude: 40 } }],
    ['an unknown member', { property: { id: 'prop_x', sqftt: 3 } }],
    ['no living area', { property: { id: 'prop_x', sqft: 0 } }],
    ['a negative area', { property: { id: 'prop_x', sqft: -5 } }],
    ['an absurd area', { property: { id: 'prop_x', sqft: 1e9 } }],
    ['an interval out of range', { property: { id: 'prop_x' }, options: { interval_level: 0.99 } }],
    ['an invalid date', { property: { id: 'prop_x' }, options: { as_of: '2026-02-31' } }],
    ['no property', {}],
  ];
  for (const [what, body] of refused) {
    it(`refuses ${what}`, async () => assert.equal((await estimate(body)).status, 400));
  }

  it('refuses a house built in the future and bedrooms too small to be real', async () => {
    assert.equal((await estimate({ property: { id: home.id, year_built: 2095 } })).status, 400);
    assert.equal((await estimate({ property: { id: home.id, sqft: 400, bedrooms: 40 } })).status, 400);
  });

  it('refuses NaN and Infinity, which are not JSON', async () => {
    for (const value of ['NaN', 'Infinity', '1e999']) {
      const { status } = await client.call('POST', '/avm/estimate', {
        body: `{"property":{"id":"${home.id}","sqft":${value}}}`,
      });
      assert.equal(status, 400);
    }
  });
});

describe('422 and 404', () => {
  const typed = async (type: string) =>
    (
      await client.deps.data.query(`select id from properties where property_type = $1 and status = 'active' limit 1`, [
        type,
      ])
    ).rows[0].id;

  it('does not value land or commercial buildings', async () => {
    for (const type of ['land', 'commercial']) {
      const { status, body } = await estimate({ property: { id: await typed(type) } });
      assert.equal(status, 422);
      assert.equal(body.code, 'unsupported_property_type');
    }
  });

  it('reports conflicting locators', async () => {
    const other = (
      await client.deps.data.query(
        `select id from properties where id <> $1 and property_type = 'condo' and status = 'active' limit 1`,
        [home.id],
      )
    ).rows[0].id;
    const { status, body } = await estimate({
      property: { id: other, fips: String(home.fips).padStart(5, '0'), apn: home.apn },
    });
    assert.equal(status, 422);
    assert.equal(body.code, 'locator_conflict');
  });

  it('gives no value far from any property', async () => {
    const { status, body } = await estimate({
      property: { latitude: 10, longitude: -150, sqft: 1500, property_type: 'single_family' },
    });
    assert.equal(status, 422);
    assert.equal(body.code, 'out_of_coverage');
  });

  it('does not resolve an address that does not exist', async () => {
    const { status, body } = await estimate({ property: { address: '99999 Lantern Hill Dr, Port Ellowby, ZZ' } });
    assert.equal(status, 422);
    assert.equal(body.code, 'address_not_resolved');
    const outside = await estimate({ property: { address: '99999 Nowhere Boulevard, Atlantis' } });
    assert.equal(outside.body.code, 'out_of_coverage');
  });

  it('hides sandbox homes from live keys', async () => {
    const { status, body } = await estimate({ property: { id: home.id } }, { key: client.liveKey });
    assert.equal(status, 404);
    assert.equal(body.code, 'property_not_found');
  });
});

describe('GET /avm/estimate', () => {
  it('gives the same value as the POST, is metered alike, and refuses alike', async () => {
    const { body: posted } = await estimate({
      property: { address: DEMO.address, bedrooms: 5 },
      options: { include: ['comparables'] },
    });
    const query = new URLSearchParams({ address: DEMO.address, bedrooms: '5', include: 'comparables' });
    const got = await client.get(`/avm/estimate?${query}`);
    assert.equal(got.status, 200, got.text);
    assert.equal(got.body.estimated_value, posted.estimated_value);
    assert.deepEqual(got.body.comparables, posted.comparables);
    assert.deepEqual(got.body.resolution, posted.resolution);
    const line = (method: string) =>
      client.routes.find((route) => route.path === '/api/v1/avm/estimate' && route.method === method)!;
    assert.deepEqual([line('GET').scope, line('GET').meter], [line('POST').scope, line('POST').meter]);
    assert.equal((await client.get('/avm/estimate')).body.errors[0].code, 'missing_locator');
    assert.equal((await client.get(`/avm/estimate?id=${DEMO.property_id}&include=comps`)).status, 400);
    assert.equal((await client.call('HEAD', `/avm/estimate?id=${DEMO.property_id}`)).status, 405);
    const dry = await client.get(`/avm/estimate?id=${DEMO.property_id}&dry_run=true`);
    assert.equal(dry.body.object, 'valuation_dry_run');
  });
});
