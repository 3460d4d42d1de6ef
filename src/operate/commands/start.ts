// `npm start`: builds the sandbox market on first start, creates a demo account in the embedded database, then serves
// everything from one process per core.
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createAccount, createKey, findKeyBySecret } from '../../customers/accounts/accounts.ts';
import { SCOPES } from '../../customers/accounts/scopes.ts';
import { buildApp } from '../../app.ts';
import { buildWeb } from '../build-web.ts';
import { listUnencrypted, type Config } from '../../base/config.ts';
import { takeInstanceLock } from '../../base/db/instance-lock.ts';
import type { Deps } from '../../base/deps.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import { open } from '../open.ts';
import { prepareSandbox } from '../prepare-sandbox.ts';
import { supervise } from '../../base/processes/supervisor.ts';
import { progressBar } from '../../base/progress.ts';
import { LOAD_TIMEOUT_MS } from '../refresh.ts';
import { DEMO } from '../../supply/sandbox/fixtures.ts';
import { createTurns } from '../../base/lib/turns.ts';
import { startWorker, type Worker } from '../../worker.ts';

const DRAIN_TIMEOUT_MS = 25_000;

interface Credentials {
  base_url: string;
  test_key: string;
  live_key: string;
}

export async function runStart(config: Config): Promise<void> {
  const startedAt = performance.now();
  const stopping = onStopSignal();
  const servesOnly = config.processes === 1 && !config.isWorker;
  const { deps, database, close } = await open(config, servesOnly ? 'requests' : 'sessions');
  for (const name of listUnencrypted(config))
    deps.log.warn(`${name} leads over the network without encryption: add sslmode=verify-full, or use smtps://.`);
  try {
    const lock = await takeInstanceLock(database);
    if (!lock) {
      throw new CommandError(
        `Another Platbook is already running on ${config.home}. Stop it, or set PLATBOOK_HOME to another folder.`,
      );
    }
    try {
      const port = await findPort(config);
      database.watch((message) => deps.log.error(message));
      await prepare(config, stopping);
      if (stopping.isRequested()) return;
      const baseUrl = config.port === 0 ? `${config.tls ? 'https' : 'http'}://${config.host}:${port}` : config.baseUrl;
      const serve = config.processes === 1 ? serveHere : serveByProcesses;
      const serving = await serve(deps, { ...config, port, baseUrl });
      try {
        // On a shared server, no demo account with its keys in a file is wanted.
        const welcome = database.isEmbedded
          ? describeDemo(await demoCredentials(deps, baseUrl), config)
          : describeServing(baseUrl);
        const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
        console.log(`\nPlatbook is ready (${seconds} s)\n\n${welcome}\n\nCtrl-C stops it; everything is kept.`);
        await stopping;
      } finally {
        await serving.stop();
      }
    } finally {
      // The database stops when its last user disconnects.
      await lock.release();
    }
  } finally {
    await close();
  }
  // A running training has threads that would keep the process alive.
  if (stopping.isRequested()) process.exit();
}

interface Serving {
  stop(): Promise<void>;
}

async function serveHere(deps: Deps, { port, host, isWorker, statusUrl, baseUrl }: Config): Promise<Serving> {
  const { app } = await buildApp(deps);
  let worker: Worker | undefined;
  // If a start fails after listening began, it stops accepting while its connections close.
  const stop = async () => {
    await app.close();
    await worker?.stop();
  };
  try {
    await app.listen({ port, host });
    if (isWorker) worker = await startWorker(deps, statusUrl ?? baseUrl);
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

async function serveByProcesses({ log }: Deps, config: Config): Promise<Serving> {
  const supervision = await supervise({
    // This process has already migrated.
    config: { ...config, migratesOnStart: false },
    entry: fileURLToPath(new URL('../member.ts', import.meta.url)),
    processes: config.processes,
    hasWorker: config.isWorker,
    report: (message) => log.error(message),
  });
  const inTurn = createTurns();
  const replace = () => {
    void inTurn(supervision.replaceAll).catch((error: Error) =>
      log.error({ err: error }, 'the processes were not all replaced'),
    );
  };
  process.on('SIGUSR2', replace);
  return supervision;
}

/** The port to serve on, checked before a first start's minute of work. */
async function findPort({ port, host }: Config): Promise<number> {
  const probe = createServer().listen(port, host);
  await once(probe, 'listening');
  const found = (probe.address() as AddressInfo).port;
  await promisify(probe.close.bind(probe))();
  return found;
}

/** With the statement timeout of a load: on a busy machine, one statement of the first start may take minutes. If it is
    stopped, the next start resumes. */
async function prepare(config: Config, stopping: Stopping): Promise<void> {
  const { deps, database, close } = await open({ ...config, statementTimeoutMs: LOAD_TIMEOUT_MS });
  const build = async () => {
    // Loading the sandbox mostly waits for one database connection, so bundling can use the other core.
    await Promise.all([
      prepareSandbox(deps, progressBar('Building the sandbox market'), config.sandboxProperties),
      buildWeb(progressBar('Building the web app')),
    ]);
    // Lets the replica catch up before the first read.
    await deps.replica?.settle();
  };
  try {
    await Promise.race([build(), stopping]);
  } finally {
    await (stopping.isRequested() ? database.abandon() : close());
  }
}

type Stopping = Promise<void> & { isRequested(): boolean };

/** Resolves at the first Ctrl-C or SIGTERM. A second one, or a drain that takes too long, kills the process. */
function onStopSignal(): Stopping {
  let isStopping = false;
  const stopped = new Promise<void>((resolve) => {
    const stop = () => {
      if (isStopping) process.exit(130);
      isStopping = true;
      console.log('\nStopping …');
      setTimeout(() => process.exit(1), DRAIN_TIMEOUT_MS).unref();
      resolve();
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
  return Object.assign(stopped, { isRequested: () => isStopping });
}

/** The demo account (Pro) and its keys, created once and kept in a file that only its owner can read. */
async function demoCredentials(deps: Deps, baseUrl: string): Promise<Credentials> {
  const file = join(deps.config.home, 'credentials.json');
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Credentials) : undefined;
  const isKnown = known && (await findKeyBySecret(deps, known.test_key));
  const keys = isKnown ? known : await createDemoKeys(deps);
  const credentials = { base_url: baseUrl, test_key: keys.test_key, live_key: keys.live_key };
  const fresh = `${file}.new`;
  writeFileSync(fresh, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  renameSync(fresh, file);
  return credentials;
}

async function createDemoKeys(deps: Deps): Promise<Pick<Credentials, 'test_key' | 'live_key'>> {
  const account = await createAccount(deps.control, deps.clock(), 'Demo', 'pro');
  const scopes = [...SCOPES];
  const test = await createKey(deps, account.id, { name: 'Demo, sandbox', mode: 'test', scopes });
  const live = await createKey(deps, account.id, { name: 'Demo, live', mode: 'live', scopes });
  return { test_key: test.secret, live_key: live.secret };
}

function describeServing(baseUrl: string): string {
  return `  API        ${baseUrl}/api/v1
  Docs       ${baseUrl}/docs
  Dashboard  ${baseUrl}/sign-up

To make an account with its keys, sign up or run: npx platbook admin create <name> <plan>`;
}

function describeDemo(credentials: Credentials, config: Config): string {
  return `  API        ${credentials.base_url}/api/v1
  Docs       ${credentials.base_url}/docs
  Map        ${credentials.base_url}/explore#key=${credentials.test_key}
  Dashboard  ${credentials.base_url}/sign-up
  Test key   ${credentials.test_key}
  Live key   ${credentials.live_key}
  (kept in ${join(config.home, 'credentials.json')})

To load a county on the dashboard, sign up and run: npx platbook admin make-operator <your email>

Try it:

  curl -H 'x-api-key: ${credentials.test_key}' \\
    '${credentials.base_url}/api/v1/properties/search?state=ZZ&property_type=single_family&limit=3'

  curl -H 'x-api-key: ${credentials.test_key}' \\
    '${credentials.base_url}/api/v1/properties/${DEMO.property_id}/risk'`;
}
