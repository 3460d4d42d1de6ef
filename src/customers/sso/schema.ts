// The shapes of single sign-on.
import Type from 'typebox';
import { instant, list, nullable, oneOf, strict, text } from '../../base/lib/schema.ts';

const role = oneOf(['admin', 'developer', 'billing', 'viewer']);
const issuer = text(300, { minLength: 8, description: 'The issuer URL of the OpenID Connect provider.' });
const clientId = text(200, { minLength: 1 });

export const BeginForm = strict({ email: text(254, { minLength: 3 }) });
export const Redirect = Type.Object({ object: oneOf(['redirect']), url: text(4_000) });

export const ConnectionForm = strict({
  issuer,
  client_id: clientId,
  client_secret: Type.Optional(text(500, { minLength: 1, description: 'Leave out to keep the current one.' })),
  default_role: role,
  is_enforced: Type.Boolean({ description: 'Members of the domains sign in this way only.' }),
});

export const Connection = Type.Object({
  issuer,
  client_id: clientId,
  default_role: role,
  is_enforced: Type.Boolean(),
  created_at: instant(),
  updated_at: instant(),
});

export const Settings = Type.Object({
  object: oneOf(['sso_settings']),
  domains: list(text(253), { description: 'Email domains that an operator has verified.' }),
  redirect_url: text(500, { description: 'To register at the provider.' }),
  connection: nullable(Connection),
});
