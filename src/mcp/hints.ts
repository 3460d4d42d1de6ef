// What an agent should do next when a tool fails, by error code. The REST `detail` says what happened; this says the move.
import type { ErrorCode } from '../lib/errors.ts';

const HINTS: Partial<Record<ErrorCode, string>> = {
  missing_api_key:
    'Set the key in the MCP connection: header `Authorization: Bearer sk_…` (HTTP) or PLATBOOK_KEY (stdio).',
  invalid_api_key: 'The key in the MCP connection is wrong. Ask the user to check it; do not retry.',
  expired_api_key: 'Ask the user for the new key; do not retry.',
  revoked_api_key: 'Ask the user for another key; do not retry.',
  insufficient_scope:
    'This key may not do that. Ask the user for a key with the scope in `required_scope`, or use another tool.',
  quota_exhausted: 'The allowance is used up; retrying cannot help. Tell the user; get_usage shows the meters.',
  trial_expired: 'The trial is over; retrying cannot help. Tell the user.',
  spend_cap_reached: 'The spend cap of this key is reached; retrying cannot help. Tell the user.',
  payment_required: 'The account must be settled in the dashboard. Tell the user.',
  property_not_found: 'Check the id, or find the property with resolve_property or search_properties.',
  property_superseded: 'The parcel was split: call again with one of `successors`.',
  address_not_resolved:
    'Check house number, street, city and state, or look around with search_properties. Do not guess another address.',
  address_ambiguous:
    'Call again with the `property_id` of one of `candidates`; ask the user which, if it is not clear.',
  locator_conflict: 'Give one locator only: property_id, or address, or fips and apn, or latitude and longitude.',
  insufficient_data:
    'No honest value is possible from this record. Supply sqft, bedrooms, bathrooms, year_built if known, or say so.',
  out_of_coverage:
    'describe_coverage lists what is loaded. Say that the place is not covered; do not estimate by other means.',
  unsupported_property_type: 'This kind of property is not valued. get_property and get_risk still answer.',
  as_of_out_of_range: 'Use a date within the data, or leave as_of out for today.',
  invalid_cursor: 'Pass `pagination.next_cursor` of the previous answer unchanged, or start again without a cursor.',
  cursor_mismatch: 'Keep every other argument as it was in the call the cursor came from.',
  unknown_parameter: 'Use only the arguments in the tool’s input schema.',
  rate_limited: 'Wait `retry_after_seconds`, then call again.',
  unavailable: 'Wait `retry_after_seconds`, then call again.',
  timeout: 'Narrow the filters and call again.',
};

export function hintFor(code: string, isRetryable: boolean): string {
  return (
    HINTS[code as ErrorCode] ??
    (isRetryable ? 'Try once more.' : 'Correct the arguments as `detail` says; do not retry unchanged.')
  );
}
