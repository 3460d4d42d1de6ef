// A thread that sends requests over a few connections, to keep the client's work off the service's thread. It speaks
// just enough HTTP to cost little CPU: a request is one write, a response is read until its length is reached.
import { connect, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

export type Load = { url: string; key: string; bodies: string[]; connections: number };
export type LoadResult = { times: Float64Array; seconds: number; failures: number };

const { url, key, bodies, connections } = workerData as Load;
const { hostname, port, pathname } = new URL(url);

function open(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true }, () => resolve(socket)).once(
      'error',
      reject,
    );
  });
}

/** The status of the response, once all of it has arrived. */
function post(socket: Socket, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let status = 0;
    let left = -1;
    const read = (chunk: Buffer): void => {
      if (left < 0) {
        const head = chunk.toString('latin1');
        status = Number(head.slice(9, 12));
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? NaN);
        if (!(length >= 0)) return reject(new Error('A response has no content-length.'));
        left = length + head.indexOf('\r\n\r\n') + 4;
      }
      left -= chunk.length;
      if (left > 0) return;
      socket.off('data', read);
      resolve(status);
    };
    socket.on('data', read);
    socket.write(
      `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  });
}

const sockets = await Promise.all(Array.from({ length: connections }, open));
const times = new Float64Array(bodies.length);
let [next, failures] = [0, 0];
const started = performance.now();
await Promise.all(
  sockets.map(async (socket) => {
    while (next < bodies.length) {
      const i = next++;
      const sent = performance.now();
      if ((await post(socket, bodies[i])) !== 200) failures++;
      times[i] = performance.now() - sent;
    }
    socket.destroy();
  }),
);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort!.postMessage({ times, seconds: (performance.now() - started) / 1000, failures } satisfies LoadResult);
