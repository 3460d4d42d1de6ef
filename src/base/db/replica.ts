// Reads that tolerate some lag go to a replica while its lag is known. Several times a second the primary's WAL
// position is compared with the position the replica has replayed. This measures lag without relying on the replica's
// clock, its connection to the primary, or write traffic.
import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseAway, type Pool, type Queryable } from './postgres.ts';

const MEASURE_EVERY_MS = 250;
/** A server that takes longer than this counts as down. */
const ANSWER_WITHIN_MS = 1_000;
const CATCH_UP_POLL_MS = 20;
const MOST_POSITIONS = 1_000;
/** The replica canceled a read that conflicted with WAL replay (40001, 40P01), or it replicates a cluster's coordinator
    and does not know yet that a county moved to another worker (42P01). */
const CONFLICTS = new Set(['40001', '40P01', '42P01']);

interface ReplicaState {
  /** `current`: in use. `late`: further behind than allowed. `away`: it does not answer. */
  state: 'current' | 'late' | 'away';
  /** The replica has everything committed at least this long ago. Undefined while unknown. */
  lagMs: number | undefined;
}

export interface Replica {
  pool: Pool;
  /** Reads from the replica while it is current, and from the primary otherwise. */
  reads: Queryable;
  read(): ReplicaState;
  /** Call after a write whose author may want to read it back. Resolves once replica reads include the write: the
      replica has replayed it, or enough time has passed that without it the replica would be too late to use. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export function followReplica(primary: Pool, pool: Pool, maxLagMs: number): Replica {
  const closing = new AbortController();
  /** WAL positions of the primary that are not replayed yet, oldest first. */
  let ahead: { lsn: bigint; at: number }[] = [];
  let replayedAt: number | undefined;
  let isAnswering = false;

  async function measure(): Promise<void> {
    const at = performance.now();
    const lsn = await askPosition(primary, 'pg_current_wal_lsn()');
    if (lsn !== undefined) ahead.push({ lsn, at });
    const replayed = await askPosition(pool, 'pg_last_wal_replay_lsn()');
    isAnswering = replayed !== undefined;
    if (replayed === undefined) return;
    replayedAt = ahead.findLast((position) => position.lsn <= replayed)?.at ?? replayedAt;
    ahead = ahead.filter((position) => position.lsn > replayed).slice(-MOST_POSITIONS);
  }

  const watching = (async () => {
    while (!closing.signal.aborted) {
      await measure();
      await sleep(MEASURE_EVERY_MS, undefined, { ref: false, signal: closing.signal }).catch(() => {});
    }
  })();

  function read(): ReplicaState {
    if (!isAnswering) return { state: 'away', lagMs: undefined };
    const lagMs = replayedAt === undefined ? undefined : performance.now() - replayedAt;
    return { state: lagMs !== undefined && lagMs <= maxLagMs ? 'current' : 'late', lagMs };
  }

  const query = async (...args: Parameters<Pool['query']>) => {
    if (read().state !== 'current') return primary.query(...args);
    try {
      return await pool.query(...args);
    } catch (error) {
      const isConflict = CONFLICTS.has((error as { code?: string }).code ?? '');
      if (!isConflict && !isDatabaseAway(error)) throw error;
      if (!isConflict) isAnswering = false;
      return primary.query(...args);
    }
  };

  return {
    pool,
    reads: { query: query as unknown as Pool['query'] },
    read,
    async settle() {
      const deadline = performance.now() + maxLagMs;
      const written = await askPosition(primary, 'pg_current_wal_lsn()');
      while (performance.now() < deadline) {
        const replayed = await askPosition(pool, 'pg_last_wal_replay_lsn()');
        if (written !== undefined && replayed !== undefined && replayed >= written) return;
        await sleep(CATCH_UP_POLL_MS);
      }
    },
    async close() {
      closing.abort();
      await watching;
    },
  };
}

/** A WAL position as a number; undefined if the server does not answer in time. */
async function askPosition(pool: Pool, position: string): Promise<bigint | undefined> {
  const asking = pool
    .query<{ lsn: string | null }>(`select (${position} - '0/0')::text as lsn`)
    .then(({ rows }) => (rows[0].lsn === null ? undefined : BigInt(rows[0].lsn)))
    .catch(() => undefined);
  const late = sleep(ANSWER_WITHIN_MS, undefined, { ref: false });
  return Promise.race([asking, late]);
}
