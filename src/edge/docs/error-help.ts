// Why each error happens and what to do about it: the text of the page that its `type` points to.
import type { ErrorCode } from '../../base/lib/errors.ts';

interface Help {
  why: string;
  fix: string;
}

export const ERROR_HELP: Record<ErrorCode, Help> = {
  invalid_json: {
    why: 'The body could not be parsed as JSON. Usual causes are a trailing comma, single quotes, an unescaped line break, or an empty body with `content-type: application/json`.',
    fix: 'Run the body through a JSON parser before you send it. It must be UTF-8, without `NaN` or `Infinity`.',
  },
  invalid_request: {
    why: 'A parameter or a field of the body is missing, has the wrong type, or is outside its range.',
    fix: 'Each entry of `errors` has a JSON `pointer` to the offending part and says what is allowed there. The [reference](/docs/reference) lists every field with its type and limits.',
  },
  unknown_parameter: {
    why: 'The request has a parameter or a field that the operation does not know. We refuse it instead of ignoring it, because a misspelled filter would silently return too much.',
    fix: '`detail` suggests the closest name. Remove the parameter, or correct its spelling.',
  },
  invalid_cursor: {
    why: 'The `cursor` was changed, cut off, or did not come from us.',
    fix: 'Send `next_cursor` exactly as you received it, URL-encoded, or leave it out to start at the first page.',
  },
  cursor_mismatch: {
    why: 'The `cursor` was issued for different filters, another order, another key mode, or another operation.',
    fix: 'Repeat the request that returned the cursor with nothing changed but the cursor. For other filters, start without one.',
  },
  missing_api_key: {
    why: 'The request carries no API key.',
    fix: 'Send the header `x-api-key: sk_test_…`. [Sign up](/sign-up) to get a key.',
  },
  invalid_api_key: {
    why: 'The key does not exist, or was copied incompletely. Keys contain a checksum, so a typo is noticed at once.',
    fix: 'Copy the key again from where you stored it. It is shown only once; if it is lost, create a new one under Keys on the dashboard.',
  },
  expired_api_key: {
    why: 'The key had an end date, or was rotated and its overlap is over.',
    fix: 'Use the key that replaced it, or create a new one on the dashboard.',
  },
  revoked_api_key: {
    why: 'Somebody with access to the account revoked the key. A revoked key cannot be brought back.',
    fix: 'Create a new key. The audit log of the dashboard shows who revoked the old one, and when.',
  },
  invalid_credentials: {
    why: 'The email, the password or the code is incorrect. The response is the same for every cause, so that it does not tell who has an account.',
    fix: 'Check all three, or reset the password. Codes are valid for half a minute; check that the clock of your device is right.',
  },
  two_factor_required: {
    why: 'The account has two-factor authentication, and no code was sent.',
    fix: 'Repeat the request with the current code of your authenticator app, or a recovery code.',
  },
  not_signed_in: {
    why: 'The session has ended, or there never was one. API keys cannot be used for what only a person may do.',
    fix: '[Sign in](/sign-in) and try again.',
  },
  quota_exhausted: {
    why: 'The calls that the plan includes for this month are used up, and it does not allow additional ones.',
    fix: 'Upgrade under Billing on the dashboard, or wait for the first day of the next month. Retrying does not help.',
  },
  trial_expired: {
    why: 'The free trial has ended.',
    fix: 'Choose a plan under Billing on the dashboard. The sandbox goes on working without one.',
  },
  spend_cap_reached: {
    why: 'The key has a spend cap, and this call would exceed it.',
    fix: 'Raise or remove the cap of the key on the dashboard, use another key, or wait for the next month.',
  },
  payment_required: {
    why: 'The trial has not begun because no card is on file, an invoice is open, or the account is suspended or closed.',
    fix: 'See Billing on the dashboard: add a card or pay the open invoice. The sandbox is free.',
  },
  card_declined: {
    why: 'The bank refused the card.',
    fix: 'Use another card, or ask the bank. `detail` repeats the reason it gave, if any.',
  },
  https_required: {
    why: 'The request arrived unencrypted from another machine. A key that was sent this way may have been read on its way.',
    fix: 'Call the `https://` address, and rotate the key.',
  },
  insufficient_scope: {
    why: 'The key is valid, but does not have the scope named in `required_scope`.',
    fix: 'Add the scope to the key, or create a key with it. [Authentication](/docs/authentication) lists the scopes.',
  },
  key_exceeds_caller: {
    why: 'A key may only create and change keys that can do no more than itself: no further scopes, no higher limit or cap.',
    fix: 'Use a key with the wider scopes, or do it on the dashboard.',
  },
  ip_not_allowed: {
    why: 'The key has a list of allowed IP addresses, and the request came from another one.',
    fix: 'Add the address to the key. `detail` shows the one that we saw; behind a proxy it may not be the one you expect.',
  },
  insufficient_role: {
    why: 'Your role in the team does not allow this.',
    fix: 'Ask an owner or an administrator of the account, who are listed under Team.',
  },
  password_required: {
    why: 'The link was opened in another browser than the one that signed up, so the password chosen there cannot be trusted.',
    fix: 'Choose your name and password on the page that opened.',
  },
  sso_required: {
    why: 'The account requires single sign-on.',
    fix: 'Sign in through your identity provider: enter your email, then choose single sign-on.',
  },
  origin_not_allowed: {
    why: 'A browser sent the request from a page of another site. Signed-in sessions are accepted from our own pages only.',
    fix: 'Call the API from your server with a key. Keys do not belong in pages that others can read.',
  },
  trial_unavailable: {
    why: 'This card has been used for a trial before.',
    fix: 'Choose a paid plan, or go on in the sandbox, which is free.',
  },
  plan_feature_unavailable: {
    why: 'The feature is part of a higher plan.',
    fix: '[Pricing](/pricing) shows which. Most features can be tried in the sandbox with a test key.',
  },
  property_not_found: {
    why: 'No property has this id or parcel number, or the key may not see it: test keys see the sandbox, live keys see everything else.',
    fix: 'Check the id and the mode of the key. To find a property by its address, use `GET /properties/lookup`.',
  },
  resource_not_found: {
    why: 'Nothing with this id exists in your account and in the mode of the key.',
    fix: 'List the resources of this kind to see their ids. What belongs to another account returns the same error.',
  },
  route_not_found: {
    why: 'No operation has this path.',
    fix: 'Compare the path with the [reference](/docs/reference). API paths begin with `/api/v1`.',
  },
  method_not_allowed: {
    why: 'The path exists, but not with this method.',
    fix: 'The `allow` header lists the methods that it has.',
  },
  invalid_state: {
    why: 'The resource is in a state in which this is impossible: a batch that has ended cannot be canceled, a paid invoice cannot be paid again.',
    fix: 'Read the resource to see its `status`, then decide. `detail` names the state.',
  },
  idempotency_in_progress: {
    why: 'A request with the same `Idempotency-Key` is still being processed.',
    fix: 'Wait for `Retry-After`, then repeat the request with the same key to get its response.',
  },
  answer_not_kept: {
    why: 'The first request with this `Idempotency-Key` was carried out, but its response was too large to keep.',
    fix: 'Read the result by its own operation instead of repeating the request.',
  },
  property_superseded: {
    why: 'The parcel was split, so that its id stands for several properties now.',
    fix: '`successors` lists their ids. A parcel that was merged into another redirects (301) instead.',
  },
  invalid_link: {
    why: 'The link from the email was used before, has expired, or was replaced by a newer one.',
    fix: 'Ask for a new email and use the latest link.',
  },
  cursor_expired: {
    why: 'The changes that the cursor points to are no longer kept, or the data was restored from a backup.',
    fix: 'Load a full copy by an [export](/docs/exports), then follow the [change feed](/docs/changes) from the cursor in its manifest.',
  },
  payload_too_large: {
    why: 'The body is larger than the operation accepts.',
    fix: 'Split it. [Limits](/docs/limits) has the sizes; a [batch](/docs/batch) can be uploaded as a file.',
  },
  unsupported_media_type: {
    why: 'The `content-type` is not one that the operation reads.',
    fix: 'Send `content-type: application/json`, or one of the types that the [reference](/docs/reference) lists for the operation.',
  },
  range_not_satisfiable: {
    why: 'The `Range` header asks for bytes after the end of the file.',
    fix: '`content-range` says how long the file is. A download that has as many bytes is complete.',
  },
  headers_too_large: {
    why: 'Headers, cookies and the address together are larger than 16 kB.',
    fix: 'Send long filters as the body of a POST, and fewer cookies and headers.',
  },
  request_timeout: {
    why: 'The request had not arrived completely a minute after it began, usually because the connection is slow or was given up.',
    fix: 'Send it again; a large file in smaller parts.',
  },
  address_not_resolved: {
    why: 'No property on record fits the address. Either it is misspelled beyond recognition, or the records do not have it.',
    fix: '`suggestions` has addresses that come close. Check the street number and the ZIP, or use coordinates or a parcel number.',
  },
  address_ambiguous: {
    why: 'Several properties fit the address, for example because a unit, a direction or a city is missing. A wrong match would be worse than none.',
    fix: 'Pick one of the `candidates` and repeat the request with its id, or complete the address.',
  },
  locator_conflict: {
    why: 'The request names a property in several ways, such as an id and an address, which lead to different properties.',
    fix: 'Send only one of them, or correct the other.',
  },
  insufficient_data: {
    why: 'There is not enough to base a value on. `reason` says what is lacking: `no_model`, `not_on_record` (of a report), `unknown_property_type`, `no_coordinates`, `unknown_neighborhood` or `few_sales_nearby`.',
    fix: 'Send what is lacking if you know it (the type, coordinates, the living area). Where sales are too few, no value is better than a guess. The call is not charged.',
  },
  out_of_coverage: {
    why: 'The address or point lies outside the markets that are loaded.',
    fix: '`GET /coverage` lists the places that are covered; `nearest_covered` is the closest.',
  },
  unsupported_property_type: {
    why: 'Valuations are for homes: houses, townhouses, condos, small multi-family buildings and manufactured homes. This record is of another type.',
    fix: 'If the record is wrong about it, send `property_type` with the request.',
  },
  as_of_out_of_range: {
    why: 'The day in `as_of` is in the future, or before the market’s sales and models begin.',
    fix: 'Choose a day within the range that `detail` states, or leave `as_of` out for today.',
  },
  batch_too_large: {
    why: 'The batch has more items than the plan allows.',
    fix: 'Split it into several batches, or upgrade. [Limits](/docs/limits) has the number for each plan.',
  },
  geometry_invalid: {
    why: 'The polygon is not closed, crosses itself, has too few points, or its coordinates are not longitude and latitude in that order.',
    fix: 'Draw it on [geojson.io](https://geojson.io) to see what is wrong. `detail` names the problem.',
  },
  geometry_too_large: {
    why: 'The polygon has too many points or covers too much for one request.',
    fix: 'Simplify its outline, or split the area and search the parts one by one.',
  },
  area_too_large: {
    why: 'Figures of a polygon or a filter are computed when asked for, so the properties in it are limited.',
    fix: 'Draw a smaller area, or narrow it by ZIP, census tract or radius. For a whole county, city or ZIP, use GET /analytics/series.',
  },
  idempotency_mismatch: {
    why: 'The `Idempotency-Key` was used before with another path, query or body.',
    fix: 'Use a new key, such as a UUID, for every new request. Repeat a key only to repeat the same request.',
  },
  rate_limited: {
    why: 'The account, the key or the address has made more calls than its limit allows in this hour or minute.',
    fix: 'Wait for `Retry-After`. The `ratelimit` headers of every response show what is left. For many addresses at once, use a [batch](/docs/batch).',
  },
  internal_error: {
    why: 'We made a mistake. It has been logged with the request id and will be looked into.',
    fix: 'Try again with exponential backoff. If it persists, contact support with the `request_id`. The call is not charged.',
  },
  unavailable: {
    why: 'A part of the service that the request needs, such as its database, cannot be reached at the moment.',
    fix: 'Wait for `Retry-After` and try again. [Status](/status) shows what is known. The call is not charged.',
  },
  overloaded: {
    why: 'More is going on than the service can do at once. It refuses early rather than keeping everyone waiting.',
    fix: 'Wait for `Retry-After` and try again with fewer requests at a time. The call is not charged.',
  },
  storage_full: {
    why: 'The service has no room to store anything.',
    fix: 'Try again later. What was stored before is not lost, and the call is not charged.',
  },
  timeout: {
    why: 'The request took longer than it may, usually because it asked for too much at once.',
    fix: 'Narrow the filter or ask for smaller pages, then try again. The call is not charged.',
  },
};
