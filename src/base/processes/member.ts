// A serving or working process, as its supervisor sees it: joins, announces that it is ready, stops when asked.
import type { Order, ToMember, ToSupervisor } from './messages.ts';
import { mergeMetrics } from './metrics-text.ts';

const ASK_WITHIN_MS = 10_000;

export interface Membership {
  order: Order;
  /** After this the service counts as started: if the process dies, it is restarted instead of failing the start. */
  announceReady(): void;
  /** Reports why this process could not start. */
  announceFailure(reason: string): void;
  /** Resolves when this process is asked to stop. */
  stopping: Promise<void>;
  /** Registers where this process reads its metrics when any process is scraped. */
  serveMetrics(read: () => Promise<string>): void;
  /** The metrics of all processes. */
  readAllMetrics(): Promise<string>;
}

export async function joinSupervisor(): Promise<Membership> {
  const pending = new Map<number, (texts: string[]) => void>();
  let questions = 0;
  let readMetrics: () => Promise<string> = async () => '';
  let stop: () => void;
  const stopping = new Promise<void>((resolve) => (stop = resolve));
  // Ctrl-C reaches every process of the terminal; the supervisor decides in which order they stop.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => stop());
  // Without its supervisor nothing would stop it, and it would keep running alongside its successor.
  process.once('disconnect', () => process.exit(1));
  const say = (message: ToSupervisor) => void process.send?.(message, undefined, undefined, () => {});

  const order = await new Promise<Order>((resolve) => {
    process.on('message', (message: ToMember) => {
      if (message.kind === 'order') resolve(message);
      else if (message.kind === 'stop') stop();
      else if (message.kind === 'all-metrics') pending.get(message.id)?.(message.texts);
      else {
        const { id } = message;
        void readMetrics()
          .catch(() => '')
          .then((text) => say({ kind: 'metrics', id, text }));
      }
    });
    // Messages sent before the supervisor listens are lost.
    say({ kind: 'joined' });
  });

  return {
    order,
    announceReady: () => say({ kind: 'ready' }),
    announceFailure: (reason) => say({ kind: 'failed', reason }),
    stopping,
    serveMetrics: (read) => {
      readMetrics = read;
    },
    async readAllMetrics() {
      const id = (questions += 1);
      try {
        const texts = await new Promise<string[]>((resolve) => {
          pending.set(id, resolve);
          // Its own metrics are better than none.
          setTimeout(() => void readMetrics().then((own) => resolve([own])), ASK_WITHIN_MS).unref();
          say({ kind: 'ask-metrics', id });
        });
        return mergeMetrics(texts);
      } finally {
        pending.delete(id);
      }
    },
  };
}
