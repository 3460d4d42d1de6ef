// A private PostgreSQL server and a streaming replica for a test, from the embedded server's binaries.
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import {
  choosePlace,
  connectionUrl,
  findFreePort,
  launch,
  prepareBinaries,
  readPostmasterFile,
  startEmbedded,
  waitUntilReady,
  type Place,
} from '../src/base/db/embedded.ts';
import { until } from './until.ts';

export interface ReplicaServer {
  url: string;
  query(text: string): Promise<void>;
  /** Whether it follows the primary. */
  follow(isFollowing: boolean): Promise<void>;
  start(): Promise<void>;
  /** Immediately, like a power failure. */
  kill(): Promise<void>;
}

/** Calls `fill` on a fresh server, copies it, and lets the copy follow it. */
export async function startWithReplica(folder: string, fill: (url: string) => Promise<void>) {
  const homes = [join(folder, 'primary'), join(folder, 'replica')];
  for (const home of homes) mkdirSync(home, { mode: 0o755 });
  const [here, there] = homes.map(choosePlace);
  const first = await startEmbedded(homes[0]);
  await fill(first.url);
  await first.stop();
  await until(() => !existsSync(join(here.cluster, 'postmaster.pid')));
  cpSync(here.cluster, there.cluster, { recursive: true });
  own(there);
  const primary = await startEmbedded(homes[0]);
  return { primary, replica: await startReplica(there, primary.url) };
}

function own({ cluster, user }: Place): void {
  chmodSync(cluster, 0o700);
  writeFileSync(join(cluster, 'standby.signal'), '');
  rmSync(join(cluster, 'postmaster.opts'), { force: true });
  if (!user) return;
  for (const path of [cluster, ...globSync(`${cluster}/**`)]) chownSync(path, user.uid, user.gid);
}

async function startReplica(place: Place, primaryUrl: string): Promise<ReplicaServer> {
  const { password, username, port: primaryPort } = new URL(primaryUrl);
  const port = await findFreePort();
  const url = connectionUrl(port, password);
  const following = `host=127.0.0.1 port=${primaryPort} user=${username} password=${password}`;
  appendFileSync(join(place.cluster, 'postgresql.auto.conf'), `primary_conninfo = '${following}'\n`);
  const pid = () => Number(readPostmasterFile(place.cluster)?.[0] ?? 0);
  const replica: ReplicaServer = {
    url,
    async query(text) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(text);
      await client.end();
    },
    async follow(isFollowing) {
      await replica.query(`alter system set primary_conninfo = '${isFollowing ? following : ''}'`);
      await replica.query('select pg_reload_conf()');
    },
    async start() {
      const settings = { wal_retrieve_retry_interval: '200ms' };
      await waitUntilReady(url, place, launch(place, prepareBinaries(place), port, settings));
    },
    async kill() {
      const postmaster = pid();
      // SIGQUIT is PostgreSQL's immediate shutdown: what it had is recovered at the next start.
      process.kill(postmaster, 'SIGQUIT');
      await until(() => !existsSync(`/proc/${postmaster}`) && !existsSync(join(place.cluster, 'postmaster.pid')));
    },
  };
  await replica.start();
  return replica;
}
