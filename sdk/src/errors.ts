// Error classes, one per kind of response, all with the API's stable `code`.
import type { Error as Problem } from './types.ts';

export type ErrorCode = Problem['code'];

/** Any failed call. `code` is stable, so branch on it. */
export class PlatbookError extends Error {
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

  constructor(
    message: string,
    answer: { status: number; problem?: Problem; retryAfterSeconds?: number; cause?: unknown },
  ) {
    super(message, { cause: answer.cause });
    this.name = new.target.name;
    this.status = answer.status;
    this.problem = answer.problem;
    this.code = answer.problem?.code ?? (answer.status === 0 ? 'connection_failed' : 'internal_error');
    this.requestId = answer.problem?.request_id;
    this.isRetryable =
      answer.problem?.retryable ?? (answer.status === 0 || answer.status === 429 || answer.status >= 500);
    this.retryAfterSeconds = answer.retryAfterSeconds;
  }
}

/** 400: the request is invalid. `problem.errors` says where. */
export class InvalidRequestError extends PlatbookError {}
/** 401: the API key is missing, invalid, expired, or revoked. */
export class AuthenticationError extends PlatbookError {}
/** 402: the allowance, trial, or spend cap is used up. Retrying doesn't help. */
export class QuotaError extends PlatbookError {}
/** 403: the key or the plan doesn't allow this. */
export class PermissionError extends PlatbookError {}
/** 404 or 410: not found, or no longer available. */
export class NotFoundError extends PlatbookError {}
/** 422: the request is valid but can't be fulfilled. `candidates` lists possible matches for an address. */
export class UnprocessableError extends PlatbookError {
  get candidates(): unknown[] {
    return this.problem?.candidates ?? [];
  }
}
/** 429: over the rate limit. */
export class RateLimitError extends PlatbookError {}
/** 5xx: an error on our side. */
export class ServerError extends PlatbookError {}
/** No response: the connection was refused, dropped, or timed out. */
export class ConnectionError extends PlatbookError {}

const CLASSES: Record<number, typeof PlatbookError> = {
  0: ConnectionError,
  400: InvalidRequestError,
  401: AuthenticationError,
  402: QuotaError,
  403: PermissionError,
  404: NotFoundError,
  410: NotFoundError,
  422: UnprocessableError,
  429: RateLimitError,
};

export function errorOf(status: number, problem?: Problem, retryAfterSeconds?: number, cause?: unknown): PlatbookError {
  const Kind = CLASSES[status] ?? (status >= 500 ? ServerError : InvalidRequestError);
  const message = problem
    ? `${problem.code}: ${problem.detail}`
    : status === 0
      ? 'No response from the API'
      : `Status ${status}`;
  return new Kind(message, { status, problem, retryAfterSeconds, cause });
}
