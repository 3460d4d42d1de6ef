// A server that closes ends the connections that carry no request, and answers the requests under way first.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http2 from 'node:http2';
import net, { type AddressInfo, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import tls from 'node:tls';
import Fastify from 'fastify';
import { endIdleConnections } from '../../src/base/http/idle-connections.ts';
import type { App } from '../../src/base/http/types.ts';
import { makeCertificate } from '../certificate.ts';

/** A close that never comes would hold the file until the whole run gives up. */
const withinMinutes = { timeout: 120_000 };

const { ca, cert, key } = await makeCertificate('close');

async function listen(
  isEncrypted: boolean,
): Promise<{ app: App; port: number; arrived: Promise<unknown>; answer(): void }> {
  const encryption = isEncrypted && { http2: true, https: { cert, key, allowHTTP1: true } };
  const app = Fastify({ requestTimeout: 60_000, ...encryption } as object) as unknown as App;
  const arrived = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  endIdleConnections(app);
  app.get('/slow', async () => {
    arrived.resolve();
    await answered.promise;
    return 'whole';
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return { app, port, arrived: arrived.promise, answer: answered.resolve };
}

/** Whether by a word or by a reset. */
const ended = (socket: Socket) =>
  new Promise<void>((resolve) =>
    socket
      .on('error', () => {})
      .on('close', () => resolve())
      .resume(),
  );

const connected = async (socket: Socket, event = 'connect') => (await once(socket, event), socket);

const KINDS: [kind: string, isEncrypted: boolean, connect: (port: number) => Promise<Socket>][] = [
  ['that never said a word', false, (port) => connected(net.connect(port, '127.0.0.1'))],
  [
    'with half a request',
    false,
    async (port) => {
      const socket = await connected(net.connect(port, '127.0.0.1'));
      socket.write('GET /slow HTTP/1.1\r\nHost: x\r\nX-Half');
      return socket;
    },
  ],
  [
    'with half of its second request',
    false,
    async (port) => {
      const socket = await connected(net.connect(port, '127.0.0.1'));
      socket.write('GET /none HTTP/1.1\r\nHost: x\r\n\r\n');
      await once(socket, 'data');
      socket.write('GET /slow HTTP/1.1\r\nHost: x\r\nX-Half');
      return socket;
    },
  ],
  ['that never began its TLS handshake', true, (port) => connected(net.connect(port, '127.0.0.1'))],
  [
    'that shook hands and asked nothing',
    true,
    (port) => connected(tls.connect({ port, host: '127.0.0.1', ca }), 'secureConnect'),
  ],
  [
    'of HTTP/2 without a stream',
    true,
    (port) => connected(tls.connect({ port, host: '127.0.0.1', ca, ALPNProtocols: ['h2'] }), 'secureConnect'),
  ],
];

describe('a closing server', { concurrency: true }, () => {
  for (const [kind, isEncrypted, connect] of KINDS) {
    test(`ends a connection ${kind}`, withinMinutes, async () => {
      const { app, port } = await listen(isEncrypted);
      const socket = await connect(port);
      const gone = ended(socket);
      await app.close();
      await gone;
    });
  }

  test('answers the request under way, however long it takes', withinMinutes, async () => {
    const { app, port, arrived, answer } = await listen(false);
    const response = fetch(`http://127.0.0.1:${port}/slow`);
    const silent = await connected(net.connect(port, '127.0.0.1'));
    const silentEnded = ended(silent);
    await arrived;
    const closed = app.close();
    // The grace has passed once the silent one is gone.
    await silentEnded;
    answer();
    assert.equal(await (await response).text(), 'whole');
    await closed;
  });

  test('answers the stream under way of HTTP/2', withinMinutes, async () => {
    const { app, port, arrived, answer } = await listen(true);
    const session = http2.connect(`https://127.0.0.1:${port}`, { ca });
    const stream = session.request({ ':path': '/slow' });
    const silent = await connected(net.connect(port, '127.0.0.1'));
    const silentEnded = ended(silent);
    await arrived;
    const closed = app.close();
    await silentEnded;
    answer();
    let text = '';
    for await (const chunk of stream.setEncoding('utf8')) text += chunk;
    assert.equal(text, 'whole');
    session.close();
    await closed;
  });
});
