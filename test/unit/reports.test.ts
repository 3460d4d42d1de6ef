// The pure parts of a report: loan figures, rules and their words, scales of maps and charts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { titleCase } from '../../src/base/lib/title-case.ts';
import { niceGrid } from '../../src/base/pdf/chart.ts';
import { checkRules, ruleInWords, RULE_NAMES } from '../../src/delivery/reports/conditions.ts';
import { asPercent, asRatio, asShortMoney, asSigned } from '../../src/base/lib/figures.ts';
import { asRules, withAreas } from '../../src/delivery/reports/figures.ts';
import { decide, type Dossier } from '../../src/delivery/reports/decide.ts';
import { loanFigures } from '../../src/delivery/reports/loan.ts';
import { STANDARD_RULES } from '../../src/delivery/reports/standard-rules.ts';
import { FRAME, scaleOf } from '../../src/delivery/reports/map.ts';

const VALUE = { estimated_value: 500_000, confidence_interval: { low: 400_000, high: 600_000, level: 0.8 } };
const open = (mortgages: number | null, balance: number | null, status: 'covered' | 'partial' = 'covered') => ({
  coverage: {
    status: 'covered' as const,
    complete_from: null,
    verified_from: null,
    records_to: null,
    note: '',
    sources: [],
    mortgages: { status, from: null, to: null, documents: null, note: '' },
  },
  open: {
    mortgages,
    original_amount: null,
    estimated_balance: balance,
    tax_liens: 0,
    other_liens: 0,
    permits: 0,
    violations: 0,
  },
  flags: [] as { code: 'foreclosure_pending'; reason: string; transaction_id: null }[],
  other_liens: [] as any[],
  tax_liens: { status: 'none_found' as const, status_unknown: 0, items: [] as any[] },
});
const FORECLOSURE = { code: 'foreclosure_pending' as const, reason: '', transaction_id: null };

describe('loan figures', () => {
  const cases: [string, Parameters<typeof loanFigures>[0], ReturnType<typeof open>, (number | null)[]][] = [
    ['no mortgage open', { amount: 400_000 }, open(0, 0), [0.8, 1, 400_000, 0.8, 1]],
    ['one that stays', { amount: 100_000 }, open(1, 200_000), [0.2, 0.25, 300_000, 0.6, 0.75]],
    [
      'one that is paid off',
      { amount: 200_000, purpose: 'refinance' },
      open(1, 200_000),
      [0.4, 0.5, 200_000, 0.4, 0.5],
    ],
    [
      'a refinance that is less than the payoff',
      { amount: 1, purpose: 'refinance' },
      open(1, 200_000),
      [0.0001, 0.0001, 200_000, 0.4, 0.5],
    ],
    [
      'a price that is less than the payoff',
      { amount: 100_000, purpose: 'purchase', purchase_price: 250_000 },
      open(1, 300_000),
      [0.4, 0.4, 150_000, 0.6, 0.6],
    ],
    [
      'a payoff that is not known',
      { amount: 400_000, purpose: 'refinance' },
      open(null, null, 'partial'),
      [0.8, 1, null, null, null],
    ],
    [
      'a foreclosure that is pending',
      { amount: 100_000 },
      { ...open(1, 200_000), flags: [FORECLOSURE] },
      [0.2, 0.25, null, null, null],
    ],
    [
      'recorded liens',
      { amount: 100_000, other_liens: 5_000 },
      {
        ...open(0, 0),
        other_liens: [
          { status: 'open', amount: 20_000 },
          { status: 'released', amount: 90_000 },
        ],
        tax_liens: {
          status: 'none_found',
          status_unknown: 1,
          items: [
            { status: 'open', amount: 3_000 },
            { status: 'unknown', amount: 2_000 },
            { status: 'released', amount: 9_000 },
          ],
        },
      },
      [0.2, 0.25, 125_000, 0.25, 0.3125],
    ],
    [
      'a recorded lien without an amount',
      { amount: 100_000 },
      { ...open(0, 0), other_liens: [{ status: 'open', amount: null }] },
      [0.2, 0.25, null, null, null],
    ],
    ['records that may lack a mortgage', { amount: 400_000 }, open(0, null, 'partial'), [0.8, 1, null, null, null]],
    ['a balance that is not known', { amount: 100_000 }, open(2, null), [0.2, 0.25, null, null, null]],
    ['a title that is not covered', { amount: 100_000 }, open(null, null), [0.2, 0.25, null, null, null]],
    [
      'a stated balance',
      { amount: 100_000, existing_balance: 50_000 },
      open(null, null),
      [0.2, 0.25, 150_000, 0.3, 0.375],
    ],
    [
      'a price between',
      { amount: 225_000, purchase_price: 450_000, purpose: 'purchase' },
      open(1, 9),
      [0.5, 0.5625, 225_000, 0.5, 0.5625],
    ],
    ['four decimals, up', { amount: 333_332, other_liens: 1 }, open(0, 0), [0.6667, 0.8334, 333_333, 0.6667, 0.8334]],
    ['a dollar above a limit', { amount: 400_001 }, open(0, 0), [0.8001, 1.0001, 400_001, 0.8001, 1.0001]],
  ];
  for (const [name, loan, title, expected] of cases) {
    it(name, () => {
      const found = loanFigures(loan, VALUE, title);
      assert.deepEqual([found.ltv, found.ltv_at_low, found.total_debt, found.cltv, found.cltv_at_low], expected);
      assert.ok(found.note.length > 20);
    });
  }
});

describe('the standard rules', () => {
  it('have limits that their conditions take, and a reason each', () => {
    checkRules(STANDARD_RULES);
    for (const { when, note } of STANDARD_RULES) assert.ok(note && note.length > 20 && note.length <= 200, when);
    assert.ok(STANDARD_RULES.length <= 40);
  });
});

describe('figures in words', () => {
  it('show a ratio just above a limit as above it, rules by their subject, and areas whole', () => {
    assert.deepEqual([0.8, 0.8001, 1.2, 0.666667].map(asRatio), ['80%', '80.01%', '120%', '66.67%']);
    assert.equal(asRules(['max_age_days', 'max_area_difference']), 'age of the sale, living area');
    assert.equal(withAreas('1191.5 sqft (filled in)'), '1,192 sq ft (filled in)');
    assert.equal(withAreas('Alcott Park, ZIP 53228'), 'Alcott Park, ZIP 53228');
  });
});

describe('rules', () => {
  it('are sentences, whatever their limit', () => {
    assert.equal(ruleInWords({ when: 'ltv_above', limit: 0.8 }), 'loan to value is above 80%');
    assert.equal(ruleInWords({ when: 'flood_zone_in', limit: ['AE', 'VE'] }), 'the home lies in flood zone AE or VE');
    assert.equal(ruleInWords({ when: 'open_mortgages_above', limit: 0 }), 'more than 0 mortgages are open');
    assert.equal(ruleInWords({ when: 'title_flags' }), 'the title is flagged with anything');
    for (const when of RULE_NAMES) assert.doesNotMatch(ruleInWords({ when, limit: 1 }), /\{\}/);
  });

  it('name every limit that is wrong', () => {
    const wrong = [{ when: 'ltv_above' }, { when: 'comparables_widened' }, { when: 'fsd_above', limit: 3 }] as const;
    assert.throws(
      () => checkRules(wrong),
      (error: any) =>
        error.members.errors.map(({ pointer }: any) => pointer).join() === '/body/rules/0/limit,/body/rules/2/limit',
    );
  });
});

describe('a fall of prices', () => {
  const dossier = (as_of: string, change_1y: object | null) => ({ as_of, market: { change_1y } }) as unknown as Dossier;
  const outcomeOf = (of: Dossier) =>
    decide([{ when: 'prices_fell_more_than', limit: 0.05, outcome: 'decline' }], of, 'request').outcome;
  const change = (to: string, by: number) => ({ change: by, from: 'a year before', to });
  const cases: [string, string, object | null, string][] = [
    ['is told by the latest month', '2026-03-10', change('2026-01', -0.06), 'decline'],
    ['is told by the latest quarter', '2026-06-29', change('2025-Q4', -0.04), 'pass'],
    ['that ended long ago says nothing of today', '2026-06-30', change('2025-Q4', -0.04), 'refer'],
    ['that ended long ago says nothing, however deep', '2026-11-17', change('2023-12', -0.2), 'refer'],
    ['is not known where sales are few', '2026-03-10', null, 'refer'],
  ];
  for (const [name, asOf, changed, outcome] of cases)
    it(name, () => assert.equal(outcomeOf(dossier(asOf, changed)), outcome));
});

describe('scales', () => {
  it('of maps are round and fit', () => {
    for (const metersPerPoint of [0.9, 2, 5, 11, 40]) {
      const { points, label } = scaleOf(metersPerPoint);
      assert.match(label, /^(0\.05|0\.1|0\.25|0\.5|1|2|5|10) mi$/);
      assert.ok(points > 20 && points <= FRAME.width / 4, `${points} points at ${metersPerPoint}`);
    }
  });

  it('of charts enclose the values in round steps', () => {
    for (const [least, most] of [
      [431_000, 928_000],
      [99.2, 104.7],
      [0, 5],
      [7, 7],
    ]) {
      const { from, to, lines } = niceGrid(least, most);
      assert.ok(from <= least && to >= most && lines.length >= 2 && lines.length <= 9, `${least} to ${most}: ${lines}`);
    }
  });
});

describe('figures', () => {
  it('are written as people read them', () => {
    assert.deepEqual([asPercent(0.0734), asSigned(-1_200), asSigned(0)], ['7.3%', '−1,200', '0']);
    assert.deepEqual([asShortMoney(1_250_000), asShortMoney(87_500)], ['$1.25M', '$87.5k']);
    assert.deepEqual(
      [titleCase('3409 S 9TH ST, MILWAUKEE'), titleCase('12 McAllister Ave')],
      ['3409 S 9th St, Milwaukee', '12 McAllister Ave'],
    );
  });
});
