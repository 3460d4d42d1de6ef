// Advice for an agent whose tool call failed, by error code. The REST `detail` says what happened.
import type { ErrorCode } from '../../base/lib/errors.ts';

const HINTS: Partial<Record<ErrorCode, string>> = {
  missing_api_key:
    'Set the key in the MCP connection: header `Authorization: Bearer sk_…` (HTTP) or PLATBOOK_KEY (stdio).',
  invalid_api_key: 'The key in the MCP connection is invalid. Ask the user to check it; do not retry.',
  expired_api_key: 'Ask the user for the new key; do not retry.',
  revoked_api_key: 'Ask the user for another key; do not retry.',
  insufficient_scope:
    'This key does not have permission. Ask the user for a key with the scope in `required_scope`, or use another tool.',
  quota_exhausted: 'The quota is used up; retrying cannot help. Tell the user; get_usage shows the meters.',
  trial_expired: 'The trial is over; retrying cannot help. Tell the user.',
  spend_cap_reached: 'The key’s spend cap has been reached; retrying cannot help. Tell the user.',
  payment_required: 'The account has to be settled in the dashboard. Tell the user.',
  property_not_found: 'Check the id, or find the property with resolve_property or search_properties.',
  property_superseded: 'The parcel was split: call again with one of `successors`.',
  address_not_resolved:
    'Check the house number, street, city and state, or look nearby with search_properties. Do not guess another address.',
  address_ambiguous: 'Call again with the `property_id` of one of `candidates`; if it is unclear which, ask the user.',
  locator_conflict: 'Send only one locator: property_id, or address, or fips and apn, or latitude and longitude.',
  insufficient_data:
    '`reason` names the cause and `detail` what would help. Supply that if the user knows it; otherwise say why there is no value.',
  out_of_coverage:
    'describe_coverage lists what is loaded. Say that the place is not covered; do not estimate by other means.',
  unsupported_property_type: 'This property type is not valued. get_property and get_risk still work.',
  as_of_out_of_range: 'Call again with a day of `as_of_range`, or without as_of for today.',
  invalid_cursor: 'Pass `pagination.next_cursor` from the previous answer unchanged, or start again without a cursor.',
  cursor_mismatch: 'Keep every other argument the same as in the call that returned the cursor.',
  unknown_parameter: 'Call again with the nearest argument in `errors`, or leave it out; nothing was charged.',
  invalid_request: 'Correct the argument that `errors` names and call again; nothing was charged.',
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
