// Appraisal review: comparables that exist and sold so, and ones that did not; every question with its cause; storage.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { readPdf } from '../pdf-text.ts';
import { testClient } from '../harness.ts';

const api = await testClient();
type Row = Record<string, any>;

const EFFECTIVE = '2026-06-15';
const { body: valued } = await api.post('/avm/estimate', {
  property: { id: DEMO.property_id },
  options: { as_of: EFFECTIVE, comparables: { count: 25 } },
});
const grid: Row[] = valued.comparables;
const subject = (await api.get(`/properties/${DEMO.property_id}`)).body;

/** A sale of our own grid as an appraiser would state it. */
const stateOf = (sale: Row) => ({ id: sale.property_id, sale_price: sale.sale_price, sale_date: sale.sale_date });

async function review(comparables: Row[], more: { value?: number; property?: Row } = {}) {
  const answer = await api.post('/reviews', {
    property: { id: DEMO.property_id, ...more.property },
    appraisal: { value: more.value ?? valued.estimated_value, effective_date: EFFECTIVE, comparables },
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.body as Row;
}
const codesOf = (body: Row, comparable: number | null = 1) =>
  body.questions.filter((each: Row) => each.comparable === comparable).map(({ code }: Row) => code);

describe('a comparable as it is on record', () => {
  it('is confirmed and raises nothing', async () => {
    const body = await review([
      {
        ...stateOf(grid[0]),
        adjustments: grid[0].adjustments.map(({ feature, amount }: Row) => ({ feature, amount })),
        adjusted_price: grid[0].adjusted_price,
      },
    ]);
    const [first] = body.comparables;
    assert.equal(first.sale.status, 'confirmed');
    assert.equal(first.sale.recorded_price, grid[0].sale_price);
    assert.equal(first.in_our_grid, true);
    assert.equal(first.adds_up, true);
    assert.equal(first.distance_miles, grid[0].distance_miles);
    for (const line of first.adjustments) assert.equal(line.ours, line.amount);
    assert.deepEqual(codesOf(body), []);
    assert.equal(body.value.position, 'inside');
    assert.equal(body.value.estimated_value, valued.estimated_value);
  });
});

describe('each doubt has its question and its evidence', () => {
  const base = stateOf(grid[0]);
  const far = `${Number(base.sale_date.slice(0, 4)) - 3}${base.sale_date.slice(4)}`;
  const home = grid[0];
  const cases: [code: string, stated: Row, check?: (first: Row) => void][] = [
    [
      'comparable_not_found',
      { ...base, id: undefined, address: '99999 Nowhere Rd, Port Ellowby, ZZ' },
      (first) => {
        assert.equal(first.property_id, null);
        assert.ok(first.not_found_reason.length > 10);
      },
    ],
    [
      'sale_price_differs',
      { ...base, sale_price: Math.round(base.sale_price * 1.2) },
      (first) => assert.equal(first.sale.recorded_price, base.sale_price),
    ],
    [
      'sale_date_differs',
      { ...base, sale_date: far },
      (first) => assert.equal(first.sale.recorded_date, base.sale_date),
    ],
    [
      'sale_not_on_record',
      { ...base, sale_date: far, sale_price: base.sale_price * 3 },
      (first) => assert.equal(first.sale.status, 'no_such_sale'),
    ],
    [
      'sold_after_effective_date',
      { ...base, sale_date: '2026-06-30', sale_price: base.sale_price * 3 },
      (first) => assert.equal(first.days_before, -15),
    ],
    ['comparable_is_subject', { ...base, id: DEMO.property_id }],
    [
      'comparable_facts_differ',
      { ...base, sqft: home.sqft * 1.3 },
      (first) =>
        assert.deepEqual(
          first.differences.map(({ field }: Row) => field),
          ['sqft'],
        ),
    ],
    [
      'adjustments_do_not_add_up',
      { ...base, adjustments: [{ feature: 'condition', amount: 5000 }], adjusted_price: base.sale_price + 6000 },
    ],
    [
      'adjustment_outside_range',
      { ...base, sqft: subject.sqft - 100, adjustments: [{ feature: 'living_area', amount: 90_000 }] },
      (first) => {
        assert.equal(first.adjustments[0].stated_rate, 900);
        assert.ok(first.adjustments[0].market_range.n >= 3);
      },
    ],
    [
      'market_change_differs',
      { ...base, adjustments: [{ feature: 'market_change', amount: Math.round(base.sale_price * 0.4) }] },
    ],
    ['large_adjustments', { ...base, adjustments: [{ feature: 'view', amount: Math.round(base.sale_price * 0.3) }] }],
  ];
  for (const [code, stated, check] of cases)
    it(code, async () => {
      const body = await review([stated]);
      assert.ok(codesOf(body).includes(code), JSON.stringify(body.questions));
      const asked = body.questions.find((each: Row) => each.code === code);
      assert.ok(asked.question.endsWith('?') || asked.question.endsWith('.'), asked.question);
      assert.ok(asked.evidence.length > 10 && !/undefined|NaN|null/.test(asked.evidence), asked.evidence);
      check?.(body.comparables[0]);
    });

  it('of a sale that the rules for market prices set aside', async () => {
    const { rows } = await api.deps.data.query(
      `select property_id, price, coalesce(sale_date, recording_date)::text as day from transactions
       where type = 'deed' and arms_length = false and price > 1000 order by id limit 1`,
    );
    const body = await review([{ id: rows[0].property_id, sale_price: rows[0].price, sale_date: rows[0].day }]);
    assert.ok(codesOf(body).includes('not_a_market_price'), JSON.stringify(body.comparables[0].sale));
  });

  it('of the value and the appraisal as a whole', async () => {
    const high = await review([{ ...stateOf(grid[3]), adjusted_price: grid[3].sale_price, adjustments: [] }], {
      value: valued.confidence_interval.high * 2,
      property: { bedrooms: subject.bedrooms + 2 },
    });
    assert.equal(high.value.position, 'above');
    assert.ok(high.value.standard_deviations > 1);
    for (const code of ['value_outside_interval', 'value_outside_comparables', 'subject_facts_differ'])
      assert.ok(codesOf(high, null).includes(code), code);
    const all = await review(
      grid.slice(0, 3).map((sale) => ({ ...stateOf(sale), adjustments: [{ feature: 'site', amount: 1000 }] })),
    );
    assert.ok(codesOf(all, null).includes('one_sided_adjustments'));
  });

  it('of more similar sales that were passed over, best first, none of them used', async () => {
    const least = grid.toSorted((a, b) => a.similarity - b.similarity)[0];
    const body = await review([stateOf(least)]);
    assert.ok(codesOf(body, null).includes('closer_sales_passed_over'));
    assert.ok(
      body.passed_over.every(
        (sale: Row) => sale.similarity > least.similarity && sale.property_id !== least.property_id,
      ),
    );
    const order = body.passed_over.map(({ similarity }: Row) => similarity);
    assert.deepEqual(
      order,
      order.toSorted((a: number, b: number) => b - a),
    );
  });
});

describe('a review is kept', () => {
  it('as it was made, as a PDF with the same figures, for its account and mode alone', async () => {
    const made = await review([stateOf(grid[1])], { value: 123_456 });
    const read = await api.get(`/reviews/${made.id}`);
    assert.deepEqual(read.body, made);
    const pdf = await api.app.inject({ url: `/api/v1/reviews/${made.id}/pdf`, headers: { 'x-api-key': api.testKey } });
    const text = readPdf(pdf.rawPayload).pages.join(' ');
    for (const shown of ['$123,456', 'Questions', made.questions[0].question.slice(0, 20)])
      assert.ok(text.includes(shown), shown);
    assert.equal((await api.get(`/reviews/${made.id}`, { key: api.liveKey })).status, 404);
    const listed = await api.get('/reviews?limit=500');
    assert.ok(listed.body.data.some(({ id }: Row) => id === made.id));
    assert.equal((await api.call('DELETE', `/reviews/${made.id}`)).status, 204);
    assert.equal((await api.get(`/reviews/${made.id}`)).status, 404);
  });
  it('once for one idempotency key', async () => {
    const body = {
      property: { id: DEMO.property_id },
      appraisal: { value: 300_000, effective_date: EFFECTIVE, comparables: [] },
    };
    const headers = { 'idempotency-key': 'review-once' };
    const [first, second] = [
      await api.post('/reviews', body, { headers }),
      await api.post('/reviews', body, { headers }),
    ];
    assert.equal(first.body.id, second.body.id);
    assert.deepEqual(
      first.body.questions.map(({ comparable }: Row) => comparable).filter((n: unknown) => n !== null),
      [],
    );
  });
  it('and bad input is refused with its place', async () => {
    const appraisal = {
      value: 300_000,
      effective_date: EFFECTIVE,
      comparables: [{ sale_price: 1, sale_date: 'soon' }],
    };
    assert.equal((await api.post('/reviews', { property: { id: DEMO.property_id }, appraisal })).status, 400);
    const nowhere = { ...appraisal, comparables: [] };
    assert.equal((await api.post('/reviews', { property: { id: 'prop_nothing' }, appraisal: nowhere })).status, 404);
    const later = { ...nowhere, effective_date: '2050-01-01' };
    assert.equal((await api.post('/reviews', { property: { id: DEMO.property_id }, appraisal: later })).status, 422);
  });
});

describe('an appraisal as XML of UAD 3.6', () => {
  const type = { 'content-type': 'application/xml' };
  const send = (body: string, headers = type) => api.call('POST', '/reviews', { body, headers });
  const within = (name: string, inner: string | number) => `<${name}>${inner}</${name}>`;
  const addressXml = (line1: string, more = '') =>
    within(
      'ADDRESS',
      `${within('AddressLineText', line1.replace(' Dr', ' &#x44;r'))}${more}${within('CityName', 'Port Ellowby')}<StateCode>ZZ</StateCode><PostalCode>00103</PostalCode>`,
    );
  const unitXml = (area: number, beds: number, [full, half]: [number, number], isAccessory: boolean) =>
    within(
      'PROPERTY_UNIT',
      `<UnitStandardAboveGradeFinishedAreaMeasure AreaUnitOfMeasureType = "SquareFeet">${area}</UnitStandardAboveGradeFinishedAreaMeasure>
       ${within('AccessoryDwellingUnitIndicator', String(isAccessory))}${within('BedroomCount', beds)}${within('FullBathroomCount', full)}${within('HalfBathroomCount', half)}`,
    );
  const houseXml = within(
    'IMPROVEMENTS',
    `<IMPROVEMENT><ImprovementType>Dwelling</ImprovementType><PropertyStructureBuiltYear>1990</PropertyStructureBuiltYear>
     ${unitXml(2_000, 3, [2, 1], false)}${unitXml(400, 1, [1, 0], true)}</IMPROVEMENT>
     <IMPROVEMENT><ImprovementType>Outbuilding</ImprovementType>${unitXml(300, 0, [1, 0], false)}</IMPROVEMENT>`,
  );
  const lotXml = '<SITE><LotSizeAreaMeasure AreaUnitOfMeasureType="Acres">0.25</LotSizeAreaMeasure></SITE>';
  const saleXml = (price: number | string, date: string) =>
    within(
      'SALES_HISTORY',
      `${within('OwnershipTransferDate', date)}${within('OwnershipTransferTransactionAmount', price)}`,
    );
  const adjustmentXml = (kind: string, amount: number) =>
    within(
      'COMPARABLE_ADJUSTMENT',
      `${within('ComparableAdjustmentAmount', amount)}${within('ComparableAdjustmentType', kind)}`,
    );
  const comparableXml = (status: string, inner: string) =>
    `<PROPERTY ValuationUseType = 'SalesComparable'>${inner}${within('ListingStatusType', status)}</PROPERTY>`;
  const appraisalXml = (comparables: string, value: number | string = 990_000) =>
    `\uFEFF<?xml version="1.0"?><!-- a <comment> -->
    <MESSAGE xmlns="http://www.mismo.org/residential/2009/schemas"><gse:FILE><AppraiserFileIdentifier>Case 18</AppraiserFileIdentifier></gse:FILE>
    <PROPERTY ValuationUseType="SubjectProperty">${addressXml('1208 Lantern Hill Dr')}${houseXml}${lotXml}</PROPERTY>${comparables}
    <PROPERTY ValuationUseType="PropertyAnalyzedNotUsed">${addressXml('604 Lilac Dr')}</PROPERTY>
    <IMAGE><![CDATA[ <not> a tag ]]></IMAGE><EMPTY/>
    ${within('AppraisalReportEffectiveDate', EFFECTIVE)}${within('OpinionOfValueAmount', value)}</MESSAGE>`;
  const closed = comparableXml(
    'SettledSale',
    addressXml('552 Lilac Dr') +
      saleXml(700_000, '2019-02-02') +
      saleXml(1_004_200, '2026-03-05') +
      within('AdjustedSalesPriceAmount', 875_200) +
      adjustmentXml('LivingUnitStandardFinishedAreaAboveGrade', -150_000) +
      adjustmentXml('LivingUnitStandardFinishedAreaAboveGrade', -10_000) +
      adjustmentXml('SaleDate', 30_000) +
      adjustmentXml('ContractDate', 0) +
      adjustmentXml('OutdoorLivingAmenity', 1_000),
  );

  it('is reviewed as the same appraisal as JSON', async () => {
    const listed = comparableXml('Pending', addressXml('604 Lilac Dr') + saleXml(500_000, '2011-01-01'));
    const { status, body, text } = await send(appraisalXml(closed + listed));
    assert.equal(status, 201, text);
    const same = await api.post('/reviews', {
      property: {
        address: '1208 Lantern Hill Dr, Port Ellowby, ZZ 00103',
        sqft: 2_000,
        lot_sqft: 10_890,
        bedrooms: 3,
        bathrooms: 2.5,
        year_built: 1990,
      },
      appraisal: {
        value: 990_000,
        effective_date: EFFECTIVE,
        comparables: [
          {
            address: '552 Lilac Dr, Port Ellowby, ZZ 00103',
            sale_price: 1_004_200,
            sale_date: '2026-03-05',
            adjusted_price: 875_200,
            adjustments: [
              { feature: 'living_area', amount: -160_000 },
              { feature: 'market_change', amount: 30_000 },
              { feature: 'outdoor_living_amenity', amount: 1_000 },
            ],
          },
        ],
      },
      reference: 'Case 18',
    });
    const unsold = body.questions.pop();
    assert.deepEqual(
      [unsold.code, unsold.evidence],
      ['comparable_not_sold', '604 Lilac Dr, Port Ellowby, ZZ 00103: Pending'],
    );
    const plain = ({ id: _id, created_at: _at, value: _value, ...rest }: Row) => rest;
    assert.deepEqual(plain(body), plain(same.body));
    assert.equal(body.comparables[0].sale.status, 'confirmed');
    assert.equal(body.comparables[0].adds_up, true);
  });

  it('is refused in words where it is no such XML, and costs nothing', async () => {
    const cases: [xml: string, detail: RegExp][] = [
      ['', /empty|no PROPERTY/i],
      ['{}', /no PROPERTY with ValuationUseType="SubjectProperty"/],
      ['<VALUATION_RESPONSE MISMOVersionID="2.6"><REPORT/></VALUATION_RESPONSE>', /no PROPERTY with/],
      ['<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', /document type/],
      ['<a><b></a></b>', /<\/a> closes what is not open/],
      ['<a><b>', /<b> is not closed/],
      ['<a', /ends inside of a tag/],
      ['<a>'.repeat(50_000), /more than 100 deep/],
      [appraisalXml(closed, 'unknown'), /appraisal\/appraisal\/value must be integer/],
      [appraisalXml(closed).replace('2026-03-05', '5 March'), /sale_date must match pattern/],
      [appraisalXml(closed.repeat(21)), /must NOT have more than 20 items/],
    ];
    const used = async () => (await api.get('/usage')).body;
    const before = await used();
    for (const [xml, detail] of cases) {
      const { status, body } = await send(xml);
      assert.equal(status, 400, xml.slice(0, 80));
      assert.match(body.detail, detail, xml.slice(0, 80));
    }
    assert.deepEqual(await used(), before);
    assert.equal((await send(appraisalXml(closed), { 'content-type': 'text/csv' })).status, 415);
  });
});
