// Chains, mortgages and balances on documents made for the purpose.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type TransactionRow } from '../../src/records/properties/sql.ts';
import { estimateBalance, monthsBetween } from '../../src/records/title/balance.ts';
import { followChain, reachOf } from '../../src/records/title/chain.ts';
import { instrumentOf, namesOf } from '../../src/records/title/instruments.ts';
import { coverMortgages } from '../../src/records/title/mortgage-coverage.ts';
import { matchEncumbrances } from '../../src/records/title/mortgages.ts';
import { flagForeclosures, listNotices } from '../../src/records/title/notices.ts';
import { rateOn } from '../../src/records/title/rates.ts';
import { splitByTitle, tiesOf } from '../../src/records/title/ties.ts';

let made = 0;
function document(
  type: TransactionRow['type'],
  recording_date: string | null,
  more: Partial<TransactionRow> = {},
): TransactionRow {
  made += 1;
  return {
    fips: 99001,
    property_id: 'prop',
    id: `txn_${made}`,
    type,
    document_type: null,
    document_number: null,
    book: null,
    page: null,
    recording_date,
    sale_date: null,
    date_precision: 'day',
    price: null,
    arms_length: null,
    arms_length_reason: null,
    buyers: [],
    sellers: [],
    lender: null,
    loan_amount: null,
    refers_to: [],
    joined_by: null,
    known_on: recording_date ?? '2020-01-01',
    source_id: 'test',
    verdict: null,
    ...more,
  };
}
const deed = (day: string, from: string, to: string, more: Partial<TransactionRow> = {}) =>
  document('deed', day, { sale_date: day, sellers: from ? [from] : [], buyers: to ? [to] : [], ...more });
const codes = (flags: { code: string }[]) => flags.map(({ code }) => code);
const connections = (deeds: TransactionRow[], owners: string[] = []) =>
  followChain(deeds, owners).links.map(({ connection }) => connection);

describe('the kind of an instrument', () => {
  it('follows from what the publisher calls it', () => {
    const kinds: [TransactionRow['type'], string | null, string][] = [
      ['deed', 'WARRANTY DEED', 'warranty_deed'],
      ['deed', 'Special Warranty Deed', 'special_warranty_deed'],
      ['deed', 'QUIT CLAIM DEED', 'quitclaim_deed'],
      ['deed', 'Quitclaim Deed', 'quitclaim_deed'],
      ['deed', 'CORRECTIVE DEED', 'corrective_deed'],
      ['deed', "TAX COLLECTOR'S DEED", 'tax_deed'],
      ['deed', "Sheriff's Deed", 'foreclosure_deed'],
      ['deed', 'EXECUTOR DEED', 'fiduciary_deed'],
      ['deed', 'PROBATE', 'fiduciary_deed'],
      ['deed', '1A', 'deed'],
      ['deed', null, 'deed'],
      ['mortgage', 'CORRECTIVE MORTGAGE', 'mortgage'],
      ['release', 'DISCHARGE', 'release'],
      ['release', 'PARTIAL RELEASE', 'partial_release'],
      ['release', 'RELEASE OF LIEN', 'lien_release'],
      ['other', 'ASSIGNMENT', 'assignment'],
      ['other', 'TAX LIEN', 'lien'],
      ['other', 'REDEMPTION', 'lien_release'],
      ['other', 'DEATH CERTIFICATE', 'death_or_probate'],
      ['other', 'EASEMENT', 'easement'],
      ['other', 'DECLARATION', 'other'],
      ['other', 'NOTICE OF DEFAULT', 'foreclosure_notice'],
      ['foreclosure', 'Lis Pendens', 'foreclosure_notice'],
    ];
    for (const [type, document_type, expected] of kinds)
      assert.equal(instrumentOf({ type, document_type }), expected, `${type} ${document_type}`);
  });

  it('is named by its number and by book and page without leading zeros', () => {
    assert.deepEqual(namesOf({ document_number: '20001466', book: '4498', page: '0879' }), ['4498/879', '20001466']);
    assert.deepEqual(namesOf({ document_number: null, book: '4498', page: null }), []);
  });
});

describe('a discharge that names a lien', () => {
  it('ends the lien, and is no release of a mortgage', () => {
    const lien = document('other', '2020-06-12', { document_type: 'LIEN', document_number: '20006982' });
    const discharge = document('release', '2021-02-01', { document_type: 'DISCHARGE', refers_to: ['20006982'] });
    const liens = matchEncumbrances([lien, discharge], { made: 'lien', passed: [], ended: ['lien_release'] });
    assert.deepEqual(
      liens.encumbrances.map(({ status }) => status),
      ['released'],
    );
    const loans = matchEncumbrances([lien, discharge], {
      made: 'mortgage',
      passed: ['assignment'],
      ended: ['release'],
    });
    assert.deepEqual([loans.unmatched.length, codes(loans.flags)], [0, []]);
  });
});

describe('coverage of mortgages', () => {
  const at = { asOf: '2026-06-30', known: 0, strays: [] };
  const layer = { covers_from: '2011-07-01', covers_to: '2026-06-30' };
  const status = (layers: (typeof layer)[], since: string | null, more = {}) =>
    coverMortgages(layers, { ...at, since, ...more }).status;

  it('is whole where the records go back to the owner’s deed, or as long as a loan runs', () => {
    assert.equal(status([layer], '2015-01-01'), 'covered');
    assert.equal(status([layer], '2005-01-01'), 'partial');
    assert.equal(status([layer], null), 'partial');
    assert.equal(status([{ ...layer, covers_from: '1995-01-01' }], '1980-01-01'), 'covered');
  });

  it('is partial where the records ended long ago, and says when', () => {
    const ended = coverMortgages([{ ...layer, covers_to: '2023-02-28' }], { ...at, since: '2005-01-01' });
    assert.equal(ended.status, 'partial');
    assert.equal(
      ended.note,
      'Mortgages are on record from 2011-07-01, after the owner took title, and up to 2023-02-28 only: others may be open.',
    );
  });

  it('is partial where recorded mortgages are tied to no parcel, for any of them may be on this one', () => {
    const tied = (count: number) =>
      coverMortgages([{ ...layer, documents: { recorded: 100, tied: count } }], { ...at, since: '2015-01-01' });
    assert.deepEqual([tied(98).status, tied(97).status], ['covered', 'partial']);
    assert.match(tied(97).note, /Of 100 recorded here, 3 are tied to no parcel\.$/);
    assert.deepEqual(tied(97).documents, { recorded: 100, tied: 97 });
  });

  it('is none where no source is loaded, however clean the record', () => {
    assert.equal(status([], '2015-01-01'), 'not_covered');
    assert.equal(status([], '2015-01-01', { known: 1 }), 'partial');
  });
});

describe('a notice of foreclosure', () => {
  const notice = document('foreclosure', '2024-03-01', { document_type: 'Lis Pendens' });
  const loan = document('mortgage', '2019-05-01', { lender: 'BANK OF ELLOWBY', buyers: ['AVELYN QUENDOVAR'] });
  const paid = document('release', '2024-06-01', { lender: 'BANK OF ELLOWBY', document_type: 'DISCHARGE' });
  const flagged = (...documents: TransactionRow[]) => {
    const { encumbrances } = matchEncumbrances(documents, {
      made: 'mortgage',
      passed: ['assignment'],
      ended: ['release', 'partial_release'],
    });
    return codes(flagForeclosures(documents, encumbrances));
  };

  it('is pending until a deed or the release of every loan ends it', () => {
    assert.deepEqual(flagged(notice), ['foreclosure_pending']);
    assert.deepEqual(flagged(loan, notice), ['foreclosure_pending']);
    assert.deepEqual(flagged(loan, notice, paid), []);
    assert.deepEqual(flagged(loan, notice, deed('2024-09-01', 'TRUSTEE', 'BANK OF ELLOWBY')), []);
    const other = document('mortgage', '2021-05-01', { lender: 'HARBOR LENDING LLC' });
    assert.deepEqual(flagged(loan, other, notice, paid), ['foreclosure_pending']);
  });

  it('is not ended by an earlier deed, nor by a quitclaim', () => {
    const earlier = deed('2019-05-01', 'A', 'B');
    const quitclaim = deed('2024-04-01', 'A', 'B', { document_type: 'QUITCLAIM DEED' });
    assert.deepEqual(flagged(earlier, notice, quitclaim), ['foreclosure_pending']);
  });

  it('is listed with easements and the like, newest first', () => {
    const easement = document('other', '2020-01-01', { document_type: 'EASEMENT' });
    const found = listNotices([easement, loan, paid, notice, deed('2019-05-01', 'A', 'B')]);
    assert.deepEqual(
      found.map(({ instrument }) => instrument),
      ['foreclosure_notice', 'easement'],
    );
  });
});

describe('a document that names no parcel', () => {
  const bought = deed('2020-05-05', 'ULRIC TARNISK', 'GALEN JARVISK', { recording_date: '2020-05-06' });
  const sold = deed('2022-05-05', 'GALEN JARVISK', 'TORBEN QUENDERBY');
  const by = (joined_by: string, day: string, more: Partial<TransactionRow> = {}) =>
    document('mortgage', day, { recording_date: day, buyers: ['GALEN JARVISK'], joined_by, ...more });
  const isKept = (one: TransactionRow) => splitByTitle([bought, sold, one]).own.includes(one);

  it('is of a party by name alone only while the party has title', () => {
    const easement = document('other', '2022-08-01', { sellers: ['GALEN JARVISK'], joined_by: 'owner' });
    assert.deepEqual([by('owner', '2020-05-06'), by('owner', '2021-01-01')].map(isKept), [true, true]);
    assert.deepEqual([by('owner', '2020-03-01'), by('owner', '2022-08-01'), easement].map(isKept), [
      false,
      false,
      false,
    ]);
    const release = document('release', '2022-06-01', { buyers: ['GALEN JARVISK'], joined_by: 'owner' });
    assert.deepEqual([by('closing', '2020-03-01'), release].map(isKept), [true, true]);
  });

  it('says what ties it', () => {
    const ties = (one: TransactionRow) => tiesOf(one, [bought]);
    assert.deepEqual(ties(by('closing', '2020-05-06')), ['closing', 'borrower']);
    assert.deepEqual(ties(by('closing', '2020-05-06', { buyers: ['PRIVATE OWNER 1A2B3C'] })), ['closing']);
    assert.deepEqual([ties(by('owner', '2020-05-06')), ties({ ...bought, joined_by: null })], [['owner'], []]);
  });
});

describe('a chain', () => {
  /** A chain that goes back to the first deed on record. */
  const whole = { older: 0, end: 'first' };

  it('connects where the grantor is the grantee before', () => {
    const deeds = [
      deed('2012-01-10', 'SALTBOX HOMES LLC', 'TORBEN QUENDERBY'),
      deed('2020-05-05', 'ULRIC TARNISK', 'GALEN JARVISK'),
      deed('2016-03-03', 'QUENDERBY TORBEN A', 'ULRIC TARNISK'),
    ];
    const { links, flags } = followChain(deeds, ['Jarvisk Galen']);
    assert.deepEqual(
      links.map(({ deed: each }) => each.sale_date),
      ['2020-05-05', '2016-03-03', '2012-01-10'],
    );
    assert.deepEqual(connections(deeds), ['matched', 'matched', 'first']);
    assert.deepEqual(flags, []);
    assert.deepEqual(reachOf(links, '2011-07-01'), {
      ...whole,
      completeFrom: '2011-07-01',
      verifiedFrom: '2012-01-10',
    });
    assert.deepEqual(reachOf(links, null), { ...whole, completeFrom: '2012-01-10', verifiedFrom: '2012-01-10' });
  });

  it('flags a missing link and reaches back only to it', () => {
    const deeds = [deed('2012-01-10', '', 'TORBEN QUENDERBY'), deed('2016-03-03', 'ULRIC TARNISK', 'GALEN JARVISK')];
    const { links, flags } = followChain(deeds, []);
    assert.deepEqual(codes(flags), ['missing_link']);
    const reach = { completeFrom: '2016-03-03', verifiedFrom: '2016-03-03', older: 1, end: 'broken' };
    assert.deepEqual(reachOf(links, '2011-07-01'), reach);
  });

  it('verifies no link under another name or out of order', () => {
    const similar = [
      deed('2012-01-10', '', 'GALEN JARVISK'),
      deed('2016-03-03', 'JARVISK FAMILY TRUST', 'ULRIC TARNISK'),
    ];
    const { links } = followChain(similar, []);
    assert.equal(links[0].connection, 'similar');
    assert.deepEqual(reachOf(links, null), { ...whole, completeFrom: '2012-01-10', verifiedFrom: '2016-03-03' });
  });

  it('tells deeds that are no open-market sales once', () => {
    const family = { arms_length: false, arms_length_reason: 'price_zero' } as const;
    const deeds = ['2001-01-01', '2002-01-01', '2003-01-01'].map((day) => deed(day, '', 'GALEN JARVISK', family));
    const { flags, links } = followChain(deeds, []);
    assert.deepEqual(codes(flags), ['non_arms_length']);
    assert.match(flags[0].reason, /^3 of 3 deeds/);
    assert.ok(links.every((link) => link.flags.length === 1));
  });

  it('says so where parties are not stated, and does not claim that there is no gap', () => {
    const deeds = [deed('1990-01-10', '', 'TORBEN QUENDERBY'), deed('2001-03-03', '', 'GALEN JARVISK')];
    const { links, flags } = followChain(deeds, []);
    assert.deepEqual(
      links.map(({ connection }) => connection),
      ['not_stated', 'first'],
    );
    assert.deepEqual(flags, []);
    assert.deepEqual(reachOf(links, null), {
      completeFrom: '2001-03-03',
      verifiedFrom: '2001-03-03',
      older: 1,
      end: 'not_stated',
    });
  });

  it('flags a name written otherwise, a quitclaim, a sale that is none, and an owner who is not the grantee', () => {
    const deeds = [
      deed('2012-01-10', '', 'TORBEN QUENDERBY'),
      deed('2016-03-03', 'QUENDERBY FAMILY TRUST', 'GALEN JARVISK', {
        document_type: 'QUITCLAIM DEED',
        arms_length: false,
        arms_length_reason: 'price_zero',
      }),
    ];
    const { flags } = followChain(deeds, ['ULRIC TARNISK']);
    assert.deepEqual(codes(flags).toSorted(), ['non_arms_length', 'owner_differs', 'party_name_differs', 'quitclaim']);
    assert.match(flags.find(({ code }) => code === 'non_arms_length')!.reason, /price zero/);
  });

  it('follows a correction past, and a deed repeated under another number', () => {
    const first = deed('2012-01-10', 'MISHA ORMISK', 'TORBEN QUENDERBY', { document_number: '12001' });
    const deeds = [
      first,
      deed('2012-02-10', 'MISHA ORMISK', 'TORBEN QUENDERBY', { refers_to: ['12001'] }),
      deed('2012-03-10', 'MISHA ORMISK', 'TORBEN QUENDERBY', { document_type: 'CORRECTIVE DEED' }),
      deed('2016-03-03', 'TORBEN QUENDERBY', 'GALEN JARVISK'),
    ];
    assert.deepEqual(connections(deeds), ['matched', 'correction', 'correction', 'first']);
  });

  it('puts deeds of one day in the order of their parties', () => {
    const deeds = [
      deed('2016-03-03', 'ULRIC TARNISK', 'GALEN JARVISK', { document_number: '101' }),
      deed('2012-01-10', '', 'TORBEN QUENDERBY'),
      deed('2016-03-03', 'TORBEN QUENDERBY', 'ULRIC TARNISK', { document_number: '102' }),
    ];
    assert.deepEqual(connections(deeds), ['matched', 'matched', 'first']);
  });

  it('flags a seller who took title later, and goes on from the buyer', () => {
    const deeds = [
      deed('2012-01-10', '', 'TORBEN QUENDERBY'),
      deed('2016-03-03', 'ULRIC TARNISK', 'GALEN JARVISK'),
      deed('2016-05-05', 'TORBEN QUENDERBY', 'ULRIC TARNISK'),
      deed('2019-05-05', 'GALEN JARVISK', 'MISHA ORMISK'),
    ];
    const { flags } = followChain(deeds, []);
    assert.deepEqual(codes(flags), ['out_of_order']);
    assert.match(flags[0].reason, /2016-05-05/);
  });

  it('flags a deed recorded before it was signed, or before the one it rests on', () => {
    const early = [deed('2012-01-10', '', 'TORBEN QUENDERBY', { recording_date: '2012-01-02' })];
    assert.deepEqual(codes(followChain(early, []).flags), ['out_of_order']);
    const crossed = [
      deed('2012-01-10', '', 'TORBEN QUENDERBY', { recording_date: '2012-06-20' }),
      deed('2012-05-10', 'TORBEN QUENDERBY', 'GALEN JARVISK', { recording_date: '2012-05-20' }),
    ];
    assert.deepEqual(codes(followChain(crossed, []).flags), ['out_of_order']);
  });

  it('of no deeds is empty, and complete for as long as the records are', () => {
    assert.deepEqual(followChain([], ['TORBEN QUENDERBY']), { links: [], flags: [] });
    assert.deepEqual(reachOf([], '2011-07-01'), { ...whole, completeFrom: '2011-07-01', verifiedFrom: null });
  });
});

const MORTGAGES = { made: 'mortgage', passed: ['assignment'], ended: ['release', 'partial_release'] } as const;
const loan = (day: string, more: Partial<TransactionRow> = {}) =>
  document('mortgage', day, { lender: 'BANK OF ELLOWBY', buyers: ['TORBEN QUENDERBY'], loan_amount: 200_000, ...more });
const release = (day: string, more: Partial<TransactionRow> = {}) =>
  document('release', day, { document_type: 'DISCHARGE', lender: 'BANK OF ELLOWBY', ...more });
const matched = (documents: TransactionRow[]) => matchEncumbrances(documents, MORTGAGES);
const statuses = (documents: TransactionRow[]) => matched(documents).encumbrances.map(({ status }) => status);

describe('a mortgage', () => {
  it('is released by reference before anything else, in either direction', () => {
    const older = loan('2012-01-10', { document_number: '12001' });
    const newer = loan('2014-01-10', { document_number: '14001' });
    assert.deepEqual(statuses([older, newer, release('2016-01-10', { refers_to: ['12001'] })]), ['open', 'released']);
    const named = loan('2012-01-10', { refers_to: ['16001'] });
    const { encumbrances } = matched([named, newer, release('2016-01-10', { document_number: '16001' })]);
    assert.deepEqual(
      encumbrances.map(({ status }) => status),
      ['open', 'released'],
    );
    assert.deepEqual(encumbrances[1].releases[0].matchedBy, ['reference', 'lender']);
  });

  it('is released by lender, amount and borrower where nothing refers to it; the newest first', () => {
    const loans = [loan('2012-01-10'), loan('2014-01-10', { loan_amount: 90_000 })];
    const { encumbrances } = matched([
      ...loans,
      release('2016-01-10', { loan_amount: 200_000, buyers: ['QUENDERBY T'] }),
    ]);
    assert.deepEqual(
      encumbrances.map(({ status }) => status),
      ['open', 'released'],
    );
    assert.deepEqual(encumbrances[1].releases[0].matchedBy, ['lender', 'borrower', 'amount']);
    assert.deepEqual(statuses([loan('2012-01-10'), loan('2014-01-10'), release('2016-01-10')]), ['released', 'open']);
  });

  it('is not released by another lender, another amount, an earlier paper or one that names another', () => {
    for (const other of [
      release('2016-01-10', { lender: 'ISLAND FEDERAL MORTGAGE' }),
      release('2016-01-10', { loan_amount: 150_000 }),
      release('2011-01-10'),
      release('2016-01-10', { refers_to: ['3006/745'] }),
      release('2016-01-10', { lender: null, buyers: ['TORBEN QUENDERBY'] }),
    ]) {
      const { encumbrances, unmatched, flags } = matched([loan('2012-01-10'), other]);
      assert.equal(encumbrances[0].status, 'open');
      assert.deepEqual([unmatched.length, codes(flags)], [1, ['release_without_mortgage']]);
    }
  });

  it('passes to its assignees, and may then be released by the last of them', () => {
    const papers = [
      loan('2012-01-10', { book: '400', page: '012' }),
      document('other', '2013-01-10', {
        document_type: 'ASSIGNMENT',
        lender: 'FIRST FICTIONAL BANK',
        sellers: ['BANK OF ELLOWBY ETA', 'TORBEN ETA QUENDERBY'],
        document_number: '13001',
      }),
      release('2016-01-10', { lender: 'FIRST FICTIONAL BANK N A', refers_to: ['13001'] }),
    ];
    const { encumbrances, flags } = matched(papers);
    assert.equal(encumbrances[0].holder, 'FIRST FICTIONAL BANK');
    assert.deepEqual(encumbrances[0].assignments[0].matchedBy, ['lender', 'borrower']);
    assert.deepEqual([encumbrances[0].status, flags], ['released', []]);
  });

  it('is partly released until it is released, and a stranger’s release is flagged', () => {
    const first = loan('2012-01-10', { document_number: '12001' });
    const partial = release('2013-01-10', { document_type: 'PARTIAL RELEASE', refers_to: ['12001'] });
    assert.deepEqual(statuses([first, partial]), ['partly_released']);
    const last = release('2014-01-10', { refers_to: ['12001'], lender: 'ISLAND FEDERAL MORTGAGE' });
    assert.deepEqual(
      [statuses([first, partial, last]), codes(matched([first, partial, last]).flags)],
      [['released'], ['released_by_another']],
    );
  });

  it('that is open after a sale, or made to another than the owner, is flagged', () => {
    const sale = deed('2016-01-10', 'TORBEN QUENDERBY', 'GALEN JARVISK', { arms_length: true });
    assert.deepEqual(codes(matched([loan('2012-01-10'), sale]).flags), ['open_after_sale']);
    assert.deepEqual(codes(matched([sale, loan('2018-01-10')]).flags), ['borrower_not_owner']);
    const early = loan('2015-12-01', { buyers: ['GALEN JARVISK'] });
    const { flags } = matched([early, sale]);
    assert.deepEqual(codes(flags), ['borrower_not_owner']);
    assert.match(flags[0].reason, /took title later, on 2016-01-10/);
    assert.deepEqual(matched([sale, loan('2018-01-10', { buyers: ['PRIVATE OWNER 0A1B2C'] })]).flags, []);
  });
});

describe('an estimated balance', () => {
  it('is what level payments at the usual rate leave', () => {
    const { balance } = estimateBalance({ amount: 300_000, recordedOn: '2020-06-15' }, '2025-06-20');
    // June 2020: 3.16%. A payment of 1,290.96 leaves 268,250 after sixty months, by a mortgage calculator's formula.
    assert.deepEqual([balance!.rate, balance!.rate_month, balance!.is_estimate], [0.0316, '2020-06', true]);
    const payment = (300_000 * (0.0316 / 12)) / (1 - (1 + 0.0316 / 12) ** -360);
    let left = 300_000;
    for (let month = 0; month < 60; month++) left = left * (1 + 0.0316 / 12) - payment;
    assert.equal(balance!.amount, Math.round(left));
  });

  it('is the whole loan in its first month, and says why there is none otherwise', () => {
    assert.equal(estimateBalance({ amount: 300_000, recordedOn: '2025-06-15' }, '2025-07-01').balance!.amount, 300_000);
    const reasonOf = (amount: number | null, recordedOn: string | null) =>
      estimateBalance({ amount, recordedOn }, '2019-06-30').reason;
    assert.equal(reasonOf(null, '2010-01-01'), 'amount_not_stated');
    assert.equal(reasonOf(0, '2010-01-01'), 'amount_not_stated');
    assert.equal(reasonOf(1000, null), 'date_not_stated');
    assert.equal(reasonOf(1000, '1980-01-01'), 'past_term');
    assert.equal(reasonOf(1000, '1989-12-31'), 'before_rate_series');
  });

  it('has a rate for every month of the series, and the last one after it', () => {
    for (let year = 1990; year <= 2025; year++) {
      for (let month = 1; month <= 12; month++) {
        const { rate, month: used } = rateOn(`${year}-${String(month).padStart(2, '0')}-15`)!;
        assert.ok(rate > 0.02 && rate < 0.11, used);
      }
    }
    assert.deepEqual(
      [rateOn('2026-06-30')!.month, rateOn('2026-06-30')!.monthsOld, rateOn('1989-12-31'), rateOn('1990-01-01')!.month],
      ['2025-12', 6, undefined, '1990-01'],
    );
  });

  it('takes a loaded month rather than a shipped one, and the last of them after the series', () => {
    const loaded = new Map([
      ['2025-12', 6.2],
      ['2026-03', 6.05],
    ]);
    assert.deepEqual(rateOn('2025-12-31', loaded), { rate: 0.062, month: '2025-12', monthsOld: 0 });
    assert.deepEqual(rateOn('2026-05-01', loaded), { rate: 0.0605, month: '2026-03', monthsOld: 2 });
    const { balance } = estimateBalance({ amount: 100_000, recordedOn: '2026-05-01' }, '2026-06-01', {
      loadedRates: loaded,
    });
    assert.deepEqual([balance!.rate_month, balance!.rate_months_old], ['2026-03', 2]);
  });

  it('counts whole months', () => {
    assert.deepEqual(
      [
        monthsBetween('2020-01-31', '2020-02-29'),
        monthsBetween('2020-01-15', '2021-01-15'),
        monthsBetween('2021-01-15', '2020-01-15'),
      ],
      [0, 12, 0],
    );
  });
});
