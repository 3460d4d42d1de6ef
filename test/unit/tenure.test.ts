// Facts of tenure and equity: what follows from the records, and that nothing follows where they do not reach.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { differenceOf, tenureOf, vestingOf, type Known } from '../../src/records/owners/tenure.ts';
import type { TransactionRow } from '../../src/records/properties/sql.ts';

const document = (type: TransactionRow['type'], day: string, more: Partial<TransactionRow> = {}): TransactionRow => ({
  fips: 99001,
  property_id: 'prop_1',
  id: `${type} ${day}`,
  type,
  document_type: null,
  document_number: `${type}-${day}`,
  book: null,
  page: null,
  recording_date: day,
  sale_date: type === 'deed' ? day : null,
  date_precision: 'day',
  price: null,
  arms_length: null,
  arms_length_reason: null,
  buyers: ['ADA ORRIN'],
  sellers: [],
  lender: null,
  loan_amount: null,
  refers_to: [],
  joined_by: null,
  known_on: day,
  source_id: 's',
  verdict: null,
  ...more,
});
const mortgage = (day: string, loan_amount: number | null) =>
  document('mortgage', day, { loan_amount, lender: 'BANK OF ELLOWBY' });
const release = (day: string, of: string) =>
  document('release', day, { lender: 'BANK OF ELLOWBY', refers_to: [`mortgage-${of}`] });

const deed = document('deed', '2015-03-02');
const facts = (more: Partial<Known> = {}) =>
  tenureOf({
    row: {
      state: 'ZZ',
      owner_occupied: null,
      value: 400_000,
      value_low: 360_000,
      value_high: 440_000,
      open_tax_liens: 0,
    },
    owner: { names: ['ADA ORRIN'], owner_occupied: null, mailing_address: null, owned_since: null },
    documents: [deed],
    taxStatus: null,
    lienStatuses: [],
    isDeedsCovered: true,
    mortgageSources: [{ covers_from: '2010-01-01', covers_to: '2026-06-01' }],
    isMailedHome: undefined,
    asOf: '2026-06-30',
    ...more,
  });

describe('equity', () => {
  it('is the value less the balance, with the errors of both', () => {
    const { open_loans, loan_balance, ltv, ltv_low, ltv_high, equity, equity_low, equity_high, free_and_clear } = facts(
      {
        documents: [deed, mortgage('2015-03-02', 300_000)],
      },
    );
    assert.deepEqual([open_loans, free_and_clear], [1, false]);
    assert.ok(loan_balance! > 200_000 && loan_balance! < 260_000, String(loan_balance));
    assert.equal(equity, 400_000 - loan_balance!);
    assert.ok(equity_low! < equity - 40_000 && equity_high! > equity + 40_000);
    assert.ok(ltv_low! < ltv! && ltv! < ltv_high! && Math.abs(ltv! - loan_balance! / 400_000) < 0.001);
  });

  it('has the interval of the value where nothing is owed', () => {
    const value = { low: 360_000, amount: 400_000, high: 440_000 };
    const none = differenceOf(value, { low: 0, amount: 0, high: 0 });
    assert.deepEqual([none.equity_low, none.equity, none.equity_high, none.ltv], [360_000, 400_000, 440_000, 0]);
  });

  it('is free and clear only where every record says so', () => {
    assert.deepEqual([facts().free_and_clear, facts().open_loans, facts().equity], [true, 0, 400_000]);
    const paid = facts({ documents: [deed, mortgage('2015-03-02', 300_000), release('2020-01-05', '2015-03-02')] });
    assert.deepEqual([paid.free_and_clear, paid.open_loans], [true, 0]);
    const liens = facts({
      row: { state: 'ZZ', owner_occupied: null, value: 1, value_low: 1, value_high: 1, open_tax_liens: null },
    });
    assert.equal(liens.free_and_clear, null);
  });

  it('is null with a reason where the records do not reach', () => {
    const reasonOf = (more: Partial<Known>) => {
      const { equity, free_and_clear, equity_reason } = facts(more);
      assert.equal(equity, null);
      return [equity_reason, free_and_clear];
    };
    assert.deepEqual(reasonOf({ mortgageSources: [] }), ['mortgages_not_covered', null]);
    assert.deepEqual(reasonOf({ isDeedsCovered: false }), ['mortgages_not_covered', null]);
    const late = [{ covers_from: '2019-01-01', covers_to: '2026-06-01' }];
    assert.deepEqual(reasonOf({ mortgageSources: late }), ['mortgages_partly_covered', null]);
    assert.deepEqual(reasonOf({ documents: [deed, mortgage('2016-01-01', null)] }), ['balance_not_known', false]);
    const row = {
      state: 'ZZ',
      owner_occupied: null,
      value: null,
      value_low: null,
      value_high: null,
      open_tax_liens: 0,
    };
    assert.deepEqual(reasonOf({ row }), ['not_valued', true]);
  });
});

describe('tenure', () => {
  it('says who lives there, by the roll and by the mail', () => {
    const occupancy = (
      mailing_address: string | null,
      isMailedHome: boolean | undefined,
      owner_occupied: boolean | null,
    ) => facts({ owner: { names: [], owner_occupied, mailing_address, owned_since: null }, isMailedHome }).occupancy;
    assert.equal(occupancy(null, undefined, true), 'owner_occupied');
    assert.equal(occupancy('1 Elm St, Ellowby, ZZ 00101', true, null), 'owner_occupied');
    assert.equal(occupancy('9 Oak St, Ellowby, ZZ 00101', false, null), 'absentee_in_state');
    assert.equal(occupancy('9 Oak St, Elsewhere, YY 10101-1234', false, false), 'absentee_out_of_state');
    assert.equal(occupancy(null, undefined, false), 'absentee');
    assert.equal(occupancy(null, undefined, null), null);
  });

  it('reads how title is held from the words of the deed', () => {
    for (const [words, vesting] of [
      ['ADA & BO ORRIN, JOINT TENANTS', 'joint_tenants'],
      ['ORRIN ADA & BO JTWROS', 'joint_tenants'],
      ['ADA ORRIN AND BO TARN AS TENANTS IN COMMON', 'tenants_in_common'],
      ['ORRIN ADA & BO TBE', 'tenants_by_entirety'],
      ['ADA ORRIN, LIFE ESTATE', 'life_estate'],
      ['ADA ORRIN TTEE', 'trustee'],
      ['Orrin Family Trust', 'trustee'],
      ['ADA & BO ORRIN, COMMUNITY PROPERTY', 'community_property'],
      ['ADA ORRIN, A SINGLE WOMAN', 'sole'],
      ['ADA ORRIN', null],
      ['ORRIN TRUST COMPANY BANK', null],
    ])
      assert.equal(vestingOf([words!]), vesting, words!);
  });

  it('follows a foreclosure from its notice to its end', () => {
    const loan = mortgage('2015-03-02', 300_000);
    const stageOf = (...documents: TransactionRow[]) => {
      const { foreclosure_stage, foreclosure_ended_on } = facts({ documents: [deed, loan, ...documents] });
      return [foreclosure_stage, foreclosure_ended_on];
    };
    const notice = document('foreclosure', '2024-05-01', { document_type: 'Lis Pendens' });
    const sale = document('foreclosure', '2024-09-01', { document_type: 'Notice of Trustee’s Sale' });
    assert.deepEqual(stageOf(), ['none', null]);
    assert.deepEqual(stageOf(notice), ['notice', null]);
    assert.deepEqual(stageOf(sale, notice), ['sale_notice', null]);
    assert.deepEqual(stageOf(notice, document('deed', '2025-01-09')), ['ended_by_deed', '2025-01-09']);
    assert.deepEqual(stageOf(notice, release('2024-12-01', '2015-03-02')), ['ended_by_release', '2024-12-01']);
    assert.equal(facts({ isDeedsCovered: false }).foreclosure_stage, null);
  });

  it('distinguishes unpaid taxes by stage', () => {
    const row = (open_tax_liens: number | null) => ({
      state: 'ZZ',
      owner_occupied: null,
      value: null,
      value_low: null,
      value_high: null,
      open_tax_liens,
    });
    assert.equal(facts({ row: row(2) }).tax_delinquency, 'lien');
    assert.equal(facts({ row: row(0), lienStatuses: ['sold'] }).tax_delinquency, 'lien_sold');
    assert.equal(facts({ row: row(0), taxStatus: 'Delinquent' }).tax_delinquency, 'delinquent');
    assert.equal(facts({ row: row(0) }).tax_delinquency, 'none');
    assert.equal(facts({ row: row(null) }).tax_delinquency, null);
  });
});
