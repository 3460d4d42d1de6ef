// Everything that customers and operators do at the same time, without regard to what is being broken.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ChildProcess } from 'node:child_process';
import type { Client } from './client.ts';
import { MARKER_ZIP, MARKERS, MARKET, writeRoll } from './county.ts';
import { run } from './fleet.ts';
import type { Ground } from './ground.ts';
import { count, type Ledger } from './ledger.ts';
import type { Random } from './random.ts';
import { useTenant, type Tenant } from './tenants.ts';

const LOAD = fileURLToPath(new URL('./load.ts', import.meta.url));
const TENANT_LANES = 9;
const BATCH_ITEMS = 25;
const BATCH_WRONG_ITEMS = 3;

export interface Scene {
  ground: Ground;
  client: Client;
  ledger: Ledger;
  random: Random;
  /** Ids of the county's homes. */
  homes: string[];
  watched: Set<string>;
  /** Customers whose months end during the campaign. */
  tenants: Tenant[];
  webhookId: string;
  recordsFolder: string;
  publishedOn: string;
  /** Where the feed's reader began, and where it is. */
  firstCursor: string;
  feedCursor: string;
  /** Of the roll that was written last. */
  rollVersion: number;
}

/** Commands that run now, by what they do, so that they can be killed. */
export type Commands = Record<'load' | 'training' | 'billing', ChildProcess | undefined>;

export interface Traffic {
  commands: Commands;
  /** Lets every lane finish what it has begun. */
  stop(): Promise<void>;
}

export function startTraffic(scene: Scene): Traffic {
  const commands: Commands = { load: undefined, training: undefined, billing: undefined };
  const stopping = new AbortController();
  const lane = async (work: () => Promise<unknown>, pauseMs: number) => {
    while (!stopping.signal.aborted) {
      await work();
      await sleep(scene.random.between(pauseMs / 2, pauseMs * 1.5));
    }
  };
  const lanes = [
    lane(() => search(scene), 60),
    lane(() => search(scene), 60),
    lane(() => readRecord(scene), 60),
    lane(() => value(scene), 80),
    lane(() => value(scene), 80),
    lane(() => lookAtMarkers(scene), 150),
    lane(() => sendBatch(scene), 500),
    lane(() => readFeed(scene), 200),
    lane(() => loadNextRoll(scene, commands), 1_000),
    lane(() => runCommand(scene, commands, 'training', ['train', MARKET, '--force']), 2_000),
    lane(() => runCommand(scene, commands, 'billing', ['admin', 'bill']), 3_000),
    ...Array.from({ length: TENANT_LANES }, () => lane(() => useTenant(scene), 500)),
  ];
  return {
    commands,
    async stop() {
      stopping.abort();
      await Promise.all(lanes);
    },
  };
}

async function search({ client, random }: Scene): Promise<void> {
  await client.call('GET', `/properties/search?state=ZY&limit=5&min_sqft=${Math.round(random.between(700, 3_000))}`);
}

async function readRecord({ client, random, homes }: Scene): Promise<void> {
  const id = random.pick(homes);
  await client.call('GET', `/properties/${id}${random.pick(['', '/risk', '/transactions', '/assessments'])}`);
}

async function value({ client, random, homes, ledger }: Scene): Promise<void> {
  const { fate, body } = await client.call('POST', '/avm/estimate', { body: { property: { id: random.pick(homes) } } });
  if (fate === 'answered') ledger.receipts.add(body.id);
}

/** All markers come from one load: they never show two versions. */
async function lookAtMarkers({ client, ledger }: Scene): Promise<void> {
  const { fate, body } = await client.call('GET', `/properties/search?state=ZY&zip=${MARKER_ZIP}&limit=${MARKERS}`);
  if (fate !== 'answered') return;
  const lots = new Set<number>(body.data.map((home: any) => home.parcel.lot_sqft));
  if (body.data.length !== MARKERS || lots.size !== 1)
    ledger.wrong.push(`half a load was seen: ${body.data.length} markers with lots of ${[...lots].join(', ')}`);
}

async function sendBatch({ client, random, homes, ledger }: Scene): Promise<void> {
  const key = `batch-${random.next()}`;
  const items = [
    ...Array.from({ length: BATCH_ITEMS - BATCH_WRONG_ITEMS }, () => ({ property_id: random.pick(homes) })),
    ...Array.from({ length: BATCH_WRONG_ITEMS }, (_, n) => ({ address: `${n} Nowhere Rd, Nowhere, ZY 99999` })),
  ];
  const { body } = await client.insist('POST', '/batches', {
    body: { items, include: ['property', 'valuation'] },
    headers: { 'idempotency-key': key },
  });
  ledger.batches.set(key, { id: body.id, items: BATCH_ITEMS, wrong: BATCH_WRONG_ITEMS });
}

/** Now and then the reader forgets its last page, as one does that crashes before it has written its cursor. */
async function readFeed(scene: Scene): Promise<void> {
  const { client, ledger, random } = scene;
  const { fate, body } = await client.call('GET', `/changes?limit=200&cursor=${encodeURIComponent(scene.feedCursor)}`);
  if (fate !== 'answered' || random.next() < 0.05) return;
  for (const change of body.data) ledger.changes.push(change.id);
  scene.feedCursor = body.pagination.next_cursor;
}

async function loadNextRoll(scene: Scene, commands: Commands): Promise<void> {
  const version = (scene.rollVersion += 1);
  writeRoll(scene.recordsFolder, version);
  const code = await runCommand(scene, commands, 'load', [LOAD, scene.recordsFolder, scene.publishedOn, 'roll']);
  if (code === 0) scene.ledger.loaded.push(version);
}

async function runCommand(
  { ground, ledger }: Scene,
  commands: Commands,
  name: keyof Commands,
  command: string[],
): Promise<number | null> {
  const child = run(ground, name, command);
  commands[name] = child;
  const [code] = (await once(child, 'exit')) as [number | null];
  commands[name] = undefined;
  count(ledger.failures, code === 0 ? `${name} finished` : code === null ? `${name} killed` : `${name} failed`);
  return code;
}

export interface Receiver {
  url: string;
  /** The secret that signatures are checked against from now on. */
  secret: string;
  close(): void;
}

/** A customer's endpoint that fails one time in ten. */
export async function startReceiver(ledger: Ledger, random: Random): Promise<Receiver> {
  const server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      if (random.next() < 0.1) return void response.writeHead(500).end();
      const { id, sequence, type } = JSON.parse(body) as { id: string; sequence: number; type: string };
      const signed = `${request.headers['webhook-id']}.${request.headers['webhook-timestamp']}.${body}`;
      const key = Buffer.from(receiver.secret.replace('whsec_', ''), 'base64');
      const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
      const isSigned = String(request.headers['webhook-signature']).split(' ').includes(signature);
      ledger.events.push({ id, sequence, type, body, isSigned });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    secret: '',
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return receiver;
}
