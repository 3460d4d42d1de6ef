// Connections to the two planes: `data` (properties, distributable by county) and `control` (accounts, keys, usage).
// Each pool sees only its own schema, so a query across planes fails at once.
import pg from 'pg';
import type { Config } from '../config.ts';
import { createStatementNames } from '../telemetry/statements.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

export type Plane = 'data' | 'control';
export type Pool = pg.Pool;
export type Client = pg.PoolClient;
/** The connection of a query function: a pool, or a client inside a transaction. */
export type Queryable = Pick<pg.Pool, 'query'>;

/** URLs of the planes for dedicated sessions, bypassing any pooler. */
export function directUrls(config: Config, embeddedUrl: string | undefined): Record<Plane, string> {
  const control = config.directUrl ?? config.databaseUrl ?? embeddedUrl!;
  return { control, data: config.dataDirectUrl ?? config.dataDatabaseUrl ?? control };
}

interface PoolOptions {
  size: number;
  statementTimeoutMs: number;
  onError?: (error: Error) => void;
  telemetry?: Telemetry;
  /** Through a pooler that shares sessions: it configures them, and rejects clients that set their own parameters. */
  isShared?: boolean;
}

// bigint and numeric columns hold dollars and counts far below 2^53; dates stay `YYYY-MM-DD`, free of time zones.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number);
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text);

export function openPool(url: string, plane: Plane, options: PoolOptions): Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.size,
    ...(!options.isShared && {
      options: `-c search_path=${plane} -c timezone=UTC`,
      statement_timeout: options.statementTimeoutMs,
    }),
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    application_name: 'platbook',
    Client: clientFor(plane, options),
  });
  if (options.telemetry?.isOn) queryInCallersContext(pool);
  // A connection that PostgreSQL closes (a restart) emits an error, even while checked out for a transaction; without a
  // listener that would end the process. Its queries fail by themselves.
  pool.on('connect', (client) => client.on('error', options.onError ?? (() => {})));
  pool.on('error', () => {});
  return pool;
}

function clientFor(plane: Plane, { isShared, telemetry }: PoolOptions): typeof pg.Client {
  const client = isShared ? UnnamedClient : pg.Client;
  return telemetry?.isOn ? tracedClient(client, plane, telemetry) : client;
}

/** Uses no named statements: the next statement may run in another session, which does not have them. */
class UnnamedClient extends pg.Client {
  override query(...args: unknown[]): never {
    const run = super.query.bind(this) as unknown as (...all: unknown[]) => unknown;
    const [first, ...others] = args;
    const { name, submit } = (first ?? {}) as { name?: unknown; submit?: unknown };
    const isNamed = typeof first === 'object' && typeof name === 'string' && typeof submit !== 'function';
    return run(isNamed ? { ...first, name: undefined } : first, ...others) as never;
  }
}

/** A client whose statements are spans, named by verb and table. */
function tracedClient(client: typeof pg.Client, plane: Plane, telemetry: Telemetry): typeof pg.Client {
  const names = createStatementNames();
  return class extends client {
    override query(...args: unknown[]): never {
      const run = super.query.bind(this) as unknown as (...all: unknown[]) => unknown;
      // A stream (COPY) or a callback is traced by its caller.
      const isPlain =
        typeof args.at(-1) !== 'function' && typeof (args[0] as { submit?: unknown }).submit !== 'function';
      if (!isPlain) return run(...args) as never;
      const name = names.of(args[0]);
      const facts = { 'db.system.name': 'postgresql', 'db.namespace': plane, 'db.query.summary': name };
      return telemetry.childSpan(name, { kind: 'client', facts }, async () => run(...args)) as never;
    }
  };
}

/** The pool's own `query` may resume in the async context of the caller that released the connection; an awaited one
    does not. */
function queryInCallersContext(pool: Pool): void {
  pool.query = (async (...args: Parameters<Client['query']>) => {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      return await client.query(...args);
    } catch (error) {
      broken = error as Error;
      throw error;
    } finally {
      client.release(broken);
    }
  }) as never;
}

/** A few connections configured like a pool's, for statements that may take longer than a request. */
export function openLongPool(pool: Pool, statementTimeoutMs: number): Pool {
  const long = new pg.Pool({ ...pool.options, max: 4, statement_timeout: statementTimeoutMs });
  long.on('connect', (client) => client.on('error', () => {}));
  long.on('error', () => {});
  return long;
}

export async function inTransaction<Result>(pool: Pool, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((rollbackError: Error) => (broken = rollbackError));
    throw error;
  } finally {
    client.release(broken);
  }
}

const CONNECTION_LOST = new Set(['57P01', '57P02', '57P03', '08000', '08003', '08006', '08001']);
const SOCKET_ERRORS = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND']);

/** Whether an error means that the database is unreachable rather than that the query is wrong. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: string }).code ?? '';
  return (
    CONNECTION_LOST.has(code) ||
    SOCKET_ERRORS.has(code) ||
    isPoolExhausted(error) ||
    /Connection terminated|Client has encountered a connection error/.test(error.message)
  );
}

/** No connection became free in time, or the server has none left (53300). */
export function isPoolExhausted(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: string };
  return code === '53300' || /timeout exceeded when trying to connect/.test(error.message);
}

/** 53100: the server's disk is full. ENOSPC and EDQUOT: ours. */
export const isStorageFull = (error: unknown): boolean =>
  error instanceof Error && ['53100', 'ENOSPC', 'EDQUOT'].includes((error as { code?: string }).code ?? '');

/** 57014: canceled by statement_timeout. */
export const isStatementTimeout = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: string }).code === '57014';

/** Rejects if the server cannot be reached. */
export async function ping(db: Queryable): Promise<void> {
  await db.query('select 1');
}
