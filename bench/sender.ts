// A thread that sends requests for one account, some at once, until it is told to stop; posts how long each took and what
// it was answered. On a thread, so that what it writes and reads holds up neither the service nor the other callers.
import { parentPort, workerData } from 'node:worker_threads';

export interface Request {
  path: string;
  method?: string;
  type?: string;
  body?: string | Uint8Array;
}

export interface Errand {
  origin: string;
  secret: string;
  request: Request;
  atOnce: number;
}

export interface Report {
  times: number[];
  statuses: Map<number, number>;
  location: string | null;
}

/** Sends a request and reads the answer to its end. */
export async function send({ origin, secret }: Pick<Errand, 'origin' | 'secret'>, request: Request) {
  const { path, method = 'GET', type, body } = request;
  const answer = await fetch(`${origin}/api/v1${path}`, {
    method,
    headers: { 'x-api-key': secret, ...(type && { 'content-type': type }) },
    ...(body !== undefined && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
  });
  await answer.arrayBuffer();
  return answer;
}

if (parentPort) {
  const errand = workerData as Errand;
  const over = new AbortController();
  parentPort.once('message', () => over.abort());
  const times: number[] = [];
  const statuses = new Map<number, number>();
  const senders = Array.from({ length: errand.atOnce }, async () => {
    while (!over.signal.aborted) {
      const start = performance.now();
      const { status } = await send(errand, errand.request);
      times.push(performance.now() - start);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  });
  await Promise.all(senders);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort.postMessage({ times, statuses });
}
