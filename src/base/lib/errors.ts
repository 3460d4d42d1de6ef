// Every error a response can carry, with its code, status and title in one table, errors.json. Thrown with `fail` and turned
// into a response in http/errors.ts. `detail` tells the caller what to do next; `cause` is only logged.
import written from './errors.json' with { type: 'json' };

export type ErrorCode = keyof typeof written;

export const ERRORS = written as unknown as Record<ErrorCode, readonly [status: number, title: string]>;

/** A place whose records are loaded. */
export interface CoveredPlace {
  city: string | null;
  state: string;
  zip: string;
}

/** Why there is not enough data for a value. */
export type NoValueReason =
  | 'no_model'
  | 'not_on_record'
  | 'unknown_property_type'
  | 'no_coordinates'
  | 'unknown_neighborhood'
  | 'few_sales_nearby';

/** A candidate property of an ambiguous request. */
interface PropertyCandidate {
  property_id: string;
  address: string | null;
  apn?: string;
  unit?: string | null;
}

/** Extra members of the error body. */
export interface ErrorMembers {
  errors?: { pointer: string; code: string; detail: string }[];
  candidates?: PropertyCandidate[];
  successors?: string[];
  required_scope?: string;
  limit?: number;
  reason?: string;
  suggestions?: unknown[];
  /** The valid range of `as_of`. */
  as_of_range?: { from: string; to: string };
  /** For an address outside coverage: the covered place closest to it by ZIP. */
  nearest_covered?: CoveredPlace;
  /** In seconds; becomes the Retry-After header. */
  retryAfterSeconds?: number;
}

export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly members: ErrorMembers;

  constructor(code: ErrorCode, detail: string, members: ErrorMembers = {}, options?: ErrorOptions) {
    super(detail, options);
    this.code = code;
    this.status = ERRORS[code][0];
    this.members = members;
  }
}

export function fail(code: ErrorCode, detail: string, members?: ErrorMembers, options?: ErrorOptions): never {
  throw new ApiError(code, detail, members, options);
}

/** Names the cause, so the caller knows what to send or wait for. */
export function failForLackOf(reason: NoValueReason, detail: string): never {
  fail('insufficient_data', detail, { reason });
}

/** 429, 5xx and an earlier request still in progress are retryable; any other 4xx is final. */
export function isRetryable(code: ErrorCode): boolean {
  const status = ERRORS[code][0];
  return status === 408 || status === 429 || status >= 500 || code === 'idempotency_in_progress';
}

/** Returns null instead of the error if nothing is found, for optional reads. */
export async function ifThere<Found>(reading: Promise<Found>): Promise<Found | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'resource_not_found') return null;
    throw error;
  }
}
