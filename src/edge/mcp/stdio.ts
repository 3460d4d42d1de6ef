// MCP over stdio for desktop agents: the same tools, each an HTTP request to a running Platbook with the given key.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { VERSION } from '../../base/version.ts';
import { createMcpServer } from './mcp.ts';
import { pathWithQuery, type ApiCall } from './tool.ts';

const TIMEOUT_MS = 60_000;

interface StdioSettings {
  baseUrl: string;
  /** Without a key, tools can be listed; calling one reports that the key is missing. */
  apiKey: string | undefined;
}

/** Runs until the client closes standard input. Standard output is reserved for the protocol. */
export async function runStdio(settings: StdioSettings): Promise<void> {
  const callApi = callOverHttp(settings);
  const handle = serveStdio(() => createMcpServer(callApi), {
    onerror: (error) => process.stderr.write(`platbook mcp: ${error.message}\n`),
  });
  await new Promise((resolve) => process.stdin.once('close', resolve));
  await handle.close();
}

const callOverHttp =
  ({ baseUrl, apiKey }: StdioSettings): ApiCall =>
  async ({ path, query, body }) => {
    try {
      const response = await fetch(`${baseUrl}${pathWithQuery(`/api/v1${path}`, query)}`, {
        method: body === undefined ? 'GET' : 'POST',
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
      const detail = `No response from ${baseUrl}: ${(error as Error).message}. Is it running, and is BASE_URL correct?`;
      return { status: 503, headers: {}, body: { code: 'unavailable', detail, retryable: true } };
    }
  };

function readJson(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
