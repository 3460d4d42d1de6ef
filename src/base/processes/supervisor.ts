// Starts the processes of a service on one machine and restarts those that die. They share one listening socket, from
// which each accepts connections when idle, so a connection not accepted by a dying process goes to another.
// Distributing connections from here would leave those in transit to a killed process open forever.
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from '../lib/command-error.ts';
import type { Config } from '../config.ts';
import type { Role, ToMember, ToSupervisor } from './messages.ts';

const SCRAPE_WITHIN_MS = 3_000;
/** Longer than the maximum request time. */
const DRAIN_WITHIN_MS = 90_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
/** A process that lived this long started successfully, which resets the restart backoff. */
const SETTLED_AFTER_MS = 60_000;

interface Supervision {
  /** Replaces every process, one at a time; the new one is ready before the old one stops. */
  replaceAll(): Promise<void>;
  stop(): Promise<void>;
}

interface Supervised {
  config: Config;
  /** The file that a process runs. */
  entry: string;
  processes: number;
  hasWorker: boolean;
  report(message: string): void;
}

interface Post {
  name: string;
  role: Role;
  /** Undefined until its first process is started. */
  child?: Worker;
  /** Consecutive deaths soon after a start. */
  deaths: number;
}

/** Resolves once one process serves; the others follow. */
export async function supervise({ config, entry, processes, hasWorker, report }: Supervised): Promise<Supervision> {
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ exec: entry, args: [] });
  const stopping = new AbortController();
  const posts: Post[] = Array.from({ length: processes }, (_, index) => ({
    name: `api-${index + 1}`,
    role: 'api',
    deaths: 0,
  }));
  if (hasWorker) posts.push({ name: 'worker', role: 'worker', deaths: 0 });
  const ready = new Set<Worker>();
  const scrapes = createScrapes(() => [...ready]);

  /** The promise resolves once the process is ready to work, and rejects if it ends before. */
  function launch({ name, role }: Post): { child: Worker; isReady: Promise<void> } {
    const child = cluster.fork();
    const isReady = new Promise<void>((resolve, reject) => {
      let reason = `The process ${name} ended before it was ready.`;
      child.on('message', (message: ToSupervisor) => {
        if (message.kind === 'joined') send(child, { kind: 'order', name, role, config });
        else if (message.kind === 'failed') reason = message.reason;
        else if (message.kind === 'metrics') scrapes.collect(message.id, message.text);
        else if (message.kind === 'ask-metrics')
          void scrapes.run().then((texts) => send(child, { kind: 'all-metrics', id: message.id, texts }));
        else {
          ready.add(child);
          resolve();
        }
      });
      child.once('exit', () => {
        ready.delete(child);
        reject(new CommandError(reason));
      });
    });
    isReady.catch(() => {});
    // A dead process is noticed by its exit, not by a failed send.
    child.on('error', () => {});
    return { child, isReady };
  }

  /** From here on, the process is restarted whenever it dies. */
  function fill(post: Post, child = launch(post).child): void {
    post.child = child;
    const since = performance.now();
    const onExit = (code: number, signal: string | null) => {
      if (!stopping.signal.aborted && post.child === child)
        void bringBack(post, signal ?? `code ${code}`, performance.now() - since);
    };
    if (child.isDead()) onExit(child.process.exitCode ?? 0, child.process.signalCode);
    else child.once('exit', onExit);
  }

  async function bringBack(post: Post, why: string, livedMs: number): Promise<void> {
    const dead = post.child;
    post.deaths = livedMs > SETTLED_AFTER_MS ? 1 : post.deaths + 1;
    report(`the process ${post.name} ended with ${why}; starting another`);
    scrapes.countRestart(post.name);
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (post.deaths - 1));
    await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    if (!stopping.signal.aborted && post.child === dead) fill(post);
  }

  /** A process that is not ready has nothing to finish and may not be listening for messages, so it is killed. */
  async function end(child: Worker): Promise<void> {
    if (child.isDead()) return;
    const gone = once(child, 'exit');
    const kill = () => child.process.kill('SIGKILL');
    const timer = setTimeout(kill, DRAIN_WITHIN_MS);
    if (ready.delete(child)) send(child, { kind: 'stop' });
    else kill();
    await gone;
    clearTimeout(timer);
  }

  const [first, ...others] = posts;
  const { child, isReady } = launch(first);
  await isReady;
  fill(first, child);
  for (const post of others) fill(post);

  return {
    async replaceAll() {
      for (const post of posts) {
        if (stopping.signal.aborted) return;
        const old = post.child;
        const next = launch(post);
        await next.isReady;
        fill(post, next.child);
        if (old) await end(old);
      }
    },
    async stop() {
      stopping.abort();
      await Promise.all(Object.values(cluster.workers ?? {}).flatMap((one) => (one ? end(one) : [])));
    },
  };
}

function send(child: Worker, message: ToMember): void {
  if (child.isConnected()) child.send(message, () => {});
}

/** Collects the metrics of every process, and adds how often each was restarted. */
function createScrapes(listMembers: () => Worker[]) {
  const open = new Map<number, { texts: string[]; missing: number; done(): void }>();
  const restarts = new Map<string, number>();
  let scrapes = 0;

  const formatRestarts = () =>
    [
      '# HELP platbook_process_restarts_total Processes that died and were brought back, since the start.',
      '# TYPE platbook_process_restarts_total counter',
      ...[...restarts].map(([name, count]) => `platbook_process_restarts_total{process="${name}"} ${count}`),
    ].join('\n');

  return {
    countRestart: (name: string) => void restarts.set(name, (restarts.get(name) ?? 0) + 1),
    collect(id: number, text: string): void {
      const scrape = open.get(id);
      if (!scrape) return;
      scrape.texts.push(text);
      if (--scrape.missing === 0) scrape.done();
    },
    async run(): Promise<string[]> {
      const id = (scrapes += 1);
      const members = listMembers();
      const texts = [formatRestarts()];
      await new Promise<void>((resolve) => {
        open.set(id, { texts, missing: members.length, done: resolve });
        // A process that is starting, stopping or stuck is left out.
        setTimeout(resolve, SCRAPE_WITHIN_MS).unref();
        for (const child of members) send(child, { kind: 'report-metrics', id });
      });
      open.delete(id);
      return texts;
    },
  };
}
