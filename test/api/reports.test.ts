// The lender's file through HTTP: what it holds, what it costs, who may see it, the rules it is checked against, its PDF.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { createAccount, createKey } from '../../src/customers/accounts/accounts.ts';
import { SCOPES } from '../../src/customers/accounts/scopes.ts';
import { canonicalJson } from '../../src/base/math/hashes.ts';
import { showOwner, suppressOwner } from '../../src/records/properties/properties.ts';
import { forgetOldReports } from '../../src/delivery/reports/reports.ts';
import { DEMO, MAGIC_APN, sandboxId } from '../../src/supply/sandbox/fixtures.ts';
import { WENDEMERE } from '../../src/supply/sandbox/geography.ts';
import { asDay, asMoney, asRatio } from '../../src/base/lib/figures.ts';
import { STANDARD_RULES } from '../../src/delivery/reports/standard-rules.ts';
import { testClient, type CallOptions, type TestClient } from '../harness.ts';
import { readPdf } from '../pdf-text.ts';

const api = await testClient();
const idOf = (apn: string) => sandboxId(WENDEMERE, apn);
const LOANS = idOf(MAGIC_APN.titleLoans);

async function make(body: object, options?: CallOptions, client: TestClient = api) {
  const { status, body: report, text } = await client.post('/reports', body, options);
  assert.equal(status, 201, text.slice(0, 1_000));
  return report;
}
const ratio = (debt: number, value: number) => Math.ceil((debt * 10_000) / value) / 10_000;

async function pdfOf(id: string, key = api.testKey): Promise<Buffer> {
  const response = await api.app.inject({ url: `/api/v1/reports/${id}/pdf`, headers: { 'x-api-key': key } });
  assert.equal(response.statusCode, 200, response.payload.slice(0, 500));
  assert.equal(response.headers['content-type'], 'application/pdf');
  return response.rawPayload;
}

const outcomesOf = (report: any) => report.decision.rules.map(({ outcome }: any) => outcome);

describe('POST /reports', () => {
  it('201: every part says what the single endpoints say at that time', async () => {
    const report = await make({ property: { address: DEMO.address }, reference: 'L-1', demographics: true });
    const id = DEMO.property_id;
    assert.deepEqual([report.object, report.mode, report.reference, report.property.id], ['report', 'test', 'L-1', id]);
    const { body: value } = await api.post('/avm/estimate', {
      property: { address: DEMO.address },
      options: { include: ['comparables', 'explanation', 'history'] },
    });
    assert.deepEqual({ ...report.valuation, id: value.id }, value);
    assert.deepEqual(report.title, (await api.get(`/properties/${id}/title`)).body);
    assert.deepEqual(report.risk, (await api.get(`/properties/${id}/risk`)).body);
    assert.equal(Object.keys(report.risk.layers).length, 10);
    const { body: rent } = await api.get(`/rents/estimate?id=${id}&value=${report.valuation.estimated_value}`);
    assert.deepEqual({ ...report.rent, returns: null }, { ...rent, returns: null });
    const include = 'include=assessments,taxes,provenance,geometry,owner';
    assert.deepEqual(report.property, (await api.get(`/properties/${id}?${include}`)).body);
    const { local, index, forecast } = report.market;
    const areaOf = ({ area, starts_on }: any) =>
      new URLSearchParams({ kind: area.kind, area: area.id, since: starts_on, until: report.as_of });
    assert.deepEqual(local, (await api.get(`/analytics/series?${areaOf(local)}&interval=quarter`)).body);
    assert.deepEqual(index, (await api.get(`/analytics/index?${areaOf(index)}`)).body);
    const ahead = `kind=${index.area.kind}&area=${encodeURIComponent(index.area.id)}&months=12`;
    assert.deepEqual(forecast, (await api.get(`/analytics/forecast?${ahead}`)).body);
    assert.equal(forecast.data.length, 12);
  });

  it('has the rent with what it earns, and a rule on how it covers the loan', async () => {
    const rules = [
      { when: 'dscr_below', limit: 0.2, outcome: 'decline' },
      { when: 'dscr_below', limit: 9, outcome: 'decline' },
    ];
    const rental = { expenses: { insurance: 2_400 }, loan_terms: { rate: 0.07 } };
    const property = { id: DEMO.property_id };
    const report = await make({ property, rules, rental, loan: { amount: 500_000 } });
    assert.equal(report.rent.loan.payment, 3326.51);
    assert.ok(report.rent.loan.dscr > 0.2 && report.rent.loan.dscr < 9);
    assert.deepEqual(outcomesOf(report), ['pass', 'decline']);
    assert.ok(report.sources.some(({ used_for: uses }: any) => uses.includes('rent')));
    const unstated = await make({ property, rules, loan: { amount: 500_000 } });
    assert.deepEqual(outcomesOf(unstated), ['refer', 'refer']);
    assert.deepEqual(outcomesOf(await make({ property, rules })), ['not_applicable', 'not_applicable']);
  });

  it('the receipt is that of the value, and the hash follows from the report and is in the audit log', async () => {
    const { sha256, ...rest } = await make({ property: { id: DEMO.property_id } });
    assert.equal(sha256, createHash('sha256').update(canonicalJson(rest)).digest('hex'));
    const { body: receipt } = await api.get(`/avm/valuations/${rest.receipt.id}`);
    assert.deepEqual(receipt.result, rest.valuation);
    assert.deepEqual([rest.receipt.id, rest.receipt.model_hash], [rest.valuation.id, receipt.model_hash]);
    const { rows } = await api.deps.control.query(`select details from audit_log where target = $1`, [rest.id]);
    assert.deepEqual(rows, [{ details: { mode: 'test', property_id: DEMO.property_id, sha256 } }]);
  });

  it('has every source of its figures, and says what is not known', async () => {
    const report = await make({ property: { id: DEMO.property_id } });
    const ids = new Set(report.sources.map(({ id }: any) => id));
    const used = [
      report.property.provenance.default_source,
      ...report.title.chain.map(({ source }: any) => source),
      ...Object.values<any>(report.risk.layers).map(({ source }) => source.id),
      ...report.market.local.sources.map(({ id }: any) => id),
    ];
    for (const id of used) assert.ok(ids.has(id), id);
    const away = await make({ property: { id: idOf(MAGIC_APN.layerAway) } });
    assert.ok(away.gaps.some(({ code, kind }: any) => code === 'permits_unavailable' && kind === 'unavailable'));
    assert.equal(away.risk.layers.permits.status, 'temporarily_unavailable');
  });

  it('values as of an earlier day, with attributes of the request, and says both', async () => {
    const report = await make({
      property: { id: DEMO.property_id, bedrooms: 5 },
      options: { as_of: '2026-06-29', interval_level: 0.9 },
    });
    assert.deepEqual([report.as_of, report.valuation.confidence_interval.level], ['2026-06-29', 0.9]);
    const codes = report.gaps.map(({ code }: any) => code);
    assert.ok(codes.includes('attributes_from_request') && codes.includes('value_as_of_earlier_day'), codes.join());
    assert.ok(report.market.local.data.every(({ starts_on }: any) => starts_on <= '2026-06-29'));
    const past = await make({ property: { id: DEMO.property_id }, options: { as_of: '2026-03-15' } });
    assert.equal(past.market.forecast, null, 'a forecast that knows what came after the day');
  });

  it('a home that cannot be valued, is not on record or does not exist gets the error of the valuation', async () => {
    const wrong: [object, number, string][] = [
      [{ property: { address: '422 Sandbox Way, Port Ellowby, ZZ 00101' } }, 422, 'insufficient_data'],
      [{ property: { id: idOf(MAGIC_APN.commercial) } }, 422, 'unsupported_property_type'],
      [{ property: { address: '404 Sandbox Way, Port Ellowby, ZZ 00101' } }, 422, 'address_not_resolved'],
      [{ property: { id: 'prop_r5pv00000000000000000' } }, 404, 'property_not_found'],
      [{ property: { id: DEMO.property_id }, options: { as_of: '2030-01-01' } }, 422, 'as_of_out_of_range'],
      [{ property: {} }, 400, 'invalid_request'],
      [{ property: { id: DEMO.property_id }, loan: { amount: 0 } }, 400, 'invalid_request'],
      [{ property: { id: DEMO.property_id }, loan_amount: 1 }, 400, 'unknown_parameter'],
    ];
    const before = (await api.get('/reports')).body.data.length;
    for (const [body, status, code] of wrong) {
      const answer = await api.post('/reports', body);
      assert.deepEqual([answer.status, answer.body.code], [status, code], answer.text);
      assert.ok(answer.body.detail.length > 20);
    }
    const { latitude, longitude } = (await api.get(`/properties/${DEMO.property_id}`)).body;
    const described = { latitude, longitude, sqft: 1_500, property_type: 'single_family' };
    const unlisted = await api.post('/reports', { property: described });
    assert.deepEqual([unlisted.status, unlisted.body.code], [422, 'insufficient_data']);
    assert.equal((await api.get('/reports')).body.data.length, before);
  });

  it('repeats its answer for an idempotency key, and makes one report', async () => {
    const headers = { 'idempotency-key': 'report-1' };
    const first = await api.post('/reports', { property: { id: DEMO.property_id }, reference: 'once' }, { headers });
    const second = await api.post('/reports', { property: { id: DEMO.property_id }, reference: 'once' }, { headers });
    assert.equal(second.headers['idempotency-replayed'], 'true');
    assert.equal(second.text, first.text);
    const { data } = (await api.get('/reports?limit=100')).body;
    assert.equal(data.filter(({ reference }: any) => reference === 'once').length, 1);
  });
});

describe('loan to value', () => {
  const balanceOf = async (id: string) => {
    const { mortgages } = (await api.get(`/properties/${id}/title`)).body;
    const open = mortgages.filter(({ status }: any) => status !== 'released');
    return open.reduce((sum: number, each: any) => sum + each.estimated_balance.amount, 0);
  };

  it('counts open mortgages where they stay, and leaves them out where they are paid off', async () => {
    const owed = await balanceOf(LOANS);
    assert.ok(owed > 0);
    for (const [purpose, existing] of [
      [undefined, owed],
      ['home_equity', owed],
      ['other', owed],
      ['purchase', 0],
      ['refinance', owed - 210_000],
    ] as const) {
      const { loan, valuation } = await make({
        property: { id: LOANS },
        loan: { amount: 210_000, other_liens: 15_000, ...(purpose && { purpose }) },
      });
      const { estimated_value: value, confidence_interval: interval } = valuation;
      const debt = 210_000 + 15_000 + existing;
      assert.deepEqual(
        [loan.ltv, loan.ltv_at_low, loan.total_debt, loan.cltv, loan.cltv_at_low],
        [ratio(210_000, value), ratio(210_000, interval.low), debt, ratio(debt, value), ratio(debt, interval.low)],
        purpose,
      );
    }
  });

  it('pays off no more than it lends, and refers where a debt, a lien or a stray assignment is not accounted for', async () => {
    const owed = await balanceOf(LOANS);
    const rules = [{ when: 'cltv_above', limit: 0.99, outcome: 'decline' }];
    const short = await make({ property: { id: LOANS }, loan: { amount: 1, purpose: 'refinance' }, rules });
    assert.deepEqual(
      [short.loan.total_debt, short.loan.existing_mortgages.payoff, short.loan.existing_mortgages.shortfall],
      [owed, owed, owed - 1],
    );
    assert.ok(short.gaps.some(({ code }: any) => code === 'payoff_not_covered'));
    assert.equal(short.decision.outcome, 'refer');
    const stray = await make({
      property: { id: idOf(MAGIC_APN.titleStrays) },
      loan: { amount: 50_000, purpose: 'home_equity' },
      rules: [...rules, { when: 'open_mortgages_above', limit: 5, outcome: 'decline' }],
    });
    assert.deepEqual([stray.loan.cltv, stray.title.open.mortgages], [null, null]);
    assert.match(stray.title.coverage.mortgages.note, /older than the records/);
    assert.deepEqual(
      stray.decision.rules.map(({ outcome }: any) => outcome),
      ['refer', 'refer'],
    );
    const { confidence_interval: interval } = short.valuation;
    const dear = await make({
      property: { id: LOANS },
      loan: { amount: 100_000, purpose: 'purchase', purchase_price: interval.high + 1 },
      rules: [{ when: 'price_outside_interval', outcome: 'refer' }],
    });
    assert.ok(dear.gaps.some(({ code }: any) => code === 'price_outside_interval'));
    assert.equal(dear.decision.outcome, 'refer');
  });

  it('is checked against the ready set on demand, with rules of its own in addition', async () => {
    const { standard } = (await api.get('/reports/rules')).body;
    const { decision } = await make({
      property: { id: LOANS },
      loan: { amount: 1, purpose: 'refinance' },
      rule_set: 'standard',
      rules: [{ when: 'ltv_above', limit: 0.5, outcome: 'refer', note: 'Our own' }],
    });
    assert.deepEqual([decision.rules_from, decision.rules.length], ['standard', standard.length + 1]);
    assert.equal(decision.rules.find(({ when }: any) => when === 'payoff_not_covered').outcome, 'refer');
  });

  it('lends against the price where it is lower, and takes a stated balance over the estimate', async () => {
    const { loan } = await make({
      property: { id: LOANS },
      loan: { amount: 100_000, purchase_price: 125_000, existing_balance: 40_000 },
    });
    assert.deepEqual([loan.ltv, loan.ltv_at_low, loan.cltv], [0.8, 0.8, 1.12]);
  });

  it('passes nothing on a stated balance that is less than what the records say is owed', async () => {
    const owed = await balanceOf(LOANS);
    const rules = [
      { when: 'cltv_above', limit: 9, outcome: 'decline' },
      { when: 'payoff_not_covered', outcome: 'refer' },
    ];
    for (const [terms, balance, missing] of [
      [{ amount: 1_000, purpose: 'home_equity' }, 0, owed],
      [{ amount: 1_000, purpose: 'home_equity' }, owed - 1, 1],
      [{ amount: 1_000, purpose: 'home_equity' }, owed, 0],
      [{ amount: owed - 7, purpose: 'refinance' }, 0, 7],
      [{ amount: owed - 7, purpose: 'refinance' }, 7, 0],
      [{ amount: 1_000, purpose: 'purchase', purchase_price: owed }, 0, 0],
    ] as const) {
      const body = { property: { id: LOANS }, loan: { ...terms, existing_balance: balance }, rules };
      const { loan, gaps, decision } = await make(body);
      const isShort = missing > 0;
      const about = JSON.stringify([terms, balance, loan.existing_mortgages]);
      const { basis, shortfall, balance: counted } = loan.existing_mortgages;
      assert.deepEqual([counted, loan.total_debt], [balance, terms.amount + balance], about);
      assert.deepEqual(
        [basis, shortfall],
        isShort ? ['stated_below_record', missing] : ['stated_in_request', null],
        about,
      );
      assert.equal(
        gaps.some(({ code }: any) => code === 'balance_below_record'),
        isShort,
        about,
      );
      const outcomes = decision.rules.map(({ outcome }: any) => outcome);
      assert.deepEqual(outcomes, isShort ? ['refer', 'refer'] : ['pass', 'not_applicable'], about);
    }
  });

  it('has no combined figure where a mortgage may be older than the records, and no rule passes on it', async () => {
    const { rows } = await api.deps.data.query(
      `select p.id from properties p where p.fips = $1 and p.status = 'active' and p.property_type = 'single_family'
         and p.sqft is not null
         and not exists (select 1 from transactions t where t.fips = p.fips and t.property_id = p.id) order by 1 limit 1`,
      [WENDEMERE],
    );
    const rules = [
      { when: 'open_mortgages_above', limit: 0, outcome: 'decline' },
      { when: 'cltv_above', limit: 0.9, outcome: 'decline' },
    ];
    const body = { property: { id: rows[0].id }, loan: { amount: 50_000, purpose: 'home_equity' }, rules };
    const { loan, gaps, decision } = await make(body);
    assert.deepEqual([loan.existing_mortgages.count, loan.cltv, loan.total_debt], [null, null, null]);
    assert.ok(gaps.some(({ code }: any) => code === 'mortgages_partial'));
    assert.deepEqual(
      decision.rules.map(({ outcome, figure }: any) => [outcome, figure]),
      [
        ['refer', null],
        ['refer', null],
      ],
    );
    const stated = await make({ ...body, loan: { ...body.loan, existing_balance: 0 } });
    assert.equal(stated.loan.cltv, stated.loan.ltv);
  });

  it('has no combined figure where the title is not covered, and says so', async () => {
    const own = await testClient();
    await own.deps.data.query(`delete from coverage where layer = 'transactions'`);
    own.deps.catalog.forget();
    const rules = [
      { when: 'cltv_above', limit: 0.9, outcome: 'decline' },
      { when: 'data_missing', limit: ['title'], outcome: 'decline' },
      { when: 'title_flags', outcome: 'decline' },
    ];
    const body = { property: { id: LOANS }, loan: { amount: 100_000 }, rules };
    const { loan, title, gaps, decision } = await make(body, undefined, own);
    assert.deepEqual([title.coverage.status, loan.cltv, loan.total_debt], ['not_covered', null, null]);
    assert.ok(gaps.some(({ code }: any) => code === 'title_not_covered'));
    assert.ok(gaps.some(({ code }: any) => code === 'existing_balance_unknown'));
    assert.deepEqual(
      decision.rules.map(({ outcome }: any) => outcome),
      ['refer', 'decline', 'refer'],
      'what is not known is referred, never passed or declined',
    );
  });
});

describe('rules', () => {
  const outcomesOf = async (rules: object[], body: object = {}) => {
    const { decision } = await make({ property: { id: LOANS }, rules, ...body });
    return { all: decision.outcome, each: decision.rules.map(({ outcome }: any) => outcome), rules: decision.rules };
  };

  it('each passes on one side of its limit and applies on the other, with the figure it was tested on', async () => {
    const report = await make({ property: { id: LOANS }, loan: { amount: 300_000 } });
    const { valuation, loan, title } = report;
    const { confidence_interval: interval, estimated_value: value, comparables } = valuation;
    const width = (interval.high - interval.low) / value;
    const gross = comparables.map((each: any) => each.gross_adjustment_rate);
    const figures: [string, number, number][] = [
      ['fsd_above', valuation.fsd, 0.0001],
      ['interval_wider_than', width, 0.001],
      ['ltv_above', loan.ltv, 0.0001],
      ['ltv_at_low_above', loan.ltv_at_low, 0.0001],
      ['cltv_above', loan.cltv, 0.0001],
      ['cltv_at_low_above', loan.cltv_at_low, 0.0001],
      ['largest_gross_adjustment_above', Math.max(...gross), 0.0001],
      ['open_mortgages_above', title.open.mortgages, 1],
    ];
    for (const [when, figure, step] of figures) {
      const { each, rules } = await outcomesOf(
        [
          { when, limit: figure + step, outcome: 'decline' },
          { when, limit: Math.max(0, figure - step), outcome: 'decline' },
          { when, limit: Math.max(0, figure - step), outcome: 'refer' },
        ],
        { loan: { amount: 300_000 } },
      );
      assert.deepEqual(each, ['pass', 'decline', 'refer'], when);
      assert.ok(Math.abs(rules[0].figure - figure) < step, when);
      assert.ok(rules[0].reason.length > 10);
    }
  });

  it('words: confidence, flood zones, flags, types and missing data', async () => {
    const { risk, title, valuation } = await make({ property: { id: LOANS } });
    const zone = risk.layers.flood.zone;
    const [flag] = title.flags;
    const { each, all } = await outcomesOf([
      { when: 'flood_zone_in', limit: [zone.toLowerCase()], outcome: 'refer' },
      { when: 'flood_zone_in', limit: ['V99'], outcome: 'refer' },
      { when: 'title_flags', limit: [flag.code], outcome: 'decline' },
      { when: 'title_flags', limit: ['missing_link'], outcome: 'decline' },
      { when: 'title_flags', outcome: 'refer' },
      { when: 'property_type_in', limit: ['single_family'], outcome: 'refer' },
      { when: 'property_type_in', limit: ['condo', 'land'], outcome: 'refer' },
      { when: 'data_missing', limit: ['title', 'flood'], outcome: 'refer' },
      { when: 'comparables_fewer_than', limit: valuation.comparables.length, outcome: 'refer' },
      { when: 'value_older_than_days', limit: 0, outcome: 'refer' },
      { when: 'ltv_above', limit: 0.8, outcome: 'decline' },
    ]);
    const expected = [
      'refer',
      'pass',
      'decline',
      'pass',
      'refer',
      'refer',
      'pass',
      'pass',
      'pass',
      'pass',
      'not_applicable',
    ];
    assert.deepEqual([each, all], [expected, 'decline']);
    const levels = ['low', 'medium', 'high'];
    for (const limit of ['medium', 'high']) {
      const isBelow = levels.indexOf(valuation.confidence) < levels.indexOf(limit);
      const { each: found } = await outcomesOf([{ when: 'confidence_below', limit, outcome: 'refer' }]);
      assert.deepEqual(found, [isBelow ? 'refer' : 'pass'], limit);
    }
  });

  it('a stale market and a past value are found by their age', async () => {
    const own = await testClient();
    await own.deps.data.query(`delete from transactions where known_on > '2025-12-31'`);
    await own.deps.control.query('delete from model_books');
    const rules = [
      { when: 'sales_older_than_days', limit: 100, outcome: 'refer' },
      { when: 'sales_older_than_days', limit: 400, outcome: 'refer' },
      { when: 'value_older_than_days', limit: 0, outcome: 'decline' },
      { when: 'value_older_than_days', limit: 1, outcome: 'decline' },
    ];
    const body = { property: { id: LOANS }, rules, options: { as_of: '2026-06-29' } };
    const { decision, gaps } = await make(body, undefined, own);
    assert.deepEqual(
      decision.rules.map(({ outcome }: any) => outcome),
      ['refer', 'pass', 'decline', 'pass'],
    );
    assert.ok(gaps.some(({ kind, code }: any) => kind === 'stale' && code === 'stale_market'));
  });

  it('are kept for the account and the mode of the key, read back, and tested unless the request has its own', async () => {
    const rules = [{ when: 'open_mortgages_above', limit: 0, outcome: 'refer', note: 'Policy 3' }];
    assert.deepEqual((await api.get('/reports/rules')).body, {
      object: 'report_rules',
      rules: [],
      standard: [...STANDARD_RULES],
      updated_at: null,
    });
    assert.equal((await make({ property: { id: LOANS } })).decision.outcome, 'not_evaluated');
    const set = await api.call('PUT', '/reports/rules', { body: { rules } });
    assert.equal(set.status, 200, set.text);
    assert.deepEqual((await api.get('/reports/rules')).body, set.body);
    const { decision } = await make({ property: { id: LOANS } });
    assert.deepEqual([decision.outcome, decision.rules_from, decision.rules[0].note], ['refer', 'account', 'Policy 3']);
    const own = await make({ property: { id: LOANS }, rules: [] });
    assert.deepEqual([own.decision.outcome, own.decision.rules_from], ['not_evaluated', 'request']);
    assert.deepEqual((await api.get('/reports/rules', { key: api.liveKey })).body.rules, []);
    const { rows } = await api.deps.control.query(
      `select details from audit_log where action = 'report_rules.changed'`,
    );
    assert.deepEqual(rows[0].details, { mode: 'test', rules });
    await api.call('PUT', '/reports/rules', { body: { rules: [] } });
  });

  it('400: a limit that is not what the condition needs, with its place and what to send', async () => {
    const wrong: [object, RegExp][] = [
      [{ when: 'ltv_above', outcome: 'refer' }, /must be a number: 0.8 is 80%/],
      [{ when: 'ltv_above', limit: 80, outcome: 'refer' }, /did you mean 0.8 for 80%/],
      [{ when: 'ltv_above', limit: -1, outcome: 'refer' }, /between 0 and 10/],
      [{ when: 'confidence_below', limit: 'low', outcome: 'refer' }, /`medium` or `high`/],
      [{ when: 'open_mortgages_above', limit: 1.5, outcome: 'refer' }, /whole number/],
      [{ when: 'flood_hazard_area', limit: 1, outcome: 'refer' }, /must be left out/],
      [{ when: 'title_flags', limit: ['mising_link'], outcome: 'refer' }, /did you mean `missing_link`/],
      [{ when: 'data_missing', limit: [], outcome: 'refer' }, /at least one word/],
      [{ when: 'flood_zone_in', limit: ['?'], outcome: 'refer' }, /not the name of a zone/],
      [{ when: 'ltv_over', limit: 0.8, outcome: 'refer' }, /must be one of/],
      [{ when: 'ltv_above', limit: 0.8, outcome: 'reject' }, /must be one of refer, decline/],
    ];
    const good = { when: 'comparables_widened', outcome: 'refer' };
    for (const [rule, detail] of wrong) {
      const answer = await api.call('PUT', '/reports/rules', { body: { rules: [good, rule] } });
      assert.equal(answer.status, 400, JSON.stringify(rule));
      assert.match(answer.body.detail, detail);
      assert.match(answer.body.errors[0].pointer, /^\/body\/rules\/1\//);
      assert.equal((await api.post('/reports', { property: { id: LOANS }, rules: [good, rule] })).status, 400);
    }
    assert.deepEqual((await api.get('/reports/rules')).body.rules, []);
  });
});

describe('reading reports', () => {
  it('again gives the same report; the list is newest first, by property, page by page', async () => {
    const made = await make({ property: { id: LOANS }, reference: 'again' });
    assert.deepEqual((await api.get(`/reports/${made.id}`)).body, made);
    const { data, pagination } = (await api.get(`/reports?property_id=${LOANS}&limit=1`)).body;
    assert.deepEqual(
      [data[0].id, data[0].reference, data[0].address],
      [made.id, 'again', made.property.address.formatted],
    );
    const next = await api.get(`/reports?property_id=${LOANS}&limit=1&cursor=${pagination.next_cursor}`);
    assert.notEqual(next.body.data[0].id, made.id);
  });

  it('404 for another account and for the other mode, and none of theirs in the list', async () => {
    const { id } = await make({ property: { id: LOANS } });
    const other = await createAccount(api.deps.control, api.deps.clock(), 'Other', 'pro', {});
    const { secret } = await createKey(api.deps, other.id, { name: 'other', mode: 'test', scopes: [...SCOPES] });
    for (const key of [secret, api.liveKey]) {
      for (const path of [`/reports/${id}`, `/reports/${id}/pdf`])
        assert.equal((await api.get(path, { key })).status, 404);
      assert.equal((await api.call('DELETE', `/reports/${id}`, { key })).status, 404);
      assert.deepEqual((await api.get('/reports', { key })).body.data, []);
    }
    assert.equal((await api.get(`/reports/${id}`)).status, 200);
  });

  it('shows names only to keys that may read owners, and of nobody who has since asked not to be shown', async () => {
    const key = await api.keyWith(['reports:read', 'reports:write']);
    const shown = await make({ property: { id: LOANS } });
    assert.match(JSON.stringify(shown), /Varnockley|Ormander|Jarvisk/);
    const names = /Varnockley|Ormander|Jarvisk|grantors|borrowers|"owners"|"owner":/;
    assert.doesNotMatch((await api.get(`/reports/${shown.id}`, { key })).text, names);
    assert.doesNotMatch(JSON.stringify(await make({ property: { id: LOANS } }, { key })), names);
    assert.match(readPdf(await pdfOf(shown.id)).pages.join(), /Varnockley|Ormander|Jarvisk/);
    assert.doesNotMatch(readPdf(await pdfOf(shown.id, key)).pages.join(), names);
    await suppressOwner(api.deps, LOANS, 'asked');
    assert.doesNotMatch((await api.get(`/reports/${shown.id}`)).text, names);
    await showOwner(api.deps, LOANS);
  });

  it('403 without the scopes; deleted once asked, or when their time is over', async () => {
    const { id } = await make({ property: { id: LOANS } });
    const reader = await api.keyWith(['reports:read']);
    const refused = await api.post('/reports', { property: { id: LOANS } }, { key: reader });
    assert.deepEqual([refused.status, refused.body.required_scope], [403, 'reports:write']);
    assert.equal((await api.call('PUT', '/reports/rules', { key: reader, body: { rules: [] } })).status, 403);
    assert.equal((await api.call('DELETE', `/reports/${id}`)).status, 204);
    assert.equal((await api.get(`/reports/${id}`)).status, 404);
    const old = await make({ property: { id: LOANS } });
    await forgetOldReports(api.deps);
    assert.equal((await api.get(`/reports/${old.id}`)).status, 200);
    await api.deps.control.query(`update reports set created_at = created_at - interval '8 days' where id = $1`, [
      old.id,
    ]);
    await forgetOldReports(api.deps);
    assert.equal((await api.get(`/reports/${old.id}`)).status, 404);
  });
});

describe('what a report costs', () => {
  it('two valuation calls in live mode, nothing for an error, a repetition, reading it again or the sandbox', async () => {
    const own = await testClient();
    const sandbox = await own.post('/reports', { property: { id: DEMO.property_id } });
    assert.deepEqual([sandbox.status, sandbox.headers['x-usage-units']], [201, '0']);
    await own.deps.data.query('update markets set sandbox = false');
    own.deps.catalog.forget();
    const live = { key: own.liveKey, headers: { 'idempotency-key': 'live' } };
    const first = await own.post('/reports', { property: { id: DEMO.property_id } }, live);
    assert.deepEqual([first.status, first.headers['x-usage-meter'], first.headers['x-usage-units']], [201, 'avm', '2']);
    const free = [
      await own.post('/reports', { property: { id: DEMO.property_id } }, live),
      await own.get(`/reports/${first.body.id}`, { key: own.liveKey }),
      await own.get(`/reports/${first.body.id}/pdf`, { key: own.liveKey }),
      await own.post('/reports', { property: { id: 'prop_r5pv00000000000000000' } }, { key: own.liveKey }),
      await own.post('/reports', { property: { id: idOf(MAGIC_APN.commercial) } }, { key: own.liveKey }),
    ];
    for (const { headers } of free) assert.equal(headers['x-usage-units'], '0');
    await own.usage.flush();
    const { body } = await own.get('/usage', { key: own.liveKey });
    assert.deepEqual([body.standard.used, body.avm.used], [0, 2]);
  });
});

describe('GET /reports/:id/pdf', () => {
  const RULES = [
    { when: 'ltv_above', limit: 0.5, outcome: 'decline', note: 'Policy 4.2' },
    { when: 'confidence_below', limit: 'high', outcome: 'refer' },
  ];

  it('has the figures of the report, its id, date and number on every page, and embedded fonts', async () => {
    const report = await make({
      property: { id: LOANS },
      loan: { amount: 600_000 },
      rules: RULES,
      reference: 'File 77',
    });
    const { pages, objects } = readPdf(await pdfOf(report.id));
    const text = pages.join('\n');
    const money = (dollars: number) => `$${dollars.toLocaleString('en-US')}`;
    const { valuation, title, loan } = report;
    for (const figure of [
      money(valuation.estimated_value),
      money(valuation.confidence_interval.low),
      `${(loan.ltv * 100).toFixed(1)}%`,
      `${(loan.cltv_at_low * 100).toFixed(1)}%`,
      ...valuation.comparables.flatMap((each: any) => [money(each.sale_price), money(each.adjusted_price)]),
      ...title.chain.map(({ document_number }: any) => document_number),
      ...report.sources.map(({ name }: any) => name),
      'Policy 4.2',
      'Decline',
      report.sha256,
      report.receipt.id,
    ]) {
      assert.ok(text.includes(figure), figure);
    }
    for (const [i, page] of pages.entries()) {
      assert.ok(page.includes(report.id) && page.includes('File 77'), `page ${i + 1}`);
      assert.ok(page.includes(`Page ${i + 1} of ${pages.length}`), `page ${i + 1}`);
    }
    const dictionaries = [...objects.values()].map(({ dictionary }) => dictionary).join('\n');
    assert.match(dictionaries, /\/Lang \(en-US\)/);
    assert.match(dictionaries, /\/MarkInfo/);
    assert.match(dictionaries, /\/FontFile2/);
    assert.doesNotMatch(dictionaries, /\/BaseFont \/Helvetica/);
  });

  it('says on its first page what to look at, and no sum of liens where a part of them is not covered', async () => {
    const { rows } = await api.deps.data.query(
      `select id from properties where fips = 99003 and status = 'active' and property_type = 'single_family'
         and open_tax_liens = 0 and sqft is not null order by id limit 1`,
    );
    const { id, gaps, title } = await make({ property: { id: rows[0].id } });
    assert.deepEqual([title.open.tax_liens, title.open.violations], [0, null]);
    const [page] = readPdf(await pdfOf(id)).pages;
    assert.match(page, /Liens and violations\s+–\s+tax 0, other 0, code –/);
    for (const { detail, kind } of gaps)
      if (kind !== 'withheld') assert.ok(page.includes(detail.split(' ').slice(0, 4).join(' ')), detail);
  });

  it('has the figures of the JSON, to the same decimals, and no demographics unless asked for', async () => {
    const { confidence_interval: interval } = (await make({ property: { id: LOANS } })).valuation;
    const report = await make({
      property: { id: LOANS },
      loan: { amount: 100_001, purpose: 'refinance', other_liens: 7_003 },
      rule_set: 'standard',
    });
    const { loan, title, valuation, decision, gaps } = report;
    const text = readPdf(await pdfOf(report.id))
      .pages.join(' ')
      .replace(/\s+/g, ' ');
    const figures = [
      ...[loan.amount, loan.total_debt, interval.low, interval.high, valuation.estimated_value].map(asMoney),
      ...[loan.ltv, loan.ltv_at_low, loan.cltv, loan.cltv_at_low].map(asRatio),
      ...valuation.comparables.flatMap((each: any) => [each.sale_price, each.adjusted_price].map(asMoney)),
      ...title.mortgages.flatMap((each: any) => [
        asMoney(each.amount),
        asMoney(each.estimated_balance?.amount),
        ...each.releases.map((release: any) => asDay(release.recorded_on)),
      ]),
      ...title.chain.map((each: any) => asMoney(each.price)),
      ...decision.rules.flatMap((rule: any) => [rule.reason, rule.note].filter(Boolean)),
      ...gaps.map(({ detail }: any) => detail),
      title.coverage.mortgages.note,
      title.coverage.note,
      'Standard rules',
      report.sha256,
      report.receipt.sha256,
    ];
    const lacking = figures.filter((figure: string) => !text.includes(figure.replace(/\s+/g, ' ')));
    assert.deepEqual(lacking, []);
    assert.ok(title.mortgages.some((each: any) => each.releases.length > 1));
    assert.equal(report.risk.layers.census, undefined);
    assert.doesNotMatch(text, /median household income|very_good|split_level/i);
    const asked = await make({ property: { id: LOANS }, demographics: true });
    assert.equal(asked.risk.layers.census.status, 'found');
  });

  it('is the same bytes whenever it is fetched', async () => {
    const { id } = await make({ property: { id: DEMO.property_id } });
    const first = await pdfOf(id);
    await api.deps.data.query(`update properties set address_line1 = 'Elsewhere' where id = $1`, [DEMO.property_id]);
    assert.ok(first.equals(await pdfOf(id)));
    await api.deps.data.query(`update properties set address_line1 = '1208 LANTERN HILL DR' where id = $1`, [
      DEMO.property_id,
    ]);
  });

  it('holds long addresses, names in other scripts, and letters that the typeface lacks', async () => {
    const { rows } = await api.deps.data.query(
      `select p.id, p.fips from properties p where p.fips = $1 and p.property_type = 'single_family' and p.status = 'active'
         and p.sqft is not null order by p.id desc limit 1`,
      [WENDEMERE],
    );
    const [{ id }] = rows;
    const line = `12345-67890 ${'Saint Bartholomew of the Upper Meadow '.repeat(5)}Boulevard Northwest`;
    await api.deps.data.query(
      'update properties set address_line1 = $2, legal_description = $3, neighborhood = $4 where id = $1',
      [id, line, 'LOT 1 '.repeat(600), 'Ñuñoa\u0000 Żółć'.replace('\u0000', '\n')],
    );
    await api.deps.data.query('update owners set names = $2 where property_id = $1', [
      id,
      [
        'Éléonore Żółkiewska-Müller',
        'Ευγενία Παπαδοπούλου',
        'Дмитрий Щербаков',
        '山田太郎',
        `${'VeryLongNameWithoutAnySpace'.repeat(20)}`,
      ],
    ]);
    const report = await make({ property: { id }, loan: { amount: 999_999_999 }, reference: 'Ärger № 5 – 山' });
    const { pages } = readPdf(await pdfOf(report.id));
    const text = pages.join('\n');
    for (const name of ['Żółkiewska', 'Παπαδοπούλου', 'Щербаков', 'Ärger № 5']) assert.ok(text.includes(name), name);
    assert.ok(pages.length < 16, `${pages.length} pages`);
  });

  it('is made for a home with hardly anything on record', async () => {
    const { rows } = await api.deps.data.query(
      `select id from properties where fips = $1 and property_type = 'condo' and status = 'active' order by id limit 1`,
      [WENDEMERE],
    );
    const [{ id }] = rows;
    await api.deps.data.query(
      `update properties set bedrooms = null, bathrooms = null, lot_sqft = null, year_built = null, zip = null, neighborhood = null,
         census_tract = null, condition = null, quality = null where id = $1`,
      [id],
    );
    for (const table of ['assessments', 'taxes', 'transactions', 'owners', 'parcel_shapes']) {
      await api.deps.data.query(`delete from ${table} where property_id = $1`, [id]);
    }
    const report = await make({ property: { id } });
    assert.ok(report.gaps.some(({ kind }: any) => kind === 'filled_in'));
    assert.match(readPdf(await pdfOf(report.id)).pages.join(), /No deeds are on record/);
  });
});
