// Marks a process as using the embedded server, so that no other process stops it. All users share an advisory lock;
// only a process that gets it exclusively may stop the server.
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const LOCK = ADVISORY_LOCKS.presence;
const RECONNECT_MS = 500;

export interface Presence {
  end(): Promise<void>;
}

/** Undefined if the server is about to stop, or cannot be reached: start it again. */
export async function announcePresence(url: string): Promise<Presence | undefined> {
  let client = await join(url);
  if (!client) return undefined;
  const ending = new AbortController();
  const stay = (joined: pg.Client) =>
    joined.once('end', () => {
      if (!ending.signal.aborted) void rejoin();
    });
  // The server may restart while we use it; the lock is taken again as soon as it is back.
  const rejoin = async () => {
    while (!ending.signal.aborted) {
      const again = await join(url);
      if (again) {
        client = again;
        stay(again);
        if (ending.signal.aborted) await again.end();
        return;
      }
      await sleep(RECONNECT_MS, undefined, { ref: false });
    }
  };
  stay(client);
  return {
    async end() {
      ending.abort();
      await client?.end().catch(() => {});
    },
  };
}

const join = async (url: string): Promise<pg.Client | undefined> =>
  connectWith(url, 'select pg_try_advisory_lock_shared($1) as locked');

/** The connection that holds the lock exclusively, or undefined while others share it. */
export const claimServer = async (url: string): Promise<pg.Client | undefined> =>
  connectWith(url, 'select pg_try_advisory_lock($1) as locked');

async function connectWith(url: string, lock: string): Promise<pg.Client | undefined> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'platbook-presence',
    connectionTimeoutMillis: 5_000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ locked: boolean }>(lock, [LOCK]);
    if (rows[0].locked) return client;
  } catch {
    // Not reachable: the caller decides what that means.
  }
  await client.end().catch(() => {});
  return undefined;
}
