// A member's side of the talk with its supervisor.
import type { Order, ToMember, ToSupervisor } from './messages.ts';
import { mergeMetrics } from './metrics-text.ts';

const ASK_WITHIN_MS = 10_000;

export interface Membership {
  order: Order;
  /** From here on a death is an accident, and the start of the whole succeeds. */
  announceReady(): void;
  /** Why it could not begin, for whoever started the whole. */
  announceFailure(reason: string): void;
  /** Resolves when this process is asked to stop. */
  stopping: Promise<void>;
  /** Provides this process's metrics when any of the processes is scraped. */
  tellMetrics(read: () => Promise<string>): void;
  /** The metrics of all processes. */
  readAllMetrics(): Promise<string>;
}

export async function joinSupervisor(): Promise<Membership> {
  const asked = new Map<number, (texts: string[]) => void>();
  let questions = 0;
  let readMetrics: () => Promise<string> = async () => '';
  let stop: () => void;
  const stopping = new Promise<void>((resolve) => (stop = resolve));
  // Ctrl-C reaches every process of the terminal; the supervisor decides in which order they stop.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => stop());
  // Without its supervisor nobody would stop it, and it would go on beside its successor.
  process.once('disconnect', () => process.exit(1));
  const say = (message: ToSupervisor) => void process.send?.(message, undefined, undefined, () => {});

  const order = await new Promise<Order>((resolve) => {
    process.on('message', (message: ToMember) => {
      if (message.kind === 'order') resolve(message);
      else if (message.kind === 'stop') stop();
      else if (message.kind === 'all-metrics') asked.get(message.id)?.(message.texts);
      else {
        const { id } = message;
        void readMetrics()
          .catch(() => '')
          .then((text) => say({ kind: 'metrics', id, text }));
      }
    });
    // A message sent before anybody listens is lost.
    say({ kind: 'joined' });
  });

  return {
    order,
    announceReady: () => say({ kind: 'ready' }),
    announceFailure: (reason) => say({ kind: 'failed', reason }),
    stopping,
    tellMetrics: (read) => {
      readMetrics = read;
    },
    async readAllMetrics() {
      const id = (questions += 1);
      try {
        const texts = await new Promise<string[]>((resolve) => {
          asked.set(id, resolve);
          // Better this process's own than none.
          setTimeout(() => void readMetrics().then((own) => resolve([own])), ASK_WITHIN_MS).unref();
          say({ kind: 'ask-metrics', id });
        });
        return mergeMetrics(texts);
      } finally {
        asked.delete(id);
      }
    },
  };
}
