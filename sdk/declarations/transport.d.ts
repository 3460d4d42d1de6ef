import type { Operations } from './types.ts';
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
export declare function createTransport(options: ClientOptions): Transport;
/** Retry-After plus a little jitter, so clients don't all return at once. Otherwise exponential backoff up to 8 s, of which
    chance takes up to half: full jitter could use up every retry within a second. */
export declare function waitBefore(attempts: number, retryAfterSeconds: number | undefined, random?: () => number): number;
export declare function sleep(delayMs: number, signal: AbortSignal | undefined): Promise<void>;
