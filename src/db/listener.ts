// Hears what is announced on a channel. A lost connection is opened again without haste: whoever listens also polls.
import pg from 'pg';

const REOPEN_MS = 1_000;

export interface Listener {
  stop(): Promise<void>;
}

export function listenOn(url: string, channel: string, onMessage: (payload: string) => void): Listener {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
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
    client.on('end', reopen);
    await client.connect();
    await client.query(`listen ${channel}`);
  };
  const opened = connect().catch(reopen);
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await opened;
      await client?.end().catch(() => {});
    },
  };
}
