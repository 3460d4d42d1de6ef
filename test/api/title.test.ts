// The title report through HTTP: every flag on the sandbox's stories, scopes, suppression, metering and coverage.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { WENDEMERE } from '../../src/supply/sandbox/geography.ts';
import { DEMO, MAGIC_APN, sandboxId } from '../../src/supply/sandbox/fixtures.ts';
import { CHAIN_FLAGS } from '../../src/records/title/chain.ts';
import { MORTGAGE_FLAGS } from '../../src/records/title/mortgages.ts';
import { NOTICE_FLAGS } from '../../src/records/title/notices.ts';
import { testClient } from '../harness.ts';

const api = await testClient();
const idOf = (apn: string) => sandboxId(WENDEMERE, apn);
const titleOf = async (id: string, key?: string) => {
  const { status, body } = await api.get(`/properties/${id}/title`, key ? { key } : {});
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};
const codesOf = (title: any): string[] => [...new Set<string>(title.flags.map(({ code }: any) => code))].sort();

describe('GET /properties/:id/title', () => {
  it('200: an unbroken chain, its owner, its loans and what is open', async () => {
    const title = await titleOf(DEMO.property_id);
    assert.equal(title.object, 'title');
    assert.deepEqual(
      title.chain.map((link: any) => link.connection),
      ['matched', 'matched', 'first'],
    );
    assert.equal(title.coverage.status, 'covered');
    assert.equal(title.coverage.complete_from, '2011-07-01');
    assert.equal(title.coverage.verified_from, title.chain.at(-1).sold_on);
    assert.equal(title.ownership.since, title.chain[0].sold_on);
    assert.equal(title.ownership.years, 2.8);
    assert.deepEqual(title.ownership.owners, title.chain[0].grantees);
    assert.equal(title.chain[0].recorded_in, 'Wendemere County');
    for (const mortgage of title.mortgages)
      assert.equal(mortgage.estimated_balance === null, mortgage.status === 'released');
  });

  it('200: the stories show every flag there is, each with a reason and its document', async () => {
    const seen = new Map<string, string[]>();
    for (const name of ['titleGap', 'titleNames', 'titleOrder', 'titleLoans', 'titleStrays'] as const) {
      const title = await titleOf(idOf(MAGIC_APN[name]));
      seen.set(name, codesOf(title));
      const ids = [
        ...title.chain,
        ...title.unmatched,
        ...title.other_documents,
        ...[...title.mortgages, ...title.other_liens].flatMap((each: any) => [
          each,
          ...each.assignments,
          ...each.releases,
        ]),
      ].map(({ transaction_id }: any) => transaction_id);
      for (const { reason, transaction_id } of title.flags)
        assert.ok(reason.length > 20 && ids.includes(transaction_id), name);
    }
    assert.deepEqual(Object.fromEntries(seen), {
      titleGap: ['missing_link', 'owner_differs'],
      titleNames: ['correction', 'non_arms_length', 'party_name_differs', 'quitclaim'],
      titleOrder: ['out_of_order'],
      titleLoans: ['borrower_not_owner', 'open_after_sale', 'released_by_another'],
      titleStrays: ['assignment_without_mortgage', 'foreclosure_pending', 'release_without_mortgage'],
    });
    assert.deepEqual(new Set([...seen.values()].flat()), new Set([...CHAIN_FLAGS, ...MORTGAGE_FLAGS, ...NOTICE_FLAGS]));
  });

  it('mortgages: assigned, released by reference, and open with an estimate that says what it rests on', async () => {
    const { mortgages, open } = await titleOf(idOf(MAGIC_APN.titleLoans));
    assert.deepEqual(
      mortgages.map(({ status }: any) => status),
      ['open', 'released', 'open', 'released'],
    );
    const first = mortgages.at(-1);
    assert.equal(first.holder, 'Bank of Ellowby');
    assert.deepEqual(first.assignments[0].matched_by, ['reference', 'lender']);
    assert.deepEqual(first.releases[0].matched_by.slice(0, 3), ['reference', 'lender', 'borrower']);
    assert.deepEqual(
      mortgages[1].releases.map(({ instrument }: any) => instrument),
      ['partial_release', 'release'],
    );
    const { amount, rate, rate_month, rate_source, is_estimate } = mortgages[0].estimated_balance;
    assert.ok(amount < mortgages[0].amount && amount > 0.9 * mortgages[0].amount);
    assert.deepEqual([rate, rate_month, is_estimate], [0.0678, '2024-02', true]);
    assert.match(rate_source, /Freddie Mac/);
    assert.equal(open.mortgages, 2);
    assert.equal(open.estimated_balance, mortgages[0].estimated_balance.amount + mortgages[2].estimated_balance.amount);
  });

  it('mortgages of ordinary homes are matched by lender and amount', async () => {
    const { rows } = await api.deps.data.query(
      `select property_id as id from transactions where fips = $1 and type in ('mortgage', 'release')
       group by 1 having count(*) filter (where type = 'mortgage') > 1 and count(*) filter (where type = 'release') > 1
       order by 1 limit 40`,
      [WENDEMERE],
    );
    let releases = 0;
    for (const { id } of rows) {
      const title = await titleOf(id);
      for (const mortgage of title.mortgages) {
        assert.ok(mortgage.releases.length <= 1);
        for (const { matched_by, loan_amount } of mortgage.releases) {
          assert.ok(matched_by.includes('lender') && matched_by.includes('amount'), id);
          assert.equal(loan_amount, mortgage.amount);
          releases++;
        }
      }
    }
    assert.ok(releases > 20);
  });

  it('every document on record is in one of the lists: an easement and a notice of foreclosure as well', async () => {
    const { other_documents } = await titleOf(idOf(MAGIC_APN.titleStrays));
    assert.deepEqual(
      other_documents.map(({ instrument, document_type }: any) => [instrument, document_type]),
      [
        ['foreclosure_notice', 'Lis Pendens'],
        ['easement', 'Easement'],
      ],
    );
    const { rows } = await api.deps.data.query(
      `select property_id as id, count(*) as documents from transactions where fips = $1
       group by 1 having bool_or(type = 'foreclosure') order by 1 limit 20`,
      [WENDEMERE],
    );
    for (const { id, documents } of rows) {
      const title = await titleOf(id);
      const encumbrances = [...title.mortgages, ...title.other_liens];
      const shown = [
        ...title.chain,
        ...title.unmatched,
        ...title.other_documents,
        ...encumbrances.flatMap((each: any) => [each, ...each.assignments, ...each.releases]),
      ];
      assert.equal(shown.length, documents, id);
    }
  });

  it('no mortgage on record is none only where the records go back to the owner’s deed', async () => {
    const { rows } = await api.deps.data.query(
      `select (select p.id from properties p where p.fips = $1 and p.status = 'active' and not exists (
                 select 1 from transactions t where t.fips = p.fips and t.property_id = p.id) order by 1 limit 1) as old`,
      [WENDEMERE],
    );
    const old = await titleOf(rows[0].old);
    assert.equal(old.coverage.mortgages.status, 'partial');
    assert.match(old.coverage.mortgages.note, /from 2011-07-01, after the owner took title/);
    assert.deepEqual([old.open.mortgages, old.open.other_liens, old.open.estimated_balance], [null, null, null]);
    const bought = await titleOf(DEMO.property_id);
    assert.equal(bought.coverage.mortgages.status, 'covered');
    assert.notEqual(bought.open.estimated_balance, null);
  });

  it('liens: one open, one released; taxes, permits and violations by their layers', async () => {
    const title = await titleOf(idOf(MAGIC_APN.titleStrays));
    assert.deepEqual(
      title.other_liens.map(({ status }: any) => status),
      ['open', 'released'],
    );
    assert.equal(title.open.other_liens, 1);
    const owing = await api.deps.data.query(
      `select id, open_tax_liens from properties where open_tax_liens > 0 and status = 'active' order by id limit 1`,
    );
    const { tax_liens, open } = await titleOf(owing.rows[0].id);
    assert.deepEqual([tax_liens.status, open.tax_liens], ['found', owing.rows[0].open_tax_liens]);
    const permitted = await api.deps.data.query(
      `select p.property_id as id, count(*)::int as open from permits p
       join properties h on h.fips = p.fips and h.id = p.property_id and h.status = 'active'
       where p.status = 'issued' group by 1 order by 1 limit 1`,
    );
    assert.equal((await titleOf(permitted.rows[0].id)).permits.open.length, permitted.rows[0].open);
  });

  it('not covered is said to be: violations of the other county, and deeds of a market without any', async () => {
    const { rows } = await api.deps.data.query(
      `select id from properties where fips = 99003 and status = 'active' order by id limit 1`,
    );
    const other = await titleOf(rows[0].id);
    assert.deepEqual([other.violations.status, other.open.violations], ['not_covered', null]);
    await api.deps.data.query(`delete from coverage where layer = 'transactions' and fips = 99003`);
    api.deps.catalog.forget();
    const { coverage, open } = await titleOf(rows[0].id);
    assert.deepEqual([coverage.status, coverage.complete_from, open.mortgages], ['not_covered', null, null]);
  });

  it('names people only to keys that may read owners, and lenders only if they are organizations', async () => {
    const key = await api.keyWith(['transactions:read']);
    const id = idOf(MAGIC_APN.titleLoans);
    const title = await titleOf(id, key);
    const text = JSON.stringify(title);
    assert.doesNotMatch(text, /Varnockley|Ormander|Jarvisk|grantors|borrowers|owners"/);
    assert.match(text, /Bank of Ellowby/);
    assert.deepEqual(codesOf(title), codesOf(await titleOf(id)));
    await api.deps.data.query(
      `update transactions set lender = 'Galen Jarvisk' where property_id = $1 and lender = 'First Fictional Bank'`,
      [id],
    );
    assert.equal((await titleOf(id, key)).mortgages[0].lender, null);
    assert.equal((await titleOf(id)).mortgages[0].lender, 'Galen Jarvisk');
  });

  it('names nobody where the owner asked not to be shown', async () => {
    const title = await titleOf(idOf(MAGIC_APN.ownerHidden));
    assert.deepEqual([title.ownership.owners, title.chain[0].grantees], [[], []]);
    assert.equal(title.coverage.status, 'covered');
  });

  it('403 without the scope, 404 and 301 as for the record, and nothing but a 2xx is charged', async () => {
    const refused = await api.get(`/properties/${DEMO.property_id}/title`, {
      key: await api.keyWith(['properties:read']),
    });
    assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_scope']);
    assert.equal((await api.get('/properties/prop_r5pv00000000000000000/title')).status, 404);
    assert.equal((await api.get(`/properties/${idOf(MAGIC_APN.merged)}/title`)).status, 301);
    assert.equal((await api.get(`/properties/${DEMO.property_id}/title?x=1`)).status, 400);
  });

  it('a list of sales without parties is no chain, says nothing of who owns the home, and nothing is known to be open', async () => {
    await api.deps.data.query(`update transactions set buyers = '{}', sellers = '{}' where fips = $1`, [WENDEMERE]);
    await api.deps.data.query(`delete from owners where fips = $1`, [WENDEMERE]);
    const { coverage, ownership, open, chain } = await titleOf(DEMO.property_id);
    assert.deepEqual([coverage.status, coverage.mortgages.status, ownership], ['sales_only', 'not_covered', null]);
    assert.deepEqual([open.mortgages, open.estimated_balance, open.other_liens], [null, null, null]);
    assert.equal(chain.length, 3);
  });
});
