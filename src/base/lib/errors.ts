// Every error a response can carry, with its code, status and title in one table. Thrown with `fail` and turned into a
// response in http/errors.ts. `detail` tells the caller what to do next; `cause` is only logged.

export const ERRORS = {
  invalid_json: [400, 'The body is not valid JSON'],
  invalid_request: [400, 'The request does not match the schema'],
  unknown_parameter: [400, 'Unknown parameter'],
  invalid_cursor: [400, 'The cursor is not valid'],
  cursor_mismatch: [400, 'The cursor belongs to another query'],

  missing_api_key: [401, 'An API key is required'],
  invalid_api_key: [401, 'The API key is not valid'],
  expired_api_key: [401, 'The API key has expired'],
  revoked_api_key: [401, 'The API key was revoked'],

  invalid_credentials: [401, 'Email, password or code is incorrect'],
  two_factor_required: [401, 'Two-factor authentication is required'],
  not_signed_in: [401, 'Not signed in'],

  quota_exhausted: [402, 'The plan’s quota is used up'],
  trial_expired: [402, 'The trial has ended'],
  spend_cap_reached: [402, 'The key’s spend cap has been reached'],
  payment_required: [402, 'Payment is required'],
  card_declined: [402, 'The card was declined'],

  https_required: [403, 'HTTPS is required'],
  insufficient_scope: [403, 'The key does not have the required scope'],
  key_exceeds_caller: [403, 'A key cannot manage a key that can do more than itself'],
  ip_not_allowed: [403, 'The key is not allowed from this IP'],
  insufficient_role: [403, 'Your role does not allow this'],
  password_required: [403, 'Choose a password to continue'],
  sso_required: [403, 'Single sign-on is required'],
  origin_not_allowed: [403, 'The request came from another origin'],
  trial_unavailable: [403, 'This card has already been used for a trial'],
  plan_feature_unavailable: [403, 'The plan does not include this feature'],

  property_not_found: [404, 'No such property'],
  resource_not_found: [404, 'No such resource'],
  route_not_found: [404, 'No such route'],
  method_not_allowed: [405, 'Method not allowed'],
  request_timeout: [408, 'The request took too long to arrive'],
  invalid_state: [409, 'Not possible in the current state'],
  idempotency_in_progress: [409, 'The same request is still being processed'],
  answer_not_kept: [409, 'The answer to the first request was not kept'],
  property_superseded: [410, 'The property was split into others'],
  invalid_link: [410, 'The link is no longer valid'],
  cursor_expired: [410, 'The cursor has expired'],
  payload_too_large: [413, 'The body is too large'],
  unsupported_media_type: [415, 'Unsupported media type'],
  range_not_satisfiable: [416, 'The range is not in the file'],
  headers_too_large: [431, 'The headers are too large'],

  address_not_resolved: [422, 'The address could not be resolved'],
  address_ambiguous: [422, 'The address matches several properties'],
  locator_conflict: [422, 'The locators refer to different properties'],
  insufficient_data: [422, 'Not enough data'],
  out_of_coverage: [422, 'Outside the loaded markets'],
  unsupported_property_type: [422, 'Valuations do not support this property type'],
  as_of_out_of_range: [422, 'The date is outside the available data'],
  batch_too_large: [422, 'The batch is too large'],
  geometry_invalid: [422, 'The geometry is not valid'],
  geometry_too_large: [422, 'The geometry is too large'],
  area_too_large: [422, 'The area holds too many homes'],
  idempotency_mismatch: [422, 'The idempotency key was used with a different request'],

  rate_limited: [429, 'Too many requests'],
  internal_error: [500, 'Internal error'],
  unavailable: [503, 'Temporarily unavailable'],
  overloaded: [503, 'Too much is going on at once'],
  storage_full: [503, 'No room to store anything'],
  timeout: [504, 'The request timed out'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ErrorCode = keyof typeof ERRORS;

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

/** A property that an ambiguous request may mean. */
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
  /** The days that `as_of` can be. */
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

/** Names the cause, so that a caller can tell what is worth sending or waiting for. */
export function failForLackOf(reason: NoValueReason, detail: string): never {
  fail('insufficient_data', detail, { reason });
}

/** 429, 5xx and waiting for one's own earlier request are worth retrying; any other 4xx is final. */
export function isRetryable(code: ErrorCode): boolean {
  const status = ERRORS[code][0];
  return status === 408 || status === 429 || status >= 500 || code === 'idempotency_in_progress';
}
