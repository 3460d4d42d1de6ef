// `platbook distribute`: distributes the data plane over the workers of a Citus cluster, by county. Idempotent;
// `--rebalance` moves counties to newly added workers.
import { parseArgs } from 'node:util';
import type { Config } from '../../base/config.ts';
import { distributeTables, findCluster, holdsAccounts, listWorkers, rebalance } from '../../base/db/distribution.ts';
import { openPool, type Pool } from '../../base/db/postgres.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import { open } from '../open.ts';

export async function runDistribute(config: Config, args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { shards: { type: 'string' }, rebalance: { type: 'boolean' } } });
  const shards = values.shards === undefined ? undefined : Number(values.shards);
  if (shards !== undefined && !(Number.isInteger(shards) && shards >= 1 && shards <= 1024))
    throw new CommandError('--shards is a whole number from 1 to 1024.');
  if (!config.dataDatabaseUrl)
    throw new CommandError(
      'Set DATA_DATABASE_URL to the coordinator: accounts and usage stay in a database of their own.',
    );
  const { version, workers } = await inspect(config.dataDirectUrl ?? config.dataDatabaseUrl);
  const { deps, close } = await open({ ...config, migratesOnStart: true });
  try {
    const done = await distributeTables(deps.data, shards, (name) => console.log(`  ${name}`));
    const places = workers.map(({ host, port }) => `${host}:${port}`).join(', ');
    console.log(
      done.length === 0
        ? `Nothing to spread: the data plane already lies on ${places} (Citus ${version}).`
        : `${done.length} tables are now spread by county over ${places} (Citus ${version}).`,
    );
    if (values.rebalance) await runRebalance(deps.data);
  } finally {
    await close();
  }
}

async function runRebalance(data: Pool): Promise<void> {
  const moved = await rebalance(data, {
    onWait: () => console.log('Waiting for loads to finish. New ones wait until the counties have moved.'),
    onMove: ({ shard, source, target, isBlocking }) =>
      console.log(
        `  shard ${shard} from ${source} to ${target}` +
          (isBlocking ? ' (writes to its counties wait: not every worker has wal_level = logical)' : ''),
      ),
  });
  console.log(
    moved === 0 ? 'Every worker holds its part.' : `${moved} shards have moved. Every worker holds its part.`,
  );
}

/** Rejects a database that cannot be distributed before writing anything. */
async function inspect(url: string) {
  const pool = openPool(url, 'data', { size: 1, statementTimeoutMs: 15_000 });
  try {
    const { version } = await findCluster(pool);
    if (await holdsAccounts(pool)) {
      throw new CommandError(
        'DATA_DATABASE_URL names the database that holds the accounts. Give the data plane a database of its own.',
      );
    }
    const workers = await listWorkers(pool);
    if (workers.length === 0) {
      throw new CommandError(
        'The coordinator knows no worker. Run `select citus_add_node(host, port)` on it for each of them.',
      );
    }
    return { version, workers };
  } finally {
    await pool.end();
  }
}
