// The reading of parties' names, and when two of them are one party.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mailingKeyOf } from '../../src/records/address/address.ts';
import { likenessOf } from '../../src/records/owners/likeness.ts';
import { keysOfName, readPartyName } from '../../src/records/owners/party-name.ts';

const fitOf = (asked: string, found: string) => likenessOf(readPartyName(asked), readPartyName(found))?.fit;

describe('the name of a party', () => {
  it('is read without what is written with and without it', () => {
    assert.deepEqual(readPartyName('Mc Donald, Renée J. Jr & De La Cruz Anne, et al').words, [
      'MCDONALD',
      'RENEE',
      'DELACRUZ',
      'ANNE',
    ]);
    assert.deepEqual(readPartyName('THE ORRIN FAMILY REV. TRUST U/A/D 1999').words, ['ORRIN', '1999']);
    assert.deepEqual(readPartyName('Blue Gannet 12 L L C'), {
      words: ['BLUE', 'GANNET', '12'],
      initials: [],
      soft: ['LLC'],
    });
    assert.deepEqual(readPartyName('The Family Trust Company').words, ['FAMILY', 'TRUST', 'COMPANY']);
  });

  it('is filed under each word with each other one', () => {
    assert.deepEqual(keysOfName(readPartyName('Orrin Ada J')), ['ORRIN ADA', 'ORRIN J', 'ADA ORRIN', 'ADA J']);
    assert.deepEqual(keysOfName(readPartyName('Tidewrack LLC')), ['TIDEWRACK ']);
  });
});

describe('two names', () => {
  it('are one party by words, initials, one slip of the pen, or one word more than the record has', () => {
    assert.equal(fitOf('ada orrin', 'ORRIN ADA JR'), 'exact');
    assert.equal(fitOf('A Orrin', 'ORRIN ADA'), 'initials');
    assert.equal(fitOf('Ada Orrin', 'ORRIN A'), 'initials');
    assert.equal(fitOf('Adda Velerdale', 'VELERDAL ADDA'), 'spelling');
    assert.equal(fitOf('Ada Marie Orrin', 'ORRIN ADA'), 'partial');
  });

  it('are two where a word, an initial or the first letter speaks against it', () => {
    for (const [asked, found] of [
      ['Ada Orrin', 'ORRIN BEA'],
      ['Ada B Orrin', 'ORRIN ADA C'],
      ['Ada Marie Orrin', 'ORRIN ADA LEE'],
      ['Ada Velerdale', 'TELERDALE ADA'],
      ['Adda Velerdal', 'VELERDALE ADDB'],
      ['12 Mill LLC', '13 MILL LLC'],
    ])
      assert.equal(fitOf(asked, found), undefined, `${asked} ${found}`);
  });
});

describe('a mailing address', () => {
  it('has one key in all its spellings, and another for another door', () => {
    const key = mailingKeyOf('1208 Lantern Hill Dr, Port Ellowby, ZZ 00103');
    assert.equal(mailingKeyOf('1208 LANTERN HILL DRIVE, PORT ELLOWBY ZZ 00103-4411'), key);
    assert.notEqual(mailingKeyOf('1208 Lantern Hill Dr Apt 2, Port Ellowby, ZZ 00103'), key);
    assert.equal(
      mailingKeyOf('P.O. Box 71, Quillmoor, ZZ 00121'),
      mailingKeyOf('c/o A Person, PO BOX 71, QUILLMOOR ZZ 00121'),
    );
    assert.equal(mailingKeyOf('general delivery'), undefined);
  });
});
