// MCP over streamable HTTP at /mcp. A key is checked at the door if there is one; what a tool does is admitted, limited and metered by
// the REST request it makes in this same process.
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  localhostAllowedHostnames,
  type McpServer,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import type { Authenticator } from '../gate/auth.ts';
import type { App } from '../http/types.ts';
import { VERSION } from '../version.ts';
import { createMcpServer } from './mcp.ts';
import type { ApiCall } from './tool.ts';
import { pathWithQuery } from './url.ts';

const KEY_HEADERS = ['x-api-key', 'authorization'] as const;

export function mcpRoutes(app: App, deps: Deps, authenticator: Authenticator): void {
  openDoor(app, {
    hosts: [new URL(deps.config.baseUrl).hostname],
    // Tools can be listed without a key, as the docs can be read; a wrong key is told at once, before any tool is tried.
    async admit(request) {
      if (KEY_HEADERS.some((name) => request.headers[name] !== undefined)) await authenticator.authenticate(request);
    },
    createServer: (request) => createMcpServer(callInProcess(app, request)),
  });
}

interface Door {
  /** Names under which we are reached, beside those of this machine. */
  hosts: string[];
  admit: (request: FastifyRequest) => Promise<void>;
  createServer: (request: FastifyRequest) => McpServer;
}

/** The way in, whatever stands behind it: tests put the conformance suite's own server there. */
export function openDoor(app: App, { hosts, admit, createServer }: Door): void {
  const allowed = [...localhostAllowedHostnames(), ...hosts];

  async function serve(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const host = validateHostHeader(request.headers.host, allowed);
    const origin = validateOriginHeader(request.headers.origin, allowed);
    if (!host.ok || !origin.ok) return refuse(reply, host.ok ? (origin as { message: string }).message : host.message);
    await admit(request);
    const handler = createMcpHandler(() => createServer(request), {
      onerror: (error) => request.log.debug({ err: error }, 'mcp request refused'),
    });
    reply.hijack();
    reply.raw.setHeader('x-request-id', request.id);
    await toNodeHandler(handler)(request.raw, reply.raw, request.body);
  }

  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    config: { isHidden: true },
    handler: serve,
  });
}

function refuse(reply: FastifyReply, message: string): void {
  void reply
    .code(403)
    .type('application/json')
    .send({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32_000, message: `${message}. Set BASE_URL to the public address.` },
    });
}

/** The same request that the caller could have sent to REST: same key, same address, one charge. */
function callInProcess(app: App, request: FastifyRequest): ApiCall {
  const headers: Record<string, string> = { 'user-agent': `platbook-mcp/${VERSION}` };
  for (const name of KEY_HEADERS) {
    const value = request.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  const send = (method: 'GET' | 'POST', url: string, body?: object) =>
    app.inject({ method, url, headers, remoteAddress: request.ip, ...(body !== undefined && { payload: body }) });

  return async ({ method, path, query, body }) => {
    let response = await send(method, pathWithQuery(`/api/v1${path}`, query), body);
    // A merged parcel points to the one it went into, as it does for a browser.
    if (response.statusCode === 301) response = await send('GET', String(response.headers.location));
    return {
      status: response.statusCode,
      headers: response.headers as Record<string, string | undefined>,
      body: response.payload === '' ? undefined : response.json(),
    };
  };
}
