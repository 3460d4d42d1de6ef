// MCP over streamable HTTP at /mcp. A key or access token is checked on entry; a tool's work is admitted, limited and
// metered by the REST request it makes in this process.
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  localhostAllowedHostnames,
  type McpServer,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../base/deps.ts';
import type { Authenticator } from '../gate/auth.ts';
import type { EncryptionGuard } from '../gate/encryption.ts';
import type { App } from '../../base/http/types.ts';
import { VERSION } from '../../base/version.ts';
import { createMcpServer } from './mcp.ts';
import { pathWithQuery, type ApiCall } from './tool.ts';

const OPEN_METHODS = new Set(['tools/list', 'prompts/list', 'resources/list']);
const KEY_HEADERS = ['x-api-key', 'authorization'] as const;

export function mcpRoutes(app: App, deps: Deps, authenticator: Authenticator, encryption: EncryptionGuard): void {
  registerMcpEndpoint(app, {
    hosts: [new URL(deps.config.baseUrl).hostname],
    // Lists can be read without a key, like the docs. Anything else is refused at once, because an assistant offers to
    // sign in only if its first message is refused.
    async admit(request) {
      encryption.check(request);
      const hasKey = KEY_HEADERS.some((name) => request.headers[name] !== undefined);
      const { method = '' } = (request.body ?? {}) as { method?: string };
      if (hasKey || !OPEN_METHODS.has(method)) await authenticator.authenticate(request);
    },
    createServer: (request) => createMcpServer(callInProcess(app, request, encryption)),
  });
}

interface McpEndpoint {
  /** Our hostnames, besides those of this machine. */
  hosts: string[];
  admit: (request: FastifyRequest) => Promise<void>;
  createServer: (request: FastifyRequest) => McpServer;
}

/** The entry point for any server; tests use the conformance suite's own. */
export function registerMcpEndpoint(app: App, { hosts, admit, createServer }: McpEndpoint): void {
  const allowed = [...localhostAllowedHostnames(), ...hosts];

  async function serve(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const host = validateHostHeader(request.host, allowed);
    const origin = validateOriginHeader(request.headers.origin, allowed);
    if (!host.ok || !origin.ok) return refuse(reply, host.ok ? (origin as { message: string }).message : host.message);
    await admit(request);
    const handler = createMcpHandler(() => createServer(request), {
      onerror: (error) => request.log.debug({ err: error }, 'MCP request refused'),
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
      error: { code: -32_000, message: `${message}. Set BASE_URL to the public URL.` },
    });
}

/** The same request the caller could have sent to REST: same key, same IP, one charge. */
function callInProcess(app: App, request: FastifyRequest, encryption: EncryptionGuard): ApiCall {
  const headers: Record<string, string> = { 'user-agent': `platbook-mcp/${VERSION}` };
  for (const name of KEY_HEADERS) {
    const value = request.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  const send = (url: string, body?: object) => {
    const sent = body === undefined ? ({ method: 'GET' } as const) : ({ method: 'POST', payload: body } as const);
    return encryption.inProcess(() => app.inject({ ...sent, url, headers, remoteAddress: request.ip }));
  };

  return async ({ path, query, body }) => {
    let response = await send(pathWithQuery(`/api/v1${path}`, query), body);
    // Follows a merged parcel's redirect to its successor, as a browser would.
    if (response.statusCode === 301) response = await send(String(response.headers.location));
    return {
      status: response.statusCode,
      headers: response.headers as Record<string, string | undefined>,
      body: response.payload === '' ? undefined : response.json(),
    };
  };
}
