// A thread that sends requests over a few connections, so that the client's work is not done on the service's thread.
import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

export type Load = { url: string; key: string; bodies: string[]; connections: number };
export type LoadResult = { times: Float64Array; seconds: number; failures: number };

const { url, key, bodies, connections } = workerData as Load;
const agent = new Agent({ keepAlive: true, maxSockets: connections });

function post(body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      'x-api-key': key,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    request(url, { agent, method: 'POST', headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode!));
    })
      .on('error', reject)
      .end(body);
  });
}

const times = new Float64Array(bodies.length);
let [next, failures] = [0, 0];
const started = performance.now();
await Promise.all(
  Array.from({ length: connections }, async () => {
    while (next < bodies.length) {
      const i = next++;
      const sent = performance.now();
      if ((await post(bodies[i])) !== 200) failures++;
      times[i] = performance.now() - sent;
    }
  }),
);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort!.postMessage({ times, seconds: (performance.now() - started) / 1000, failures } satisfies LoadResult);
