// Sends one call: URL, headers, timeout, and retries where they are safe.
import { errorOf } from './errors.ts';
import { OPERATIONS } from './operations.ts';
import type { Error as Problem, Operations } from './types.ts';

export interface ClientOptions {
  /** `sk_test_…` for the sandbox, `sk_live_…` for real markets. Never ship a live key to a browser. */
  apiKey: string;
  /** Defaults to the public service. */
  baseUrl?: string;
  /** Maximum number of retries. Default 6, which together wait 12 to 24 seconds: a restart of the server is outlasted. */
  maxRetries?: number;
  /** Longest wait before a retry. If it would be longer, the error is thrown immediately. Default 60 s. */
  maxRetryWaitMs?: number;
  /** Timeout for each attempt. Default 60 s. */
  timeoutMs?: number;
  /** Used instead of the global fetch. */
  fetch?: typeof fetch;
  /** Called for every response with its request ID, cost, and remaining hourly limit. */
  onAnswer?: (answer: AnswerInfo) => void;
}

export interface AnswerInfo {
  operation: string;
  status: number;
  requestId: string | null;
  meter: string | null;
  units: number;
  limitRemaining: number | null;
  attempts: number;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** POSTs with the same key within 24 hours are processed and charged once. Generated for each call if left out. */
  idempotencyKey?: string;
  headers?: Record<string, string>;
}

export interface Request {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  /** A JSON value, or text or bytes along with a content-type header. */
  body?: unknown;
}

export type Transport = (operation: keyof Operations, request: Request, options?: CallOptions) => Promise<Response>;

/** A search has no effect, and its pages are large: retried without a key, so that the server does not keep them. */
const UNKEYED_POSTS = new Set<string>(['search_properties_by_body', 'search_owners']);
/** The server rejected the request before doing any work. */
const REJECTED = new Set([429, 503]);
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;

export function createTransport(options: ClientOptions): Transport {
  const { apiKey, baseUrl = 'https://api.platbook.example', maxRetries = 6, maxRetryWaitMs = 60_000 } = options;
  const { timeoutMs = 60_000, onAnswer } = options;
  const send = options.fetch ?? globalThis.fetch.bind(globalThis);
  if (!apiKey) throw new TypeError('createClient requires an apiKey.');

  async function attempt(method: string, url: string, request: Request, call: CallOptions): Promise<Response> {
    const limit = new AbortController();
    const stop = () => limit.abort(call.signal?.reason);
    const timer = setTimeout(() => limit.abort(new Error(`No response within ${timeoutMs} ms`)), timeoutMs);
    call.signal?.addEventListener('abort', stop, { once: true });
    if (call.signal?.aborted) stop();
    const isRaw =
      typeof request.body === 'string' || request.body instanceof Uint8Array || request.body instanceof Blob;
    try {
      const response = await send(url, {
        method,
        headers: {
          'x-api-key': apiKey,
          ...(request.body !== undefined && !isRaw && { 'content-type': 'application/json' }),
          ...(call.idempotencyKey !== undefined && { 'idempotency-key': call.idempotencyKey }),
          ...call.headers,
        },
        ...(request.body !== undefined && { body: isRaw ? (request.body as string) : JSON.stringify(request.body) }),
        signal: limit.signal,
      });
      return isJson(response) ? await readWhole(response) : response;
    } finally {
      clearTimeout(timer);
      call.signal?.removeEventListener('abort', stop);
    }
  }

  return async (operation, request, call = {}) => {
    const [method, template] = OPERATIONS[operation];
    const url = `${baseUrl.replace(/\/$/, '')}${urlPathOf(template, request)}`;
    const keyed =
      method === 'POST' && !UNKEYED_POSTS.has(operation) ? { idempotencyKey: newIdempotencyKey(), ...call } : call;
    const isSafe = method === 'GET' || method === 'POST';
    for (let attempts = 1; ; attempts++) {
      let failure;
      let response: Response | undefined;
      try {
        response = await attempt(method, url, request, keyed);
        onAnswer?.(describeAnswer(operation, response, attempts));
        if (response.ok || response.status === 304) return response;
        failure = errorOf(response.status, await readProblem(response), readRetryAfter(response));
      } catch (cause) {
        if (call.signal?.aborted) throw cause;
        failure = errorOf(0, undefined, undefined, cause);
      }
      const isWorthIt = failure.isRetryable && (isSafe || (response !== undefined && REJECTED.has(response.status)));
      const waitMs = waitBefore(attempts, failure.retryAfterSeconds);
      if (!isWorthIt || attempts > maxRetries || waitMs > maxRetryWaitMs) throw failure;
      await sleep(waitMs, call.signal);
    }
  };
}

const isJson = ({ headers }: Response) => /[/+]json\b/.test(headers.get('content-type') ?? '');

/** A server that goes away in the middle of its answer has not answered; streams of lines go on by themselves. */
async function readWhole(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  const body = await response.arrayBuffer();
  return new Response(body.byteLength > 0 ? body : null, { status, statusText, headers });
}

/** Retry-After plus a little jitter, so clients don't all return at once. Otherwise exponential backoff up to 8 s, of which
    chance takes up to half: full jitter could use up every retry within a second. */
export function waitBefore(attempts: number, retryAfterSeconds: number | undefined, random = Math.random): number {
  if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1_000 + random() * 250;
  return (0.5 + random() / 2) * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1));
}

function urlPathOf(template: string, { path = {}, query = {} }: Request): string {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name])));
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null)
      parameters.set(name, Array.isArray(value) ? value.join(',') : String(value));
  }
  const text = parameters.toString();
  return text === '' ? filled : `${filled}?${text}`;
}

function describeAnswer(operation: string, response: Response, attempts: number): AnswerInfo {
  const { headers, status } = response;
  const remaining = headers.get('x-ratelimit-remaining');
  return {
    operation,
    status,
    requestId: headers.get('x-request-id'),
    meter: headers.get('x-usage-meter'),
    units: Number(headers.get('x-usage-units') ?? 0),
    limitRemaining: remaining === null ? null : Number(remaining),
    attempts,
  };
}

async function readProblem(response: Response): Promise<Problem | undefined> {
  try {
    return (await response.json()) as Problem;
  } catch {
    return undefined;
  }
}

function readRetryAfter(response: Response): number | undefined {
  const value = response.headers.get('retry-after');
  if (value === null) return undefined;
  const seconds = Number(value);
  return Number.isNaN(seconds) ? Math.max(0, (Date.parse(value) - Date.now()) / 1_000) : seconds;
}

/** Must be unique, but not secret. */
function newIdempotencyKey(): string {
  if (globalThis.crypto?.randomUUID) return globalThis.crypto.randomUUID();
  const part = () => Math.random().toString(36).slice(2, 12);
  return `sdk-${Date.now().toString(36)}-${part()}${part()}`;
}

export function sleep(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, delayMs);
    function done() {
      signal?.removeEventListener('abort', stop);
      resolve();
    }
    function stop() {
      clearTimeout(timer);
      reject(signal?.reason);
    }
    signal?.addEventListener('abort', stop, { once: true });
  });
}
