// One call: address, headers, time limit, and another try where that is safe and worth it.
import { errorOf } from './errors.ts';
import { OPERATIONS, type Error as Problem, type Operations } from './types.ts';

export interface ClientOptions {
  /** `sk_test_…` for the sandbox, `sk_live_…` for real markets. Never ship a live key to a browser. */
  apiKey: string;
  /** Default: the public service. */
  baseUrl?: string;
  /** How often a failed call is tried again; default 3. */
  maxRetries?: number;
  /** The longest wait that is worth it; a longer Retry-After is thrown as an error at once. Default 60 s. */
  maxRetryWaitMs?: number;
  /** For one attempt; default 60 s. */
  timeoutMs?: number;
  /** Instead of the global fetch. */
  fetch?: typeof fetch;
  /** Told about every answer: request id, what it cost, what is left of the hour. */
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
  /** The same key within 24 hours is the same work, done and charged once. */
  idempotencyKey?: string;
  headers?: Record<string, string>;
}

export interface Request {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  /** JSON, or text with a content-type header. */
  body?: unknown;
}

export type Transport = (operation: keyof Operations, request: Request, options?: CallOptions) => Promise<Response>;

/** These change nothing on the server but counters of successes, so that trying again is harmless. */
const SAFE_POSTS = new Set<string>(['estimate_value', 'search_properties_by_body']);
/** The server said no before doing anything. */
const REFUSED = new Set([429, 503]);
const FIRST_WAIT_MS = 500;

export function createTransport(options: ClientOptions): Transport {
  const { apiKey, baseUrl = 'https://api.platbook.example', maxRetries = 3, maxRetryWaitMs = 60_000 } = options;
  const { timeoutMs = 60_000, onAnswer } = options;
  const send = options.fetch ?? globalThis.fetch.bind(globalThis);
  if (!apiKey) throw new TypeError('createClient needs an apiKey.');

  async function attempt(method: string, url: string, request: Request, call: CallOptions): Promise<Response> {
    const limit = new AbortController();
    const stop = () => limit.abort(call.signal?.reason);
    const timer = setTimeout(() => limit.abort(new Error(`No answer within ${timeoutMs} ms`)), timeoutMs);
    call.signal?.addEventListener('abort', stop, { once: true });
    if (call.signal?.aborted) stop();
    const isText = typeof request.body === 'string';
    try {
      return await send(url, {
        method,
        headers: {
          'x-api-key': apiKey,
          ...(request.body !== undefined && !isText && { 'content-type': 'application/json' }),
          ...(call.idempotencyKey !== undefined && { 'idempotency-key': call.idempotencyKey }),
          ...call.headers,
        },
        ...(request.body !== undefined && { body: isText ? (request.body as string) : JSON.stringify(request.body) }),
        signal: limit.signal,
      });
    } finally {
      clearTimeout(timer);
      call.signal?.removeEventListener('abort', stop);
    }
  }

  return async (operation, request, call = {}) => {
    const [method, template] = OPERATIONS[operation];
    const url = `${baseUrl.replace(/\/$/, '')}${addressOf(template, request)}`;
    const isSafe = method === 'GET' || call.idempotencyKey !== undefined || SAFE_POSTS.has(operation);
    for (let attempts = 1; ; attempts++) {
      let failure;
      let response: Response | undefined;
      try {
        response = await attempt(method, url, request, call);
        onAnswer?.(describeAnswer(operation, response, attempts));
        if (response.ok || response.status === 304) return response;
        failure = errorOf(response.status, await readProblem(response), readRetryAfter(response));
      } catch (cause) {
        if (call.signal?.aborted) throw cause;
        failure = errorOf(0, undefined, undefined, cause);
      }
      const isWorthIt = failure.isRetryable && (isSafe || (response !== undefined && REFUSED.has(response.status)));
      const waitMs = waitBefore(attempts, failure.retryAfterSeconds);
      if (!isWorthIt || attempts > maxRetries || waitMs > maxRetryWaitMs) throw failure;
      await sleep(waitMs, call.signal);
    }
  };
}

/** What the server asked for and a little more, so that many clients do not come back at once; otherwise doubling, with full jitter. */
export function waitBefore(attempts: number, retryAfterSeconds: number | undefined, random = Math.random): number {
  if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1_000 + random() * 250;
  return random() * FIRST_WAIT_MS * 2 ** attempts;
}

function addressOf(template: string, { path = {}, query = {} }: Request): string {
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
