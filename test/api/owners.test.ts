// Search by name and mailing address: what is found and what is not, who may ask, what is entered where, and what a suppressed
// owner leaves behind.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SCOPES } from '../../src/customers/accounts/scopes.ts';
import { fileNames, fileNamesDue } from '../../src/records/owners/filing.ts';
import { showOwner, suppressOwner } from '../../src/records/properties/properties.ts';
import { MAGIC_APN, sandboxId } from '../../src/supply/sandbox/fixtures.ts';
import { MARKET, WENDEMERE } from '../../src/supply/sandbox/geography.ts';
import { testClient } from '../harness.ts';

const api = await testClient();
const { deps } = api;
const idOf = (home: keyof typeof MAGIC_APN) => sandboxId(WENDEMERE, MAGIC_APN[home]);
const find = async (body: object, key?: string) => api.post('/owners/search', body, key ? { key } : undefined);
const propertiesOf = async (body: object): Promise<string[]> => {
  const { status, body: answer, text } = await find(body);
  assert.equal(status, 200, text);
  return answer.data.map(({ property_id }: { property_id: string }) => property_id);
};

describe('a search by name', () => {
  it('finds a person in any order, by initials, with suffixes, and with a slip of the pen', async () => {
    for (const name of [
      'Thessaly Ormander',
      'ORMANDER, THESSALY',
      'Ormander T',
      'T. Ormander Jr',
      'Thessaly Ormandr',
      'Thesaly Ormander',
      'Thessaly Q Ormander, et al',
      'Estate of Thessaly Ormander',
      'Thessaly Ormander Trustee',
      'Thessaly Marie Ormander',
    ])
      assert.ok((await propertiesOf({ name, role: ['owner'] })).includes(idOf('titleLoans')), name);
  });

  it('does not take another person for one', async () => {
    for (const name of ['Thessaly Ormbraid', 'Perrin Ormander Thessal', 'Xylon Ormander', 'X Ormander Thessaly Jorah'])
      assert.ok(!(await propertiesOf({ name })).includes(idOf('titleLoans')), name);
  });

  it('finds a company without its form, and a trust by its family', async () => {
    const { body } = await find({ name: 'ossian homes', role: ['grantor'] });
    assert.ok(body.data.every(({ name }: { name: string }) => name === 'Ossian Homes Inc') && body.data.length > 0);
    assert.ok((await propertiesOf({ name: 'Caldington Revocable Trust' })).includes(idOf('titleNames')));
  });

  it('tells owners, grantees, grantors and borrowers apart', async () => {
    const rolesOf = async (name: string) => {
      const { body } = await find({ name, fips: ['99001'] });
      const here = body.data.filter((each: { property_id: string }) => each.property_id === idOf('titleLoans'));
      return here.map(({ role }: { role: string }) => role).sort();
    };
    assert.deepEqual(await rolesOf('Thessaly Ormander'), ['borrower', 'grantee', 'owner']);
    assert.deepEqual(await rolesOf('Perrin Varnockley'), ['borrower', 'grantee', 'grantor']);
    const owned = await propertiesOf({ name: 'Perrin Varnockley', role: ['owner'], fips: ['99001'] });
    assert.ok(!owned.includes(idOf('titleLoans')));
  });

  it('finds owners by where their mail goes, with its ZIP code or without', async () => {
    const { body } = await find({ name: 'Thessaly Ormander', role: ['owner'] });
    const [{ mailing_address: mail }] = body.data;
    for (const mailing_address of [mail, mail.replace(/ \d{5}$/, ''), mail.toUpperCase().replace(' DR', ' DRIVE')])
      assert.ok((await propertiesOf({ mailing_address })).includes(idOf('titleLoans')), mailing_address);
    assert.deepEqual(await propertiesOf({ mailing_address: mail.replace(/\d{5}$/, '00999') }), []);
    assert.deepEqual(await propertiesOf({ mailing_address: mail, name: 'Nobody Hereabouts' }), []);
  });

  it('says what it needs', async () => {
    for (const body of [{}, { name: 'Q.' }, { mailing_address: 'nowhere at all' }, { name: 'Ada', role: ['heir'] }])
      assert.equal((await find(body)).status, 400, JSON.stringify(body));
  });
});

describe('who may search by name', () => {
  it('is a key with `owners:read`; others learn nothing, not even by what is written down', async () => {
    const key = await api.keyWith(SCOPES.filter((scope) => scope !== 'owners:read'));
    const [known, unknown] = [await find({ name: 'Thessaly Ormander' }, key), await find({ name: 'No Body' }, key)];
    assert.equal(known.status, 403);
    const { request_id: _a, ...first } = known.body;
    const { request_id: _b, ...second } = unknown.body;
    assert.deepEqual(first, second);
  });

  it('leaves each search in the audit log of the account, without the name', async () => {
    const entries = async () =>
      (await deps.control.query(`select * from audit_log where action = 'owners.searched' order by sequence`)).rows;
    const before = (await entries()).length;
    await find({ name: 'Thessaly Ormander' });
    await find({ name: 'ORMANDER THESSALY' });
    const [first, second] = (await entries()).slice(before);
    assert.equal(first.details.fingerprint, second.details.fingerprint);
    assert.ok(first.details.found > 0 && first.actor.startsWith('key_'));
    assert.ok(!JSON.stringify([first, second]).toUpperCase().includes('ORMANDER'));
  });

  it('finds nothing of the sandbox in live mode', async () => {
    assert.deepEqual((await find({ name: 'Thessaly Ormander' }, api.liveKey)).body.data, []);
  });
});

describe('the index of names', () => {
  it('forgets an owner who asked not to be shown, and the words of their name', async () => {
    const id = idOf('titleGap');
    assert.ok((await propertiesOf({ name: 'Kestra Brumbledale' })).includes(id));
    await suppressOwner(deps, id, 'asked');
    assert.deepEqual(await propertiesOf({ name: 'Kestra Brumbledale' }), []);
    const words = await deps.data.query(`select from name_spellings where word = 'BRUMBLEDALE'`);
    const keys = await deps.data.query(`select from party_keys where property_id = $1`, [id]);
    assert.deepEqual([words.rowCount, keys.rowCount], [0, 0]);
    await showOwner(deps, id);
  });

  it('follows what later loads changed, and is filed by the worker after an upgrade', async () => {
    const id = idOf('titleOrder');
    const rename = (name: string, load: string) =>
      deps.data.query(
        `update owners set names = array[$2], load_id = ${load} where property_id = $1 and ended_on is null`,
        [id, name],
      );
    await deps.data.query(
      `insert into loads (source_id, market, state, started_at) select source_id, market, 'completed', now()
       from loads where market = $1 limit 1`,
      [MARKET],
    );
    await rename('Quixzel Yarrowgate', '(select max(id) from loads)');
    assert.deepEqual(await propertiesOf({ name: 'Yarrowgate Quixzel' }), []);
    assert.ok((await fileNames(deps, WENDEMERE, MARKET)) > 0);
    assert.deepEqual(await propertiesOf({ name: 'Yarrowgate Quixzel' }), [id]);
    assert.equal(await fileNames(deps, WENDEMERE, MARKET), 0);
    await fileNamesDue(deps);
    await deps.data.query('truncate parties, party_keys, name_spellings, party_loads');
    await fileNamesDue(deps);
    assert.deepEqual(await propertiesOf({ name: 'Yarrowgate Quixzl' }), [], 'nothing has changed');
    await deps.data.query(`update loads set state = 'completed' where market = $1`, [MARKET]);
    await fileNamesDue(deps);
    assert.deepEqual(await propertiesOf({ name: 'Yarrowgate Quixzl' }), [id]);
  });
});
