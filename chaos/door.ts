// The network between the service and its database: a port that passes everything on, until it is told not to.
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Transform } from 'node:stream';

export interface Door {
  port: number;
  /** Where the database listens now; it may come back on another port. */
  upstreamPort: number;
  /** Closes every connection, and new ones, until it is opened again. */
  isShut: boolean;
  /** Added to every packet in each direction. */
  delayMs: number;
  cut(): void;
  close(): void;
}

export async function openDoor(): Promise<Door> {
  const open = new Set<Socket>();
  const server: Server = createServer((client) => {
    if (door.isShut) return void client.destroy();
    const upstream = connect(door.upstreamPort, '127.0.0.1');
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(slowly(door)).pipe(upstream);
    upstream.pipe(slowly(door)).pipe(client);
  });
  const door: Door = {
    port: 0,
    upstreamPort: 0,
    isShut: false,
    delayMs: 0,
    cut() {
      for (const socket of open) socket.destroy();
    },
    close() {
      door.cut();
      server.close();
    },
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  door.port = (server.address() as AddressInfo).port;
  return door;
}

function slowly(door: Door): Transform {
  const stream = new Transform({
    transform(chunk, _encoding, done) {
      if (door.delayMs === 0) return done(null, chunk);
      setTimeout(() => done(null, chunk), door.delayMs);
    },
  });
  stream.on('error', () => {});
  return stream;
}
