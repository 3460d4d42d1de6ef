// A Citus cluster for the tests of the data plane: databases on every node, created and cloned node by node.
import pg from 'pg';
import { until } from './until.ts';

const IN_USE = '55006';

interface Node {
  host: string;
  port: number;
}

export function urlOn(clusterUrl: string, { host, port }: Node, database: string): string {
  const url = new URL(clusterUrl);
  url.hostname = host;
  url.port = String(port);
  url.pathname = `/${database}`;
  return url.href;
}

async function run(url: string, statements: string[]): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let last!: pg.QueryResult;
    for (const statement of statements) last = await client.query(statement);
    return last;
  } finally {
    await client.end();
  }
}

/** The coordinator first. `TEST_CITUS_URL` names a database on it with the extension and the registered workers. */
export async function listNodes(clusterUrl: string): Promise<Node[]> {
  const { rows } = await run(clusterUrl, [
    `select nodename as host, nodeport as port from pg_dist_node where noderole = 'primary' order by groupid <> 0, nodeid`,
  ]);
  return rows;
}

async function onEveryNode(clusterUrl: string, database: string, statements: string[]): Promise<void> {
  for (const node of await listNodes(clusterUrl)) await run(urlOn(clusterUrl, node, database), statements);
}

/** An empty database with the extension on every node, known to each other; returns its URL on the coordinator. */
export async function createCitusDatabase(clusterUrl: string, name: string): Promise<string> {
  const [coordinator, ...workers] = await listNodes(clusterUrl);
  await onEveryNode(clusterUrl, 'postgres', [`create database ${name}`]);
  await onEveryNode(clusterUrl, name, ['create extension citus']);
  const url = urlOn(clusterUrl, coordinator, name);
  await run(url, [
    `select citus_set_coordinator_host('${coordinator.host}', ${coordinator.port})`,
    ...workers.map(({ host, port }) => `select citus_add_node('${host}', ${port})`),
  ]);
  return url;
}

/** Retries while the database is in use: the extension's daemon reconnects until connections are disallowed. */
async function unlessInUse(work: () => Promise<unknown>): Promise<void> {
  await until(async () => {
    try {
      await work();
      return true;
    } catch (error) {
      if ((error as { code?: string }).code !== IN_USE) throw error;
      return false;
    }
  });
}

/** Disallows connections, including the extension's daemon, which is required for copying. */
export async function closeForCloning(clusterUrl: string, name: string): Promise<void> {
  await onEveryNode(clusterUrl, 'postgres', [
    `alter database ${name} allow_connections false`,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
  ]);
}

/** Shards keep their names in a copy, and nodes are identified by address, so copying each node's part yields a
    complete database. */
export async function cloneCitusDatabase(clusterUrl: string, name: string, template: string): Promise<string> {
  for (const node of await listNodes(clusterUrl)) {
    await unlessInUse(() =>
      run(urlOn(clusterUrl, node, 'postgres'), [
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${template}'`,
        `create database ${name} template ${template} strategy file_copy`,
      ]),
    );
  }
  const [coordinator] = await listNodes(clusterUrl);
  return urlOn(clusterUrl, coordinator, name);
}

export async function dropCitusDatabase(clusterUrl: string, name: string): Promise<void> {
  await closeForCloning(clusterUrl, name);
  await unlessInUse(() => onEveryNode(clusterUrl, 'postgres', [`drop database if exists ${name} with (force)`]));
}

/** Adds a server as a worker of a database's cluster; returns a function that removes it. */
export async function addWorker(url: string, spare: Node): Promise<() => Promise<void>> {
  const name = new URL(url).pathname.slice(1);
  await run(urlOn(url, spare, 'postgres'), [`create database ${name}`]);
  await run(urlOn(url, spare, name), ['create extension citus']);
  await run(url, [
    // A copy still lists its source database among the objects every node must have.
    `delete from pg_dist_object where classid = 'pg_database'::regclass`,
    `select citus_add_node('${spare.host}', ${spare.port})`,
  ]);
  return () => unlessInUse(() => run(urlOn(url, spare, 'postgres'), [`drop database if exists ${name} with (force)`]));
}
