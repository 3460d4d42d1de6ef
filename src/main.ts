// Every command of the program. A command's file under commands/ has the name that an operator types.
import { ConfigError, readConfig, type Config } from './base/config.ts';
import { explain } from './base/lib/command-error.ts';

const EXIT_AFTER_MS = 10_000;

type Command = (config: Config, args: string[]) => Promise<void>;

interface Entry {
  what: string;
  /** Arguments and all options; an option that is not named here is refused. */
  usage?: string;
  // Each command loads only what it needs, so that `platbook markets` does not wait for the trainer.
  load: () => Promise<Command>;
}

const COMMANDS: Record<string, Entry> = {
  start: {
    what: 'serve on the embedded database, with the sandbox and a demo account',
    load: async () => (await import('./operate/commands/start.ts')).runStart,
  },
  worker: {
    what: 'run background work without serving: batches, webhooks, exports, schedules',
    load: async () => (await import('./operate/commands/worker.ts')).runWorker,
  },
  mcp: {
    what: 'serve tools to an agent over stdio, using BASE_URL and PLATBOOK_KEY',
    load: async () => (await import('./edge/mcp/stdio.ts')).runStdio,
  },
  ingest: {
    what: 'load public records',
    usage:
      '<source or recipe file …|--all> [--from <folder|url|publisher>] [--state WI] [--map <file>] [--dry-run] [--force]',
    load: async () => (await import('./operate/commands/ingest.ts')).runIngest,
  },
  source: {
    what: 'begin a recipe for a new place from one of its files, or check one',
    usage:
      'new <file or URL …> [--fips 55079] [--county <name>] [--place <name>] [--id <id>] [--out <file>] [--force]\n' +
      '                    [--skip-lines <n>] [--projection <EPSG or .prj file>] [--sheet <name>] [--layer <name>]\n' +
      '                check <recipe>',
    load: async () => (await import('./operate/commands/source.ts')).runSource,
  },
  refresh: {
    what: 'look at the publishers of what is loaded and load what is new',
    usage: '[source …] [--due] [--from <folder|url|publisher>] [--force]',
    load: async () => (await import('./operate/commands/refresh.ts')).runRefresh,
  },
  quarantine: {
    what: 'list rows that could not be loaded, or try them again',
    usage: '[list|replay] [source]',
    load: async () => (await import('./operate/commands/quarantine.ts')).runQuarantine,
  },
  markets: {
    what: 'list what is loaded',
    load: async () => (await import('./operate/commands/markets.ts')).runMarkets,
  },
  train: {
    what: 'train, back-test and publish a valuation model',
    usage: '<market …|--all> [--quick] [--force]',
    load: async () => (await import('./operate/commands/train.ts')).runTrain,
  },
  backtest: {
    what: "show a model's error on sales it had not seen, or test it again",
    usage: '<market …|--all> [--run]',
    load: async () => (await import('./operate/commands/backtest.ts')).runBacktest,
  },
  value: {
    what: 'value every home of a market',
    usage: '<market …>',
    load: async () => (await import('./operate/commands/value.ts')).runValue,
  },
  replay: {
    what: 'reproduce valuations from their receipts',
    usage: '<val_… …>',
    load: async () => (await import('./operate/commands/replay.ts')).runReplay,
  },
  admin: {
    what: 'manage accounts, invoices, owners’ names, sales and operators; alone, it lists what it can do',
    usage: '<act> [arguments] [--remove]',
    load: async () => (await import('./operate/commands/admin.ts')).runAdmin,
  },
  audit: {
    what: 'check the hash chains of the audit logs, and the receipts that are anchored in them',
    usage: 'verify|receipts [val_… …]',
    load: async () => (await import('./operate/commands/audit.ts')).runAudit,
  },
  backup: {
    what: 'write a backup while serving goes on, or list backups',
    usage: '<file|s3://bucket/key>|list',
    load: async () => (await import('./operate/commands/backup.ts')).runBackup,
  },
  restore: {
    what: 'bring a backup back into PLATBOOK_HOME, or only check it',
    usage: '<file|s3://bucket/key> [--replace] [--verify]',
    load: async () => (await import('./operate/commands/restore.ts')).runRestore,
  },
  migrate: {
    what: 'bring the database to the newest schema; `--restored`: its disk was put back to an earlier state',
    usage: '[--restored]',
    load: async () => (await import('./operate/commands/migrate.ts')).runMigrate,
  },
  distribute: {
    what: 'spread the data plane over the workers of a Citus cluster, by county',
    usage: '[--shards <n>] [--rebalance]',
    load: async () => (await import('./operate/commands/distribute.ts')).runDistribute,
  },
};

const HELP = ['help', '--help', '-h'];

async function main(): Promise<void> {
  const [name = 'start', ...args] = process.argv.slice(2);
  if (HELP.includes(name)) return console.log(helpOn(args[0]));
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) return refuse(`Unknown command \`${name}\`. Commands:\n${listCommands()}`);
  if (args.some((word) => HELP.includes(word) && word.startsWith('-'))) return console.log(helpOn(name));
  const unknown = args.find((word) => isOption(word) && !optionsOf(command).includes(word.split('=')[0]));
  if (unknown) return refuse(`\`${name}\` has no option \`${unknown}\`.\n${helpOn(name)}`);
  try {
    const run = await command.load();
    await run(readConfig(), args);
  } catch (error) {
    console.error(error instanceof ConfigError ? `Invalid setting: ${error.message}` : explain(error));
    process.exitCode = 1;
    // A connection that the failed command left open must not keep the process alive.
    setTimeout(() => process.exit(), EXIT_AFTER_MS).unref();
  }
}

function refuse(why: string): void {
  console.error(why);
  process.exitCode = 2;
}

/** A negative amount is not an option. */
const isOption = (word: string): boolean => /^--?[a-z]/i.test(word);

const optionsOf = ({ usage = '' }: Entry): string[] => usage.match(/--[a-z-]+/g) ?? [];

function listCommands(): string {
  const lines = Object.entries(COMMANDS).map(([word, { what }]) => `  ${word.padEnd(12)}${what}`);
  return `${lines.join('\n')}\n\n\`platbook help <command>\` shows its arguments. Settings are environment variables.`;
}

function helpOn(name: string | undefined): string {
  const command = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) return `platbook <command>\n\n${listCommands()}`;
  return `platbook ${[name, command.usage].filter(Boolean).join(' ')}\n\n${command.what}`;
}

await main();
