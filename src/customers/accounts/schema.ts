// The shapes of API keys.
import Type from 'typebox';
import { instant, list, named, namedStrict, nullable, oneOf, page, text, wholeNumber } from '../../base/lib/schema.ts';
import { SCOPES } from './scopes.ts';

const members = {
  name: text(100, { minLength: 1 }),
  scopes: list(oneOf(SCOPES), { minItems: 1, maxItems: SCOPES.length, uniqueItems: true }),
  allowed_ips: list(text(50), {
    maxItems: 50,
    description: 'IPs or CIDR blocks; empty for any.',
    examples: [['203.0.113.0/24']],
  }),
  expires_at: nullable(instant()),
  rate_limit_per_hour: nullable(
    wholeNumber({
      minimum: 1,
      maximum: 1_000_000,
      description: 'A lower hourly limit than the plan’s. Keys that this key creates are counted under it.',
    }),
  ),
  spend_cap_cents: nullable(
    wholeNumber({
      minimum: 0,
      maximum: 1_000_000_000,
      description: 'The overage that this key, and the keys it creates, may cause in a month.',
    }),
  ),
};

export const Key = named('ApiKey', {
  object: oneOf(['api_key']),
  id: text(40),
  mode: oneOf(['live', 'test']),
  prefix: text(20),
  last_four: text(4),
  ...members,
  created_at: instant(),
  created_by: nullable(text(40, { description: 'Who created the key: `key_…`, `usr_…` or `operator`.' })),
  revoked_at: nullable(instant()),
  replaced_by: nullable(text(40)),
  last_used_at: nullable(instant({ description: 'Updated at most once a minute.' })),
});

export const KeyWithSecret = named('ApiKeyWithSecret', {
  ...Key.properties,
  secret: text(60, { description: 'The key itself, shown only once.' }),
});

export const KeyPage = page('ApiKeyPage', Key);

const optional = {
  scopes: Type.Optional(members.scopes),
  allowed_ips: Type.Optional(members.allowed_ips),
  expires_at: Type.Optional(members.expires_at),
  rate_limit_per_hour: Type.Optional(members.rate_limit_per_hour),
  spend_cap_cents: Type.Optional(members.spend_cap_cents),
};

export const NewKey = namedStrict('NewApiKey', {
  name: members.name,
  mode: Type.Optional(oneOf(['live', 'test'], { description: 'Default: the mode of the key that asks.' })),
  ...optional,
});
export const KeyPatch = Type.Object(
  { name: Type.Optional(members.name), ...optional },
  { title: 'ApiKeyPatch', additionalProperties: false, minProperties: 1 },
);
export const Rotation = namedStrict('KeyRotation', {
  overlap_hours: Type.Optional(
    wholeNumber({ minimum: 0, maximum: 168, default: 24, description: 'How long the old key keeps working.' }),
  ),
});

export const AuditPage = page(
  'AuditPage',
  named('AuditEntry', {
    object: oneOf(['audit_entry']),
    sequence: wholeNumber({ minimum: 1 }),
    at: instant(),
    actor: text(60),
    action: text(60),
    target: nullable(text(100)),
    details: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
    ip: nullable(text(60)),
    previous_hash: nullable(text(64)),
    hash: text(64),
  }),
);
