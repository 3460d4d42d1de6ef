// Compares what the callers saw with what the service says, from the outside: through its API and its commands.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './client.ts';
import { MARKERS, markerValue } from './county.ts';
import { run } from './fleet.ts';
import type { Call, Ledger } from './ledger.ts';
import type { Scene } from './traffic.ts';

export interface Check {
  what: string;
  /** How many were compared. */
  compared: number;
  wrong: string[];
}

export async function* reconcile(scene: Scene): AsyncGenerator<Check> {
  const { client, ledger } = scene;
  yield { what: 'nothing impossible was seen while it ran', compared: ledger.calls.size, wrong: ledger.wrong };
  const batches = await checkBatches(client, ledger);
  yield batches.check;
  yield* checkCharges(client, ledger, batches.usage);
  const feed = await readWholeFeed(client, scene.firstCursor);
  yield checkFeed(ledger, feed);
  yield checkLoads(feed, scene);
  yield* checkEvents(scene, feed);
  yield await checkReceipts(scene);
  yield await checkAudit(scene);
}

/** Every page of a list. */
export async function readAll(client: Client, path: string): Promise<any[]> {
  const rows: any[] = [];
  for (let cursor = ''; ;) {
    const { body } = await client.insist('GET', `${path}${cursor}`);
    rows.push(...body.data);
    if (!body.pagination.has_more) return rows;
    cursor = `&cursor=${encodeURIComponent(body.pagination.next_cursor)}`;
  }
}

export interface RequestLine {
  request_id: string;
  at: string;
  status: number;
  meter: string;
  units: number;
}

export async function* checkCharges(
  client: Client,
  ledger: Ledger,
  batches: { standard: number; avm: number },
): AsyncGenerator<Check> {
  const seen = new Map(ledger.calls);
  const lines = (await readAll(client, '/requests?mode=live&limit=100')) as RequestLine[];
  const charged = Map.groupBy(
    lines.filter((line) => line.units > 0),
    (line) => line.request_id,
  );
  const answered = [...seen.values()].filter(({ fate, units }) => fate === 'answered' && units > 0);
  yield {
    what: 'every answered call was charged once',
    compared: answered.length,
    wrong: answered.flatMap((call) => compareCharge(call, charged.get(call.id) ?? [])),
  };
  const unanswered = [...charged].filter(([id]) => seen.get(id)?.fate !== 'answered');
  yield {
    what: 'nothing else was charged, except calls whose connection broke, once at most',
    compared: seen.size,
    wrong: unanswered.flatMap(([id, own]) =>
      seen.get(id)?.fate === 'unknown' && own.length === 1 ? [] : [`${id} was charged ${own.length} times`],
    ),
  };
  const days = (await client.insist('GET', '/usage/daily')).body.data as { standard: number; avm: number }[];
  const wrong = (['standard', 'avm'] as const).flatMap((meter) => {
    const used = days.reduce((total, day) => total + day[meter], 0);
    const lineUnits = lines.reduce((total, line) => total + (line.meter === meter ? line.units : 0), 0);
    const expected = lineUnits + batches[meter];
    return used === expected ? [] : [`${used} ${meter} units used, ${expected} in requests and batches`];
  });
  yield { what: 'the meters show the sum of it', compared: lines.length, wrong };
}

function compareCharge(call: Call, lines: RequestLine[]): string[] {
  const isRight = lines.length === 1 && lines[0].meter === call.meter && lines[0].units === call.units;
  return isRight ? [] : [`${call.id} ${call.path} of ${call.units} ${call.meter} is on ${lines.length} lines`];
}

async function checkBatches(client: Client, ledger: Ledger) {
  const wrong: string[] = [];
  const usage = { standard: 0, avm: 0 };
  for (const [key, { id, items, wrong: expectedFailures }] of ledger.batches) {
    let batch;
    while (!(batch = (await client.insist('GET', `/batches/${id}`)).body).finished_at) await sleep(200);
    const results = await readAll(client, `/batches/${id}/results?limit=100`);
    const indexes = new Set(results.map(({ index }) => index));
    const failed = results.filter(({ status }) => status === 'failed').length;
    const valued = results.filter(({ valuation }) => valuation).length;
    for (const { valuation } of results) if (valuation) ledger.receipts.add(valuation.id);
    if (indexes.size !== items || results.length !== items || failed !== expectedFailures)
      wrong.push(`${id}: ${results.length} results for ${indexes.size} of ${items} items, ${failed} failed`);
    if (batch.usage.standard !== items - failed || batch.usage.avm !== valued)
      wrong.push(`${id}: ${JSON.stringify(batch.usage)} for ${items - failed} resolved and ${valued} valued`);
    usage.standard += batch.usage.standard;
    usage.avm += batch.usage.avm;
    if (batch.status !== 'completed') wrong.push(`${id} (${key}) is ${batch.status}`);
  }
  const listed = await readAll(client, '/batches?limit=100');
  if (listed.length !== ledger.batches.size)
    wrong.push(`${listed.length} batches exist, ${ledger.batches.size} were made`);
  return { usage, check: { what: 'every batch item was done once', compared: ledger.batches.size, wrong } };
}

interface Change {
  id: string;
  type: string;
  property_id: string;
  after: Record<string, unknown> | null;
}

async function readWholeFeed(client: Client, from: string): Promise<Change[]> {
  const changes: Change[] = [];
  for (let cursor = from; ;) {
    const { body } = await client.insist('GET', `/changes?limit=500&cursor=${encodeURIComponent(cursor)}`);
    changes.push(...body.data);
    cursor = body.pagination.next_cursor;
    if (!body.pagination.has_more) return changes;
  }
}

/** The reader's list against a second reading in one go: the same changes in the same order. */
function checkFeed(ledger: Ledger, feed: Change[]): Check {
  const wrong: string[] = [];
  const twice = ledger.changes.length - new Set(ledger.changes).size;
  if (twice > 0) wrong.push(`${twice} changes were read twice`);
  const read = feed.slice(0, ledger.changes.length).map(({ id }) => id);
  const at = read.findIndex((id, n) => id !== ledger.changes[n]);
  if (at !== -1) wrong.push(`the reader got ${ledger.changes[at]} where the feed has ${read[at]}`);
  if (feed.length < ledger.changes.length)
    wrong.push(`the feed has lost ${ledger.changes.length - feed.length} changes`);
  return { what: 'the feed has no gap, no repetition and one order', compared: feed.length, wrong };
}

/** Loads are seen whole or not at all: markers come in complete sets, and versions only go up. */
function checkLoads(feed: Change[], { ledger, rollVersion }: Scene): Check {
  const wrong: string[] = [];
  const sets: { value: number; homes: Set<string> }[] = [];
  for (const { type, after, property_id } of feed) {
    if (type !== 'property.assessment_updated') continue;
    const value = after!.total as number;
    if (sets.at(-1)?.value !== value) sets.push({ value, homes: new Set() });
    sets.at(-1)!.homes.add(property_id);
  }
  for (const { value, homes } of sets)
    if (homes.size !== MARKERS) wrong.push(`${homes.size} of ${MARKERS} markers changed to ${value}`);
  const values = sets.map(({ value }) => value);
  if (values.some((value, n) => n > 0 && value <= values[n - 1]))
    wrong.push(`versions went back: ${values.join(', ')}`);
  const known = new Set(values);
  for (const version of ledger.loaded)
    if (!known.has(markerValue(version)))
      wrong.push(`version ${version} was reported as loaded and is not in the feed`);
  return { what: 'no load was half done', compared: rollVersion, wrong };
}

async function* checkEvents(
  { client, ledger, watched, webhookId, ground }: Scene,
  feed: Change[],
): AsyncGenerator<Check> {
  // Retries wait for minutes; the clock brings them forward.
  for (;;) {
    const { body } = await client.insist('GET', `/webhooks/${webhookId}/deliveries?status=pending&limit=1`);
    if (body.data.length === 0) break;
    ground.moveClock(10 * 60_000);
    await sleep(3_000);
  }
  const listed = (await readAll(client, '/events?limit=100')).filter(({ type }) => type.startsWith('property.'));
  const arrived = new Map(ledger.events.map((event) => [event.id, event]));
  const wrong = listed.filter(({ id }) => !arrived.has(id)).map(({ id, type }) => `${id} (${type}) did not arrive`);
  const known = new Map(listed.map((event) => [event.id, event]));
  for (const { id, sequence, isSigned } of ledger.events) {
    if (!isSigned) wrong.push(`${id} was not signed with the secret`);
    if (known.get(id)?.sequence !== sequence) wrong.push(`${id} was invented, or changed its sequence`);
  }
  if (new Set(listed.map(({ sequence }) => sequence)).size !== listed.length) wrong.push('two events share a sequence');
  yield { what: 'every event arrived, and nothing else did', compared: listed.length, wrong };

  const due = feed.filter(({ type, property_id }) => type.startsWith('property.') && watched.has(property_id));
  const inOrder = listed.toSorted((a, b) => a.sequence - b.sequence).map(({ data }) => data.change_id);
  const at = due.findIndex(({ id }, n) => id !== inOrder[n]);
  yield {
    what: 'there is one event for every change of a watched home, in the order of the feed',
    compared: due.length,
    wrong:
      at === -1 && due.length === inOrder.length
        ? []
        : [`${inOrder.length} events for ${due.length} changes, different from the ${at + 1}th on`],
  };
}

const AT_ONCE = 500;

async function checkReceipts({ ground, ledger }: Scene): Promise<Check> {
  const wrong: string[] = [];
  const receipts = [...ledger.receipts];
  for (let n = 0; n < receipts.length; n += AT_ONCE) {
    const [code] = (await once(run(ground, 'replay', ['replay', ...receipts.slice(n, n + AT_ONCE)]), 'exit')) as [
      number,
    ];
    if (code !== 0) wrong.push(`receipts from the ${n + 1}th on do not all replay; see the log`);
  }
  return { what: 'every receipt replays to the same valuation', compared: receipts.length, wrong };
}

async function checkAudit({ ground }: Scene): Promise<Check> {
  const [code] = (await once(run(ground, 'audit', ['audit', 'verify']), 'exit')) as [number];
  return { what: 'the audit log is whole', compared: 1, wrong: code === 0 ? [] : ['`audit verify` failed'] };
}
