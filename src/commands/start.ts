// `npm start`: builds the sandbox market on first start, creates a demo account with its keys, then serves everything.
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createAccount, createKey, findKeyBySecret, digestOfKey } from '../accounts/accounts.ts';
import { SCOPES } from '../accounts/scopes.ts';
import { buildApp } from '../app.ts';
import { buildWeb } from '../build-web.ts';
import type { Config } from '../config.ts';
import { takeInstanceLock } from '../db/instance-lock.ts';
import type { Deps } from '../deps.ts';
import { CommandError } from '../lib/command-error.ts';
import { progressBar } from '../progress.ts';
import { open } from '../open.ts';
import { prepareSandbox } from '../prepare-sandbox.ts';
import { DEMO } from '../sandbox/fixtures.ts';
import { startWorker, type Worker } from '../worker.ts';
import { withDeps } from './with-deps.ts';

const DRAIN_TIMEOUT_MS = 10_000;

interface Credentials {
  base_url: string;
  test_key: string;
  live_key: string;
}

export async function runStart(config: Config): Promise<void> {
  const startedAt = performance.now();
  const stopping = onStopSignal();
  const { deps, database, close } = await open(config);
  try {
    const lock = await takeInstanceLock(database);
    if (!lock) {
      throw new CommandError(
        `Another Platbook is already running on ${config.home}. Stop it, or set PLATBOOK_HOME to another folder.`,
      );
    }
    await refuseTakenPort(config);
    database.watch((message) => deps.log.error(message));
    await Promise.race([prepare(config), stopping]);
    if (stopping.isRequested()) return;
    const { app } = await buildApp(deps);
    let worker: Worker | undefined;
    try {
      await app.listen({ port: config.port, host: config.host });
      const { port } = app.server.address() as { port: number };
      const baseUrl = config.port === 0 ? `${config.tls ? 'https' : 'http'}://${config.host}:${port}` : config.baseUrl;
      const credentials = await demoCredentials(deps, baseUrl);
      if (config.isWorker) worker = await startWorker(deps, config.statusUrl ?? baseUrl);
      printWelcome(credentials, config, performance.now() - startedAt);
      await stopping;
    } finally {
      // A start that fails after it began to listen lets nobody in while its connections are closed.
      await app.close();
      await worker?.stop();
    }
    await lock.release();
  } finally {
    await close();
  }
}

/** Before the minute that a first start takes, not after it. */
async function refuseTakenPort({ port, host }: Config): Promise<void> {
  const probe = createServer().listen(port, host);
  await once(probe, 'listening');
  await promisify(probe.close.bind(probe))();
}

/** With the time limits of a load: on a busy machine a single statement of the first start may take minutes. */
async function prepare(config: Config): Promise<void> {
  await withDeps(config, (deps) =>
    prepareSandbox(deps, progressBar('Building the sandbox market'), config.sandboxProperties),
  );
  await buildWeb(progressBar('Building the web app'));
}

/** Resolves at the first Ctrl-C or SIGTERM. A second one, or a drain that takes too long, ends the process at once. */
function onStopSignal(): Promise<void> & { isRequested(): boolean } {
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
  const isKnown = known && (await findKeyBySecret(deps, digestOfKey(deps.secrets, known.test_key)));
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

function printWelcome(credentials: Credentials, config: Config, elapsedMs: number): void {
  console.log(`
Platbook is ready (${(elapsedMs / 1000).toFixed(1)} s)

  API        ${credentials.base_url}/api/v1
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
    '${credentials.base_url}/api/v1/properties/${DEMO.property_id}/risk'

Ctrl-C stops it; everything is kept.`);
}
