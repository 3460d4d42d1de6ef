// Every command of the program. A command's file under commands/ has the name that an operator types.
import described from './operate/commands/commands.json' with { type: 'json' };
import { ConfigError, readConfig, type Config } from './base/config.ts';
import { explain } from './base/lib/command-error.ts';

const EXIT_AFTER_MS = 10_000;

type Command = (config: Config, args: string[]) => Promise<void>;

/** Arguments and all options of each command; an option that is not named there is refused. */
const COMMANDS: Record<string, { what: string; usage?: string }> = described;

/** Each command loads only what it needs, so that `platbook markets` does not wait for the trainer. */
const LOADS: Record<keyof typeof described, () => Promise<Command>> = {
  start: async () => (await import('./operate/commands/start.ts')).runStart,
  worker: async () => (await import('./operate/commands/worker.ts')).runWorker,
  mcp: async () => (await import('./edge/mcp/stdio.ts')).runStdio,
  ingest: async () => (await import('./operate/commands/ingest.ts')).runIngest,
  source: async () => (await import('./operate/commands/source.ts')).runSource,
  county: async () => (await import('./operate/commands/county.ts')).runCounty,
  catalog: async () => (await import('./operate/commands/catalog.ts')).runCatalog,
  refresh: async () => (await import('./operate/commands/refresh.ts')).runRefresh,
  quarantine: async () => (await import('./operate/commands/quarantine.ts')).runQuarantine,
  markets: async () => (await import('./operate/commands/markets.ts')).runMarkets,
  train: async () => (await import('./operate/commands/train.ts')).runTrain,
  backtest: async () => (await import('./operate/commands/backtest.ts')).runBacktest,
  models: async () => (await import('./operate/commands/models.ts')).runModels,
  value: async () => (await import('./operate/commands/value.ts')).runValue,
  replay: async () => (await import('./operate/commands/replay.ts')).runReplay,
  admin: async () => (await import('./operate/commands/admin.ts')).runAdmin,
  audit: async () => (await import('./operate/commands/audit.ts')).runAudit,
  backup: async () => (await import('./operate/commands/backup.ts')).runBackup,
  restore: async () => (await import('./operate/commands/restore.ts')).runRestore,
  migrate: async () => (await import('./operate/commands/migrate.ts')).runMigrate,
  distribute: async () => (await import('./operate/commands/distribute.ts')).runDistribute,
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
    const run = await LOADS[name as keyof typeof described]();
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

const optionsOf = ({ usage = '' }: { usage?: string }): string[] => usage.match(/--[a-z-]+/g) ?? [];

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
