// Evidence of quality through HTTP: figures recomputed from the raw rows, samples that wait for sales, anchored receipts.
import assert from 'node:assert/strict';
import { createHash, verify } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ingest } from '../../src/supply/ingest/ingest.ts';
import { isoDate } from '../../src/base/lib/clock.ts';
import { propertyId } from '../../src/base/lib/ids.ts';
import { canonicalJson } from '../../src/base/math/hashes.ts';
import { anchorReceipts, checkReceipts } from '../../src/insight/quality/anchors.ts';
import { measureMarket } from '../../src/insight/quality/quality.ts';
import { checkSeals, compareSample, SAMPLE_HOMES, SAMPLE_SALT, takeSample } from '../../src/insight/quality/sample.ts';
import { tiny } from '../../src/insight/training/parameters.ts';
import { trainMarket } from '../../src/insight/training/training.ts';
import { valueMarket } from '../../src/insight/valuations/bulk.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { testClient } from '../harness.ts';
import { readPdf } from '../pdf-text.ts';
import { FIPS, rollRow, testville, writeRoll } from '../testville.ts';

const client = await testClient();
const { deps } = client;
const quality = async (query = 'market=sandbox', options = {}) => client.get(`/avm/quality?${query}`, options);
const report = (await quality()).body;

describe('GET /avm/quality', () => {
  it('has the five standards of the rule, for the model in service', async () => {
    assert.equal(report.object, 'avm_quality');
    assert.equal(report.rule.citation, '89 FR 64538');
    const { body: models } = await client.get('/avm/models?market=sandbox');
    assert.equal(report.model_version, models.data.find((model: any) => model.status === 'current').version);
    const { body: accuracy } = await client.get('/avm/accuracy?market=sandbox');
    assert.deepEqual(report.confidence.segments, accuracy.data[0].segments);
    const labels = report.confidence.segments.filter(({ kind }: any) => kind === 'confidence');
    const whole = report.confidence.segments.find(({ kind }: any) => kind === 'all');
    assert.equal(
      labels.reduce((sum: number, { sample_size }: any) => sum + sample_size, 0),
      whole.sample_size,
    );
    // The sandbox is published whatever its test says.
    const { models_forced, decision } = report.conflicts;
    assert.match(decision, /published/);
    assert.equal(models_forced > 0, decision.startsWith('force'), `${models_forced} forced: ${decision}`);
    assert.equal(report.nondiscrimination.model_reads_demographics, false);
    assert.ok(report.nondiscrimination.limits.length > 4);
  });

  it('has the oldest outlooks beside the prices that followed', async () => {
    await measureMarket(deps, 'sandbox');
    const { as_of, sales, ...shares } = (await quality()).body.outlooks;
    const { from } = report.confidence.window;
    assert.equal(new Date(`${as_of}T00:00:00Z`).getTime(), new Date(`${from}T00:00:00Z`).getTime() - 86_400_000);
    const { rows } = await deps.data.query(
      `select count(distinct t.id)::int as n from transactions t join properties p on p.fips = t.fips and p.id = t.property_id
       where t.market = 'sandbox' and t.type = 'deed' and t.price > 0 and t.arms_length is not false and t.sale_date > $1
         and t.sale_date <= $1::date + 365 and p.property_type <> 'land'`,
      [as_of],
    );
    assert.ok(sales >= 100 && sales <= rows[0].n, `${sales} of ${rows[0].n}`);
    assert.deepEqual(Object.keys(shares), ['median_error_rate', 'median_error_rate_unmoved', 'interval_coverage']);
    const whole = report.confidence.segments.find(({ kind }: any) => kind === 'all');
    // A forecast of months ahead is somewhat worse than a value of the day before the sale, and no other thing.
    for (const error of [shares.median_error_rate, shares.median_error_rate_unmoved])
      assert.ok(error > 0.5 * whole.median_error_rate && error < 3 * whole.median_error_rate, JSON.stringify(shares));
    assert.ok(shares.interval_coverage > 0.6 && shares.interval_coverage < 0.97, JSON.stringify(shares));
  });

  it('is free, needs its market, and names the nearest', async () => {
    const before = (await client.get('/usage')).body;
    await quality();
    assert.deepEqual((await client.get('/usage')).body, before);
    const missing = await client.get('/avm/quality');
    assert.deepEqual([missing.status, missing.body.code], [400, 'invalid_request']);
    const unknown = await quality('market=sandbx');
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'resource_not_found']);
    assert.match(unknown.body.detail, /Did you mean `sandbox`/);
    const live = await quality('market=sandbox', { key: client.liveKey });
    assert.equal(live.status, 404, 'a live key sees no sandbox');
  });
});

describe('the PDF', () => {
  it('is a document with the same figures', async () => {
    const answer = await quality('market=sandbox&format=pdf');
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['content-type'], 'application/pdf');
    assert.match(answer.headers['content-disposition']!, /quality-sandbox\.pdf/);
    assert.ok(answer.text.startsWith('%PDF-'));
    const pages = [...answer.text.matchAll(/\/Type \/Page\b/g)].length;
    assert.ok(pages >= 3 && pages <= 12, `${pages} pages`);
    const url = '/api/v1/avm/quality?market=sandbox&format=pdf';
    const { rawPayload } = await client.app.inject({ method: 'GET', url, headers: { 'x-api-key': client.testKey } });
    const text = readPdf(rawPayload).pages.join(' ').replaceAll(/\s+/g, ' ');
    const { benchmark, lending } = report;
    const percent = (share: number) => `${share < 0 ? '−' : '+'}${Math.abs(100 * share).toFixed(2)}`;
    assert.match(text, new RegExp(`ours \\${percent(benchmark.own_growth)}%`));
    assert.ok(text.includes(`${lending.ratio.toFixed(3)} of that of mortgaged homes`), text);
  });
});

describe('what is measured', () => {
  it('agrees with PostgreSQL on the raw rows: groups, errors, ratios, coverage', async () => {
    for (const figure of ['income', 'hispanic_share', 'white_share']) {
      const { groups, status } = report.nondiscrimination.figures.find((each: any) => each.figure === figure);
      assert.equal(status, 'measured', figure);
      const column = figure === 'income' ? 'coalesce(c.median_household_income, c.per_capita_income)' : `c.${figure}`;
      for (const group of groups) {
        const { rows } = await deps.data.query(
          `select count(*)::int as n, count(distinct t.census_tract)::int as tracts,
             percentile_cont(0.5) within group (order by abs(t.value::float8 / t.price - 1)) as error,
             percentile_cont(0.5) within group (order by t.value::float8 / t.price) as ratio,
             avg(t.is_covered::int)::float8 as coverage
           from tested_sales t
           join (select distinct on (geoid) geoid, ${column}::float8 as figure from census_tracts c
                 where ${column} is not null order by geoid, vintage desc) c on c.geoid = t.census_tract
           where t.market = 'sandbox' and t.is_valued and round(c.figure::numeric, 4) between $1 and $2`,
          [group.from, group.to],
        );
        assert.deepEqual([group.sample_size, group.tracts], [rows[0].n, rows[0].tracts], `${figure} ${group.group}`);
        for (const [name, own] of [
          ['median_error_rate', rows[0].error],
          ['median_ratio', rows[0].ratio],
          ['interval_coverage', rows[0].coverage],
        ]) {
          assert.ok(Math.abs(group[name].value - own) < 6e-5, `${figure} ${group.group} ${name} ${own}`);
          assert.ok(group[name].low <= group[name].value && group[name].value <= group[name].high, name);
        }
      }
    }
  });

  it('has the back-test whole: the rows lead to the accuracy report', async () => {
    const { rows } = await deps.data.query(
      `select count(*)::int as n, percentile_cont(0.5) within group (order by abs(value::float8 / price - 1)) as error
       from tested_sales where market = 'sandbox' and is_valued`,
    );
    const all = report.confidence.segments.find(({ kind }: any) => kind === 'all');
    assert.equal(all.sample_size, rows[0].n);
    assert.ok(Math.abs(all.median_error_rate - rows[0].error) < 1e-4);
    const inQuarters = report.confidence.quarters.reduce((sum: number, each: any) => sum + each.sample_size, 0);
    assert.equal(inQuarters, rows[0].n);
  });

  it('finds a bias that is there, and says so after correction for many tests', async () => {
    // Homes in the tracts with the largest share are valued a fifth too low.
    const copy = await deps.data.query(`select * from tested_sales where market = 'sandbox'`);
    await deps.data.query(
      `update tested_sales t set value = round(t.value * 0.8) from census_tracts c
       where c.geoid = t.census_tract and c.black_share > (
         select percentile_cont(0.66) within group (order by black_share) from census_tracts where black_share is not null)`,
    );
    await deps.control.query('delete from quality_reports');
    await measureMarket(deps, 'sandbox');
    const { figures } = (await quality()).body.nondiscrimination;
    const { tests, difference } = figures.find((each: any) => each.figure === 'black_share');
    const bias = tests.find((test: any) => test.outcome === 'bias');
    assert.ok(bias.slope < 0 && bias.high < 0 && bias.adjusted_p_value < 0.05, JSON.stringify(bias));
    assert.ok(difference.median_ratio.high < -0.05, JSON.stringify(difference));
    for (const { value, sale_id } of copy.rows)
      await deps.data.query('update tested_sales set value = $1 where sale_id = $2', [value, sale_id]);
    await deps.control.query('delete from quality_reports');
    await measureMarket(deps, 'sandbox');
  });

  it('is measured again only when something it rests on has changed', async () => {
    assert.equal(await measureMarket(deps, 'sandbox'), false);
    const first = (await quality()).body.measured_at;
    assert.equal((await quality()).body.measured_at, first);
  });

  it('says what is not loaded', async () => {
    const rank = report.nondiscrimination.figures.find((each: any) => each.figure === 'minority_rank');
    assert.deepEqual([rank.status, rank.vintage, rank.groups, rank.difference], ['not_loaded', null, [], null]);
    const black = report.nondiscrimination.figures.find((each: any) => each.figure === 'black_share');
    assert.deepEqual([black.status, black.vintage], ['measured', 2020]);
  });

  it('says what it cannot say without shares by race and ethnicity', async () => {
    const missing = /^Shares by race and ethnicity are not measured/;
    assert.ok(!report.nondiscrimination.limits.some((limit: string) => missing.test(limit)));
    const shares = ['white_share', 'black_share', 'asian_share', 'hispanic_share'];
    await deps.data.query(`create table kept_shares as select geoid, vintage, ${shares.join(', ')} from census_tracts`);
    await deps.data.query(`update census_tracts set ${shares.map((name) => `${name} = null`).join(', ')}`);
    const measureAgain = async () => {
      await deps.control.query('delete from quality_reports');
      await measureMarket(deps, 'sandbox');
      return (await quality()).body.nondiscrimination;
    };
    const { figures, limits } = await measureAgain();
    assert.match(limits[0], missing);
    for (const name of shares) assert.equal(figures.find((each: any) => each.figure === name).status, 'not_loaded');
    await deps.data.query(
      `update census_tracts c set ${shares.map((name) => `${name} = k.${name}`).join(', ')} from kept_shares k
       where k.geoid = c.geoid and k.vintage = c.vintage`,
    );
    await deps.data.query('drop table kept_shares');
    assert.deepEqual((await measureAgain()).figures, report.nondiscrimination.figures);
  });
});

describe('who may read what', () => {
  it('shares of race and ethnicity are in no record and no risk layer', async () => {
    const { body } = await client.get(`/properties/${DEMO.property_id}/risk?layers=census`);
    assert.equal(body.layers.census.status, 'found');
    assert.doesNotMatch(JSON.stringify(body), /_share|minority/);
  });

  it('the model does not: with other figures for every tract, training and valuing give the same bytes', async () => {
    const value = async () => {
      const { body } = await client.post('/avm/estimate', { property: { id: DEMO.property_id } });
      const { id: _id, created_at: _at, ...rest } = body;
      return JSON.stringify(rest);
    };
    const modelHash = async (version: string) =>
      (await deps.control.query('select hash from models where version = $1', [version])).rows[0].hash;
    const before = [await modelHash(report.model_version), await value()];
    await deps.data.query(
      `update census_tracts set median_household_income = 1000 + (random() * 200000)::int, per_capita_income = 1000,
         median_home_value = 1, population = 1, owner_occupied_rate = random(), vacancy_rate = random(),
         poverty_rate = random(), unemployment_rate = random(), internet_rate = random(), white_share = random(),
         black_share = random(), asian_share = random(), hispanic_share = random(), minority_rank = random()`,
    );
    const { version } = await trainMarket(deps, 'sandbox', { isForced: true });
    deps.models.forget();
    assert.deepEqual([await modelHash(version), await value()], before);
  });
});

describe('the standing random sample', () => {
  it('holds the homes that the hash picks, with the values on record', async () => {
    const { rows: homes } = await deps.data.query(
      `select id, value, value_model from properties where market = 'sandbox' and status = 'active' and value is not null`,
    );
    const { rows: sampled } = await deps.data.query(
      `select property_id as id, value, model from sampled_values where market = 'sandbox'
       and sampled_on = (select min(sampled_on) from sampled_values where market = 'sandbox')`,
    );
    const first = sampled[0].model;
    const limit = Math.min(1, SAMPLE_HOMES / homes.length);
    const isPicked = (id: string) =>
      createHash('sha256').update(`${SAMPLE_SALT}${id}`).digest().readUInt32BE() < limit * 2 ** 32;
    const picked = homes.filter(({ id }) => isPicked(id)).map(({ id }) => id);
    assert.deepEqual(
      sampled
        .filter(({ model }) => model === first)
        .map(({ id }) => id)
        .sort(),
      picked.sort(),
    );
  });

  it('a smaller sample is a part of a larger one, and about as large as wanted', async () => {
    const { insertSample } = await import('../../src/insight/quality/sql.ts');
    const { rows } = await deps.data.query(
      `select value_model as model from properties where market = 'sandbox' and value is not null limit 1`,
    );
    const take = async (sampled_on: string, most: number) => {
      const key = { market: 'sandbox', sampled_on, model: rows[0].model };
      await insertSample(deps.data, key, { at: deps.clock(), salt: SAMPLE_SALT, most });
      const taken = await deps.data.query('select property_id from sampled_values where sampled_on = $1', [sampled_on]);
      return new Set(taken.rows.map((row) => row.property_id));
    };
    const small = await take('2001-01-01', 200);
    const large = await take('2001-01-02', 1_000);
    await deps.data.query(`delete from sampled_values where sampled_on < '2002-01-01'`);
    assert.ok(small.size > 150 && small.size < 250, String(small.size));
    assert.ok(large.size > 900 && large.size < 1_100, String(large.size));
    assert.ok([...small].every((id) => large.has(id)));
  });

  it('compares a value stored before a sale with the sale that a later load brings', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quality-'));
    const market = 'testville';
    const homes = Array.from({ length: 900 }, (_, i) => rollRow(i, { sqft: 900 + ((i * 37) % 1_500) }));
    writeRoll(folder, homes);
    const priceOf = (i: number) => 40_000 + 120 * Number(homes[i].sqft) * (1 + ((i * 13) % 10) / 100);
    const writeSales = (name: string, sales: { i: number; soldOn: string; price: number }[]) =>
      writeFileSync(
        join(folder, name),
        `pin,sold,price,sqft\n${sales.map(({ i, soldOn, price }) => `${homes[i].pin},${soldOn},${price},${homes[i].sqft}`).join('\n')}\n`,
      );
    const firstDay = Date.parse('2022-06-01');
    writeSales(
      'sales-1.csv',
      homes.map((_, i) => ({
        i,
        soldOn: isoDate(new Date(firstDay + ((i * 7) % 1_250) * 86_400_000)),
        price: Math.round(priceOf(i)),
      })),
    );
    const load = (publishedOn: string) => {
      const source = { ...testville, datasets: testville.datasets.map((dataset) => ({ ...dataset, publishedOn })) };
      return ingest({ data: deps.data, clock: deps.clock, cacheFolder: folder }, [source], [source], { from: folder });
    };
    deps.travel('2026-02-01T12:00:00Z');
    await load('2026-01-31');
    deps.catalog.forget();
    await trainMarket(deps, market, { isForced: true, parameters: tiny });
    await valueMarket(deps, market);
    assert.ok((await takeSample(deps, market)) > 800);
    assert.equal(await takeSample(deps, market), 0, 'once a month');
    await measureMarket(deps, market);
    const read = async () => (await quality(`market=${market}`, { key: client.liveKey })).body.random_sample;
    assert.deepEqual([(await read()).sales, (await read()).runs], [0, 1]);

    deps.travel('2026-03-05T12:00:00Z');
    await takeSample(deps, market);
    // Before the first run, which is no test of it; after the first; after the second.
    const days = ['2026-01-15', '2026-02-20', '2026-03-20'];
    const sold = Array.from({ length: 60 }, (_, k) => ({
      i: k * 11,
      soldOn: days[k % 3],
      price: Math.round(priceOf(k * 11) * (0.8 + (k % 7) / 15)),
    }));
    writeSales('sales-2.csv', sold);
    deps.travel('2026-05-01T12:00:00Z');
    await load('2026-04-30');
    assert.equal(await measureMarket(deps, market), true);
    const sample = await read();
    assert.equal(sample.runs, 3);
    const { rows: stored } = await deps.data.query(
      `select property_id, sampled_on, value, value_low, value_high from sampled_values
       where market = $1 order by sampled_on desc`,
      [market],
    );
    const expected = sold
      .filter(({ soldOn }) => soldOn > '2026-02-01')
      .map(({ i, soldOn, price }) => {
        const id = propertyId(FIPS, homes[i].pin);
        return { ...stored.find((row) => row.property_id === id && row.sampled_on < soldOn), price };
      });
    assert.equal(expected.length, 40);
    assert.ok(expected.every(({ value }) => value > 0));
    assert.equal(sample.sales, expected.length);
    const all = sample.groups.find((group: any) => group.kind === 'all');
    const errors = expected.map(({ value, price }) => Math.abs(value / price - 1)).toSorted((a, b) => a - b);
    const middle = (errors[(errors.length - 1) >> 1] + errors[errors.length >> 1]) / 2;
    assert.ok(Math.abs(all.median_error_rate - middle) < 6e-5, `${all.median_error_rate} ${middle}`);
    const covered = expected.filter(({ price, value_low, value_high }) => price >= value_low && price <= value_high);
    assert.ok(Math.abs(all.interval_coverage - covered.length / expected.length) < 6e-5);
    const ages = sample.groups.filter(({ kind }: any) => kind === 'age');
    assert.deepEqual(
      ages.map((each: any) => [each.group, each.sample_size]),
      [['under 3 months', 40]],
    );
    // Of the first sample alone, as if it were a hundred days older: sales after 2.7, 3.9 and 4.8 months.
    const past = await deps.data.connect();
    try {
      await past.query('begin');
      await past.query(`delete from sampled_values where market = $1 and sampled_on > '2026-02-28'`, [market]);
      await past.query('update sampled_values set sampled_on = sampled_on - 100 where market = $1', [market]);
      const { groups } = await compareSample({ data: past as never }, market);
      const counts = groups.flatMap(({ kind, name, accuracy }) => (kind === 'age' ? [`${name}: ${accuracy.n}`] : []));
      assert.deepEqual(counts.toSorted(), ['3 to 6 months: 40', 'under 3 months: 20']);
    } finally {
      await past.query('rollback');
      past.release();
    }
  });

  it('is sealed: a value changed afterwards breaks the seal, and the report says so', async () => {
    assert.equal((await checkSeals(deps)).broken, undefined);
    const pick = `(fips, property_id) = (select fips, property_id from sampled_values where market = 'sandbox' order by property_id limit 1)`;
    await deps.data.query(`update sampled_values set value = value + 1 where ${pick}`);
    assert.equal((await checkSeals(deps)).broken?.market, 'sandbox');
    await deps.data.query(`update sampled_values set value = value - 1 where ${pick}`);
    assert.equal((await checkSeals(deps)).broken, undefined);
    await assert.rejects(deps.control.query('delete from sample_seals'));
    const [seal] = (await deps.control.query('select * from sample_seals limit 1')).rows;
    const forged = { ...seal, sampled_on: '2020-01-01', homes: seal.homes + 1 };
    await deps.control.query('insert into sample_seals select * from jsonb_populate_record(null::sample_seals, $1)', [
      { ...forged, root: `\\x${seal.root.toString('hex')}`, signature: `\\x${seal.signature.toString('hex')}` },
    ]);
    assert.equal((await checkSeals(deps)).broken?.sampled_on, '2020-01-01');
  });
});

describe('anchored receipts', () => {
  const proofOf = async (id: string) => (await client.get(`/avm/valuations/${id}/proof`)).body;

  it('are proven from the served receipt to an entry of the audit log, by anyone', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++)
      ids.push((await client.post('/avm/estimate', { property: { id: DEMO.property_id } })).body.id);
    assert.deepEqual([(await proofOf(ids[0])).status, (await proofOf(ids[0])).anchor], ['pending', null]);
    assert.ok((await anchorReceipts(deps)) >= 5);
    assert.equal(await anchorReceipts(deps), 0);
    const sha = (...parts: (string | Buffer)[]) =>
      parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
    const { text: publicKey } = await client.get('//receipt-key.pem', { key: null });
    for (const id of ids) {
      const proof = await proofOf(id);
      assert.equal(proof.status, 'anchored');
      const { body: receipt } = await client.get(`/avm/valuations/${id}`);
      let hash = sha(Buffer.of(0), canonicalJson(receipt));
      assert.equal(hash.toString('hex'), proof.receipt_hash);
      for (const { side, hash: other } of proof.anchor.path) {
        const sibling = Buffer.from(other, 'hex');
        hash = side === 'left' ? sha(Buffer.of(1), sibling, hash) : sha(Buffer.of(1), hash, sibling);
      }
      assert.equal(hash.toString('hex'), proof.anchor.root);
      const { rows } = await deps.control.query(
        'select action, details, hash from audit_log where account_id = $1 and sequence = $2',
        [client.accountId, proof.anchor.audit_sequence],
      );
      assert.equal(rows[0].action, 'receipts.anchored');
      assert.equal(rows[0].details.root, proof.anchor.root);
      assert.equal(rows[0].hash.toString('hex'), proof.anchor.audit_hash);
      const { account_id, anchored_at, receipts: count, root, signature } = proof.anchor;
      const isSigned = (statement: object) =>
        verify(null, Buffer.from(canonicalJson(statement)), publicKey, Buffer.from(signature, 'base64'));
      assert.equal(isSigned({ account_id, anchored_at, receipts: count, root }), true);
      assert.equal(isSigned({ account_id, anchored_at, receipts: count, root: proof.receipt_hash }), false);
    }
    const { receipts } = (await quality()).body;
    assert.ok(receipts.anchored >= 5 && receipts.anchors >= 1);
  });

  it('show a change of the receipt, of the anchor, and of nothing else', async () => {
    const { body } = await client.post('/avm/estimate', { property: { id: DEMO.property_id } });
    await anchorReceipts(deps);
    assert.deepEqual((await checkReceipts(deps)).broken, []);
    const changes: [string, string, string][] = [
      [
        'receipt_changed',
        `update valuations set model_version = model_version || 'x' where id = $1`,
        `update valuations set model_version = left(model_version, -1) where id = $1`,
      ],
      [
        'anchor_changed',
        `update receipt_anchors a set root = sha256(root) from valuations v where v.id = $1 and a.id = v.anchor_id`,
        '',
      ],
    ];
    for (const [flaw, change, back] of changes) {
      await deps.control.query(change, [body.id]);
      const proof = await proofOf(body.id);
      assert.deepEqual([proof.status, proof.flaw], ['broken', flaw]);
      assert.deepEqual((await checkReceipts(deps, [body.id])).broken, [{ id: body.id, flaw }]);
      if (back) await deps.control.query(back, [body.id]);
    }
  });

  it('are the asker’s own', async () => {
    const { body } = await client.post('/avm/estimate', { property: { id: DEMO.property_id } });
    const other = await client.get(`/avm/valuations/${body.id}/proof`, { key: client.liveKey });
    assert.deepEqual([other.status, other.body.code], [404, 'resource_not_found']);
  });
});
