// How free text is parsed: numbers, streets, units, cities, and text that is no address. All addresses are invented.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatLine } from '../../src/records/address/parse/format.ts';
import { Gazetteer } from '../../src/records/address/parse/gazetteer.ts';
import { cityKey, streetNameKey } from '../../src/records/address/parse/names.ts';
import { compareNumbers, numbersOfRecord, readNumber } from '../../src/records/address/parse/numbers.ts';
import { readAddress } from '../../src/records/address/parse/read.ts';
import { editDistance, SpellingIndex, spellingKeys, tolerance } from '../../src/base/lib/spelling.ts';
import { readStreet } from '../../src/records/address/parse/streets.ts';
import { stateOfZipArea } from '../../src/records/address/parse/tables.ts';
import { readWords } from '../../src/records/address/parse/text.ts';
import { fitsTyped, readTyped } from '../../src/records/address/parse/typeahead.ts';
import { takeUnits } from '../../src/records/address/parse/units.ts';
import { canonicalRecord } from '../../src/records/address/parse/canonical.ts';
import { isStreetName } from '../../src/records/address/facts/street-names.ts';
import { presentAddress } from '../../src/records/properties/record.ts';

const street = (text: string) => {
  const { pre, name, suffix, post } = readStreet(readWords(text));
  return [pre, name, suffix, post].join('/');
};
const unit = (text: string) => takeUnits(readWords(text)).unit;
const number = (text: string) => readNumber(text)[0]?.number;

describe('a house number', () => {
  test('is parsed with its range, letter, hyphen, grid or word', () => {
    assert.deepEqual(number('1234'), { key: '1234', low: 1234, high: 1234 });
    assert.deepEqual(number('1234-36'), { key: '1234-36', low: 1234, high: 1236 });
    assert.deepEqual(
      readNumber('92-10').map((each) => [each.number.key, each.unit]),
      [
        ['92-10', ''],
        ['92', '10'],
      ],
    );
    assert.deepEqual(
      readNumber('1342B').map((each) => [each.number.key, each.unit]),
      [['1342', 'B']],
    );
    assert.equal(number('N165W21230')?.key, 'N165W21230');
    assert.equal(number('38W123')?.key, '38W123');
    assert.equal(number('ONE')?.key, '1');
    assert.deepEqual(readNumber('5TH'), []);
  });

  test('matches a range only on its own side of the street', () => {
    const range = number('100-108');
    assert.equal(compareNumbers(number('104'), range), 'within_range');
    assert.equal(compareNumbers(number('105'), range), 'different');
    assert.equal(compareNumbers(number('110'), range), 'different');
    assert.equal(compareNumbers(number('100-08'), range), 'same');
    assert.equal(compareNumbers(number('9210'), number('92-10')), 'hyphen');
  });

  test('in a range is indexed under each of its houses', () => {
    assert.deepEqual(numbersOfRecord(number('100-106')), ['100-106', '100', '102', '104', '106']);
  });
});

describe('a street', () => {
  test('is parsed into directions, name and suffix', () => {
    assert.equal(street('North Water Street'), 'N/WATER/ST/');
    assert.equal(street('M St Northwest'), '/M/ST/NW');
    assert.equal(street('North West 5th Ave'), 'NW/5/AVE/');
    assert.equal(street('W North Ave'), 'W/NORTH/AVE/');
    assert.equal(street('E 300 S'), 'E/300//S');
    assert.equal(street('Avenue D'), '/AVENUED//');
    assert.equal(street('Quillon Boulvard'), '/QUILLON/BLVD/');
  });

  test('has one key for every way to write it', () => {
    const same = (...names: string[]) =>
      assert.equal(new Set(names.map((name) => streetNameKey(readWords(name)))).size, 1, names.join(' = '));
    same('St Clair', 'Saint Clair', 'SAINT-CLAIR');
    same('Mt Vernon', 'Mount Vernon');
    same('First', '1st', '1');
    same('Twenty First', 'Twenty-First', '21st');
    same('Mc Kown', 'McKown');
    same('La Salle', 'LaSalle');
    same('US Hwy 41', 'U.S. 41', 'US Route 41');
    same('County Road PP', 'CR PP', 'Co Rd PP', 'CTH PP');
    same('State Rte 9', 'SR 9', 'State Highway 9');
    same('Dr Martin Luther King Jr', 'MLK', 'M L King', 'Martin Luther King');
    same('Lake Vw', 'Lake View');
  });
});

describe('a unit', () => {
  test('is found in every form', () => {
    for (const text of [
      '12 Elm St Apt 3B',
      '12 Elm St #3B',
      '12 Elm St # 3B',
      '12 Elm St, Unit 3-B',
      '12 Elm St Apt. No. 3B',
      'Apt 3B, 12 Elm St',
      '12 Elm St apt3B',
    ])
      assert.equal(unit(text), '3B', text);
    assert.equal(unit('12 Elm St 2nd Floor'), 'FL2');
    assert.equal(unit('12 Elm St Second Fl'), 'FL2');
    assert.equal(unit('12 Elm St Rear'), 'REAR');
    assert.equal(unit('12 Elm St Apt 007'), '7');
    assert.equal(unit('12 Elm St Bldg 4 Apt 2'), 'BLDG42');
  });

  test('is not found in street names that look like one', () => {
    for (const text of ['12 Front St', '12 Key Blvd', '12 Upper Rd', '12 Pier Ave', '12 No 5th St'])
      assert.equal(unit(text), '', text);
  });

  test('1-11 is not 11-1', () => {
    assert.notEqual(unit('12 Elm St #1-11'), unit('12 Elm St #11-1'));
  });
});

describe('a whole address', () => {
  const gazetteer = new Gazetteer(
    [
      { fips: 99001, state: 'ZZ', city: 'PORTELLOW', zip: '00101' },
      { fips: 36061, state: 'NY', city: 'NEWYORK', zip: '10001' },
    ],
    { aliases: [{ state: 'ZZ', alias: 'ELLOWHARBOR', city: 'PORTELLOW' }] },
  );
  const first = (text: string) => {
    const reading = readAddress(text, gazetteer).readings[0];
    return (
      reading &&
      [reading.number.key, reading.street.name, reading.unit, reading.city, reading.state, reading.zip].join('|')
    );
  };

  test('is parsed with and without commas, with its parts in any order', () => {
    const expected = '12|ELM|4|PORTELLOW|ZZ|00101';
    for (const text of [
      '12 Elm St Apt 4, Port Ellow, ZZ 00101',
      '12 elm st apt 4 port ellow zz 00101-1234',
      '12 Elm St\nApt 4\nPort Ellow, ZZ\n00101',
      '00101, ZZ, Port Ellow, 12 Elm St, Apt 4',
      'c/o Jane Doe, 12 Elm St #4, Port Ellow, ZZ 00101',
      'Jane Doe 12 Elm St #4, Port Ellow, ZZ 00101, USA',
      'Attn: Jane Doe, 12 Elm St #4, Port Ellow, ZZ 00101',
    ])
      assert.equal(first(text), expected, text);
  });

  test('distinguishes the city of New York from the state', () => {
    assert.equal(first('5 Elm St, New York'), '5|ELM||NEWYORK|NY|');
    assert.equal(first('5 Elm St, New York, New York 10001'), '5|ELM||NEWYORK|NY|10001');
  });

  test('text that is not an address says why', () => {
    const reasons: Record<string, string> = {
      '': 'empty',
      '🏠': 'empty',
      'PO Box 12, Port Ellow, ZZ': 'po_box',
      'RR 2 Box 15, Port Ellow ZZ': 'rural_route',
      '12 Calle Luna, San Juan, PR 00901': 'puerto_rico',
      '10 Elm St, Toronto ON M5V 2T6': 'foreign',
      '10 Elm St, Lyon, France': 'foreign',
      'Unit 2050 Box 4190, APO AP 96278': 'military',
      'Elm St & Oak St, Port Ellow': 'intersection',
      'Port Ellow ZZ': 'no_house_number',
      ['lorem ipsum '.repeat(1000)]: 'no_house_number',
    };
    for (const [text, reason] of Object.entries(reasons))
      assert.equal(readAddress(text, gazetteer).reason, reason, text.slice(0, 40));
  });

  test('a PO box next to a street is dropped', () => {
    assert.equal(first('PO Box 5, 12 Elm St, Port Ellow ZZ'), '12|ELM||PORTELLOW|ZZ|');
  });
});

describe('spelling', () => {
  test('counts a transposition as one edit', () => {
    assert.equal(editDistance('MAPLE', 'MAPEL', 2), 1);
    assert.equal(editDistance('MAPLE', 'OAK', 2), 3);
  });

  test('is tolerated by length, never in numbered streets', () => {
    assert.deepEqual(['ELM', 'MAPLE', 'WILLOWBROOK', '5', 'USHWY41'].map(tolerance), [0, 1, 2, 0, 0]);
  });

  test('finds similar names without scanning all of them', () => {
    const index = new SpellingIndex(['MAPLE', 'MAPLES', 'WILLOWBROOK', 'HOE', 'HOME']);
    assert.deepEqual(index.listNear('MAPEL', 1), ['MAPLE']);
    assert.deepEqual(index.listNear('WILOWBRUOK', 2), ['WILLOWBROOK']);
    assert.deepEqual(index.listNear('HOEE', 1).sort(), ['HOE', 'HOME']);
    assert.ok(spellingKeys('WILLOWBROOK', 2).length <= 29);
  });
});

test('the first digits of a ZIP give the state', () => {
  assert.deepEqual(['53202', '10001', '00901', '20036', '99501', '00101'].map(stateOfZipArea), [
    'WI',
    'NY',
    'PR',
    'DC',
    'AK',
    '',
  ]);
});

test('a city has one key for every way to write it', () => {
  assert.equal(cityKey(readWords('St. Louis')), cityKey(readWords('Saint Louis')));
  assert.equal(cityKey(readWords('N Ellow')), cityKey(readWords('North Ellow')));
});

describe('a half-typed address', () => {
  test('gives a number and the street words to search for', () => {
    assert.deepEqual(readTyped('1208 n lant'), {
      number: '1208',
      isNumberOpen: false,
      anchors: ['LANT'],
      mayBeDirection: false,
      words: ['N', 'LANT'],
      text: '1208 N LANT',
    });
    assert.ok(readTyped('12').isNumberOpen && readTyped('lantern hill 12').isNumberOpen);
    assert.ok(!readTyped('12 ').isNumberOpen, 'a space ends the number');
    assert.ok(readTyped('1208 w').mayBeDirection && readTyped('1208 wes').mayBeDirection);
    assert.deepEqual(readTyped('n 33').anchors, ['33'], 'half of 33rd');
    assert.deepEqual(readTyped('lantern hill 1208').number, '1208');
    assert.deepEqual(readTyped('fifth av').anchors, ['5']);
    assert.equal(readTyped('#').text, '');
    assert.equal(readTyped('12 메인 거리').text, '', 'another script');
  });

  test('matches a line whose words start with it, in any order', () => {
    const line = '1208 Lantern Hill Dr, Port Ellowby, ZZ 00103';
    assert.ok(fitsTyped(line, ['HILL', 'LANT', 'PORT']));
    assert.ok(fitsTyped(line, ['LANTERN', 'DRIVE']));
    assert.ok(!fitsTyped(line, ['LANTERN', 'LANTERN']));
    assert.ok(!fitsTyped(line, ['HARBOR']));
  });
});

test('an address is formatted for people', () => {
  const situs = {
    fips: 1,
    propertyId: 'prop_1',
    line1: '12 NW MCKOWN ST',
    unit: '4b',
    city: 'PORT ELLOW',
    state: 'ZZ',
    zip: '00101',
  };
  assert.equal(formatLine(situs), '12 NW McKown St Unit 4B, Port Ellow, ZZ 00101');
  assert.equal(formatLine({ ...situs, line1: '12 Elm St', unit: 'PH 1' }), '12 Elm St PH 1, Port Ellow, ZZ 00101');
});

describe('forms found in public records', () => {
  const at = { fips: 99001, propertyId: 'prop_1', city: 'Port Ellow', state: 'ZZ', zip: '00101' };
  const gazetteer = new Gazetteer([{ ...at, city: 'PORTELLOW' }]);

  test('are read back from the line that is shown', () => {
    const forms: [line1: string, unit: string][] = [
      ['12 Elm St', 'PS 14'], ['12 Elm St', 'COM 3'], ['12 Elm St', 'PH-A'], ['12 Elm St', 'PK 3'], ['12 Elm St', '11&PH'],
      ['12 Elm St', '3 & 4'], ['12 Elm St', '6(5E)'], ['12 Elm St', 'APT'], ['12 Elm St', '.'], ['12 Elm St', 'UPPER'],
      ['1 North Pier', '7C'], ['147-19F Elm Ave', 'F'], ['2204-U1 N Elm St', '1'], ['2921-U-2 N Elm St', '2'],
      ['113-115-117 Elm St', ''], ['100A-102 Elm St', '3'], ['70A-70B Elm St', ''], ['42-40/42 Elm St', ''], ['99/101 Elm St', '9J'],
      ['34- N Elm St', '8J'], ['249-04- 81st Ave', ''], ['120java Street', '1B'], ['24.5-26 Elm St', '26.5/1'],
    ]; // prettier-ignore
    for (const [line1, unit] of forms) {
      const record = canonicalRecord({ ...at, line1, unit })!;
      const text = formatLine({ ...at, line1, unit });
      const readings = readAddress(text, gazetteer).readings;
      assert.ok(
        readings.some(
          (reading) =>
            reading.number.key === record.number.key &&
            reading.unit === record.unit &&
            reading.street.name === record.street.name,
        ),
        `${text}: ${record.number.key} ${record.street.name} #${record.unit}`,
      );
    }
  });

  test('12-11 with unit 1 is not 12 with unit 11', () => {
    const [, ...others] = readAddress('12-11 Elm St Unit 1, Port Ellow, ZZ', gazetteer).readings;
    assert.ok(others.every((reading) => reading.unit !== '11'));
  });

  test('show the unit apart from the street, wherever the file writes it', () => {
    const present = (line1: string, unit: string | null = null) => {
      const shown = presentAddress({ ...at, zip4: null, address_line1: line1, address_unit: unit });
      return [shown.line1, shown.unit];
    };
    assert.deepEqual(present('12 ELM ST, UNIT 304'), ['12 ELM ST', '304']);
    assert.deepEqual(present('12 ELM ST APT 4B'), ['12 ELM ST', '4B']);
    assert.deepEqual(present('12 ELM ST #4'), ['12 ELM ST', '4']);
    assert.deepEqual(present('12 ELM ST', '4'), ['12 ELM ST', '4']);
    assert.deepEqual(present('12 ELM ST'), ['12 ELM ST', null]);
    assert.deepEqual(present('12 UNIT PLACE'), ['12 UNIT PLACE', null]);
  });
});

describe('other scripts', () => {
  const gazetteer = new Gazetteer([]);
  const reason = (text: string) => readAddress(text, gazetteer).reason;

  test('are distinguished from accents and signs', () => {
    for (const text of [
      '뉴욕 플러싱 12',
      '12 メイン通り',
      'ул. Ленина 5',
      '12 Μain St',
      'שדרה 5',
      '12 Main St 法拉盛, NY 11354',
    ]) {
      assert.equal(reason(text), 'not_latin', text);
    }
    for (const text of [
      '12 Cañon St, ZZ',
      '12 Kalākaua Ave, HI',
      '12 Kapiʻolani Blvd, HI',
      '12 ½ Main St, ZZ',
      '１２ Main St',
    ]) {
      assert.notEqual(reason(text), 'not_latin', text);
    }
  });
});

describe('the names that streets have', () => {
  test('hold common names and not their slips', () => {
    for (const name of ['PAYNE', 'PAINE', 'MAPLE', 'WASHINGTON', 'MARTIN', 'LAKEVIEW', 'OAKRIDGE', 'MCKINLEY']) {
      assert.ok(isStreetName(name), name);
    }
    const slips = ['MAPEL', 'WASHINGTNO', 'MRATIN', 'LAKEVEIW', 'OAKRIDEG', 'MCKINLYE', 'QXZVWK'];
    assert.ok(slips.filter(isStreetName).length === 0);
  });
});
