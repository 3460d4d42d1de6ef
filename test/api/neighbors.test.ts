// Heavy requests leave the event loop to everybody else: while each is read or computed, the process is mostly idle.
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { describe, it } from 'node:test';
import { setOperator } from '../../src/customers/people/people.ts';
import { drain } from '../../src/worker.ts';
import { zip } from '../archives.ts';
import { testClient } from '../harness.ts';
import { signUp, startMailbox } from '../people.ts';

const mailbox = await startMailbox();
const api = await testClient({ settings: { SMTP_URL: mailbox.url } });
const { app, deps } = api;

/** The share of the time until the answer in which the event loop was busy. */
async function busyShare<Answer>(work: () => Promise<Answer>): Promise<[busy: number, answer: Answer]> {
  const before = performance.eventLoopUtilization();
  const answer = await work();
  return [performance.eventLoopUtilization(before).utilization, answer];
}

const submit = (type: string, body: Buffer | string) =>
  api.call('POST', '/batches', { body: Buffer.from(body), headers: { 'content-type': type } });
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

describe('a heavy body', () => {
  const RELATION = '<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>';
  const bomb = zip({
    'xl/workbook.xml': '<workbook><sheets><sheet name="a" r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': RELATION,
    'xl/sharedStrings.xml': `<sst>${'<si><t>a</t></si>'.repeat(2_500_000)}</sst>`,
    'xl/worksheets/sheet1.xml': '<worksheet><row r="1"><c t="s"><v>0</v></c></row></worksheet>',
  });
  const bodies: [name: string, type: string, body: Buffer | string][] = [
    ['a workbook that unpacks to 42 MB', XLSX, bomb],
    ['a CSV of one cell of 15 MB', 'text/csv', `address\n"${'a'.repeat(15_000_000)}"\n`],
    ['JSON of 15 MB', 'application/json', `{"items":[${'{"address":"1 A St"},'.repeat(700_000)}{}]}`],
  ];
  for (const [name, type, body] of bodies) {
    it(`is refused off the event loop: ${name}`, async () => {
      await submit('text/csv', 'address\n1 A St\n');
      const [busy, answer] = await busyShare(() => submit(type, body));
      assert.ok([400, 413, 422].includes(answer.status), answer.text);
      assert.ok(busy < 0.5, `busy ${busy}`);
    });
  }

  it('of more parts than a thread has memory for is refused, and the process lives on', async () => {
    const texts = await submit(XLSX, bomb);
    assert.equal(texts.body.code, 'batch_too_large', texts.text);
    const objects = await submit('application/json', `{"items":[${'{},'.repeat(5_000_000)}{}]}`);
    assert.equal(objects.body.code, 'batch_too_large', objects.text);
    const lists = await submit('application/json', `{"items":[${'[],'.repeat(5_000_000)}{}]}`);
    assert.equal(lists.body.code, 'batch_too_large', lists.text);
    const deep = await submit('application/x-ndjson', '['.repeat(15_000_000));
    assert.equal(deep.body.code, 'batch_too_large', deep.text);
  });
});

describe('a large portfolio', () => {
  it('is simulated off the event loop', async () => {
    const { body: list } = await api.post('/watchlists', { name: 'All', filter: { state: ['ZZ'] } });
    await drain(deps, ['watchlists']);
    await api.get(`/watchlists/${list.id}/portfolio`);
    const [busy, answer] = await busyShare(() => api.get(`/watchlists/${list.id}/portfolio`));
    assert.equal(answer.status, 200);
    assert.ok(busy < 0.5, `busy ${busy}`);
  });
});

describe('a recipe of an operator', () => {
  it('that takes long, nests deeply or repeats itself is refused off the event loop', async () => {
    const { browser } = await signUp(app, mailbox, 'operator@example.com');
    await setOperator(deps, 'operator@example.com', true);
    const form = { fips: '55079', county: 'Milwaukee', place: 'Milwaukee', file_name: 'parcels.csv', file_bytes: 10 };
    const draft = await browser.send('POST', '/session/counties', form);
    assert.equal(draft.status, 201, draft.text);
    const aliases = `a: &a [x]\n${Array.from({ length: 2_000 }, (_, i) => `b${i}: [*a, *a]\n`).join('')}`;
    const merges = `a: &a {x: 1}\nb:\n${'  <<: *a\n'.repeat(4_000)}`;
    for (const recipe of ['['.repeat(20_000), aliases, merges]) {
      const change = { recipe, recipe_version: draft.body.recipe_version };
      const [busy, answer] = await busyShare(() =>
        browser.send('PUT', `/session/counties/${draft.body.id}/recipe`, change),
      );
      assert.ok([400, 413].includes(answer.status), answer.text);
      assert.ok(busy < 0.5, `busy ${busy}`);
    }
  });
});
