// Every command of the program.
import { ConfigError, readConfig, type Config } from './config.ts';
import { CommandError } from './lib/command-error.ts';
import { ApiError } from './lib/errors.ts';

type Command = (config: Config, args: string[]) => Promise<void>;

// Each command loads only what it needs, so that `platbook markets` does not wait for the trainer.
const COMMANDS: Record<string, [what: string, run: Command]> = {
  start: [
    'serve on the embedded database, with the sandbox and a demo account',
    async (config) => (await import('./commands/start.ts')).start(config),
  ],
  mcp: [
    'tools for an agent over stdio, with BASE_URL and PLATBOOK_KEY',
    async (config) => (await import('./mcp/stdio.ts')).runStdio(config),
  ],
  worker: [
    'do the background work without serving: batches, webhooks, exports, schedules',
    async (config) => (await import('./worker.ts')).workOnly(config),
  ],
  mcpb: [
    'pack the tools as a desktop extension',
    async (_config, args) => (await import('../mcpb/build.ts')).packBundle(args),
  ],
  ingest: [
    'load public records: <source …|--all> [--from <folder|address|publisher>]',
    async (config, args) => (await import('./load-commands.ts')).runIngest(config, args),
  ],
  quarantine: [
    'list rows that could not be loaded, or replay them: [list|replay] [source]',
    async (config, args) => (await import('./load-commands.ts')).runQuarantine(config, args),
  ],
  markets: ['what is loaded', async (config) => (await import('./load-commands.ts')).runMarkets(config)],
  train: [
    'train, back-test and publish a valuation model: <market …|--all>',
    async (config, args) => (await import('./load-commands.ts')).runTrain(config, args),
  ],
  backtest: [
    'how the model of a market did against prices it had not seen: <market …|--all> [--run to test anew]',
    async (config, args) => (await import('./load-commands.ts')).runBacktest(config, args),
  ],
  value: [
    'value every home of a market',
    async (config, args) => (await import('./load-commands.ts')).runValue(config, args),
  ],
  replay: [
    'reproduce a valuation from its receipt: val_…',
    async (config, args) => (await import('./load-commands.ts')).runReplay(config, args),
  ],
  admin: [
    'operate accounts: create, contract, credit, credit-note, paid, suspend, activate, usage, bill',
    async (config, args) => (await import('./commands/admin.ts')).runAdmin(config, args),
  ],
  migrate: [
    'bring the database to the newest schema',
    async (config) => (await import('./operate.ts')).migrateOnly(config),
  ],
  openapi: [
    'write openapi.json, the SDK’s types and the Postman collection',
    async (config) => (await import('./operate.ts')).writeOpenApi(config),
  ],
  schema: ['write db/schema.sql', async (config) => (await import('./operate.ts')).writeSchema(config)],
  test: ['run every test', async (_config, args) => (await import('../test/run.ts')).runTests(args)],
  check: ['format, lint and types', async () => (await import('../test/check.ts')).runChecks()],
  bench: [
    'measure speed, memory and accuracy',
    async (config, args) => (await import('../bench/bench.ts')).runBench(config, args),
  ],
};

/** What an operator can mend is told in a sentence; what only we can, with where it happened. */
function explain(error: unknown): unknown {
  if (error instanceof ConfigError) return `Wrong setting: ${error.message}`;
  if (error instanceof CommandError || error instanceof ApiError) return error.message;
  return error;
}

async function main(): Promise<void> {
  const [name = 'start', ...args] = process.argv.slice(2);
  const list = Object.entries(COMMANDS).map(([word, [what]]) => `  ${word.padEnd(12)}${what}`);
  if (['help', '--help', '-h'].includes(name)) return console.log(`platbook <command>\n\n${list.join('\n')}`);
  const command = COMMANDS[name];
  if (!command) {
    console.error(`There is no command \`${name}\`. There are:\n${list.join('\n')}`);
    process.exitCode = 2;
    return;
  }
  try {
    await command[1](readConfig(), args);
  } catch (error) {
    console.error(explain(error));
    process.exitCode = 1;
  }
}

await main();
