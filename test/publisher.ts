// A publisher's web server: files with ETags, conditional requests and ranges, and their failure modes.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

export type Trouble =
  /** Every answer has this status. */
  | { status: number }
  /** The first N responses send half and then stall. */
  | { stalls: number };

export interface Publisher {
  url: string;
  /** Method, path and the headers that matter, in order of arrival. */
  requests: { path: string; range?: string; ifNoneMatch?: string; status: number }[];
  put(path: string, body: string | Buffer): void;
  remove(path: string): void;
  /** Answers computed from the query, for APIs. */
  serve(path: string, answer: (query: URLSearchParams) => string | undefined): void;
  trouble(path: string, trouble: Trouble | undefined): void;
}

export async function startPublisher(): Promise<Publisher> {
  const files = new Map<string, Buffer>();
  const answers = new Map<string, (query: URLSearchParams) => string | undefined>();
  const troubles = new Map<string, Trouble>();
  const requests: Publisher['requests'] = [];

  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://publisher');
    const path = decodeURIComponent(pathname).replace(/^\//, '');
    const { range, 'if-none-match': ifNoneMatch, 'if-range': ifRange } = request.headers;
    const send = (status: number, headers: Record<string, string | number> = {}, body: string | Buffer = '') => {
      requests.push({ path, range, ifNoneMatch, status });
      response.writeHead(status, headers);
      response.end(body);
    };
    const trouble = troubles.get(path);
    if (trouble && 'status' in trouble) return send(trouble.status);
    const computed = answers.get(path)?.(searchParams);
    if (computed !== undefined) return send(200, { 'content-type': 'application/json' }, computed);
    const body = files.get(path);
    if (body === undefined) return send(404);
    const etag = `"${createHash('md5').update(body).digest('hex')}"`;
    if (ifNoneMatch === etag) return send(304, { etag });
    const start = range && ifRange === etag ? Number(/\d+/.exec(range)![0]) : 0;
    const rest = body.subarray(start);
    const headers = { etag, 'content-length': rest.length };
    if (trouble && trouble.stalls-- > 0) {
      requests.push({ path, range, ifNoneMatch, status: 200 });
      response.writeHead(start > 0 ? 206 : 200, headers);
      return response.write(rest.subarray(0, Math.ceil(rest.length / 2)));
    }
    return send(start > 0 ? 206 : 200, headers, rest);
  };
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    put: (path, body) => void files.set(path, Buffer.from(body)),
    remove: (path) => void files.delete(path),
    serve: (path, compute) => void answers.set(path, compute),
    trouble: (path, trouble) => void (trouble ? troubles.set(path, trouble) : troubles.delete(path)),
  };
}
