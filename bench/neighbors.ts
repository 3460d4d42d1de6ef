// Looks up homes from one account while another sends each known heavy request as often as it may; the p99 of the lookups
// next to that of an idle service.
import { createAccount, createKey } from '../src/customers/accounts/accounts.ts';
import { SCOPES } from '../src/customers/accounts/scopes.ts';
import { buildApp } from '../src/app.ts';
import type { Config } from '../src/base/config.ts';
import { open } from '../src/operate/open.ts';
import { prepareSandbox } from '../src/operate/prepare-sandbox.ts';
import { DEMO } from '../src/supply/sandbox/fixtures.ts';
import { drain } from '../src/worker.ts';
import { zip } from '../test/archives.ts';
import { ms, printTable } from './measure.ts';

const SECONDS = 10;
const HEAVY_AT_ONCE = 4;
const TARGET = { ratio: 3, p99Ms: 250 };
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const RELATION = '<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>';

type Send = (path: string, init?: { method?: string; type?: string; body?: string | Buffer }) => Promise<Answer>;

interface Answer {
  status: number;
  location: string | null;
}

export async function run(_args: string[], config: Config): Promise<void> {
  const { deps, close } = await open(config);
  await prepareSandbox(deps, undefined, config.sandboxProperties);
  const { app } = await buildApp(deps);
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  const caller = async (name: string): Promise<Send> => {
    const contract = { sandboxRateLimitPerHour: 1_000_000 };
    const account = await createAccount(deps.control, deps.clock(), name, 'pro', { contract });
    const { secret } = await createKey(deps, account.id, { name, mode: 'test', scopes: [...SCOPES] });
    return async (path, { method = 'GET', type, body } = {}) => {
      const headers = { 'x-api-key': secret, ...(type && { 'content-type': type }) };
      const sent = body !== undefined && { body: new Uint8Array(Buffer.from(body)) };
      const answer = await fetch(`${origin}/api/v1${path}`, { method, headers, ...sent });
      await answer.arrayBuffer();
      return { status: answer.status, location: answer.headers.get('location') };
    };
  };
  const [neighbor, heavy] = [await caller('neighbor'), await caller('heavy')];
  const idle = await timeLookups(neighbor);
  const rows: (string | number)[][] = [['nothing', ms(idle), '1.00', '']];
  for (const [name, send] of await heavyRequests(heavy, () => drain(deps, ['watchlists']))) {
    const statuses = new Map<number, number>();
    const over = new AbortController();
    const senders = Array.from({ length: HEAVY_AT_ONCE }, async () => {
      while (!over.signal.aborted) {
        const { status } = await send();
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    });
    const p99 = await timeLookups(neighbor);
    over.abort();
    await Promise.all(senders);
    const answers = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
    rows.push([name, ms(p99), (p99 / idle).toFixed(2), answers]);
  }
  printTable(
    `Lookups beside heavy requests (target ≤ ${TARGET.ratio} × idle, ≤ ${TARGET.p99Ms} ms)`,
    ['another account sends', 'p99 ms', '× idle', 'its answers'],
    rows,
  );
  await app.close();
  await close();
}

async function timeLookups(send: Send): Promise<number> {
  const times: number[] = [];
  const until = performance.now() + SECONDS * 1_000;
  while (performance.now() < until) {
    const start = performance.now();
    await send(`/properties/lookup?address=${encodeURIComponent(DEMO.address)}`);
    times.push(performance.now() - start);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)];
}

async function heavyRequests(
  send: Send,
  fillWatchlists: () => Promise<unknown>,
): Promise<[name: string, send: () => Promise<Answer>][]> {
  const bomb = zip({
    'xl/workbook.xml': '<workbook><sheets><sheet name="a" r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': RELATION,
    'xl/sharedStrings.xml': `<sst>${'<si><t>a</t></si>'.repeat(3_500_000)}</sst>`,
    'xl/worksheets/sheet1.xml': '<worksheet><row r="1"><c t="s"><v>0</v></c></row></worksheet>',
  });
  const csv = `address\n"${'a'.repeat(15_000_000)}"\n`;
  const json = `{"items":[${'{"address":"1 A St"},'.repeat(700_000)}{}]}`;
  const submit = (type: string, body: string | Buffer) => () => send('/batches', { method: 'POST', type, body });
  const post = (path: string, body: object) =>
    send(path, { method: 'POST', type: 'application/json', body: JSON.stringify(body) });
  const { location } = await post('/watchlists', { name: 'All', filter: { state: ['ZZ'] } });
  const portfolio = `${location?.replace('/api/v1', '')}/portfolio`;
  await fillWatchlists();
  const ring = Array.from({ length: 500 }, (_, i) => {
    const angle = (i / 499) * 2 * Math.PI;
    return [-100 + 30 * Math.cos(angle), 40 + 15 * Math.sin(angle)];
  });
  const polygon = {
    geometry: { type: 'Polygon', coordinates: [[...ring.slice(0, -1), ring[0]]] },
    include_total: true,
  };
  return [
    ['an XLSX bomb of 60 MB', submit(XLSX, bomb)],
    ['15 MB of CSV in a cell', submit('text/csv', csv)],
    ['15 MB of JSON', submit('application/json', json)],
    ['the portfolio of every home', () => send(portfolio)],
    ['a polygon with its total', () => post('/properties/search', polygon)],
    ['a PDF about quality', () => send('/avm/quality?market=sandbox&format=pdf')],
    ['valuations', () => post('/avm/estimate', { property: { id: DEMO.property_id } })],
  ];
}
