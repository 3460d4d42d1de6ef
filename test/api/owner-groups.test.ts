// One owner with all that is theirs, and the owners tied to them by where their mail goes: who is in, who is not, and why.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fileNames } from '../../src/records/owners/filing.ts';
import { testClient } from '../harness.ts';

const api = await testClient();
const { deps } = api;
type Row = Record<string, any>;

const FIPS = 99_001;
const { rows: homes } = await deps.data.query(
  `select id from properties where fips = $1 and status = 'active' and value is not null order by id limit 120`,
  [FIPS],
);
let next = 0;

/** Gives the next homes to an owner whose mail goes to an address. */
async function give(name: string, mail: string, parcels = 1): Promise<string[]> {
  const ids = homes.slice(next, (next += parcels)).map(({ id }: Row) => id as string);
  await deps.data.query('update owners set names = array[$1], mailing_address = $2 where property_id = any($3)', [
    name,
    mail,
    ids,
  ]);
  return ids;
}
const owned: Record<string, string[]> = {};

before(async () => {
  owned.alder = await give('Zelkova Alder LLC', '700 Quince Ave, Port Ellowby, ZZ 00103', 3);
  owned.birch = await give('Zelkova Birch LLC', '700 Quince Ave, Port Ellowby, ZZ 00103', 2);
  owned.birchElsewhere = await give('Zelkova Birch LLC', '12 Far Rd, Port Ellowby, ZZ 00101');
  owned.stranger = await give('Wexmoor Holdings Inc', '12 Far Rd, Port Ellowby, ZZ 00101', 2);
  owned.cedar = await give('Zelkova Cedar LLC', '900 Second St, Port Ellowby, ZZ 00103', 9);
  owned.cedarAlso = await give('Zelkova Cedar LLC', '700 Quince Ave, Port Ellowby, ZZ 00103', 8);
  owned.dogwood = await give('Zelkova Dogwood LLC', '900 Second St, Port Ellowby, ZZ 00103');
  owned.john = await give('Quibble John', '1 Own Door Ln, Port Ellowby, ZZ 00101');
  owned.otherJohn = await give('Quibble John', '2 Other Door Ln, Port Ellowby, ZZ 00102');
  for (let i = 0; i < 24; i++)
    await give(`Agentclient Number${String.fromCharCode(65 + i)} LLC`, '5 Agent Plaza, Port Ellowby, ZZ 00101');
  await deps.data.query('delete from party_loads');
  await fileNames(deps, FIPS, 'sandbox');
});

async function ownerNamed(name: string): Promise<Row> {
  const { body } = await api.post('/owners/search', { name, role: ['owner'] });
  const { owner_id } = body.data[0];
  const { status, body: owner, text } = await api.get(`/owners/${owner_id}`);
  assert.equal(status, 200, text);
  return owner;
}
const namesOf = (owner: Row) => owner.group?.owners.map(({ name }: Row) => name).toSorted() ?? [];

describe('an owner', () => {
  it('has all parcels under the name, and their joint value', async () => {
    const owner = await ownerNamed('Zelkova Birch LLC');
    assert.deepEqual(owner.property_ids.toSorted(), [...owned.birch, ...owned.birchElsewhere].toSorted());
    assert.equal(owner.kind, 'organization');
    const { rows } = await deps.data.query('select sum(value)::bigint as total from properties where id = any($1)', [
      owner.property_ids,
    ]);
    assert.equal(owner.total.value, Number(rows[0].total));
    assert.ok(owner.total.low < owner.total.value && owner.total.high > owner.total.value);
    assert.ok(owner.total.low > owner.total.sum_of_lows, 'a joint interval is narrower than the sum of the lows');
  });
  it('who is a person is told from another of the same name by where the mail goes', async () => {
    const owner = await ownerNamed('Quibble John');
    assert.equal(owner.kind, 'person');
    assert.equal(owner.property_count, 1);
    assert.equal(owner.group, null);
  });
});

describe('a group', () => {
  it('has those whose mail goes to the same address, and on over owners with many parcels at two', async () => {
    const owner = await ownerNamed('Zelkova Alder LLC');
    assert.deepEqual(namesOf(owner), ['Zelkova Birch LLC', 'Zelkova Cedar LLC', 'Zelkova Dogwood LLC']);
    assert.equal(owner.group.property_count, 3 + 3 + 17 + 1);
    assert.equal(owner.group.is_complete, true);
    const birch = owner.group.owners.find(({ name }: Row) => name === 'Zelkova Birch LLC');
    assert.deepEqual(birch.tie, { reason: 'mailing_address', shared_by: 3, strength: 0.5 });
  });
  it('does not go over an address that is one of several of an owner', async () => {
    assert.ok(!namesOf(await ownerNamed('Zelkova Alder LLC')).includes('Wexmoor Holdings Inc'));
    assert.equal((await ownerNamed('Wexmoor Holdings Inc')).group, null);
  });
  it('is not made by the address of an agent', async () => {
    assert.equal((await ownerNamed('Agentclient NumberA LLC')).group, null);
  });
});

describe('who may see it', () => {
  it('those with `owners:read`, in the mode of the records, and the account’s audit log says so', async () => {
    const { id } = await ownerNamed('Zelkova Alder LLC');
    const key = await api.keyWith(['properties:read', 'transactions:read']);
    assert.equal((await api.get(`/owners/${id}`, { key })).status, 403);
    assert.equal((await api.get(`/owners/${id}`, { key: api.liveKey })).status, 404);
    assert.equal((await api.get('/owners/own_00000000000000000000')).status, 404);
    assert.equal((await api.get('/owners/prop_r5pv0000000000000000')).status, 404);
    const { rows } = await deps.control.query(
      `select target, details::text from audit_log where action = 'owner.read' order by at desc limit 1`,
    );
    assert.equal(rows[0].target, id);
    assert.ok(!/zelkova/i.test(rows[0].details));
  });
});
