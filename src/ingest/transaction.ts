// A transaction on a connection that already holds the stage and the lock of its load.
import type { Client } from '../db/postgres.ts';

export async function inTransactionOf<Result>(client: Client, work: () => Promise<Result>): Promise<Result> {
  await client.query('begin');
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}
