// Ten tasks of an underwriter and an analyst, done by a script that knows only the tools' descriptions and what they
// answer: at most five calls each, over HTTP.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { DEMO, MAGIC_APN, sandboxId } from '../../src/supply/sandbox/fixtures.ts';
import { drain } from '../../src/worker.ts';
import { answerOf } from '../agents.ts';
import { testClient } from '../harness.ts';

const MOST_CALLS = 5;
const api = await testClient();
const address = await api.app.listen({ port: 0, host: '127.0.0.1' });
const client = new Client({ name: 'agent', version: '1' });
await client.connect(
  new StreamableHTTPClientTransport(new URL(`${address}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${api.testKey}` } },
  }),
);
after(() => client.close());
const { tools } = await client.listTools();

/** The one tool whose description speaks of the matter. */
function toolFor(matter: RegExp): string {
  const found = tools.filter(({ description }) => matter.test(description ?? ''));
  assert.equal(found.length, 1, `${matter}: ${found.map(({ name }) => name).join(', ')}`);
  return found[0].name;
}

type Ask = (matter: RegExp, args?: Record<string, unknown>) => Promise<any>;

function task(name: string, work: (ask: Ask) => Promise<void>): void {
  it(name, async () => {
    let calls = 0;
    await work(async (matter, args = {}) => {
      calls++;
      const result = await client.callTool({ name: toolFor(matter), arguments: args });
      return { ...answerOf(result), isError: result.isError ?? false };
    });
    assert.ok(calls <= MOST_CALLS, `${calls} calls`);
  });
}

/** How a script without a model mends a refused call: by the argument, the nearest name and the range it is told. */
function mend(args: Record<string, unknown>, failure: any): Record<string, unknown> {
  const [{ argument, nearest }] = failure.errors;
  const { [argument]: value, ...rest } = args;
  return failure.code === 'unknown_parameter' ? { ...rest, [nearest]: value } : { ...rest, [argument]: nearest };
}

const RESOLVE = /Find the one property/;
const VALUE = /^Value a property/;
const EXPLAIN = /^How a value/;
const TITLE = /^Chain of title/;
const RISK = /^The risk layers of a property: flood/;
const REPORT = /dossier/;
const START = /^Resolve up to 1,000/;
const FOLLOW = /^How far a batch is/;
const RESULTS = /^Results of a batch/;
const FIGURES = /^Figures of a place/;
const RANK = /in order of a figure/;
const SEARCH = /^Properties that match every filter/;
const CHANGES = /^What changed on record/;
const QUALITY = /89 FR 64538/;
const ACCURACY = /^How well the model did/;

describe('an underwriter', () => {
  task('1. What is the home at this address worth, how sure is that, and why?', async (ask) => {
    const home = await ask(RESOLVE, { address: '1208 lantern hill drive, port ellowby zz' });
    const value = await ask(VALUE, { property_id: home.id });
    const why = await ask(EXPLAIN, { valuation_id: value.id });
    const { body: rest } = await api.get(`/avm/valuations/${value.id}`);
    assert.equal(value.estimated_value, rest.result.estimated_value);
    assert.ok(value.confidence_interval.low < value.estimated_value && value.median_error_rate > 0);
    assert.ok(why.comparables.length >= 3);
  });

  task('2. Is the title clear: what is open, and how far back does the record go?', async (ask) => {
    const id = sandboxId(99_001, MAGIC_APN.titleLoans);
    const title = await ask(TITLE, { property_id: id });
    const { body: rest } = await api.get(`/properties/${id}/title`);
    const isOpen = (mortgage: any) => mortgage.status === 'open';
    assert.deepEqual(title.mortgages.filter(isOpen).length, rest.mortgages.filter(isOpen).length);
    assert.ok(title.flags.length > 0 && title.flags.every((flag: any) => flag.reason ?? flag.detail));
    assert.ok(title.coverage);
  });

  task('3. Make the file for a loan of $200,000: loan-to-value, rules, gaps', async (ask) => {
    const file = await ask(REPORT, {
      address: DEMO.address,
      loan_amount: 200_000,
      purpose: 'purchase',
      reference: 'L-17',
    });
    assert.equal(file.isError, false, JSON.stringify(file));
    const { estimated_value: value } = file.valuation;
    assert.ok(Math.abs(file.loan.ltv - 200_000 / value) < 1e-4);
    assert.deepEqual([file.reference, file.property.id], ['L-17', DEMO.property_id]);
    const { body: kept } = await api.get(`/reports/${file.id}`);
    assert.deepEqual([kept.valuation.estimated_value, kept.decision, kept.gaps], [value, file.decision, file.gaps]);
  });

  task('4. What was it worth long ago? The answer says which days are possible', async (ask) => {
    const early = await ask(VALUE, { property_id: DEMO.property_id, as_of: '1999-12-31' });
    assert.deepEqual([early.isError, early.code], [true, 'as_of_out_of_range']);
    const first = await ask(VALUE, { property_id: DEMO.property_id, as_of: early.as_of_range.from });
    const last = await ask(VALUE, { property_id: DEMO.property_id, as_of: early.as_of_range.to });
    assert.deepEqual([first.isError, last.isError], [false, false], JSON.stringify(first));
    assert.equal(first.as_of ?? first.valuation_date, early.as_of_range.from);
    const later = await ask(VALUE, { property_id: DEMO.property_id, as_of: '2099-01-01' });
    assert.deepEqual(later.as_of_range, early.as_of_range);
  });

  task('5. Value a pool of 120 homes and add them up', async (ask) => {
    const { rows: homes } = await api.deps.data.query(
      `select id from properties where market = 'sandbox' and status = 'active' and property_type = 'single_family'
       and value is not null and apn not like '90%' order by id limit 119`,
    );
    const addresses = [...homes.map(({ id }) => id), '1 Nowhere Rd, Port Ellowby, ZZ 00101'];
    const batch = await ask(START, { addresses, wait: 0 });
    await drain(api.deps, ['batches']);
    const state = await ask(FOLLOW, { batch_id: batch.id });
    assert.deepEqual([state.status, state.counts.total, state.counts.failed], ['completed', 120, 1]);
    const lines: any[] = [];
    for (let cursor: string | undefined | null; cursor !== null && lines.length < 120;) {
      const page = await ask(RESULTS, { batch_id: batch.id, ...(cursor && { cursor }) });
      lines.push(...page.data);
      cursor = page.pagination.next_cursor;
    }
    assert.deepEqual(
      lines.map(({ index }) => index),
      addresses.map((_, i) => i),
    );
    assert.equal(lines.filter(({ value, low, high }) => low < value && value < high).length, 119);
    assert.equal(lines[119].error, 'address_not_resolved');
  });

  task('6. Which flags does the site have: flood, liens, violations, permits?', async (ask) => {
    const home = await ask(RESOLVE, { address: DEMO.address });
    const risk = await ask(RISK, {
      property_id: home.id,
      layers: ['flood', 'tax_liens', 'code_violations', 'permits'],
    });
    const statuses = Object.values(risk.layers).map((layer: any) => layer.status);
    assert.equal(statuses.length, 4);
    assert.ok(statuses.every((status) => ['found', 'none_found', 'not_covered'].includes(status)));
  });
});

describe('an analyst', () => {
  task('7. How have prices in Port Ellowby moved, by the year and at equal quality?', async (ask) => {
    const sales = await ask(FIGURES, { place: 'Port Ellowby, ZZ', interval: 'year' });
    const index = await ask(FIGURES, { place: 'Port Ellowby, ZZ', interval: 'year', figures: 'price_index' });
    const { body: rest } = await api.get('/analytics/series?kind=city&area=Port+Ellowby&interval=year');
    assert.deepEqual(
      sales.data.map(({ period, n, median_price }: any) => [period, n, median_price]),
      rest.data.map(({ period, n, median_price }: any) => [period, n, median_price]).toReversed(),
    );
    const [first] = (await ask(FIGURES, { place: 'Port Ellowby, ZZ', figures: 'forecast' })).data;
    assert.ok(first.low <= first.index && first.index <= first.high, JSON.stringify(first));
    const growth = index.growth.find(({ years }: any) => years === 1);
    assert.ok(growth.low <= growth.rate && growth.rate <= growth.high);
  });

  task(
    '8. Which ZIP of the county is the dearest, and which of the two counties has sold more this decade?',
    async (ask) => {
      const { data: zips } = await ask(RANK, {
        kind: 'zip',
        figure: 'median_price',
        place: 'Wendemere County',
        period: '2025',
      });
      const { rows: prices } = await api.deps.data.query(
        `select p.zip, percentile_cont(0.5) within group (order by t.price) as price, count(*)::int as n from transactions t
       join properties p on p.fips = t.fips and p.id = t.property_id
       left join sale_verdicts v on v.fips = t.fips and v.property_id = t.property_id and v.transaction_id = t.id
       where t.market = 'sandbox' and t.fips = 99001 and t.type = 'deed' and t.price > 0
         and coalesce(v.market_price, t.arms_length) is not false and t.sale_date between '2025-01-01' and '2025-12-31'
         and t.retired_at is null
         and p.property_type in ('single_family', 'condo', 'townhouse', 'multi_family', 'manufactured')
       group by p.zip having count(*) >= 5 order by price desc limit 1`,
      );
      assert.deepEqual([zips[0].area.id, zips[0].n], [prices[0].zip, prices[0].n]);
      const sold = async (place: string) =>
        (await ask(FIGURES, { place, interval: 'year', since: '2020-01-01' })).data.reduce(
          (sum: number, { n }: any) => sum + n,
          0,
        );
      const [wendemere, quillmoor] = [await sold('Wendemere County'), await sold('Quillmoor County, ZZ')];
      const { rows } = await api.deps.data.query(
        `select t.fips, count(*)::int as n from transactions t
       join properties p on p.fips = t.fips and p.id = t.property_id
       left join sale_verdicts v on v.fips = t.fips and v.property_id = t.property_id and v.transaction_id = t.id
       where t.market = 'sandbox' and t.type = 'deed' and t.price > 0 and coalesce(v.market_price, t.arms_length) is not false
         and t.sale_date >= '2020-01-01' and t.retired_at is null
         and p.property_type in ('single_family', 'condo', 'townhouse', 'multi_family', 'manufactured')
       group by t.fips order by t.fips`,
      );
      assert.deepEqual(
        [wendemere, quillmoor],
        rows.map(({ n }) => n),
      );
    },
  );

  task('9. The dearest homes under $600,000 in a ZIP, with a slip of the tongue', async (ask) => {
    const args = { place: '00103', max_price: 600_000, sort: '-value', limit: 3 };
    const slip = await ask(SEARCH, args);
    assert.equal(slip.code, 'unknown_parameter');
    assert.ok(slip.errors[0].allowed.includes('max_value'));
    const found = await ask(SEARCH, mend(args, slip));
    const { rows } = await api.deps.data.query(
      `select id from properties where zip = '00103' and status = 'active' and value <= 600000 order by value desc, id limit 3`,
    );
    assert.deepEqual(found.data.map(({ id }: any) => id).sort(), rows.map(({ id }) => id).sort());
    const all = await ask(SEARCH, { place: '00103', max_value: 600_000, count_only: true });
    assert.ok(all.count >= 3);
  });

  task('10. What sold lately here, how good are the values, and what is the evidence?', async (ask) => {
    const changes = await ask(CHANGES, { place: 'Wendemere County', type: 'property.sale_recorded', limit: 5 });
    assert.equal(changes.isError, false, JSON.stringify(changes));
    assert.ok(changes.pagination.next_cursor);
    const accuracy = await ask(ACCURACY, { market: 'Wendemere County', segment: 'confidence' });
    assert.ok(accuracy.data.length >= 2);
    const evidence = await ask(QUALITY, { market: 'Port Ellowby' });
    const confidence = evidence.confidence.segments.filter(({ kind }: any) => kind === 'confidence');
    assert.deepEqual(
      confidence.map(({ segment, median_error_rate }: any) => [segment, median_error_rate]),
      accuracy.data.map(({ segment, median_error_rate }: any) => [segment, median_error_rate]),
    );
    assert.ok(evidence.nondiscrimination.limits.length > 0);
  });
});
