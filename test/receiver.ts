// A local webhook receiver that records requests and returns configurable answers.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  event: any;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** What to answer: a status, or a function that answers itself. */
  answer: number | ((response: ServerResponse, request: Received) => void);
  of(path: string): Received[];
}

export async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const got = { path: request.url ?? '/', headers: request.headers, body, event: JSON.parse(body) };
      receiver.received.push(got);
      if (typeof receiver.answer === 'function') receiver.answer(response, got);
      else response.writeHead(receiver.answer).end(`answered ${receiver.answer}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    answer: 200,
    of: (path) => receiver.received.filter((got) => got.path === path),
  };
  return receiver;
}
