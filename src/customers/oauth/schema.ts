// The shapes of consent and of connected apps.
import Type from 'typebox';
import { instant, list, nullable, oneOf, strict, text } from '../../base/lib/schema.ts';
import { SCOPES } from '../accounts/scopes.ts';

const mode = oneOf(['test', 'live']);
const scope = oneOf([...SCOPES]);

export const UidParams = strict({ uid: text(100, { minLength: 10 }) });

export const Consent = Type.Object({
  object: oneOf(['consent']),
  client: Type.Object({
    name: text(200),
    origin: text(500, { description: 'The site or app that gets access.' }),
    is_verified: Type.Boolean({ description: 'Whether the client is known by its own site, not only by its word.' }),
    redirect_uri: text(2_000),
    sent_to: text(500, { description: 'The site or app that the answer goes to, which may be another one.' }),
  }),
  resource: oneOf(['mcp', 'api']),
  scopes: list(Type.Object({ scope, words: text(100) })),
  modes: list(mode),
  account: Type.Object({ name: text(200), plan: text(100) }),
  email: text(254),
});

export const Decision = strict({
  allow: Type.Boolean(),
  mode: Type.Optional(mode),
  scopes: Type.Optional(list(scope)),
});

export const Redirect = Type.Object({ object: oneOf(['redirect']), url: text(4_000) });

export const Grant = Type.Object({
  object: oneOf(['grant']),
  id: text(100),
  client_name: text(200),
  origin: text(500),
  mode,
  scopes: list(scope),
  email: text(254),
  created_at: instant(),
  last_used_at: nullable(instant()),
});

export const GrantList = Type.Object({ object: oneOf(['list']), data: list(Grant) });
