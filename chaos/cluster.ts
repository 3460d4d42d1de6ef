// A data plane that is spread over the nodes of a Citus cluster on this machine: a door to its coordinator, and what can
// be done to its nodes.
import pg from 'pg';
import { createCitusDatabase, dropCitusDatabase, listNodes, urlOn } from '../test/citus.ts';
import { openDoor, type Door } from './door.ts';
import type { Random } from './random.ts';

const LONGEST_WAIT_FOR_LOCK = '20s';

export interface Cluster {
  door: Door;
  /** Of the coordinator, through the door. */
  url: string;
  replicaUrl: string | undefined;
  /** Ends a backend of a node with `kill -9`, which takes the whole node down; it recovers by itself. */
  crashNode(random: Random): Promise<void>;
  /** Moves the counties of one shard to another worker. */
  moveCounties(random: Random): Promise<void>;
  leave(): Promise<void>;
}

export interface ClusterUrls {
  /** A database on the coordinator that has the extension and knows the workers. */
  cluster: string;
  /** Any database on a streaming replica of the coordinator. */
  replica?: string;
}

export async function joinCluster({ cluster: clusterUrl, replica }: ClusterUrls, name: string): Promise<Cluster> {
  const direct = await createCitusDatabase(clusterUrl, name);
  const nodes = await listNodes(clusterUrl);
  const replicaUrl = replica && replaceDatabase(replica, name);
  const crashable = [...nodes.map((node) => urlOn(clusterUrl, node, name)), ...(replicaUrl ? [replicaUrl] : [])];
  const door = await openDoor();
  door.upstreamPort = nodes[0].port;
  const url = new URL(direct);
  url.hostname = '127.0.0.1';
  url.port = String(door.port);
  return {
    door,
    url: url.href,
    replicaUrl,
    async crashNode(random) {
      const { rows } = await ask(
        random.pick(crashable),
        `select pid from pg_stat_activity where datname = $1 and backend_type = 'client backend' and pid <> pg_backend_pid()`,
        [name],
      );
      if (rows.length > 0) process.kill(random.pick(rows).pid, 'SIGKILL');
    },
    async moveCounties(random) {
      const { rows } = await ask(
        direct,
        `select shardid, nodename, nodeport from citus_shards where table_name = 'data.properties'::regclass`,
      );
      const { shardid, nodename, nodeport } = random.pick(rows);
      const target = random.pick(nodes.slice(1).filter(({ port }) => port !== nodeport));
      await ask(
        direct,
        `select citus_move_shard_placement($1, $2, $3, $4, $5, shard_transfer_mode => 'block_writes')`,
        [shardid, nodename, nodeport, target.host, target.port],
      );
    },
    async leave() {
      door.close();
      await dropCitusDatabase(clusterUrl, name);
    },
  };
}

async function ask(url: string, text: string, values: unknown[] = []): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url, options: `-c lock_timeout=${LONGEST_WAIT_FOR_LOCK}` });
  // The node may be crashing: the query says so.
  client.on('error', () => {});
  try {
    await client.connect();
    return await client.query(text, values);
  } finally {
    await client.end();
  }
}

function replaceDatabase(url: string, name: string): string {
  const replaced = new URL(url);
  replaced.pathname = `/${name}`;
  return replaced.href;
}
