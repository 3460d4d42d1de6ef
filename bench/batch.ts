// Runs a thousand addresses with property, risk and valuation through the batch queue, and the same calls one by one.
import { createAccount, createKey, getAccount } from '../src/customers/accounts/accounts.ts';
import { SCOPES } from '../src/customers/accounts/scopes.ts';
import { getBatch, submitBatch } from '../src/delivery/batches/batches.ts';
import type { Config } from '../src/base/config.ts';
import { open } from '../src/operate/open.ts';
import { prepareSandbox } from '../src/operate/prepare-sandbox.ts';
import { readFilter } from '../src/records/properties/filter.ts';
import { presentAddress } from '../src/records/properties/record.ts';
import { searchProperties } from '../src/records/properties/search.ts';
import { createEnrichPorts, startWorker } from '../src/worker.ts';
import { enrichItems } from '../src/delivery/batches/enrich.ts';
import { printTable } from './measure.ts';

const ITEMS = 1_000;
const TARGET_SECONDS = 10;

export async function run(_args: string[], config: Config): Promise<void> {
  const { deps, close } = await open(config);
  await prepareSandbox(deps, undefined, config.sandboxProperties);
  const account = await createAccount(deps.control, deps.clock(), 'Bench', 'scale');
  const { key } = await createKey(deps, account.id, { name: 'bench', mode: 'test', scopes: [...SCOPES] });
  const filter = readFilter({ property_type: 'single_family' });
  const { rows } = await searchProperties(deps, 'test', {
    filter,
    sort: undefined,
    limit: ITEMS * 2,
    cursor: undefined,
  });
  const addresses = rows
    .map((row) => presentAddress(row).formatted)
    .filter((text) => text && !text.includes('Sandbox Way'));
  const items = addresses.slice(0, ITEMS).map((address, i) => ({ custom_id: String(i), input: { address: address! } }));
  const caller = { account: await getAccount(deps, account.id), key };
  const include = ['property' as const, 'risk' as const, 'valuation' as const];

  const worker = await startWorker(deps);
  const rounds: number[] = [];
  const cpuSeconds: number[] = [];
  let counts = { succeeded: 0, failed: 0 };
  for (let round = 0; round < 3; round++) {
    const start = performance.now();
    const cpu = process.cpuUsage();
    let batch = await submitBatch(deps, caller, { items, include, metadataNames: [], claimId: undefined });
    while (batch.state === 'queued' || batch.state === 'running') {
      await new Promise((resolve) => setTimeout(resolve, 20));
      batch = await getBatch(deps, batch, batch.id);
    }
    const { user, system } = process.cpuUsage(cpu);
    cpuSeconds.push((user + system) / 1e6);
    rounds.push((performance.now() - start) / 1000);
    counts = batch;
  }
  await worker.stop();

  const ports = createEnrichPorts(deps);
  const batch = await submitBatch(deps, caller, {
    items: items.slice(0, 1),
    include,
    metadataNames: [],
    claimId: undefined,
  });
  const start = performance.now();
  const sample = items.slice(0, 100);
  for (const [ordinal, item] of sample.entries())
    await enrichItems(deps, ports, batch, [{ ordinal, input: item.input }]);
  const oneByOne = ((performance.now() - start) / 1000 / sample.length) * ITEMS;

  printTable(
    `Batch of ${items.length} addresses with property, risk and valuation (target < ${TARGET_SECONDS} s)`,
    ['method', 'seconds', 'items/s', 'process CPU seconds'],
    [
      ...rounds.map((seconds, i) => [
        `batch, round ${i + 1}${i === 0 ? ' (cold)' : ''}`,
        seconds.toFixed(2),
        Math.round(ITEMS / seconds),
        cpuSeconds[i].toFixed(2),
      ]),
      ['one by one, no queue, nothing stored', oneByOne.toFixed(2), Math.round(ITEMS / oneByOne), ''],
    ],
  );
  console.log(`\n${counts.succeeded} succeeded, ${counts.failed} failed`);
  await close();
  if (rounds.at(-1)! >= TARGET_SECONDS) process.exitCode = 1;
}
