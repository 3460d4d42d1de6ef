// `npm run chaos [-- --minutes 60 --each 20 --seed 7 --keep --apis 8 --citus <url> --replica <url>]`: breaks the service in
// every way we know while it works, then compares what its callers saw with what it says. Ends with 1 if anything differs.
import { cpSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { startStripe } from '../test/stripe.ts';
import { checkInvoices, passMonths } from './billing.ts';
import { CLUSTER_FAULTS, FAULTS } from './faults.ts';
import { openFleet } from './fleet.ts';
import { prepareGround } from './ground.ts';
import { count, createLedger, type Ledger } from './ledger.ts';
import { createRandom } from './random.ts';
import { reconcile, type Check } from './reconcile.ts';
import { prepareScene, untilReady } from './setting.ts';
import { checkTenants, endMonths } from './tenants.ts';
import { startReceiver, startTraffic, type Scene, type Traffic } from './traffic.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '0' },
    each: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    keep: { type: 'boolean', default: false },
    apis: { type: 'string', default: '2' },
    citus: { type: 'string' },
    replica: { type: 'string' },
  },
});
const LOGS = 'chaos.log';
const LONGEST_WAIT_MS = 60_000;
const seed = Number(values.seed);
const random = createRandom(seed);
const startedAt = performance.now();
const minutes = () => (performance.now() - startedAt) / 60_000;
const say = (line: string) => console.log(`${minutes().toFixed(1).padStart(6)} min  ${line}`);

const stripe = await startStripe();
const ground = await prepareGround(
  {
    STRIPE_SECRET_KEY: stripe.secretKey,
    STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
    STRIPE_PUBLISHABLE_KEY: 'pk_chaos',
    STRIPE_API_URL: stripe.url,
    IP_LIMIT_PER_MINUTE: '10000000',
  },
  values.citus ? { cluster: values.citus, replica: values.replica } : undefined,
);
const faults = { ...FAULTS, ...(ground.cluster && CLUSTER_FAULTS) };
const ledger = createLedger();
const receiver = await startReceiver(ledger, random);
const fleet = await openFleet(ground, { apis: Number(values.apis), workers: 2 });
const injected = new Map<string, number>();
let isWrong = true;
try {
  say(`seed ${seed}; building the sandbox and the county`);
  const scene = await prepareScene({ ground, fleet, ledger, random, stripe, receiver });
  say('ready; traffic and faults begin');
  const traffic = startTraffic(scene);
  await breakThings(scene, traffic);
  say('faults end; waiting for what is under way');
  await traffic.stop();
  for (const { url } of fleet.apis) await untilReady(`${url}/readyz`);
  const checks: Check[] = [];
  const keep = (check: Check) => {
    checks.push(check);
    tell(check);
  };
  for await (const check of reconcile(scene)) keep(check);
  const used = await endMonths(scene);
  say('months pass');
  injected.set('kill a billing run in a month’s turn', await passMonths(scene, stripe));
  keep(await checkTenants(scene, used));
  const invoices = await checkInvoices(scene, stripe);
  keep({ what: 'every month was invoiced and paid once', compared: invoices.count, wrong: invoices.wrong });
  isWrong = checks.some(({ wrong }) => wrong.length > 0);
  report(ledger, checks);

  /** One fault after the other in an order that chance decides, each as often as asked, for at least the time asked. */
  async function breakThings({ tenants }: Scene, { commands }: Traffic): Promise<void> {
    const kinds = Object.keys(faults).filter((kind) => ground.hasSmallDisk || kind !== 'fill the disk');
    const isEnough = () =>
      minutes() >= Number(values.minutes) && kinds.every((kind) => (injected.get(kind) ?? 0) >= Number(values.each));
    while (!isEnough()) {
      for (const kind of random.shuffle(kinds)) {
        // On a slow machine a process takes longer to start than the pause between two faults; then nothing would ever run.
        await Promise.race([...fleet.apis.map(({ url }) => untilReady(`${url}/readyz`)), sleep(LONGEST_WAIT_MS)]);
        await faults[kind]({ ground, fleet, commands, random, tenants });
        count(injected, kind);
        await sleep(random.between(200, 2_500));
      }
      say(`${Math.min(...kinds.map((kind) => injected.get(kind) ?? 0))} of each; ${ledger.calls.size} calls`);
    }
  }
} finally {
  await fleet.stop();
  receiver.close();
  if (isWrong || values.keep) keepLogs();
  await ground.leave();
}
process.exitCode = isWrong ? 1 : 0;
process.exit();

function keepLogs(): void {
  rmSync(LOGS, { recursive: true, force: true });
  cpSync(`${ground.folder}/logs`, LOGS, { recursive: true });
  say(`logs of every process are in ${LOGS}/`);
}

function tell({ what, compared, wrong }: Check): void {
  say(`${wrong.length === 0 ? '✔' : '✖'} ${what} (${compared} compared)`);
  for (const line of wrong.slice(0, 20)) console.log(`             ${line}`);
  if (wrong.length > 20) console.log(`             and ${wrong.length - 20} more`);
}

/** In Markdown, so that it can be kept. */
function report({ calls, statuses, failures }: Ledger, checks: Check[]): void {
  const rows = (tally: Map<string, number>) =>
    [...tally].toSorted(([, a], [, b]) => b - a).map(([name, n]) => `| ${name} | ${n} |`);
  console.log(
    [
      `\nSeed ${seed}, ${minutes().toFixed(0)} minutes, ${calls.size} calls.\n`,
      '| fault | times |\n|---|--:|',
      ...rows(injected),
      '\n| outcome of calls | times |\n|---|--:|',
      ...rows(statuses),
      '\n| commands | times |\n|---|--:|',
      ...rows(failures),
      '\n| reconciled | compared | wrong |\n|---|--:|--:|',
      ...checks.map(({ what, compared, wrong }) => `| ${what} | ${compared} | ${wrong.length} |`),
    ].join('\n'),
  );
}
