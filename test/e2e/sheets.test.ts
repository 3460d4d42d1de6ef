// The spreadsheet functions as they are served, in stand-ins for Google's and Excel's runtimes, against the running API.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createAccount, createKey, revokeKey } from '../../src/customers/accounts/accounts.ts';
import type { PlanId } from '../../src/customers/accounts/plans.ts';
import { SCOPES, type Scope } from '../../src/customers/accounts/scopes.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { startWorker } from '../../src/worker.ts';
import { openAppsScript, openExcel, type AppsScript } from '../apps-script.ts';
import { findFreePort } from '../free-port.ts';
import { testClient } from '../harness.ts';
import { launch, needsBrowser } from './browser.ts';

const port = await findFreePort();
const baseUrl = `http://127.0.0.1:${port}`;
const api = await testClient({ settings: { BASE_URL: baseUrl } });
await api.app.listen({ port, host: '127.0.0.1' });
const worker = await startWorker(api.deps);
api.deps.beforeClose(() => worker.stop());

const script = (await api.get('//sheets/platbook.gs')).text;
const opened: AppsScript[] = [];
after(async () => {
  for (const each of opened) await each.close();
});

/** A sheet of its own, with an empty cache, and a key among the user's properties. */
async function openSheet(key: string = api.testKey): Promise<AppsScript> {
  const sheet = openAppsScript(script);
  opened.push(sheet);
  await sheet.run('setKey', [], { typed: [key] });
  return sheet;
}

async function keyOn(plan: PlanId, mode: 'test' | 'live', scopes: Scope[] = [...SCOPES]) {
  const account = await createAccount(api.deps.control, api.deps.clock(), plan, plan);
  const { key, secret } = await createKey(api.deps, account.id, { name: mode, mode, scopes });
  return { accountId: account.id, id: key.id, secret };
}

const found = await api.get('/properties/search?limit=500&property_type=single_family&fields=address,sqft,structure');
const homes: { address: string; sqft: number; yearBuilt: number }[] = found.body.data
  .filter((home: any) => home.address.formatted && !home.address.formatted.includes('Sandbox Way'))
  .map((home: any) => ({
    address: home.address.formatted,
    sqft: home.sqft,
    yearBuilt: home.structure.year_built,
  }));
const demo = (await api.post('/avm/estimate', { property: { address: DEMO.address } })).body;

describe('a single cell', () => {
  it('has the value and the fields that the API has, with one request each, and none when calculated again', async () => {
    const sheet = await openSheet();
    const first = await sheet.run('PLATBOOK_VALUE', [DEMO.address]);
    assert.equal(first.result, demo.estimated_value);
    assert.deepEqual(first.requests, ['POST /api/v1/batches']);
    const again = await sheet.run('PLATBOOK_VALUE', [`  ${DEMO.address.toUpperCase()} `]);
    assert.deepEqual([again.result, again.requests], [demo.estimated_value, []]);
    for (const [field, value] of [
      ['value_low', demo.confidence_interval.low],
      ['valuation.confidence', demo.confidence],
    ]) {
      const cell = await sheet.run('PLATBOOK_FIELD', [DEMO.address, field]);
      assert.deepEqual([cell.result, cell.requests], [value, []], String(field));
    }
    const [home] = homes;
    assert.equal((await sheet.run('PLATBOOK_FIELD', [home.address, 'sqft'])).result, home.sqft);
    for (const field of ['year_built', 'Year Built', 'structure.year_built', 'property.structure.year_built']) {
      const cell = await sheet.run('PLATBOOK_FIELD', [home.address, field]);
      assert.deepEqual([cell.result, cell.requests], [home.yearBuilt, []], field);
    }
    assert.equal((await sheet.run('PLATBOOK_FIELD', [DEMO.property_id, 'last_sale_price'])).result > 0, true);
  });

  it('is blank for a blank and for a field without a value, and has words for a field that is not there', async () => {
    const sheet = await openSheet();
    const blank = await sheet.run('PLATBOOK_VALUE', ['']);
    assert.deepEqual([blank.result, blank.requests], ['', []]);
    const record = (await api.get(`/properties/${DEMO.property_id}`)).body;
    const empty = Object.keys(record.structure).find((name) => record.structure[name] === null)!;
    assert.equal((await sheet.run('PLATBOOK_FIELD', [DEMO.property_id, `structure.${empty}`])).result, '');
    const wrong = (await sheet.run('PLATBOOK_FIELD', [DEMO.property_id, 'year_bilt'])).result;
    assert.match(wrong, /^No field is named “year_bilt”. Close: .*year_built/);
    assert.equal((await sheet.run('PLATBOOK_FIELD', [DEMO.property_id, ''])).result, 'Name a field, such as "sqft".');
  });
});

describe('a column', () => {
  it('of 500 rows with blanks, repetitions and wrong addresses is one batch, in order', async () => {
    const sheet = await openSheet();
    const rows = Array.from({ length: 500 }, (_, n) => {
      if (n % 10 === 3) return [''];
      if (n % 50 === 7) return [`${n} Nowhere At All Rd, Port Ellowby, ZZ 00101`];
      return [homes[(n * 7) % 180].address];
    });
    const { result, requests } = await sheet.run('PLATBOOK_FIELD', [rows, 'sqft']);
    assert.equal(requests.filter((each) => each.startsWith('POST')).length, 1);
    assert.equal(requests.at(-1), 'GET /api/v1/batches/{id}/results');
    const sizes = new Map(homes.map(({ address, sqft }) => [address, sqft]));
    for (const [n, [cell]] of result.entries()) {
      const [address] = rows[n];
      if (address === '') assert.equal(cell, '');
      else if (sizes.has(address)) assert.equal(cell, sizes.get(address) ?? '', address);
      else assert.match(cell, /\w+ .*\.$/);
    }
    const again = await sheet.run('PLATBOOK_FIELD', [rows, 'bedrooms']);
    assert.deepEqual(again.requests, [], 'further fields of the same record are in the cache');
  });

  it('of an address in parts, with the zeros that the spreadsheet dropped', async () => {
    const sheet = await openSheet();
    const [street, city, rest] = DEMO.address.split(', ');
    const { result } = await sheet.run('PLATBOOK_VALUE', [[[street, city, 'ZZ', Number(rest.split(' ')[1])]]]);
    assert.deepEqual(result, [[demo.estimated_value]]);
  });

  it('longer than the batches of the plan is cut into several, and the limit is remembered', async () => {
    const { secret } = await keyOn('builder', 'test');
    const sheet = await openSheet(secret);
    const rows = homes.slice(0, 150).map(({ address }) => [address]);
    const first = await sheet.run('PLATBOOK_FIELD', [rows, 'sqft']);
    assert.deepEqual(
      first.result,
      homes.slice(0, 150).map(({ sqft }) => [sqft ?? '']),
    );
    assert.equal(first.requests.filter((each) => each.startsWith('POST')).length, 3);
    const second = await sheet.run('PLATBOOK_VALUE', [rows.slice(0, 110)]);
    assert.equal(second.requests.filter((each) => each.startsWith('POST')).length, 2);
  });

  it('is not charged again on the same day when the cache is gone', async () => {
    const rows = homes.slice(0, 5).map(({ address }) => [address]);
    const batches = async () => (await api.get('/batches?limit=100')).body.data.length as number;
    await (await openSheet()).run('PLATBOOK_FIELD', [rows, 'sqft']);
    const before = await batches();
    const { result } = await (await openSheet()).run('PLATBOOK_FIELD', [rows, 'sqft']);
    assert.equal(await batches(), before);
    assert.deepEqual(
      result,
      homes.slice(0, 5).map(({ sqft }) => [sqft ?? '']),
    );
  });
});

describe('words in cells', () => {
  it('say what is wrong with the key', async () => {
    const bare = openAppsScript(script);
    opened.push(bare);
    const none = await bare.run('PLATBOOK_VALUE', [DEMO.address]);
    assert.deepEqual([none.result, none.requests], ['No key yet. Choose Platbook > Set key…', []]);
    const { accountId, id, secret } = await keyOn('pro', 'test');
    const sheet = await openSheet(secret);
    await revokeKey(api.deps, { accountId, id });
    assert.match((await sheet.run('PLATBOOK_VALUE', [DEMO.address])).result, /^The key was revoked/);
    assert.match(
      (await (await openSheet('nonsense')).run('PLATBOOK_VALUE', [DEMO.address])).result,
      /^The key is not valid/,
    );
    const { secret: narrow } = await keyOn('pro', 'test', ['batch:write', 'batch:read', 'properties:read']);
    assert.match((await (await openSheet(narrow)).run('PLATBOOK_VALUE', [DEMO.address])).result, /`avm:read`/);
  });

  it('say that a limit is reached, in every row that was not asked, and the others keep their values', async () => {
    const account = await createAccount(api.deps.control, api.deps.clock(), 'small', 'trial', {
      contract: { sandboxRateLimitPerHour: 3 },
    });
    const { secret } = await createKey(api.deps, account.id, { name: 'test', mode: 'test', scopes: [...SCOPES] });
    const rows = homes.slice(0, 40).map(({ address }) => [address]);
    const { result } = await (await openSheet(secret)).run('PLATBOOK_FIELD', [rows, 'sqft']);
    assert.deepEqual(
      result.slice(0, 10),
      homes.slice(0, 10).map(({ sqft }) => [sqft ?? '']),
    );
    assert.match(result[39][0], /Try again in \d+ s\./);
  });

  it('say why a home has no value, and which address means several homes', async () => {
    const sheet = await openSheet();
    const cells = [
      ['404 Sandbox Way, Port Ellowby, ZZ 00101'],
      ['20 Fogbell Ln, Port Ellowby, ZZ 00102'],
      [DEMO.address],
    ];
    const { result } = await sheet.run('PLATBOOK_VALUE', [cells]);
    for (const [words] of result.slice(0, 2)) assert.match(words, /[a-z]+ [a-z]+/);
    assert.equal(result[2][0], demo.estimated_value);
  });

  it('say that the server cannot be reached', async () => {
    const away = openAppsScript(script.replace(baseUrl, `http://127.0.0.1:${await findFreePort()}`));
    opened.push(away);
    await away.run('setKey', [], { typed: [api.testKey] });
    assert.match((await away.run('PLATBOOK_VALUE', [DEMO.address])).result, /^Platbook cannot be reached/);
  });
});

describe('the menu', () => {
  const cells = () => [[homes[0].address, 'old'], [homes[1].address], [''], [homes[0].address]];
  const selection = { row: 0, column: 0, rows: 4, columns: 1 };

  it('fills a column with values after the price was shown', async () => {
    const sheet = await openSheet();
    assert.deepEqual(
      (await sheet.run('onOpen')).menu.map(([label]) => label),
      ['Fill column…', 'Set key…', 'Forget key'],
    );
    const ran = await sheet.run('fillColumn', [], { cells: cells(), selection, typed: ['sqft'] });
    assert.match(
      ran.shown[1],
      /^3 rows with an address, 2 different ones. Up to 2 standard calls in 1 request. The sandbox is free./,
    );
    assert.match(ran.shown[1], /1 cells in .* have something in them/);
    assert.deepEqual(
      ran.cells.map((row) => row[1]),
      [homes[0].sqft, homes[1].sqft, '', homes[0].sqft],
    );
    const again = await sheet.run('fillColumn', [], { cells: cells(), selection, typed: ['sqft'] });
    assert.match(again.shown[1], /2 known already. Nothing needs to be asked: this costs nothing./);
  });

  it('asks and writes nothing when the answer is no', async () => {
    const sheet = await openSheet();
    const ran = await sheet.run('fillColumn', [], { cells: cells(), selection, typed: ['sqft'], yes: false });
    assert.deepEqual(ran.cells, cells());
    assert.deepEqual(ran.requests, ['GET /api/v1/account', 'GET /api/v1/usage']);
  });

  it('states the price of calls beyond the plan, from what is left of it', async () => {
    const { accountId, secret } = await keyOn('pro', 'live');
    await api.deps.control.query(
      `insert into usage_counters (account_id, meter, period_start, used)
       select id, 'avm', anchor_at, 4999 from accounts where id = $1`,
      [accountId],
    );
    const sheet = await openSheet(secret);
    const ran = await sheet.run('fillColumn', [], { cells: cells(), selection, typed: ['value'], yes: false });
    assert.match(ran.shown[1], /Up to 2 AVM calls in 1 request. 1 call included; 1 cost \$0\.10\./);
    const { secret: trial } = await keyOn('trial', 'live');
    const all = { row: 0, column: 0, rows: 30, columns: 1 };
    const many = homes.slice(0, 30).map(({ address }) => [address]);
    const capped = await (
      await openSheet(trial)
    ).run('fillColumn', [], { cells: many, selection: all, typed: ['value'], yes: false });
    assert.match(capped.shown[1], /30 AVM calls in 3 requests. Your plan has 25 calls left; the rest is refused./);
    const { secret: blind } = await keyOn('pro', 'live', ['batch:write', 'properties:read']);
    const unknown = await (
      await openSheet(blind)
    ).run('fillColumn', [], { cells: cells(), selection, typed: ['sqft'], yes: false });
    assert.match(unknown.shown[1], /Up to 2 standard calls. This key may not read prices/);
  });

  it('keeps the key among the user’s properties, and nowhere in the sheet', async () => {
    const sheet = await openSheet();
    const ran = await sheet.run('fillColumn', [], { cells: cells(), selection, typed: ['sqft'] });
    assert.deepEqual(ran.properties, { PLATBOOK_KEY: api.testKey });
    assert.equal(JSON.stringify(ran.cells).includes(api.testKey), false);
    assert.deepEqual((await sheet.run('forgetKey')).properties, {});
  });
});

describe('Excel', () => {
  it('asks for cells that are calculated together with one request', async () => {
    const excel = await openExcel((await api.get('//sheets/functions.js')).text);
    excel.stored.set('platbook-key', api.testKey);
    const some = homes.slice(0, 30);
    const cells = await Promise.all(some.map(({ address }) => excel.call('FIELD', [[address]], 'sqft')));
    assert.deepEqual(
      cells,
      some.map(({ sqft }) => [[sqft ?? '']]),
    );
    assert.equal(excel.requests.filter((each) => each.startsWith('POST')).length, 1);
    assert.deepEqual(await excel.call('VALUE', [[DEMO.address], ['']]), [[demo.estimated_value], ['']]);
    excel.stored.clear();
    assert.deepEqual(await excel.call('VALUE', [['1 Elm St']]), [['No key yet. Choose Platbook > Set key…']]);
  });

  it('finds the functions and files of its manifest', async () => {
    const manifest = (await api.get('//sheets/manifest.xml')).text;
    const { functions } = (await api.get('//sheets/functions.json')).body;
    assert.deepEqual(
      functions.map(({ id }: { id: string }) => id),
      ['VALUE', 'FIELD'],
    );
    const links = [...manifest.matchAll(/DefaultValue="(http[^"]+)"/g)].map(([, link]) => link);
    assert.ok(links.length >= 10);
    for (const link of links) assert.equal((await fetch(link)).status, 200, link);
    const resources = [...manifest.matchAll(/\bid="([A-Z][\w.]+)" DefaultValue/g)].map(([, id]) => id);
    for (const [, resid] of manifest.matchAll(/resid="([^"]+)"/g)) assert.ok(resources.includes(resid), resid);
    for (const [, resid] of manifest.matchAll(/(?:resid|\bid)="([^"]+)"/g)) assert.ok(resid.length <= 32, resid);
    const pane = await api.get('//sheets/taskpane.html');
    assert.match(
      String(pane.headers['content-security-policy']),
      /frame-ancestors https:\/\/\*\.officeapps\.live\.com/,
    );
  });
});

describe('the task pane of Excel', needsBrowser, () => {
  it('keeps a key, shows the price of a column, and fills it when told to', async () => {
    const browser = await launch();
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    const cells = [[homes[0].address], [''], [homes[1].address]];
    await page.route('https://appsforoffice.microsoft.com/**', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: `(${standInForOffice})(${JSON.stringify(cells)})` }),
    );
    await page.goto(`${baseUrl}/sheets/taskpane.html`);
    await page.getByLabel('Field').fill('sqft');
    await page.getByRole('button', { name: 'Show the price' }).click();
    await page.getByText('No key yet').waitFor();
    await page.getByLabel('API key').fill(api.testKey);
    await page.getByRole('button', { name: 'Keep the key' }).click();
    await page.getByText('The key is kept on this computer').waitFor();
    assert.equal(await page.getByLabel('API key').inputValue(), '');
    await page.getByRole('button', { name: 'Show the price' }).click();
    await page.getByText('2 rows with an address, 2 different ones. Up to 2 standard calls in 1 request.').waitFor();
    assert.deepEqual(await page.evaluate('globalThis.filled'), [[''], [''], ['']], 'nothing is filled unasked');
    await page.getByRole('button', { name: 'Fill the column' }).click();
    await page.getByText('Filled Sheet1!B1:B3.').waitFor();
    assert.deepEqual(await page.evaluate('globalThis.filled'), [[homes[0].sqft], [''], [homes[1].sqft]]);
    assert.deepEqual(problems, []);
    await browser.close();
  });
});

/** Office's library, as far as the pane uses it: a selection of one column, and the one to its right. */
const standInForOffice = `(cells) => {
  globalThis.filled = cells.map(() => ['']);
  const stored = new Map();
  const target = {
    address: 'Sheet1!B1:B3',
    load() {},
    get values() { return globalThis.filled; },
    set values(next) { globalThis.filled = next; },
  };
  const range = { values: cells, load() {}, getColumnsAfter: () => target };
  globalThis.Office = { onReady: (work) => work() };
  globalThis.CustomFunctions = { associate() {} };
  globalThis.Excel = { run: (work) => work({ workbook: { getSelectedRange: () => range }, sync: async () => {} }) };
  globalThis.OfficeRuntime = {
    storage: {
      getItem: async (name) => stored.get(name) ?? null,
      setItem: async (name, value) => void stored.set(name, value),
      removeItem: async (name) => void stored.delete(name),
    },
  };
}`;

it('all files are in one archive, and no other file is served', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'platbook-sheets-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'sheets.zip'), Buffer.from(await (await fetch(`${baseUrl}/sheets.zip`)).arrayBuffer()));
  const listing = execFileSync('python3', ['-m', 'zipfile', '-l', join(folder, 'sheets.zip')], { encoding: 'utf8' });
  for (const name of ['google/platbook.gs', 'google/appsscript.json', 'excel/manifest.xml', 'excel/functions.js'])
    assert.ok(listing.includes(name), name);
  for (const name of ['core.js', '..%2fpackage.json', 'constructor'])
    assert.equal((await api.get(`//sheets/${name}`)).status, 404, name);
  assert.deepEqual((await api.get('//sheets/appsscript.json')).body.urlFetchWhitelist, [`${baseUrl}/`]);
});
