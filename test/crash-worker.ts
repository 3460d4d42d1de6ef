// A process to be killed: works on batches or exports, delivers webhooks, sends digests, creates facts with their
// events, or writes a model's book, and reports line by line.
import { setTimeout as sleep } from 'node:timers/promises';
import { workOnBatches } from '../src/delivery/batches/batches.ts';
import { readConfig } from '../src/base/config.ts';
import { inTransaction } from '../src/base/db/postgres.ts';
import { recordEvent } from '../src/base/events/events.ts';
import { workOnJob } from '../src/base/jobs/jobs.ts';
import { createJobs } from '../src/worker.ts';
import { open } from '../src/operate/open.ts';
import { createDispatcher } from '../src/delivery/webhooks/deliveries.ts';
import { sendDigests } from '../src/delivery/digests/digests.ts';
import { relayChanges } from '../src/delivery/watchlists/relay.ts';

const [what, subject] = process.argv.slice(2);
const { deps } = await open(readConfig());

/** Long enough for a kill to hit mid-chunk. */
const ITEM_MS = 60;

async function workBatches(): Promise<void> {
  const ports = {
    resolve: () => Promise.reject(new Error('not used')),
    value: () => Promise.reject(new Error('not used')),
    risk: () => Promise.reject(new Error('not used')),
    beforeItem: () => sleep(ITEM_MS),
  };
  for (;;) {
    if (await workOnBatches(deps, ports)) console.log('portion');
    else await sleep(50);
  }
}

async function workExports(): Promise<void> {
  const dataReplica = {
    query: async (...args: Parameters<typeof deps.data.query>) => {
      console.log('portion');
      await sleep(ITEM_MS);
      return deps.data.query(...args);
    },
  } as typeof deps.dataReplica;
  const { export: job } = createJobs({ ...deps, dataReplica });
  for (;;) if (!(await workOnJob(deps, { export: job }))) await sleep(20);
}

async function workWebhooks(): Promise<void> {
  const dispatcher = createDispatcher(deps);
  for (;;) {
    const isBusy = (await relayChanges(deps)) || (await dispatcher.work());
    console.log('portion');
    if (!isBusy) await sleep(20);
  }
}

/** A fact is a row of a table that only this test has. */
async function makeFacts(): Promise<void> {
  for (let i = 0; ; i++) {
    const name = `${process.pid}-${i}`;
    await inTransaction(deps.control, async (client) => {
      await client.query('insert into facts (name) values ($1)', [name]);
      await recordEvent(client, { accountId: subject, mode: 'test', type: 'ping', data: { message: name } });
    });
    console.log('portion');
  }
}

async function openModel(): Promise<void> {
  await deps.models.open((await deps.models.list()).find((row) => row.version === subject)!);
  console.log('portion');
}

/** When the line is written, the mail server has the email but the database has not recorded it. */
async function workDigests(): Promise<void> {
  const send = deps.mailer.send.bind(deps.mailer);
  deps.mailer.send = async (letter) => {
    await send(letter);
    console.log('portion');
    await sleep(ITEM_MS);
  };
  await sendDigests(deps);
  await sleep(600_000);
}

await {
  books: openModel,
  batches: workBatches,
  exports: workExports,
  webhooks: workWebhooks,
  facts: makeFacts,
  digests: workDigests,
}[what]!();
