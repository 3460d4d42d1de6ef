// The shapes of share links.
import Type, { type Static } from 'typebox';
import { AreaKey } from '../../insight/analytics/schema.ts';
import { instant, named, namedStrict, nullable, oneOf, page, text, wholeNumber } from '../../base/lib/schema.ts';

export const KINDS = ['property', 'area', 'portfolio', 'report'] as const;

export const Share = named('Share', {
  object: oneOf(['share']),
  id: text(40),
  mode: oneOf(['live', 'test']),
  kind: oneOf(KINDS),
  subject: text(300, { description: 'The id of the property, watchlist or report, or the kind and name of the area.' }),
  title: text(500),
  include_owners: Type.Boolean(),
  status: oneOf(['active', 'expired', 'revoked']),
  created_by: text(40),
  created_at: instant(),
  expires_at: instant(),
  revoked_at: nullable(instant()),
  last_opened_at: nullable(instant()),
  opened_count: wholeNumber({ minimum: 0 }),
});
export const ShareWithLink = named('ShareWithLink', {
  ...Share.properties,
  url: text(500, { format: 'uri', description: 'The link itself, shown only once.' }),
});
export const SharePage = page('SharePage', Share);

export const NewShare = namedStrict('NewShare', {
  property_id: Type.Optional(text(120, { minLength: 1, description: '`prop_…`, or `fips:apn`.' })),
  area: Type.Optional(AreaKey),
  watchlist_id: Type.Optional(text(40, { minLength: 1, description: 'Its value, exposure and changes.' })),
  report_id: Type.Optional(text(40, { minLength: 1, description: 'The lender’s file as a PDF.' })),
  expires_in_days: Type.Optional(wholeNumber({ minimum: 1, maximum: 365, default: 30 })),
  include_owners: Type.Optional(
    Type.Boolean({ default: false, description: 'Show the names of people, with the `owners:read` scope.' }),
  ),
});
export type NewShare = Static<typeof NewShare>;
