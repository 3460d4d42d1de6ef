// From text to exactly one property or an explicit no, in a small invented town.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from '../properties.ts';
import { type SitusAddress, canonicalKey, canonicalRecord } from '../../src/records/address/parse/canonical.ts';
import { createMemoryStore } from '../memory-store.ts';
import { resolve } from '../../src/records/address/match/resolve.ts';

let serial = 0;
function home(line1: string, more: Partial<SitusAddress> = {}): SitusAddress {
  serial++;
  return { fips: 99001, propertyId: `prop_${serial}`, line1, city: 'Port Ellow', state: 'ZZ', zip: '00101', ...more };
}

const street = (text: string, count: number, more: Partial<SitusAddress> = {}) =>
  Array.from({ length: count }, (_, index) => home(`${900 + index * 2} ${text}`, more));
const named = {
  elm: home('12 Elm St'),
  elmAve: home('14 Elm Ave'),
  range: home('100-108 Harbor Way'),
  low: home('12 Ferry St'),
  high: home('14 Ferry St'),
  north: home('350 N Lantern Ave'),
  south: home('350 S Lantern Ave'),
  onlyNorth: home('77 N Lantern Ave'),
  onlyWest: home('78 W Pier Ave'),
  unit1: home('20 Fogbell Ln', { unit: '1' }),
  unit2: home('20 Fogbell Ln', { unit: '2' }),
  duplexA: home('30 Fogbell Ln', { unit: 'A', propertyId: 'prop_duplex' }),
  duplexB: home('30 Fogbell Ln', { unit: 'B', propertyId: 'prop_duplex', ordinal: 1 }),
  onlyUnit: home('40 Fogbell Ln', { unit: '3' }),
  lettered: home('1342B Harbor Way'),
  willow: home('8 Willowbrook Ct'),
  home: home('61 Home St'),
  meadow: home('13 Meadow Ln'),
  other: home('5 Market St', { city: 'Quillmoor', zip: '00301' }),
  here: home('5 Market St'),
  zip2: home('41 Cooper St', { zip: '00102' }),
};
const store = createMemoryStore(
  [
    ...Object.values(named),
    ...street('Hoe St', 3),
    ...street('Willowbank Ct', 3),
    ...street('W Meadow Ln', 4),
    ...street('Maple St', 2, { city: 'Quillmoor', zip: '00301' }),
    home('9 Marple St'),
  ],
  [{ state: 'ZZ', alias: 'ELLOWHARBOR', city: 'PORTELLOW' }],
);

async function outcome(text: string, policy?: 'standard' | 'strict') {
  const found = await resolve(store, text, policy);
  return found.outcome === 'match' ? `${found.property_id} ${found.match_quality}` : `${found.outcome} ${found.reason}`;
}
const at = (situs: SitusAddress, quality = 'exact') => `${situs.propertyId} ${quality}`;
const HERE = 'Port Ellow, ZZ 00101';

describe('a match', () => {
  test('drops a letter that a hyphen sets apart from the number, like any unit; without it, it is another house', async () => {
    assert.equal(await outcome(`12--A Elm St, ${HERE}`), at(named.elm, 'unit_dropped'));
    assert.equal(await outcome(`12-A Elm St, ${HERE}`), at(named.elm, 'unit_dropped'));
    assert.equal(await outcome(`12A Elm St, ${HERE}`), 'not_resolved number_not_found');
    assert.equal(await outcome(`20-C Fogbell Ln, ${HERE}`), 'not_resolved unit_not_found');
  });

  test('is exact regardless of case, abbreviations and commas', async () => {
    for (const text of ['12 Elm Street, Port Ellow, ZZ 00101', '12 ELM ST PORT ELLOW ZZ', '12 elm st. 00101'])
      assert.equal(await outcome(text), at(named.elm), text);
  });

  test('is standardized if a part is missing and nothing else matches', async () => {
    assert.equal(await outcome(`12 Elm, ${HERE}`), at(named.elm, 'standardized'));
    assert.equal(await outcome(`78 Pier Ave, ${HERE}`), at(named.onlyWest, 'standardized'));
    assert.equal(await outcome(`104 Harbor Way, ${HERE}`), at(named.range, 'standardized'));
    assert.equal(await outcome(`14-16 Ferry St, ${HERE}`), at(named.high, 'standardized'));
    assert.equal(await outcome(`12-14 Ferry St, ${HERE}`), 'ambiguous several_properties');
    assert.equal(await outcome(`10-14 Ferry St, ${HERE}`), 'not_resolved number_not_found');
    assert.equal(await outcome('77 Lantern Ave N, Port Ellow ZZ'), at(named.onlyNorth, 'standardized'));
    assert.equal(await outcome('12 Elm St, Port Ellow'), at(named.elm, 'standardized'));
  });

  test('is corrected for a typo, which strict mode asks about first', async () => {
    assert.equal(await outcome(`8 Wilowbrook Ct, ${HERE}`), at(named.willow, 'corrected'));
    const strict = await resolve(store, `8 Wilowbrook Ct, ${HERE}`, 'strict');
    assert.equal(strict.outcome === 'ambiguous' && strict.reason, 'confirm_spelling');
    assert.deepEqual(strict.outcome === 'ambiguous' && strict.candidates.map((each) => each.property_id), [
      named.willow.propertyId,
    ]);
  });

  test('is not corrected from the name of a street that other counties have', async () => {
    const elsewhere = [99_002, 99_003].map((fips) => home('1 Quarrel Rd', { fips, city: 'Far Town', zip: '00901' }));
    for (const [homes, expected] of [
      [[], 'match'],
      [elsewhere, 'not_resolved'],
    ] as const) {
      const town = createMemoryStore([home('8 Quarrey Rd'), ...homes]);
      assert.equal((await resolve(town, `8 Quarrel Rd, ${HERE}`)).outcome, expected);
    }
  });

  test('trusts the ZIP over the city, and the city over a wrong ZIP', async () => {
    assert.equal(await outcome('41 Cooper St, Vanity Shores, ZZ 00102'), at(named.zip2, 'standardized'));
    assert.equal(await outcome('41 Cooper St, Port Ellow, ZZ 00101'), at(named.zip2, 'standardized'));
    assert.equal(await outcome('12 Elm St, Ellow Harbor, ZZ'), at(named.elm));
    assert.equal(await outcome('12 Elm St, Port Elow, ZZ'), at(named.elm, 'standardized'));
  });

  test('treats several units of one property as one', async () => {
    assert.equal(await outcome(`30 Fogbell Ln, ${HERE}`), 'prop_duplex standardized');
  });

  test('drops a unit only where no unit is on record', async () => {
    assert.equal(await outcome(`12 Elm St Apt 9, ${HERE}`), at(named.elm, 'unit_dropped'));
  });
});

describe('ambiguous', () => {
  test('says what is needed', async () => {
    assert.equal(await outcome(`20 Fogbell Ln, ${HERE}`), 'ambiguous unit_required');
    assert.equal(await outcome(`350 Lantern Ave, ${HERE}`), 'ambiguous direction_required');
    assert.equal(await outcome('5 Market St, ZZ'), 'ambiguous city_or_zip_required');
    assert.equal(await outcome('12 Elm St'), 'ambiguous city_or_zip_required');
  });

  test('when the only door on file is one apartment: the building may have others', async () => {
    const found = await resolve(store, `40 Fogbell Ln, ${HERE}`);
    assert.equal(found.outcome === 'ambiguous' && found.reason, 'unit_required');
    assert.deepEqual(found.outcome === 'ambiguous' && found.candidates.map((each) => each.property_id), [
      named.onlyUnit.propertyId,
    ]);
    assert.equal(await outcome(`40 Fogbell Ln Apt 3, ${HERE}`), at(named.onlyUnit));
  });

  test('if two properties have the same address', async () => {
    const twins = createMemoryStore([home('50 Wharf St'), home('50 Wharf St')]);
    const found = await resolve(twins, `50 Wharf St, ${HERE}`);
    assert.equal(found.outcome === 'ambiguous' && found.reason, 'several_properties');
  });

  test('if two streets are equally close to what was typed', async () => {
    assert.equal(await outcome(`61 Hoee St, ${HERE}`), 'ambiguous similar_street_names');
  });
});

describe('a missing direction or suffix that fits two streets', () => {
  const homes = [
    home('1219 S 33rd St'), home('1219-1221 N 33rd St'),
    home('40 Elm St'), home('38-42 Elm Ave'),
    home('11-24 Astor St'), home('1124 Astor Pl'),
    home('70 W Quay St', { unit: '1' }), home('70 W Quay St', { unit: '2' }), home('70 E Quay St'),
    home('90B N Mole Rd'), home('90 S Mole Rd'),
    home('15 N Pier St'), home('15 N Pier St', { propertyId: 'prop_pier', zip: '00102' }),
  ]; // prettier-ignore
  const streets = createMemoryStore(homes);
  const ask = async (line: string, place = 'Port Ellow, ZZ') => {
    const found = await resolve(streets, `${line}, ${place}`);
    return found.outcome === 'match' ? found.property_id : `${found.outcome} ${found.reason}`;
  };

  test('is ambiguous, however the records write number and unit', async () => {
    for (const line of ['1219 33rd St', '70 Quay St', '70 Quay St #2', '70 Quay St #9', '90 Mole Rd']) {
      assert.equal(await ask(line), 'ambiguous direction_required', line);
    }
    for (const line of ['40 Elm', '1124 Astor']) assert.equal(await ask(line), 'ambiguous suffix_required', line);
  });

  test('asks for the direction where the street has another, even if only one has the number', async () => {
    assert.equal(await ask('1221 33rd St'), 'ambiguous direction_required');
    assert.equal(await ask('1221 33rd St', 'Port Ellow, ZZ 00101'), 'ambiguous direction_required');
  });

  test('is no doubt where only one suffix has the number', async () => {
    assert.equal(await ask('42 Elm'), homes[3].propertyId);
  });

  test('is never guessed in strict mode', async () => {
    const found = await resolve(streets, '15 Pier St, Port Ellow, ZZ 00102', 'strict');
    assert.deepEqual(found.outcome === 'ambiguous' && [found.reason, found.candidates[0].property_id], [
      'direction_required',
      'prop_pier',
    ]);
  });

  test('is settled by the ZIP', async () => {
    assert.equal(await ask('15 Pier St', 'Port Ellow, ZZ 00102'), 'prop_pier');
  });
});

describe('what people write', () => {
  const doors = { otis: home('29 Otis St', { unit: 'F107' }), bare: home('9170 N 95th St') };
  const town = createMemoryStore([
    ...Object.values(doors),
    home('31 Otis St'),
    ...street('Elm St', 3, { city: 'Milwaukee', state: 'WI', zip: '53202' }),
  ]);
  const ask = async (text: string) => {
    const found = await resolve(town, text);
    return found.outcome === 'match' ? found.property_id : `${found.outcome} ${found.reason}`;
  };

  test('may begin with the unit', async () => {
    for (const text of ['#F107, 29 Otis St', '# F107, 29 Otis Street', 'Unit F107, 29 Otis St', 'Apt F107, 29 Otis St'])
      assert.equal(await ask(`${text}, ${HERE}`), doors.otis.propertyId, text);
    assert.notEqual(await ask(`#31 Otis St, ${HERE}`), 'not_resolved no_house_number');
  });

  test('may name a road, a door or a place in another form', async () => {
    const forms = createMemoryStore([
      home('2301 County Road 42', { propertyId: 'county' }),
      home('8800 State Highway 71', { propertyId: 'state' }),
      home('2100 US Highway 9', { propertyId: 'us' }),
      home('70 Ranch Road 620', { propertyId: 'ranch', city: 'Austin', state: 'TX', zip: '78734' }),
      home('1122 Avenida Cesar Chavez', { propertyId: 'avenida' }),
      home('27 Camino Real', { propertyId: 'camino' }),
      home('37-21 80th St', { propertyId: 'queens' }),
      home('1010 Ocean Dr', { propertyId: 'penthouse', unit: 'PH-2' }),
      home('1010 Ocean Dr', { propertyId: 'second', unit: '2' }),
    ]);
    const of = async (text: string) => {
      const found = await resolve(forms, text);
      return found.outcome === 'match' ? found.property_id : `${found.outcome} ${found.reason}`;
    };
    assert.equal(await of(`2301 CR-42, ${HERE}`), 'county');
    assert.equal(await of(`8800 TX-71, ${HERE}`), 'state');
    assert.equal(await of(`8800 SR-71, ${HERE}`), 'state');
    assert.equal(await of(`2100 US-9, ${HERE}`), 'us');
    assert.equal(await of('70 RR 620, Austin, TX 78734'), 'ranch');
    assert.equal(await of('RR 2 Box 620, Austin, TX 78734'), 'not_resolved rural_route');
    assert.equal(await of(`70 RR 620, ${HERE}`), 'not_resolved rural_route');
    assert.equal(await of(`1122 Ave Cesar Chavez, ${HERE}`), 'avenida');
    assert.equal(await of(`27 Cmo Real, ${HERE}`), 'camino');
    assert.equal(await of(`37 - 21 80th Street, ${HERE}`), 'queens');
    assert.equal(await of(`1010 Ocean Dr PH2, ${HERE}`), 'penthouse');
    assert.equal(await of(`1010 Ocean Dr Apt 2, ${HERE}`), 'second');
    assert.equal(await of('1010 Ocean Dr #2, 00101, Port Ellow, ZZ'), 'second');
    assert.equal(await of(`1000 block of Ocean Dr, ${HERE}`), 'not_resolved near_an_address');
  });

  test('beside an address is not that address', async () => {
    for (const text of [
      'Vacant lot next to 31 Otis St',
      'Across from 31 Otis St',
      'lot behind 31 Otis St',
      'Near 31 Otis St',
    ])
      assert.equal(await ask(`${text}, ${HERE}`), 'not_resolved near_an_address', text);
  });

  test('names a city by its nickname or the beginning of its name', async () => {
    for (const city of ['mke, wi', 'Milw., Wis.', 'Milwaukee, Wis', 'MKE WI'])
      assert.match(await ask(`900 Elm St, ${city}`), /^prop_/, city);
  });

  test('says that the number is wrong where the street is right', async () => {
    assert.equal(await ask(`9170A N 95th St, ${HERE}`), 'not_resolved number_not_found');
    assert.equal(await ask(`9172 N 95th St, ${HERE}`), 'not_resolved number_not_found');
    assert.equal(await ask(`29 Otis Ave, ${HERE}`), 'not_resolved street_not_found');
  });
});

describe('not resolved', () => {
  test('never changes the number, direction, suffix or unit', async () => {
    assert.equal(await outcome(`16 Elm St, ${HERE}`), 'not_resolved number_not_found');
    assert.equal(await outcome(`77 S Lantern Ave, ${HERE}`), 'not_resolved number_not_found');
    assert.equal(await outcome(`12 Elm Ct, ${HERE}`), 'not_resolved street_not_found');
    assert.equal(await outcome(`20 Fogbell Ln #7, ${HERE}`), 'not_resolved unit_not_found');
    assert.equal(await outcome(`1342 Harbor Way, ${HERE}`), 'not_resolved number_letter_required');
    assert.equal(await outcome(`105 Harbor Way, ${HERE}`), 'not_resolved number_not_found');
  });

  test('does not take a real street name for a typo', async () => {
    assert.equal(await outcome(`9 Maple St, ${HERE}`), 'not_resolved street_not_found');
  });

  test('does not take a common name for a typo of a local one', async () => {
    const pairs = `Merrill Merrell, Clark Clarke, Green Greene, Reed Reid, Stewart Stuart, Allen Allan, Carroll Carrell,
      Gardner Gardiner, Lawrence Laurence, Thompson Thomson, Davidson Davison, Woods Wood, Nichols Nicholls, Hoffman Hofmann,
      Sheridan Sheriden, Lincoln Linton`;
    for (const [asked, local] of pairs.split(',').map((pair) => pair.trim().split(' '))) {
      const near = createMemoryStore([home(`12 ${local} St`), ...street(`${local} St`, 5)]);
      const found = await resolve(near, `12 ${asked} St, ${HERE}`);
      assert.equal(found.outcome, 'not_resolved', `${asked} → ${local}`);
    }
  });

  test('but takes a slip for one', async () => {
    const slips = `Wilowbrook Willowbrook, Lanterrn Lantern, Washingtno Washington, Jeffreson Jefferson, Kinnickinic Kinnickinnic`;
    for (const [asked, local] of slips.split(',').map((pair) => pair.trim().split(' '))) {
      const situs = home(`12 ${local} St`);
      const found = await resolve(createMemoryStore([situs]), `12 ${asked} St, ${HERE}`);
      assert.equal(found.outcome === 'match' && found.property_id, situs.propertyId, `${asked} → ${local}`);
    }
  });

  test('of several words one must be misspelled', async () => {
    const lovers = createMemoryStore([home('12 Lovers Lane Rd'), home('14 Harbor View Dr')]);
    const ask = async (text: string) => (await resolve(lovers, `${text}, ${HERE}`)).outcome;
    assert.equal(await ask('12 Lovers Lake Rd'), 'not_resolved');
    assert.equal(await ask('14 Harbor Vine Dr'), 'not_resolved');
    assert.equal(await ask('14 Habror View Dr'), 'match');
  });

  test('treats an added direction as another street and only suggests it', async () => {
    assert.equal(await outcome(`12 N Elm St, ${HERE}`), 'not_resolved direction_not_in_record');
    assert.equal(await outcome(`13 W Meadow Ln, ${HERE}`), 'not_resolved number_not_found');
  });

  test('says if the place is not loaded or the ZIP contradicts the state', async () => {
    assert.equal(await outcome('12 Elm St, Farawayville, OH 43001'), 'not_resolved not_covered');
    assert.equal(await outcome('12 Elm St, Port Ellow, OH 53202'), 'not_resolved zip_state_conflict');
  });
});

describe('in a town of near misses', () => {
  const doors = {
    building: home('50 Fogbell Ln'),
    apartment: home('50 Fogbell Ln', { unit: '1' }),
    willow: home('8 Willowbrook Ct'),
    cooper: home('41 Cooper St', { zip: '00102' }),
    quayHere: home('70 Quay St'),
    quayThere: home('70 Quay St', { city: 'Quillmoor', zip: '00301' }),
    corner: home('60 Harbor Way', { propertyId: 'prop_corner' }),
    cornerAgain: home('60 Harbor', { propertyId: 'prop_corner', ordinal: 1 }),
    thistle: home('9 Thistlewich St'),
    sicamore: home('9 Sicamore St'),
    pell: home('77 Pell'),
    pellToo: home('79 Pell'),
    orrin: home('81 Orrin'),
    terrace: home('83 Corso Ter'),
    queens: home('11-24 Astor St'),
  };
  const town = createMemoryStore([
    ...Object.values(doors),
    ...street('Thistlewick St', 2, { city: 'Quillmoor', zip: '00301' }),
    ...street('Pell St', 8),
    ...street('Orrin St', 3),
    ...street('Corso', 4),
  ]);
  const ask = async (text: string) => {
    const found = await resolve(town, text);
    return found.outcome === 'match'
      ? `${found.property_id} ${found.match_quality}`
      : `${found.outcome} ${found.reason}`;
  };

  test('a unit is not dropped where the building has others on record', async () => {
    assert.equal(await ask(`50 Fogbell Ln #7, ${HERE}`), 'not_resolved unit_not_found');
    assert.equal(await ask(`50 Fogbell Ln #1, ${HERE}`), at(doors.apartment));
  });

  test('a slip of the pen beside two other doubts is no match', async () => {
    assert.equal(await ask(`8 Wilowbrook Ct, ${HERE}`), at(doors.willow, 'corrected'));
    assert.equal(await ask('8 Wilowbrook, Port Ellow'), 'not_resolved too_many_doubts');
  });

  test('a wrong ZIP beside half a street name asks', async () => {
    assert.equal(await ask('41 Cooper St, Port Ellow, ZZ 00101'), at(doors.cooper, 'standardized'));
    assert.equal(await ask('41 Cooper, Port Ellow, ZZ 00101'), 'ambiguous zip_and_city_disagree');
  });

  test('a ZIP and a city that name two different homes ask', async () => {
    assert.equal(await ask('70 Quay St, Quillmoor, ZZ 00101'), 'ambiguous zip_and_city_disagree');
    assert.equal(await ask('70 Quay St, Quillmoor, ZZ 00301'), at(doors.quayThere));
  });

  test('of two addresses of one door the better one counts', async () => {
    assert.equal(await ask(`60 Harbor Way, ${HERE}`), 'prop_corner exact');
  });

  test('a name as common as Sycamore is not taken for a slip, but a street of one other town is', async () => {
    assert.equal(await ask(`9 Thistlewick St, ${HERE}`), at(doors.thistle, 'corrected'));
    assert.equal(await ask(`9 Thistlewish St, ${HERE}`), at(doors.thistle, 'corrected'));
    assert.equal(await ask(`9 Sycamore St, ${HERE}`), 'not_resolved street_not_found');
  });

  test('a suffix tells streets apart, unless a few records merely lack it', async () => {
    assert.equal(await ask(`77 Pell St, ${HERE}`), at(doors.pell, 'standardized'), 'two records lack it');
    assert.equal(await ask(`81 Orrin Ct, ${HERE}`), 'not_resolved street_not_found', 'it is Orrin St here');
    assert.equal(await ask(`83 Corso, ${HERE}`), 'not_resolved number_not_found', 'Corso is a street of its own');
    assert.equal(await ask(`83 Corso Ter, ${HERE}`), at(doors.terrace));
  });

  test('the hyphen of Queens is no range of houses', async () => {
    assert.equal(await ask(`11-24 Astor St, ${HERE}`), at(doors.queens));
    assert.equal(await ask(`12 Astor St, ${HERE}`), 'not_resolved number_not_found');
    assert.equal(await ask(`1124 Astor St, ${HERE}`), at(doors.queens, 'standardized'));
  });
});

const word = fc.constantFrom(
  'Elm',
  'Oak',
  'Harbor',
  'Saint Clair',
  'Mount Ida',
  'Fond du Lac',
  '5th',
  'First',
  'North',
  'Park',
  'Avenue D',
  'McKown',
  'County Road 9',
  'King',
);
const anyAddress = fc.record({
  number: fc.oneof(
    fc.integer({ min: 1, max: 99_999 }).map(String),
    fc.constantFrom('12-14', '92-10', '7B', 'N165W21230', '12 1/2'),
  ),
  pre: fc.constantFrom('', 'N', 'South', 'NW'),
  name: word,
  suffix: fc.constantFrom('', 'St', 'Avenue', 'BLVD', 'ct'),
  unit: fc.constantFrom('', '4', 'B', '12C', 'PH 1', 'FL 2', '3-07'),
});
const situsOf = ({
  number,
  pre,
  name,
  suffix,
  unit,
}: {
  number: string;
  pre: string;
  name: string;
  suffix: string;
  unit: string;
}): SitusAddress => ({
  ...home([number, pre, name, suffix].filter(Boolean).join(' ')),
  unit,
});

describe('for any address', () => {
  test('canonicalizing twice changes nothing', () => {
    fc.assert(
      fc.property(anyAddress, (parts) => {
        const once = canonicalRecord(situsOf(parts));
        if (!once) return;
        const { pre, name, suffix, post } = once.street;
        const again = canonicalRecord({
          ...situsOf(parts),
          line1: [once.number.key, pre, name, suffix, post].filter(Boolean).join(' '),
          unit: once.unit,
        });
        assert.equal(canonicalKey(again!), canonicalKey({ ...once }));
      }),
    );
  });

  test('a record finds itself, in any case and with its parts in any order', async () => {
    await fc.assert(
      fc.asyncProperty(anyAddress, fc.constantFrom('as_is', 'lower', 'upper', 'reversed'), async (parts, form) => {
        const situs = situsOf(parts);
        const only = createMemoryStore([situs]);
        const line = situs.unit ? `${situs.line1}, Unit ${situs.unit}` : situs.line1;
        const text = form === 'reversed' ? `00101, ZZ, Port Ellow, ${line}` : `${line}, ${HERE}`;
        const found = await resolve(
          only,
          form === 'lower' ? text.toLowerCase() : form === 'upper' ? text.toUpperCase() : text,
        );
        assert.equal(found.outcome === 'match' ? found.property_id : JSON.stringify(found), situs.propertyId, text);
      }),
    );
  });

  test('no text throws, and every answer stays within its limits', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ maxLength: 300, unit: 'grapheme' }),
          fc
            .array(
              fc.constantFrom(
                '12',
                'Elm',
                'St',
                '#',
                ',',
                'Apt',
                'N',
                'Port',
                'Ellow',
                'ZZ',
                '00101',
                'FL',
                '-',
                '1/2',
              ),
            )
            .map((words) => words.join(' ')),
        ),
        async (text) => {
          const found = await resolve(store, text);
          if (found.outcome === 'ambiguous') assert.ok(found.candidates.length <= 10);
          if (found.outcome === 'not_resolved') assert.ok(found.suggestions.length <= 5);
        },
      ),
    );
  });
});
