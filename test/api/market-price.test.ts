// Whether a sale's price is a market price: what the record says, what an operator decides, and what loads leave alone.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ingest } from '../../src/supply/ingest/ingest.ts';
import { parseRecipe } from '../../src/supply/ingest/recipes.ts';
import { propertyId } from '../../src/base/lib/ids.ts';
import { markSale, recordModelVerdicts, unmarkSale } from '../../src/records/properties/verdicts.ts';
import type { MarketPriceReason } from '../../src/records/properties/market-price.ts';
import { testClient } from '../harness.ts';
import { ANYWAY } from '../anyway.ts';

const api = await testClient({ plan: 'enterprise' });
const live = { key: api.liveKey };
const folder = mkdtempSync(join(tmpdir(), 'platbook-prices-'));
const FIPS = 55_902;

const source = parseRecipe(
  `
id: deedville
market: { name: Deedville, state: ZY, description: Invented }
counties: [{ fips: ${FIPS}, name: Deed County, state: ZY }]
datasets:
  deeds:
    publisher: Deedville
    license: CC0
    published_on: 2026-01-31
    format: { type: csv }
    files: [deeds.csv]
    personal: [seller, buyer]
    key: { parcel: { text: pin } }
    records:
      - into: properties
        fields:
          address_line1: { expression: 'pin + " ELM ST"' }
          property_type: { constant: single_family }
      - into: transactions
        fields:
          id: { expression: 'pin + "-" + document' }
          sale_date: { date: sold }
          price: { dollars: price }
          document_type: { text: deed }
          document_number: { text: document }
          sellers: { names: [seller] }
          buyers: { names: [buyer] }
          part_interest: { expression: 'share != "" && share != "100"' }
    layers: [properties, transactions]
`,
  'deedville.yaml',
);

const HEADER = 'pin,sold,price,deed,document,seller,buyer,share';
const DEEDS = [
  '1,2020-05-01,300000,WARRANTY DEED,D1,JONES AL,LEE ANN,100',
  '1,2024-05-01,90000,WARRANTY DEED,D2,LEE ANN,KIM SU,25',
  '2,2024-05-01,250000,SHERIFFS DEED,D3,JONES AL,LEE ANN,',
  '3,2024-05-01,250000,WARRANTY DEED,D4,ESTATE OF AL JONES,LEE ANN,',
  '4,2024-05-01,250000,WARRANTY DEED,D5,JONES AL,JONES BO,',
  '5,2024-05-01,900000,WARRANTY DEED,D6,ACME LLC,LEE ANN,',
  '6,2024-05-01,900000,WARRANTY DEED,D6,ACME LLC,LEE ANN,',
  '7,2024-05-01,1,WARRANTY DEED,D7,JONES AL,LEE ANN,',
  '8,2024-05-01,250000,QUIT CLAIM DEED,D8,JONES AL,LEE ANN,',
  '9,2024-05-01,250000,WARRANTY DEED,D9,FIRST NATIONAL BANK,LEE ANN,',
];
async function load(rows = DEEDS) {
  writeFileSync(join(folder, 'deeds.csv'), `${[HEADER, ...rows].join('\n')}\n`);
  const deps = { data: api.deps.data, clock: api.deps.clock, cacheFolder: folder };
  return ingest(deps, [source], [source], { from: folder, accept: ANYWAY });
}
const idOf = (pin: string) => propertyId(FIPS, pin);
const salesOf = async (pin: string) => (await api.get(`/properties/${idOf(pin)}/transactions`, live)).body.data;
const saleOf = async (pin: string, document: string) =>
  (await salesOf(pin)).find((sale: { document_number: string }) => sale.document_number === document);
const lastSaleOf = async (pin: string) =>
  (await api.get(`/properties/${idOf(pin)}`, live)).body.last_sale?.price ?? null;
const transactionChanges = async (pin: string) =>
  (
    await api.deps.data.query(
      `select after from changes where fips = $1 and property_id = $2 and changed_fields = '{transactions}'
         and after ? 'market_price' order by seq`,
      [FIPS, idOf(pin)],
    )
  ).rows;

describe('a sale on record', () => {
  it('says whether its price is a market price, and why not, in plain English', async () => {
    await load();
    const cases: [pin: string, document: string, isMarket: boolean, reason: MarketPriceReason | null][] = [
      ['1', 'D1', true, null],
      ['1', 'D2', false, 'part_interest'],
      ['2', 'D3', false, 'foreclosure'],
      ['3', 'D4', false, 'estate'],
      ['4', 'D5', false, 'family_transfer'],
      ['5', 'D6', false, 'bulk'],
      ['6', 'D6', false, 'bulk'],
      ['7', 'D7', false, 'nominal'],
      ['8', 'D8', false, 'not_a_sale'],
      ['9', 'D9', false, 'foreclosure'],
    ];
    for (const [pin, document, isMarket, reason] of cases) {
      const sale = await saleOf(pin, document);
      assert.deepEqual([sale.market_price, sale.market_price_reason], [isMarket, reason], `${pin} ${document}`);
      assert.equal(sale.market_price_note === null, isMarket);
      assert.doesNotMatch(sale.market_price_note ?? '', /JONES|LEE|ACME/);
    }
    assert.deepEqual([await lastSaleOf('1'), await lastSaleOf('2')], [300_000, null]);
  });
});

describe('an operator', () => {
  const mark = async (
    pin: string,
    document: string,
    verdict: 'market' | MarketPriceReason,
    note: string | null = null,
  ) => markSale(api.deps, idOf(pin), (await saleOf(pin, document)).id, { verdict, note });

  it('can say that a sale is no market price, and a load does not undo it', async () => {
    await mark('1', 'D1', 'other', 'Sold with furniture.');
    const expected = [false, 'other', 'Sold with furniture.'];
    const told = async () => {
      const sale = await saleOf('1', 'D1');
      return [sale.market_price, sale.market_price_reason, sale.market_price_note];
    };
    assert.deepEqual([await told(), await lastSaleOf('1')], [expected, null]);
    await load([DEEDS[0].replace('300000', '310000'), ...DEEDS.slice(1)]);
    assert.deepEqual([await told(), await lastSaleOf('1')], [expected, null]);
  });

  it('can say that a sale is one, though the rules say otherwise', async () => {
    await mark('3', 'D4', 'market');
    await load();
    const sale = await saleOf('3', 'D4');
    assert.deepEqual([sale.market_price, sale.market_price_reason, await lastSaleOf('3')], [true, null, 250_000]);
    assert.deepEqual(await transactionChanges('3'), [{ after: { id: sale.id, market_price: true } }]);
  });

  it('has the last word over the model, and can take it back', async () => {
    const { id } = await saleOf('3', 'D4');
    const odd = [{ id, propertyId: idOf('3'), reason: 'far_below_value' }];
    await recordModelVerdicts(api.deps, 'deedville', odd);
    assert.equal((await saleOf('3', 'D4')).market_price, true);
    await unmarkSale(api.deps, idOf('3'), id);
    assert.deepEqual([(await saleOf('3', 'D4')).market_price_reason, await lastSaleOf('3')], ['estate', null]);
    await assert.rejects(unmarkSale(api.deps, idOf('3'), id), /No operator has marked/);
  });

  it('is told what is wrong with a mark', async () => {
    const { id } = await saleOf('1', 'D1');
    await assert.rejects(markSale(api.deps, idOf('2'), id, { verdict: 'market', note: null }), /No deed/);
    await assert.rejects(markSale(api.deps, 'prop_x', id, { verdict: 'market', note: null }), /No deed/);
    await assert.rejects(
      markSale(api.deps, idOf('1'), id, { verdict: 'cheap' as 'bulk', note: null }),
      /market or one of part_interest/,
    );
  });
});

describe('the model’s view', () => {
  it('is on the record after a training, moves the last sale, and is news from the second time on', async () => {
    await load([
      ...DEEDS,
      '20,2022-01-01,300000,WARRANTY DEED,D20,A LLC,B LLC,',
      '20,2024-01-01,90000,WARRANTY DEED,D21,B LLC,C LLC,',
    ]);
    const cheap = await saleOf('20', 'D21');
    assert.equal(await lastSaleOf('20'), 90_000);
    const odd = [{ id: cheap.id, propertyId: idOf('20'), reason: 'far_below_value' }];
    await recordModelVerdicts(api.deps, 'deedville', odd);
    const sale = await saleOf('20', 'D21');
    assert.deepEqual([sale.market_price, sale.market_price_reason, sale.arms_length], [false, 'far_below_value', true]);
    assert.match(sale.market_price_note, /half/);
    assert.deepEqual([await lastSaleOf('20'), await transactionChanges('20')], [300_000, []]);
    await recordModelVerdicts(api.deps, 'deedville', odd);
    assert.deepEqual(await transactionChanges('20'), []);
    await recordModelVerdicts(api.deps, 'deedville', []);
    assert.deepEqual([await lastSaleOf('20'), (await transactionChanges('20')).length], [90_000, 1]);
  });
});

describe('comparables', () => {
  it('leave out a sale as soon as an operator says so, and take it back', async () => {
    const { rows } = await api.deps.data.query(
      `select id from properties where market = 'sandbox' and property_type = 'single_family' and value is not null order by id limit 1`,
    );
    const list = async () => {
      api.deps.models.forget();
      const { body } = await api.get(`/properties/${rows[0].id}/comparables`);
      return body.data.map((each: { transaction_id: string; property_id: string }) => each);
    };
    const [first] = await list();
    const deed = (
      await api.deps.data.query(
        `select id from transactions where property_id = $1 and type = 'deed' and price = $2 and sale_date = $3`,
        [first.property_id, first.sale_price, first.sale_date],
      )
    ).rows[0];
    await markSale(api.deps, first.property_id, deed.id, { verdict: 'family_transfer', note: null });
    const without = await list();
    assert.ok(without.length > 0);
    assert.ok(
      !without.some(
        (each: { property_id: string; sale_date: string }) =>
          each.property_id === first.property_id && each.sale_date === first.sale_date,
      ),
    );
    await unmarkSale(api.deps, first.property_id, deed.id);
    assert.deepEqual((await list())[0], first);
  });
});
