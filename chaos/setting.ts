// Prepares the service before anything is broken: the sandbox, a loaded and trained county, a customer with a card, a
// webhook, a watchlist and a place in the feed.
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createAccount, createKey, getAccount } from '../src/customers/accounts/accounts.ts';
import { SCOPES } from '../src/customers/accounts/scopes.ts';
import { createProvider } from '../src/customers/billing/billing.ts';
import { addCard, beginCard } from '../src/customers/billing/cards.ts';
import { createContract } from '../src/customers/billing/operator.ts';
import type { Contract } from '../src/customers/accounts/plans.ts';
import type { Deps } from '../src/base/deps.ts';
import { readConfig } from '../src/base/config.ts';
import { open } from '../src/operate/open.ts';
import type { FakeStripe } from '../test/stripe.ts';
import { createClient } from './client.ts';
import { HOMES, MARKER_ZIP, MARKERS, MARKET, writeRoll, writeSales } from './county.ts';
import { run, type Fleet } from './fleet.ts';
import type { Ground } from './ground.ts';
import type { Ledger } from './ledger.ts';
import type { Random } from './random.ts';
import { makeTenants, type Tenant } from './tenants.ts';
import type { Receiver, Scene } from './traffic.ts';

export const TERMS = {
  priceCentsPerMonth: 500_000,
  includedCalls: 500,
  overageCentsPerCall: 2,
  includedAvmCalls: 100,
  overageCentsPerAvmCall: 5,
};
export const LIMITS = { rateLimitPerHour: 10_000_000, webhooks: 10, batchAddresses: 1_000, delivery: true };
/** Besides the markers, homes that do not change. */
const WATCHED_OTHERS = 100;

export interface Parts {
  ground: Ground;
  fleet: Fleet;
  ledger: Ledger;
  random: Random;
  stripe: FakeStripe;
  receiver: Receiver;
}

export async function prepareScene(parts: Parts): Promise<Scene> {
  const { ground, fleet, ledger, random, receiver } = parts;
  const recordsFolder = join(ground.folder, 'records');
  mkdirSync(recordsFolder);
  const publishedOn = new Date().toISOString().slice(0, 10);
  writeRoll(recordsFolder, 0);
  writeSales(recordsFolder, new Date());
  if (ground.cluster) await finish(ground, 'prepare', ['distribute']);
  await finish(ground, 'prepare', [fileURLToPath(new URL('./load.ts', import.meta.url)), recordsFolder, publishedOn]);
  await finish(ground, 'prepare', ['train', MARKET, '--force']);
  const { key, tenants } = await makeCustomers(parts);
  fleet.start();
  for (const { url } of fleet.apis) await untilReady(`${url}/readyz`);

  const client = createClient({ apis: fleet.apis, ground }, key, ledger, random);
  const homes: string[] = [];
  for (let cursor = ''; homes.length < HOMES;) {
    const { body } = await client.insist('GET', `/properties/search?state=ZY&limit=100${cursor}`);
    homes.push(...body.data.map((home: { id: string }) => home.id));
    cursor = `&cursor=${encodeURIComponent(body.pagination.next_cursor)}`;
  }
  const webhook = await client.insist('POST', '/webhooks', { body: { url: receiver.url, events: ['property.*'] } });
  receiver.secret = webhook.body.secret;
  const markers = await client.insist('GET', `/properties/search?state=ZY&zip=${MARKER_ZIP}&limit=${MARKERS}`);
  const watched = new Set([
    ...markers.body.data.map(({ id }: { id: string }) => id),
    ...homes.slice(0, WATCHED_OTHERS),
  ]);
  await client.insist('POST', '/watchlists', {
    body: { name: 'Watched', property_ids: [...watched], events: ['property.*'] },
  });
  const { body } = await client.insist('GET', '/changes?from=now');
  const feedCursor = body.pagination.next_cursor as string;
  return {
    ground,
    client,
    ledger,
    random,
    homes,
    watched,
    tenants,
    webhookId: webhook.body.id,
    recordsFolder,
    publishedOn,
    firstCursor: feedCursor,
    feedCursor,
    rollVersion: 0,
  };
}

async function makeCustomers(parts: Parts): Promise<{ key: string; tenants: Tenant[] }> {
  const { deps, close } = await open(readConfig({ ...process.env, ...parts.ground.settings }));
  try {
    const { key } = await makeCustomer(deps, parts.stripe, { ...TERMS, ...LIMITS });
    return { key, tenants: await makeTenants(deps, parts) };
  } finally {
    await close();
  }
}

/** A customer with a card and a contract that begins by the clock of `deps`, and a key of theirs. */
export async function makeCustomer(
  deps: Deps,
  stripe: FakeStripe,
  contract: Contract,
): Promise<{ id: string; key: string }> {
  const { id } = await createAccount(deps.control, deps.clock(), 'Tumult Lending', 'trial', { anchorAt: null });
  const provider = await createProvider(deps);
  const { client_secret } = await beginCard(deps, provider, await getAccount(deps, id));
  const token = stripe.enterCard(client_secret!, { fingerprint: `tumult ${id}` });
  await addCard(deps, provider, { account: await getAccount(deps, id), token, by: { actor: 'chaos' } });
  await createContract(deps, provider, { accountId: id, contract, interval: 'month' });
  return { id, key: (await createKey(deps, id, { name: 'Live', mode: 'live', scopes: [...SCOPES] })).secret };
}

/** Runs a command that must end well. */
export async function finish(ground: Ground, name: string, command: string[]): Promise<void> {
  const [code] = (await once(run(ground, name, command), 'exit')) as [number | null];
  if (code !== 0) throw new Error(`\`${command.join(' ')}\` ended with ${code}; see ${ground.folder}/logs/${name}.log`);
}

export async function untilReady(url: string): Promise<void> {
  for (;;) {
    const isReady = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (isReady) return;
    await sleep(200);
  }
}
