// A user with one of every item that has a page: a customer who is also an operator.
import assert from 'node:assert/strict';
import type { Deps } from '../src/base/deps.ts';
import { setOperator } from '../src/customers/people/people.ts';
import { DEMO } from '../src/supply/sandbox/fixtures.ts';
import { SECTIONS, SECTIONS_WITH_ITEMS } from '../web/src/page-paths.ts';
import { COUNTY, writeCounty } from './county-file.ts';
import type { Browser as SignedIn } from './people.ts';
import { until } from './until.ts';

/** Returns the paths of the pages that only they can see. */
export async function makeOneOfEverything(
  deps: Pick<Deps, 'control' | 'clock'>,
  person: SignedIn,
  email: string,
): Promise<string[]> {
  const make = async (path: string, body: object) => {
    const answer = await person.send('POST', `/api/v1/${path}`, body, { 'x-platbook-mode': 'test' });
    assert.ok(answer.status < 300, `${path}: ${answer.text}`);
    return answer.body.id as string;
  };
  await setOperator(deps, email, true);
  const things: Record<(typeof SECTIONS_WITH_ITEMS)[number], string> = {
    batches: await make('batches?wait=20', { items: [{ address: DEMO.address }, { address: 'nowhere' }] }),
    webhooks: await make('webhooks', { url: 'https://example.com/hook', events: ['property.*'] }),
    exports: await make('exports', {
      dataset: 'risk',
      format: 'csv',
      filter: { zip: '00103' },
      destination: { type: 'folder' },
    }),
    counties: await bringCounty(person),
  };
  await make('watchlists', { name: 'Port', filter: { zip: '00103' } });
  await make('avm/estimate', { property: { id: DEMO.property_id } });
  return [
    '/dashboard',
    '/explore',
    '/coverage',
    `/p/${DEMO.property_id}`,
    ...SECTIONS.map((section) => `/dashboard/${section}`),
    ...SECTIONS_WITH_ITEMS.map((section) => `/dashboard/${section}/${things[section]}`),
  ];
}

/** A county whose file has been read and previewed. */
async function bringCounty(person: SignedIn): Promise<string> {
  const file = Buffer.from(writeCounty({ homes: 60, badRows: 1 }));
  const { market: _, ...place } = COUNTY;
  const form = { ...place, file_name: 'parcels.csv', file_bytes: file.length };
  const { id } = (await person.send('POST', '/session/counties', form)).body;
  const isDone = async (kind: string) => {
    const { steps } = (await person.send('GET', `/session/counties/${id}`)).body;
    return steps.some((step: { kind: string; state: string }) => step.kind === kind && step.state === 'done');
  };
  const binary = { 'content-type': 'application/octet-stream' };
  await person.send('PUT', `/session/counties/${id}/file?offset=0`, file, binary);
  await until(() => isDone('read'));
  await person.send('POST', `/session/counties/${id}/steps`, { kind: 'preview' });
  await until(() => isDone('preview'));
  return id;
}
