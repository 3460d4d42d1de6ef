import type { Error as Problem } from './types.ts';
export type ErrorCode = Problem['code'];
/** Any failed call. `code` is stable, so branch on it. */
export declare class PlatbookError extends Error {
    /** An API error code, or `connection_failed` if there was no response. */
    readonly code: ErrorCode | 'connection_failed';
    /** HTTP status, or 0 if there was no response. */
    readonly status: number;
    /** Identifies the request in our logs. Include it when you contact support. */
    readonly requestId: string | undefined;
    /** Whether the same call may succeed later. */
    readonly isRetryable: boolean;
    /** Seconds to wait before retrying, if the response said so. */
    readonly retryAfterSeconds: number | undefined;
    /** The full response body. */
    readonly problem: Problem | undefined;
    constructor(message: string, answer: {
        status: number;
        problem?: Problem;
        retryAfterSeconds?: number;
        cause?: unknown;
    });
}
/** 400: the request is invalid. `problem.errors` says where. */
export declare class InvalidRequestError extends PlatbookError {
}
/** 401: the API key is missing, invalid, expired, or revoked. */
export declare class AuthenticationError extends PlatbookError {
}
/** 402: the allowance, trial, or spend cap is used up. Retrying doesn't help. */
export declare class QuotaError extends PlatbookError {
}
/** 403: the key or the plan doesn't allow this. */
export declare class PermissionError extends PlatbookError {
}
/** 404 or 410: not found, or no longer available. */
export declare class NotFoundError extends PlatbookError {
}
/** 422: the request is valid but can't be fulfilled. `candidates` lists possible matches for an address. */
export declare class UnprocessableError extends PlatbookError {
    get candidates(): unknown[];
}
/** 429: over the rate limit. */
export declare class RateLimitError extends PlatbookError {
}
/** 5xx: an error on our side. */
export declare class ServerError extends PlatbookError {
}
/** No response: the connection was refused, dropped, or timed out. */
export declare class ConnectionError extends PlatbookError {
}
export declare function errorOf(status: number, problem?: Problem, retryAfterSeconds?: number, cause?: unknown): PlatbookError;
