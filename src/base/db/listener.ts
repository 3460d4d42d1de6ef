// Listens for notifications on a channel and reconnects when the connection is lost. Notifications sent in between are
// lost, so `onGap` runs whenever some may have been missed.
import pg from 'pg';

const REOPEN_MS = 500;

export interface Listener {
  /** Resolves once the first connection attempt has succeeded or failed. */
  opened: Promise<void>;
  /** Whether a notification sent now would be received. */
  isListening(): boolean;
  stop(): Promise<void>;
}

interface Listening {
  url: string;
  channel: string;
  onMessage(payload: string): void;
  onGap?(): void;
}

export function listenOn({ url, channel, onMessage, onGap = () => {} }: Listening): Listener {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let isListening = false;
  const reopen = () => {
    if (isStopped || timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      void connect().catch(reopen);
    }, REOPEN_MS);
  };
  const connect = async () => {
    client = new pg.Client({ connectionString: url, application_name: 'platbook-listener' });
    client.on('notification', ({ payload }) => onMessage(payload ?? ''));
    client.on('error', () => {});
    client.on('end', () => {
      isListening = false;
      onGap();
      reopen();
    });
    await client.connect();
    await client.query(`listen ${channel}`);
    isListening = true;
    // Notifications sent between the last connection and this one were missed.
    onGap();
  };
  const opened = connect().catch(reopen);
  return {
    opened,
    isListening: () => isListening,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await opened;
      await client?.end().catch(() => {});
    },
  };
}
