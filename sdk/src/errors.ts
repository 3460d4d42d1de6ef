// What can go wrong, as classes to catch: one per kind of answer, all with the stable `code` of the API.
import type { Error as Problem } from './types.ts';

export type ErrorCode = Problem['code'];

/** Any failure of a call. `code` is the contract: branch on it. */
export class PlatbookError extends Error {
  /** A code of the API, or `connection_failed` when no answer came. */
  readonly code: ErrorCode | 'connection_failed';
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  /** Names the request in our logs: quote it to support. */
  readonly requestId: string | undefined;
  /** Whether the same call may succeed later. */
  readonly isRetryable: boolean;
  /** Seconds to wait, where the answer said so. */
  readonly retryAfterSeconds: number | undefined;
  /** The whole body of the answer. */
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

/** 400: the request does not fit; `problem.errors` says where. */
export class InvalidRequestError extends PlatbookError {}
/** 401: no key, or one that is wrong, expired or revoked. */
export class AuthenticationError extends PlatbookError {}
/** 402: allowance, trial or spend cap. Waiting does not help. */
export class QuotaError extends PlatbookError {}
/** 403: the key or the plan does not include this. */
export class PermissionError extends PlatbookError {}
/** 404 and 410. */
export class NotFoundError extends PlatbookError {}
/** 422: understood, but there is no answer: `problem.candidates` names near matches of an address. */
export class UnprocessableError extends PlatbookError {
  get candidates(): unknown[] {
    return this.problem?.candidates ?? [];
  }
}
/** 429: the hourly limit. */
export class RateLimitError extends PlatbookError {}
/** 5xx. */
export class ServerError extends PlatbookError {}
/** No answer: refused, cut off or timed out. */
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
      ? 'No answer from the API'
      : `Status ${status}`;
  return new Kind(message, { status, problem, retryAfterSeconds, cause });
}
