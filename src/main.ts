// Every command of the program. A command's file under commands/ has the name that an operator types.
import { ConfigError, readConfig, type Config } from './config.ts';
import { explain } from './lib/command-error.ts';

const EXIT_AFTER_MS = 10_000;

type Command = (config: Config, args: string[]) => Promise<void>;

// Each command loads only what it needs, so that `platbook markets` does not wait for the trainer.
const COMMANDS: Record<string, [what: string, load: () => Promise<Command>]> = {
  start: [
    'serve on the embedded database, with the sandbox and a demo account',
    async () => (await import('./commands/start.ts')).runStart,
  ],
  worker: [
    'run background work without serving: batches, webhooks, exports, schedules',
    async () => (await import('./commands/worker.ts')).runWorker,
  ],
  mcp: [
    'serve tools to an agent over stdio, using BASE_URL and PLATBOOK_KEY',
    async () => (await import('./mcp/stdio.ts')).runStdio,
  ],
  ingest: [
    'load public records: <source or recipe file …|--all> [--from <folder|url|publisher>] [--state WI] [--dry-run]',
    async () => (await import('./commands/ingest.ts')).runIngest,
  ],
  source: [
    'begin a recipe for a new place from one of its files, or check one: new <file or URL>, check <recipe>',
    async () => (await import('./commands/source.ts')).runSource,
  ],
  refresh: [
    'look at the publishers of what is loaded and load what is new: [source …] [--due] [--from <folder|url|publisher>]',
    async () => (await import('./commands/refresh.ts')).runRefresh,
  ],
  quarantine: [
    'list rows that could not be loaded, or try them again: [list|replay] [source]',
    async () => (await import('./commands/quarantine.ts')).runQuarantine,
  ],
  markets: ['list what is loaded', async () => (await import('./commands/markets.ts')).runMarkets],
  train: [
    'train, back-test and publish a valuation model: <market …|--all>',
    async () => (await import('./commands/train.ts')).runTrain,
  ],
  backtest: [
    "show a model's error on sales it had not seen: <market …|--all> [--run to test again]",
    async () => (await import('./commands/backtest.ts')).runBacktest,
  ],
  value: ['value every home of a market', async () => (await import('./commands/value.ts')).runValue],
  replay: [
    'reproduce valuations from their receipts: val_… …',
    async () => (await import('./commands/replay.ts')).runReplay,
  ],
  admin: [
    'manage accounts: create, contract, credit, credit-note, refund, tax-rate, paid, suspend, activate, usage, bill; make-operator',
    async () => (await import('./commands/admin.ts')).runAdmin,
  ],
  audit: [
    'check the hash chains of the audit logs: verify; and what is anchored in them: receipts [val_… …]',
    async () => (await import('./commands/audit.ts')).runAudit,
  ],
  backup: [
    'write a backup while serving goes on: <file|s3://bucket/key>, or list',
    async () => (await import('./commands/backup.ts')).runBackup,
  ],
  restore: [
    'bring a backup back into PLATBOOK_HOME: <file|s3://bucket/key> [--replace] [--verify: only check it]',
    async () => (await import('./commands/restore.ts')).runRestore,
  ],
  migrate: [
    'bring the database to the newest schema [--restored: its disk was put back to an earlier state]',
    async () => (await import('./commands/migrate.ts')).runMigrate,
  ],
  distribute: [
    'spread the data plane over the workers of a Citus cluster, by county [--shards n] [--rebalance]',
    async () => (await import('./commands/distribute.ts')).runDistribute,
  ],
  openapi: [
    "write openapi.json, the SDK's types, the Postman collection and the schema of recipes",
    async () => (await import('./commands/openapi.ts')).runOpenApi,
  ],
  endpoints: [
    'write the list of routes in ARCHITECTURE.md',
    async () => (await import('./commands/endpoints.ts')).runEndpoints,
  ],
  schema: ['write db/schema.sql', async () => (await import('./commands/schema.ts')).runSchema],
};

async function main(): Promise<void> {
  const [name = 'start', ...args] = process.argv.slice(2);
  const list = Object.entries(COMMANDS).map(([word, [what]]) => `  ${word.padEnd(12)}${what}`);
  if (['help', '--help', '-h'].includes(name)) return console.log(`platbook <command>\n\n${list.join('\n')}`);
  const command = COMMANDS[name];
  if (!command) {
    console.error(`Unknown command \`${name}\`. Commands:\n${list.join('\n')}`);
    process.exitCode = 2;
    return;
  }
  try {
    const run = await command[1]();
    await run(readConfig(), args);
  } catch (error) {
    console.error(error instanceof ConfigError ? `Invalid setting: ${error.message}` : explain(error));
    process.exitCode = 1;
    // Whatever a failed command left open must not keep the process from ending.
    setTimeout(() => process.exit(), EXIT_AFTER_MS).unref();
  }
}

await main();
