// Names of parties: what counts as the same, as similar, and as another party.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareParties, isOrganization, type Likeness } from '../../src/records/title/names.ts';

const check = (cases: [string | string[], string | string[], Likeness][]) => {
  for (const [left, right, expected] of cases) {
    assert.equal(compareParties([left].flat(), [right].flat()), expected, `${left} | ${right}`);
    assert.equal(compareParties([right].flat(), [left].flat()), expected, `${right} | ${left}`);
  }
};

describe('the same party', () => {
  it('in any order of names, with or without punctuation', () =>
    check([
      ['QUENDERBY TORBEN', 'Torben Quenderby', 'same'],
      ['QUENDERBY, TORBEN A', 'TORBEN A QUENDERBY', 'same'],
      ['Mishá O’Tarn', "MISHA O'TARN", 'same'],
    ]));

  it('with initials for names, and generations left out', () =>
    check([
      ['T A QUENDERBY', 'TORBEN QUENDERBY', 'same'],
      ['TORBEN A QUENDERBY JR', 'TORBEN QUENDERBY', 'same'],
      ['QUENDERBY TORBEN ALARIC', 'TORBEN A QUENDERBY', 'same'],
    ]));

  it('as a trustee, with others, or with a spouse', () =>
    check([
      ['TORBEN TR ETA QUENDERBY', 'TORBEN QUENDERBY', 'same'],
      ['QUENDERBY TORBEN TRUSTEE', 'TORBEN QUENDERBY ET AL', 'same'],
      ['QUENDERBY TORBEN & MISHA', 'MISHA QUENDERBY', 'same'],
      ['TORBEN AND MISHA QUENDERBY', 'QUENDERBY TORBEN A', 'same'],
      ['TORBEN A QUENDERBY, MISHA B QUENDERBY', 'MISHA QUENDERBY', 'same'],
      [['TORBEN QUENDERBY', 'ULRIC TARNISK'], 'TARNISK ULRIC ET UX', 'same'],
      ['QUENDERBY TRUST, TORBEN E', 'TORBEN E QUENDERBY TRUST ETA', 'same'],
      ['TORBEN W TR ETA QUENDERBY', 'QUENDERBY, TORBEN W DECLARATION OF TRUST', 'same'],
      ['MISHA TRUSTEE QUENDERBY', 'QUENDERBY FAMILY TRUST', 'same'],
      ['ESTATE OF TORBEN QUENDERBY', 'TORBEN QUENDERBY', 'same'],
    ]));

  it('in any form of a company', () =>
    check([
      ['PICKLED HERON HOLLOW L L C', 'Pickled Heron Hollow, LLC', 'same'],
      ['A I P L L C', 'AIP LLC', 'same'],
      ['P A G J MERE L L C', 'PAGJ MERE LLC', 'same'],
      ['FIRST FICTIONAL BANK N A', 'First Fictional Bank', 'same'],
      ['SALTMARSH HOMES INC', 'SALTMARSH HOMES INCORPORATED', 'same'],
      ['WENDEMERE BANK & TRUST CO', 'WENDEMERE BANK AND TRUST', 'same'],
    ]));

  it('if a withheld name is the same code', () => check([['PRIVATE OWNER 0A1B2C', 'PRIVATE OWNER 0A1B2C', 'same']]));
});

describe('a similar party', () => {
  it('is a relative, their trust or company, or a slip of the pen', () =>
    check([
      ['TORBEN QUENDERBY', 'MISHA QUENDERBY', 'similar'],
      ['TORBEN QUENDERBY', 'QUENDERBY FAMILY TRUST', 'similar'],
      ['TORBEN QUENDERBY', 'QUENDERBY HOLDINGS LLC', 'similar'],
      ['TORBEN A QUENDERBY', 'TORBEN B QUENDERBY', 'similar'],
      ['TORBEN QUENDERBY', 'MISHA QUENDERBI', 'similar'],
      ['PICLED HERON HOLLOW LLC', 'PICKLED HERON HOLLOW LLC', 'similar'],
    ]));
});

describe('another party', () => {
  it('shares no name', () =>
    check([
      ['TORBEN QUENDERBY', 'ULRIC TARNISK', 'different'],
      ['TORBEN QUENDERBY', 'SALTMARSH HOMES INC', 'different'],
      ['FIRST FICTIONAL BANK', 'WENDEMERE SAVINGS BANK', 'different'],
      ['SALTMARSH HOMES LLC', 'REDQUAY RENTALS LLC', 'different'],
    ]));
});

describe('an unknown party', () => {
  it('is not stated, or withheld', () =>
    check([
      [[], 'TORBEN QUENDERBY', 'unknown'],
      ['', 'TORBEN QUENDERBY', 'unknown'],
      ['PRIVATE OWNER 0A1B2C', 'PRIVATE OWNER 3D4E5F', 'unknown'],
      ['PRIVATE OWNER 0A1B2C', 'TORBEN QUENDERBY', 'unknown'],
      ['PRIVATE OWNER 0A1B2C', 'SALTMARSH HOMES INC', 'unknown'],
    ]));
});

it('distinguishes organizations from people', () => {
  for (const name of [
    'MASCOMA BANK',
    'QUENDERBY FAMILY TRUST',
    'LYME TOWN OF',
    'AIP L L C',
    'FIRST FICTIONAL BANK, N.A.',
    'Lighthouse Home Loans, Inc., ISAOA',
    'MORTGAGE ELECTRONIC REGISTRATION SYSTEMS, HARBOR LENDING L L C ETA',
  ])
    assert.ok(isOrganization(name), name);
  for (const name of [
    'TORBEN QUENDERBY',
    'QUENDERBY TORBEN TR',
    'PRIVATE OWNER 0A1B2C',
    '',
    'TORBEN S TR ETA QUENDERBY, AVELYN B TR ETA QUENDERBY, LONG MEADOW TRUST ETA',
    'HARBOR LENDING LLC; TORBEN QUENDERBY',
  ])
    assert.ok(!isOrganization(name), name);
});
