// The API test harness: a database cloned from the template, the real app, an account with keys, an adjustable clock.
import { randomBytes } from 'node:crypto';
import { after } from 'node:test';
import { createAccount, createKey } from '../src/customers/accounts/accounts.ts';
import type { PlanId } from '../src/customers/accounts/plans.ts';
import { SCOPES, type Scope } from '../src/customers/accounts/scopes.ts';
import { buildApp } from '../src/app.ts';
import { readConfig } from '../src/base/config.ts';
import { openPool, type Pool } from '../src/base/db/postgres.ts';
import type { Deps } from '../src/base/deps.ts';
import { collectRoutes, type RouteLine } from '../tools/route-list.ts';
import type { App } from '../src/base/http/types.ts';
import { deriveSecrets } from '../src/base/lib/secrets.ts';
import { createPasswords } from '../src/customers/people/passwords.ts';
import { createDeps } from '../src/operate/open.ts';
import { createLog } from '../src/base/log.ts';
import { openTelemetry } from '../src/base/telemetry/open-telemetry.ts';
import type { Usage } from '../src/customers/usage/usage.ts';
import { cloneCitusDatabase, dropCitusDatabase } from './citus.ts';
import { watchErrors } from './documented-errors.ts';
import { copyDatabase, TEST_SECRET, urlOfDatabase, withServer } from './template.ts';

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A thousandth of the work; `passwords.test.ts` makes the hashes of production. */
const CHEAP_HASH = { algorithm: 2, memoryCost: 8, timeCost: 1, parallelism: 1 };

/** A fresh database with the sandbox market, or the contents of another template; dropped when the test file ends. */
export async function cloneDatabase(template = process.env.PLATBOOK_TEST_TEMPLATE): Promise<TestDatabase> {
  const { PLATBOOK_TEST_SERVER: server } = process.env;
  if (!server || !template)
    throw new Error('Run the tests with `npm test`, or one file with `npm test -- <part of its path>`.');
  // The pid identifies the owner if a process is killed before it could drop the database.
  const name = `platbook_test_${process.pid}_${randomBytes(6).toString('hex')}`;
  const { TEST_CITUS_URL: citus } = process.env;
  if (citus) {
    const url = await cloneCitusDatabase(citus, name, template);
    return { url, drop: () => dropCitusDatabase(citus, name) };
  }
  await copyDatabase(server, name, template);
  return {
    url: urlOfDatabase(server, name),
    drop: async () =>
      void (await withServer(server, (client) => client.query(`drop database if exists ${name} with (force)`))),
  };
}

/** The statements sent to each plane. */
export interface Statements {
  data: string[];
  control: string[];
}

/** Calls `onStatement` with each statement sent through the pool, including in transactions. */
function listenToStatements(pool: Pool, onStatement: (text: string) => void): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    client.query = ((...args: unknown[]) => {
      const [first] = args;
      onStatement(typeof first === 'string' ? first : String((first as { text?: string }).text));
      return query(...args);
    }) as never;
  });
}

export interface TestDeps extends Deps {
  /** Counts what `work` sends to the two planes. Background work counts too, so compare only the data plane with
      `equal`. */
  countStatements(work: () => Promise<unknown>): Promise<Statements>;
  /** The clock of the app; move it with `travel`. */
  travel(toIsoInstant: string): void;
  /** Registers cleanup that still needs the database; runs in reverse order of registration. */
  beforeClose(work: () => Promise<unknown>): void;
}

export async function testDeps(settings: Record<string, string> = {}, template?: string): Promise<TestDeps> {
  const database = await cloneDatabase(template);
  const config = readConfig({
    DATABASE_URL: database.url,
    PLATBOOK_SECRET: TEST_SECRET,
    LOG_LEVEL: 'silent',
    // A query may wait long on a busy machine; the limit itself has a separate test.
    STATEMENT_TIMEOUT_MS: '120000',
    ...settings,
  });
  const telemetry = await openTelemetry(config.telemetry);
  const options = { size: config.poolSize, statementTimeoutMs: config.statementTimeoutMs, telemetry };
  const data = openPool(database.url, 'data', options);
  const control = openPool(database.url, 'control', options);
  let sent: Statements = { data: [], control: [] };
  listenToStatements(data, (text) => sent.data.push(text));
  listenToStatements(control, (text) => sent.control.push(text));
  let now: Date | undefined;
  const closing: (() => Promise<unknown>)[] = [];
  after(async () => {
    for (const work of closing.toReversed()) await work();
    await telemetry.close();
    await Promise.all([data.end(), control.end()]);
    await database.drop();
  });
  const connections = {
    config,
    data,
    dataReplica: data,
    control,
    controlUrl: database.url,
    dataUrl: database.url,
    clock: () => now ?? new Date(),
    secrets: deriveSecrets(config.secret!),
    log: createLog(config.logLevel, telemetry.isOn ? telemetry.logFields : undefined),
    telemetry,
  };
  return {
    ...createDeps(connections),
    passwords: createPasswords({ cost: CHEAP_HASH, breachedUrl: config.breachedPasswordsUrl }),
    travel: (instant) => {
      now = new Date(instant);
    },
    beforeClose: (work) => closing.push(work),
    async countStatements(work) {
      sent = { data: [], control: [] };
      const counted = sent;
      await work();
      return counted;
    },
  };
}

/** Waits for work after the response, such as its email, before a test sees the answer. */
function settleAfterAnswers(app: App, deps: Deps): void {
  const inject = app.inject.bind(app) as (options: object) => Promise<unknown>;
  const send = async (options: object) => {
    const answer = await inject(options);
    await deps.background.settle();
    return answer;
  };
  // Like the framework's own, a request starts when awaited.
  app.inject = ((options: object) => ({
    // oxlint-disable-next-line unicorn/no-thenable -- as the framework's is
    then: (...whatFollows: Parameters<Promise<unknown>['then']>) => send(options).then(...whatFollows),
  })) as never;
}

export interface TestAnswer {
  status: number;
  headers: Record<string, string | undefined>;
  body: any;
  text: string;
}

export interface TestClient {
  app: App;
  deps: TestDeps;
  usage: Usage;
  routes: RouteLine[];
  openApi: () => object;
  accountId: string;
  testKey: string;
  liveKey: string;
  get(path: string, options?: CallOptions): Promise<TestAnswer>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<TestAnswer>;
  call(method: string, path: string, options?: CallOptions & { body?: unknown }): Promise<TestAnswer>;
  /** A key of the same account with these scopes only. */
  keyWith(scopes: Scope[], mode?: 'test' | 'live'): Promise<string>;
}

export interface CallOptions {
  key?: string | null;
  headers?: Record<string, string>;
  /** The IP the socket comes from; this machine unless told otherwise. */
  from?: string;
}

/** Paths are relative to /api/v1 unless they begin with `//`. Calls go out with the sandbox key unless told otherwise. */
export async function testClient(
  options: { plan?: PlanId; settings?: Record<string, string>; template?: string } = {},
): Promise<TestClient> {
  const deps = await testDeps(options.settings, options.template);
  const { routes, beforeRoutes } = collectRoutes();
  const { app, usage, openApi } = await buildApp(deps, {
    beforeRoutes: (made) => {
      beforeRoutes(made);
      watchErrors(made);
    },
  });
  await app.ready();
  deps.beforeClose(() => app.close());
  settleAfterAnswers(app, deps);
  // A test file may exceed a customer's hourly sandbox limit.
  const contract = { sandboxRateLimitPerHour: 1_000_000, sandboxExports: 1_000, sandboxExportRunsPerDay: 10_000 };
  const account = await createAccount(deps.control, deps.clock(), 'Test', options.plan ?? 'pro', { contract });
  const make = async (mode: 'test' | 'live', scopes: Scope[]) =>
    (await createKey(deps, account.id, { name: mode, mode, scopes })).secret;
  const testKey = await make('test', [...SCOPES]);
  const liveKey = await make('live', [...SCOPES]);

  const call: TestClient['call'] = async (method, path, { key = testKey, headers = {}, from, body } = {}) => {
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
    const response = await app.inject({
      method: method as 'GET',
      url: path.startsWith('//') ? path.slice(1) : `/api/v1${path}`,
      headers: {
        ...(key !== null && { 'x-api-key': key }),
        ...(isRaw && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(from !== undefined && { remoteAddress: from }),
      ...(body !== undefined && { payload: body as string }),
    });
    const isJson =
      String(response.headers['content-type'] ?? '').includes('json') &&
      !String(response.headers['content-type']).includes('ndjson');
    return {
      status: response.statusCode,
      headers: response.headers as Record<string, string | undefined>,
      body: isJson && response.payload !== '' ? response.json() : undefined,
      text: response.payload,
    };
  };
  return {
    app,
    deps,
    usage,
    routes,
    openApi,
    accountId: account.id,
    testKey,
    liveKey,
    call,
    get: (path, callOptions) => call('GET', path, callOptions),
    post: (path, body = {}, callOptions) => call('POST', path, { ...callOptions, body }),
    keyWith: (scopes, mode = 'test') => make(mode, scopes),
  };
}
