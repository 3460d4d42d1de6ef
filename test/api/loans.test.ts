// Loans after closing: what is known at registration, one event for each thing that becomes known and none twice, past
// statements, rows refused by themselves, and nothing of another account.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAccount, createKey } from '../../src/customers/accounts/accounts.ts';
import { checkLoans } from '../../src/delivery/loans/loans.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { testClient } from '../harness.ts';

const api = await testClient();
const { deps } = api;
deps.travel('2026-07-01T12:00:00Z');
type Row = Record<string, any>;

/** A covered home whose one open mortgage is the loan: value 800,000, deed and mortgage of 2024. */
const { rows: homes } = await deps.data.query(
  `select p.* from properties p where p.status = 'active' and p.property_type = 'single_family' and p.value is not null
     and p.id <> $1 and not exists (select from transactions t where t.property_id = p.id and t.fips = p.fips and t.type <> 'deed')
     and exists (select from transactions t where t.property_id = p.id and t.fips = p.fips and t.type = 'deed')
   order by p.id limit 40`,
  [DEMO.property_id],
);
let nextHome = 0;
let papers = 0;

async function record(home: Row, paper: Row): Promise<string> {
  const id = `txn_loantest${++papers}`;
  const row: Row = {
    fips: home.fips,
    property_id: home.id,
    id,
    market: home.market,
    document_number: `L-${papers}`,
    known_on: '2026-01-01',
    source_id: 'sandbox-deeds',
    load_id: 1,
    loaded_at: new Date(),
    ...paper,
  };
  const names = Object.keys(row);
  await deps.data.query(
    `insert into transactions (${names.join(', ')}) values (${names.map((_, i) => `$${i + 1}`).join(', ')})`,
    Object.values(row),
  );
  return id;
}
const mortgage = (recording_date: string, loan_amount: number, more: Row = {}) => ({
  type: 'mortgage',
  document_type: 'Mortgage',
  recording_date,
  loan_amount,
  lender: 'Bank of Ellowby',
  ...more,
});

async function homeWithLoan(terms: Row = {}) {
  const home = homes[nextHome++];
  await deps.data.query('update properties set value = 800000, value_low = 720000 where id = $1', [home.id]);
  const own = await record(home, mortgage('2024-03-10', 500_000));
  const loan = { property: { id: home.id }, amount: 500_000, closed_on: '2024-03-01', rate: 0.06, ...terms };
  const { status, body, text } = await api.post('/loans', loan);
  assert.equal(status, 201, text);
  return { home, own, loan: body as Row };
}

/** Looks again a day later and returns what became known. */
let day = 0;
async function lookAgain(loanId: string): Promise<string[]> {
  day += 2;
  deps.travel(new Date(Date.UTC(2026, 6, 2 + day, 12)).toISOString());
  await checkLoans(deps);
  const { body } = await api.get(`/loans/${loanId}/changes?limit=1`);
  const [last] = body.data;
  return last && last.known_at === deps.clock().toISOString() ? last.changes.map(({ code }: Row) => code) : [];
}

describe('a registered loan', () => {
  it('is found among the mortgages, with its balance, ratio and position', async () => {
    const { loan, own } = await homeWithLoan({ reference: 'Case 1' });
    const { condition } = loan;
    assert.deepEqual(
      [condition.mortgage.status, condition.mortgage.transaction_id, condition.mortgage.position],
      ['open', own, 1],
    );
    assert.equal(condition.balance_basis, 'scheduled');
    assert.ok(condition.balance < 500_000 && condition.balance > 470_000, String(condition.balance));
    assert.equal(condition.ltv, Math.ceil((condition.balance * 10_000) / 800_000) / 10_000);
    assert.ok(condition.ltv_at_low > condition.ltv);
    assert.deepEqual([condition.senior, condition.junior, condition.foreclosure], [[], [], false]);
    const listed = await api.get('/loans?limit=500');
    assert.deepEqual(
      listed.body.data.find(({ id }: Row) => id === loan.id),
      loan,
    );
  });
  it('whose mortgage cannot be told says so, and no position', async () => {
    const { loan } = await homeWithLoan({ document_number: 'none-such' });
    assert.deepEqual(
      [loan.condition.mortgage.status, loan.condition.mortgage.position, loan.condition.senior],
      ['not_on_record', null, null],
    );
  });
});

describe('what becomes known is told once, with its reason', () => {
  const cases: [code: string, happen: (home: Row, own: string) => Promise<unknown>][] = [
    ['junior_mortgage', (home) => record(home, mortgage('2026-05-01', 60_000))],
    ['senior_mortgage', (home) => record(home, mortgage('2020-05-01', 90_000))],
    [
      'lien_recorded',
      (home) =>
        record(home, {
          type: 'other',
          document_type: 'Mechanics Lien',
          recording_date: '2026-05-01',
          loan_amount: 12_000,
        }),
    ],
    [
      'foreclosure_notice',
      (home) =>
        record(home, { type: 'foreclosure', document_type: 'Notice of Foreclosure', recording_date: '2026-06-01' }),
    ],
    [
      'title_transferred',
      (home) =>
        record(home, {
          type: 'deed',
          document_type: 'Warranty Deed',
          recording_date: '2026-06-10',
          sale_date: '2026-06-10',
          price: 810_000,
        }),
    ],
    [
      'mortgage_released',
      async (home, own) => {
        const { rows } = await deps.data.query('select document_number from transactions where id = $1', [own]);
        await record(home, {
          type: 'release',
          document_type: 'Satisfaction of Mortgage',
          recording_date: '2026-06-01',
          refers_to: [rows[0].document_number],
          lender: 'Bank of Ellowby',
        });
      },
    ],
    [
      'flood_zone_changed',
      (home) => deps.data.query(`update properties set flood_zone = 'AE', flood_sfha = true where id = $1`, [home.id]),
    ],
    [
      'permit_issued',
      (home) => deps.data.query(`update properties set last_permit_date = '2026-06-20' where id = $1`, [home.id]),
    ],
    [
      'ltv_above',
      (home) => deps.data.query(`update properties set value = 500000, value_low = 450000 where id = $1`, [home.id]),
    ],
  ];
  for (const [code, happen] of cases)
    it(code, async () => {
      const { loan, home, own } = await homeWithLoan({ max_ltv: 0.8 });
      if (code === 'flood_zone_changed') {
        await deps.data.query(`update properties set flood_zone = 'X', flood_sfha = false where id = $1`, [home.id]);
        await lookAgain(loan.id);
      }
      assert.deepEqual(await lookAgain(loan.id), [], 'a quiet day');
      await happen(home, own);
      const codes = await lookAgain(loan.id);
      assert.ok(codes.includes(code), JSON.stringify(codes));
      assert.deepEqual(await lookAgain(loan.id), [], 'not again');
      const { rows } = await deps.control.query(
        `select data from events where type = 'loan.changed' and data->>'loan_id' = $1`,
        [loan.id],
      );
      assert.equal(rows.length, 1);
      const told = rows[0].data.changes.find((each: Row) => each.code === code);
      assert.ok(told.detail.endsWith('.') && !/undefined|NaN|null/.test(told.detail), told.detail);
    });

  it('and back below the threshold', async () => {
    const { loan, home } = await homeWithLoan({ max_ltv: 0.8 });
    await deps.data.query('update properties set value = 500000 where id = $1', [home.id]);
    assert.deepEqual(await lookAgain(loan.id), ['ltv_above']);
    await deps.data.query('update properties set value = 900000 where id = $1', [home.id]);
    assert.deepEqual(await lookAgain(loan.id), ['ltv_back_below']);
  });
});

describe('a statement', () => {
  it('of a past day is what was known on it', async () => {
    const { loan, home } = await homeWithLoan();
    const registered = loan.created_at.slice(0, 10);
    await record(home, mortgage('2026-05-01', 60_000));
    assert.deepEqual(await lookAgain(loan.id), ['junior_mortgage']);
    const today = deps.clock().toISOString().slice(0, 10);
    const of = async (as_of: string) => (await api.get(`/loans/${loan.id}/statement?as_of=${as_of}`)).body;
    assert.deepEqual((await of(registered)).condition.junior, []);
    assert.equal((await of(today)).condition.junior.length, 1);
    assert.deepEqual([(await of('2020-01-01')).condition, (await of('2020-01-01')).known_at], [null, null]);
  });
});

describe('many at once', () => {
  it('are registered but for the bad ones, each with its reason and its place', async () => {
    const good = { property: { id: homes[nextHome++].id }, amount: 100_000, closed_on: '2025-01-01', reference: 'B-1' };
    const { status, body } = await api.post('/loans/batch', {
      items: [
        good,
        { ...good, reference: 'B-1' },
        { ...good, amount: -1, reference: 'B-2' },
        { ...good, property: { address: 'nowhere at all' }, reference: 'B-3' },
        'x',
        { ...good, closed_on: '2099-01-01', reference: 'B-4' },
        { ...good, reference: 'B-5' },
      ],
    });
    assert.equal(status, 200);
    assert.deepEqual([body.registered, body.refused], [2, 5]);
    assert.deepEqual(
      body.results.map(({ error }: Row) => error === null),
      [true, false, false, false, false, false, true],
    );
    for (const { error } of body.results) if (error) assert.ok(error.detail.length > 10, JSON.stringify(error));
    const again = await api.post('/loans', { ...good });
    assert.equal(again.status, 400);
    assert.match(again.body.detail, /B-1/);
  });
  it('come as a spreadsheet, read by the names of its columns', async () => {
    const [one, two] = [homes[nextHome++], homes[nextHome++]];
    const county = (await deps.catalog.read()).counties.get(two.fips)?.name;
    const file = [
      'Loan number;property_id;Loan amount;Closing date;Note rate;Max LTV;APN;County;State;Officer',
      `F-1;${one.id};"$520,000.40";3/14/2025;6.65%;0.8;;;;Ann`,
      `F-2;;250000;2025-04-01;0.0575;;${two.apn};${county};ZZ;Bob`,
      '',
      'F-3;;250000;2025-04-01;;;;;;',
      `F-4;${two.id};lots;2025-04-01;;;;;;`,
      `F-1;${two.id};90000;2025-04-01;;;;;;`,
      `F-6;${two.id};90000;13/40/2025;;;;;;`,
      `F-7;${two.id};90000;2025-04-01;6.65;;;;;`,
    ].join('\r\n');
    const { status, body, text } = await api.call('POST', '/loans/batch', {
      body: Buffer.from(file),
      headers: { 'content-type': 'text/csv' },
    });
    assert.equal(status, 200, text);
    assert.ok(body.ignored_columns.includes('Officer'), JSON.stringify(body.ignored_columns));
    const reasons: [line: number, reason: RegExp | null][] = [
      [2, null],
      [3, null],
      [5, /needs one of: an address/],
      [6, /amount must be integer/],
      [7, /reference `F-1` is registered/],
      [8, /closed_on must match format/],
      [9, /rate must be <= 0.5/],
    ];
    for (const [k, [line, reason]] of reasons.entries()) {
      const { error, line: at, index } = body.results[k];
      assert.deepEqual([at, index], [line, k]);
      if (reason) assert.match(error.detail, reason);
      else assert.equal(error, null, JSON.stringify(error));
    }
    const { body: loan } = await api.get(`/loans/${body.results[0].loan_id}`);
    assert.deepEqual(
      [loan.property_id, loan.reference, loan.terms],
      [one.id, 'F-1', { amount: 520_000, closed_on: '2025-03-14', rate: 0.0665, max_ltv: 0.8, term_months: 360 }],
    );
  });
  it('of a file that is none, or of too many rows, are refused whole', async () => {
    const send = (body: string, type = 'text/csv') =>
      api.call('POST', '/loans/batch', { body: Buffer.from(body), headers: { 'content-type': type } });
    const rows = (count: number) => `address,amount\n${'1 Main St,5\n'.repeat(count)}`;
    for (const [body, reason] of [
      [rows(501), /1 to 500 loans. This one has 501/],
      ['address,amount\n', /This one has 0/],
      ['%PDF-1.4', /a PDF document/],
      ['address,amount\n"1 Main', /never closed/],
    ] as const) {
      const { status, body: problem } = await send(body);
      assert.equal(status, 400);
      assert.match(problem.detail, reason);
    }
    assert.equal((await send('{"items":[]}', 'application/x-ndjson')).status, 415);
  });
  it('cost one call each, and what was refused costs nothing', async () => {
    await deps.data.query('update markets set sandbox = false');
    deps.catalog.forget();
    const item = (k: number) => ({
      property: { id: homes[nextHome + k].id },
      amount: 100_000,
      closed_on: '2025-01-01',
    });
    const { headers } = await api.post(
      '/loans/batch',
      { items: [item(0), item(1), { bad: true }] },
      { key: api.liveKey },
    );
    assert.deepEqual([headers['x-usage-meter'], headers['x-usage-units']], ['standard', '2']);
    const none = await api.post('/loans/batch', { items: [{ bad: true }] }, { key: api.liveKey });
    assert.equal(none.headers['x-usage-units'], '0');
    await deps.data.query('update markets set sandbox = true');
    deps.catalog.forget();
  });
});

describe('another account', () => {
  it('sees, changes and deletes nothing of it; its own deletion ends it', async () => {
    const { loan } = await homeWithLoan();
    const stranger = await createAccount(deps.control, deps.clock(), 'Stranger', 'pro', {});
    const { secret: key } = await createKey(deps, stranger.id, { name: 'k', mode: 'test' });
    for (const path of [
      `/loans/${loan.id}`,
      `/loans/${loan.id}/changes`,
      `/loans/${loan.id}/statement?as_of=2026-07-01`,
    ])
      assert.equal((await api.get(path, { key })).status, 404);
    assert.equal((await api.call('DELETE', `/loans/${loan.id}`, { key })).status, 404);
    assert.equal((await api.call('DELETE', `/loans/${loan.id}`)).status, 204);
    assert.equal((await api.get(`/loans/${loan.id}`)).status, 404);
    const { rows } = await deps.control.query('select count(*)::int as n from loan_conditions where loan_id = $1', [
      loan.id,
    ]);
    assert.equal(rows[0].n, 0);
  });
});
