// MCP over stdio for agents on a desk: the same tools, each a request over HTTP to a running Platbook with the key of the environment.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { VERSION } from '../version.ts';
import { createMcpServer } from './mcp.ts';
import type { ApiCall } from './tool.ts';
import { pathWithQuery } from './url.ts';

const TIMEOUT_MS = 60_000;

interface StdioSettings {
  baseUrl: string;
  /** Without one the tools can be listed; calling them says that a key is missing. */
  apiKey: string | undefined;
}

/** Serves until the client closes our standard input. Standard output belongs to the protocol: nothing else may write there. */
export async function runStdio(settings: StdioSettings): Promise<void> {
  const callApi = callOverHttp(settings);
  const handle = serveStdio(() => createMcpServer(callApi), {
    onerror: (error) => process.stderr.write(`platbook mcp: ${error.message}\n`),
  });
  await new Promise((resolve) => process.stdin.once('close', resolve));
  await handle.close();
}

function callOverHttp({ baseUrl, apiKey }: StdioSettings): ApiCall {
  return async ({ method, path, query, body }) => {
    try {
      const response = await fetch(`${baseUrl}${pathWithQuery(`/api/v1${path}`, query)}`, {
        method,
        headers: {
          'user-agent': `platbook-mcp/${VERSION}`,
          ...(apiKey !== undefined && { 'x-api-key': apiKey }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await response.text();
      return { status: response.status, headers: Object.fromEntries(response.headers), body: readJson(text) };
    } catch (error) {
      const detail = `No answer from ${baseUrl}: ${(error as Error).message}. Is it running, and is BASE_URL right?`;
      return { status: 503, headers: {}, body: { code: 'unavailable', detail, retryable: true } };
    }
  };
}

function readJson(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
