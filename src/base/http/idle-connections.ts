// Closes idle connections when the server closes. Node closes those waiting between two requests, but counts one that
// never sent a request as active, and keeps one answered later for its 72 s keep-alive, because its timers have stopped
// by then. A browser's preconnect would block the close indefinitely.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { App } from './types.ts';

/** A request in transit when the server closes is still answered. */
const ARRIVAL_GRACE_MS = 1_000;

export function endIdleConnections(app: App): void {
  /** By the peer's address and port: over TLS, the raw socket and the encrypted one are the same connection. */
  const connections = new Map<string, { socket: Socket; requests: number }>();
  let isClosing = false;
  const open = (socket: Socket) => {
    const peer = peerOf(socket);
    connections.set(peer, { socket, requests: 0 });
    socket.once('close', () => {
      if (connections.get(peer)?.socket === socket) connections.delete(peer);
    });
  };
  app.server.on('connection', open);
  app.server.on('secureConnection', open);
  app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(peerOf(request.socket));
    if (!connection) return;
    connection.requests++;
    response.once('close', () => {
      // A session of HTTP/2 ends by itself, after its last stream.
      if (--connection.requests === 0 && isClosing && request.httpVersionMajor === 1) connection.socket.end();
    });
  });
  app.addHook('preClose', async () => {
    isClosing = true;
    setTimeout(() => {
      for (const { socket, requests } of connections.values()) if (requests === 0) socket.destroy();
    }, ARRIVAL_GRACE_MS);
  });
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
