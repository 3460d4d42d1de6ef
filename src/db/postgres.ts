// Connections to the two planes: `data` (properties, distributable by county) and `control` (accounts, keys, usage).
// Each pool sees only its own schema, so a query across planes fails at once.
import pg from 'pg';

export type Plane = 'data' | 'control';
export type Pool = pg.Pool;
export type Client = pg.PoolClient;
/** What a query function needs: a pool, or a client inside a transaction. */
export type Queryable = Pick<pg.Pool, 'query'>;

interface PoolOptions {
  size: number;
  statementTimeoutMs: number;
  applicationName?: string;
  onError?: (error: Error) => void;
}

// bigint and numeric columns hold dollars and counts far below 2^53; dates stay `YYYY-MM-DD`, free of time zones.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number);
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text);

export function openPool(url: string, plane: Plane, options: PoolOptions): Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.size,
    options: `-c search_path=${plane} -c timezone=UTC`,
    statement_timeout: options.statementTimeoutMs,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    application_name: options.applicationName ?? 'platbook',
  });
  // A connection that PostgreSQL closes (a restart) emits an error, even while checked out for a transaction; without a
  // listener that would end the process. Its queries fail by themselves.
  pool.on('connect', (client) => client.on('error', options.onError ?? (() => {})));
  pool.on('error', () => {});
  return pool;
}

/** A few connections like those of a pool, for statements that may take longer than a request. */
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

const CONNECTION_LOST = new Set(['57P01', '57P02', '57P03', '08000', '08003', '08006', '08001', '53300']);
const SOCKET_ERRORS = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND']);

/** Whether an error means that the database is unreachable rather than that the query is wrong. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: string }).code ?? '';
  return (
    CONNECTION_LOST.has(code) ||
    SOCKET_ERRORS.has(code) ||
    /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/.test(
      error.message,
    )
  );
}

/** 57014: canceled by statement_timeout. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof Error && (error as { code?: string }).code === '57014';
}

/** Rejects if the server cannot be reached. */
export async function ping(db: Queryable): Promise<void> {
  await db.query('select 1');
}
