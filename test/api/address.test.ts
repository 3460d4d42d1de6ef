// Looking up a property by address, parcel number or point, and suggestions while typing, in the sandbox market.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { resolveAddress } from '../../src/records/address/address.ts';
import { indexCounty } from '../../src/records/address/filing.ts';
import { indexAddresses } from '../../src/records/address/store/index-addresses.ts';
import { inTransaction } from '../../src/base/db/postgres.ts';
import { FIXTURES } from '../../src/supply/sandbox/fixtures.ts';
import { testClient } from '../harness.ts';

const DEMO = '1208 Lantern Hill Dr, Port Ellowby, ZZ 00103';
const client = await testClient();

const lookup = (query: Record<string, string>, key?: string) =>
  client.get(`/properties/lookup?${new URLSearchParams(query)}`, { key });

describe('GET /properties/lookup: 200', () => {
  test('returns the property and how it was found', async () => {
    const { status, body } = await lookup({ address: DEMO });
    assert.equal(status, 200);
    assert.equal(body.object, 'property');
    assert.deepEqual(body.resolution, {
      method: 'address',
      match_quality: 'exact',
      match_score: 1,
      matched_address: DEMO,
      flags: [],
      distance_meters: null,
    });
  });

  test('finds the same property however it is written, by parcel number and by point', async () => {
    const { body: demo } = await lookup({ address: DEMO });
    const { identifiers, latitude, longitude, id } = demo;
    const queries: Record<string, string>[] = [
      { address: DEMO.toLowerCase().replaceAll(',', '') },
      { address: '1208 lantern hill drive 00103' },
      { address: 'c/o Jane Doe, 1208 Lantern Hill Dr., Port Ellowby' },
      { fips: identifiers.fips, apn: identifiers.apn },
      { latitude: String(latitude), longitude: String(longitude) },
      { address: DEMO, fips: identifiers.fips, apn: identifiers.apn },
    ];
    for (const query of queries) {
      const { body } = await lookup(query);
      assert.equal(body.id, id, JSON.stringify(query));
    }
  });

  test('corrects a typo and says so; strict mode asks', async () => {
    const address = DEMO.replace('Lantern', 'Lantren');
    const { body } = await lookup({ address });
    assert.equal(body.resolution.match_quality, 'corrected');
    const strict = await lookup({ address, match: 'strict' });
    assert.equal(strict.status, 422);
    assert.equal(strict.body.reason, 'confirm_spelling');
    assert.equal(strict.body.candidates[0].property_id, body.id);
  });
});

describe('a property with different addresses in two sources', () => {
  test('is found by each of them', async () => {
    const { id, identifiers } = (await lookup({ address: DEMO })).body;
    const fips = Number(identifiers.fips);
    const other = { source: 'second', value: '7 Bellwether Ct' };
    await client.deps.data.query(
      `update properties set load_id = load_id + 1, provenance = jsonb_set(provenance, '{fields}', $3)
       where fips = $1 and id = $2`,
      [fips, id, { address_line1: { source: 'first', others: [other] } }],
    );
    await indexCounty(client.deps, fips);
    for (const address of [DEMO, DEMO.replace('1208 Lantern Hill Dr', other.value)])
      assert.equal((await lookup({ address })).body.id, id, address);
  });
});

describe('GET /properties/lookup with magic inputs', () => {
  for (const { name, endpoint, request, expect } of FIXTURES) {
    if (!endpoint.endsWith('/properties/lookup') || !request.address) continue;
    test(name, async () => {
      const { status, body } = await lookup({ address: request.address! });
      assert.equal(status, expect.status, JSON.stringify(body));
      if (expect.code) assert.equal(body.code, expect.code);
    });
  }
});

describe('GET /properties/lookup: 4xx', () => {
  test('an ambiguous address lists its candidates', async () => {
    const { status, body } = await lookup({ address: '20 Fogbell Ln, Port Ellowby, ZZ 00102' });
    assert.equal(status, 422);
    assert.equal(body.code, 'address_ambiguous');
    assert.equal(body.reason, 'unit_required');
    assert.ok(body.candidates.length > 1 && body.candidates.length <= 10);
    assert.match(body.candidates[0].property_id, /^prop_/);
    const chosen = await lookup({ address: body.candidates[0].address });
    assert.equal(chosen.body.id, body.candidates[0].property_id);
  });

  test('an unresolved address says why', async () => {
    for (const [address, reason] of [
      ['PO Box 12, Port Ellowby ZZ', 'po_box'],
      ['10 Elm St, Toronto ON M5V 2T6', 'foreign'],
      ['99999 Lantern Hill Dr, Port Ellowby, ZZ 00103', 'number_not_found'],
      ['lorem ipsum '.repeat(800), 'no_house_number'],
    ]) {
      const { status, body } = await lookup({ address });
      assert.equal(status, 422, address.slice(0, 40));
      assert.equal(body.code, 'address_not_resolved');
      assert.equal(body.reason, reason);
    }
  });

  test('an address outside coverage is out_of_coverage, with the nearest covered place', async () => {
    const outside: [address: string, reason?: string][] = [
      ['1208 Lantern Hill Dr, Farawayville, OH 43001'],
      ['350 5th Ave, New York, NY 10118'],
      ['350 5th Ave New York NY 10118'],
      ['350 5th Ave New York NY'],
      ['1600 Pennsylvania Avenue NW, Washington, DC'],
      ['12 Main St 90210'],
      ['12 Main Street, Beverly Hills'],
      ['10 Calle Luna, San Juan, PR 00901', 'puerto_rico'],
    ];
    for (const [address, reason = 'not_covered'] of outside) {
      const { status, body, text } = await lookup({ address });
      assert.deepEqual([status, body.code, body.reason], [422, 'out_of_coverage', reason], text);
      assert.match(body.detail, /coverage/);
      if (!/\d{5}$|NY|DC/.test(address)) continue;
      assert.equal(body.nearest_covered.state, 'ZZ', text);
      assert.match(body.detail, /sandbox only, such as (Port Ellowby|[A-Z][a-z ]+), ZZ 00/);
    }
    // A wrong house number, street or ZIP within a covered city is something to correct.
    for (const address of ['9 Nosuch St, Port Ellowby, ZZ 00103', '1 Nosuch St, Port Ellowby, ZZ 00999'])
      assert.equal((await lookup({ address })).body.code, 'address_not_resolved', address);
  });

  test('rejects locators that disagree, are incomplete or are missing', async () => {
    const { body } = await lookup({ address: DEMO });
    const other = await lookup({ address: '20 Fogbell Ln Unit 201, Port Ellowby, ZZ 00102' });
    const conflict = await lookup({
      address: DEMO,
      fips: other.body.identifiers.fips,
      apn: other.body.identifiers.apn,
    });
    assert.equal(conflict.body.code, other.body.id === body.id ? undefined : 'locator_conflict');
    assert.equal((await lookup({ fips: '99001' })).status, 400);
    assert.equal((await lookup({})).status, 400);
    assert.equal((await lookup({ latitude: '0', longitude: '0' })).body.code, 'out_of_coverage');
  });

  test('a live key does not see the sandbox', async () => {
    assert.equal((await lookup({ address: DEMO }, client.liveKey)).body.reason, 'not_covered');
  });
});

describe('GET /properties/autocomplete', () => {
  const type = async (q: string, key?: string) =>
    (await client.get(`/properties/autocomplete?${new URLSearchParams({ q })}`, { key })).body.data;

  test('forgives one slip after the third letter of a street, with and without the number', async () => {
    const { rows } = await client.deps.data.query(
      `select distinct on (s.label) split_part(s.label, ' ', 1) as word, s.label, a.full_number as number
       from streets s join addresses a using (fips, name)
       where s.label ~ '^[A-Z][a-z]{5,} ' and s.label not like 'County %' and a.full_number ~ '^[0-9]+$' order by s.label limit 60`,
    );
    assert.ok(rows.length > 30, `${rows.length} streets`);
    const slips = [
      (word: string) => word.slice(0, 3) + word.slice(4),
      (word: string) => `${word.slice(0, 4)}${word.slice(3)}`,
      (word: string) => `${word.slice(0, 3)}${word[4]}${word[3]}${word.slice(5)}`,
      (word: string) => `${word.slice(0, -1)}q`,
    ];
    const missed: string[] = [];
    for (const [index, { word, label, number }] of rows.entries()) {
      const slip = slips[index % slips.length](word);
      for (const typed of [slip, `${number} ${slip}`]) {
        const found = (await type(typed)) as { address: string }[];
        // Nothing may be wrong with the slip: it may be the start of another street.
        const isOther = rows.some((other) => other.label.startsWith(slip));
        if (!isOther && !found.some(({ address }) => address.includes(`${word} `)))
          missed.push(`${typed} for ${label}`);
      }
    }
    assert.ok(missed.length <= rows.length * 2 * 0.05, missed.join('; '));
    assert.deepEqual(await type('Xyzzyqwert'), []);
  });

  test('suggests addresses by word prefixes, in any order', async () => {
    const { body: demo } = await lookup({ address: DEMO });
    for (const q of [
      '1208 lan',
      '1208 Lantern Hill',
      'lantern hill 1208',
      '1208 hill lantern',
      'port 1208 lantern hill dr',
    ])
      assert.ok(
        (await type(q)).some((each: { property_id: string }) => each.property_id === demo.id),
        q,
      );
    assert.ok((await type('1208 lan')).length <= 10);
  });

  test('suggests from the first letter on, and never loses the address while it is typed on', async () => {
    for (const text of [DEMO, 'Lantern Hill Dr 1208']) {
      for (let letters = 1; letters <= text.length; letters++) {
        assert.ok((await type(text.slice(0, letters))).length > 0, text.slice(0, letters));
      }
    }
    const { body: demo } = await lookup({ address: DEMO });
    for (const q of ['1208 Lantern Hill D', 'Lantern Hill Dr 1208', 'lantern hill dr 120']) {
      const found = (await type(q)).slice(0, 5).map((each: { property_id: string }) => each.property_id);
      assert.ok(found.includes(demo.id), q);
    }
  });

  test('shows each line once, and the house before ranges that contain it', async () => {
    for (const q of ['1', '20', '20 f', '1208 l', '2']) {
      const lines = (await type(q)).map((each: { address: string }) => each.address);
      assert.equal(new Set(lines).size, lines.length, q);
    }
  });

  test('suggests streets until a number is typed', async () => {
    const [first, ...others] = await type('m');
    assert.deepEqual([first.type, first.property_id], ['street', null]);
    assert.ok(others.length > 1);
  });

  test('suggests the first houses of a street that no other is left beside, and the street after them', async () => {
    const found = await type('lantern hill dr');
    assert.deepEqual(new Set(found.map(({ type: kind }: { type: string }) => kind)), new Set(['address', 'street']));
    assert.equal(found.at(-1).type, 'street');
    const lines = found.slice(0, -1).map(({ address }: { address: string }) => address);
    assert.ok(
      lines.every((line: string) => /^\d+\S* Lantern Hill Dr/.test(line)),
      lines.join('\n'),
    );
    assert.ok(found.length <= 10);
  });

  test('returns nothing for empty text, nonsense and what the key may not see', async () => {
    assert.deepEqual(await type('1208 qqqqq'), []);
    assert.deepEqual(await type('#'), []);
    assert.deepEqual(await type('1208 랜턴'), [], 'another script');
    assert.deepEqual(await type('1208 lantern', client.liveKey), []);
  });
});

describe('the address index', () => {
  test('is the same when built again', async () => {
    const { data } = client.deps;
    const count = async () =>
      (
        await data.query(
          'select (select count(*) from addresses) as addresses, (select sum(address_count) from streets) as streets, (select sum(address_count) from localities) as places',
        )
      ).rows[0];
    const once = await count();
    assert.equal(await indexCounty(client.deps, 99001), 0, 'nothing changed since');
    const reindexed = await indexCounty(client.deps, 99001, { suffixes: { XQ: 'TER' } });
    assert.ok(reindexed > 1000, 'different rules reindex the whole county');
    assert.deepEqual(await count(), once);
    assert.ok((await indexCounty(client.deps, 99001)) > 1000);
    assert.deepEqual(await count(), once);
  });

  test('has all its indexes after a first build, which creates them last', async () => {
    const { rows } = await client.deps.data.query(
      `select indexname as name from pg_indexes where schemaname = 'data' and tablename = 'addresses' order by 1`,
    );
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['addresses_city', 'addresses_name', 'addresses_pkey', 'addresses_street', 'addresses_zip'],
    );
  });

  test('indexes only what a later load touched', async () => {
    const { data } = client.deps;
    const { rows } = await data.query(
      `update properties set load_id = (select max(load_id) + 1 from properties where fips = 99001)
       where fips = 99001 and id in (select property_id from addresses where fips = 99001 order by property_id limit 3)
       returning id`,
    );
    assert.equal(rows.length, 3);
    const before = await data.query('select * from addresses where fips = 99001 order by property_id, ordinal, number');
    const filed = await indexCounty(client.deps, 99001);
    assert.ok(filed >= 3 && filed < 20, `${filed} filed`);
    const after = await data.query('select * from addresses where fips = 99001 order by property_id, ordinal, number');
    assert.deepEqual(after.rows, before.rows);
    assert.equal(await indexCounty(client.deps, 99001), 0);
  });

  test('follows a property that moves, under old and new street names', async () => {
    const { data } = client.deps;
    const file = (line1: string) =>
      inTransaction(data, (transaction) =>
        indexAddresses(
          transaction,
          99003,
          [{ fips: 99003, propertyId: 'prop_moved', line1, city: 'Testhaven', state: 'ZZ', zip: '00399' }],
          {
            words: {
              streetAliases: [{ from: 'N 5th St', to: 'N Doctor Ada Quill St' }],
              cityAliases: [{ alias: 'Test Harbor', city: 'Testhaven' }],
            },
          },
        ),
      ).then(() => client.deps.places.forget());
    const find = async (text: string) => {
      const found = await resolveAddress(client.deps, text, { mode: 'test' });
      return found.outcome === 'match' ? found.property_id : found.reason;
    };
    await file('12 N 5th St');
    assert.equal(await find('12 N 5th St, Testhaven, ZZ 00399'), 'prop_moved');
    assert.equal(await find('12 North Dr Ada Quill Street, Test Harbor, ZZ'), 'prop_moved');
    await file('14 Elsewhere Rd');
    assert.equal(await find('12 N 5th St, Testhaven, ZZ 00399'), 'street_not_found');
    assert.equal(await find('14 Elsewhere Rd, Testhaven, ZZ'), 'prop_moved');
    await file('');
    assert.equal(await find('14 Elsewhere Rd, Testhaven, ZZ'), 'not_covered');
  });
});
