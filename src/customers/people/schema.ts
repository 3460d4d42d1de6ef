// The shapes of users, sessions, passkeys, members, invitations and the audit log.
import Type from 'typebox';
import { instant, list, named, nullable, oneOf, page, strict, text } from '../../base/lib/schema.ts';

export const ROLES = ['owner', 'admin', 'developer', 'billing', 'viewer'] as const;

const email = text(254, { minLength: 3 });
const password = text(200, { minLength: 1 });
const token = text(100, { minLength: 20 });
const role = oneOf(ROLES);
const method = oneOf(['password', 'passkey', 'sso']);
const assignableRole = oneOf(['admin', 'developer', 'billing', 'viewer']);

export const SignUpForm = strict({
  email,
  password,
  name: text(100, { minLength: 1 }),
  company: Type.Optional(text(100, { minLength: 1 })),
});
export const SignInForm = strict({ email, password, code: Type.Optional(text(20)) });
export const VerifyForm = strict({
  token,
  name: Type.Optional(text(100, { minLength: 1 })),
  password: Type.Optional(password),
});
export const EmailForm = strict({ email });
export const ResetForm = strict({ token, password });
export const PasswordChangeForm = strict({ current_password: password, password, code: Type.Optional(text(20)) });
export const ProofForm = strict({ password: Type.Optional(password), code: Type.Optional(text(20)) });
export const CodeForm = strict({ code: text(20, { minLength: 6 }) });
export const InvitationForm = strict({ email, role: assignableRole });
export const AcceptForm = strict({
  token,
  name: Type.Optional(text(100, { minLength: 1 })),
  password: Type.Optional(password),
  code: Type.Optional(text(20)),
});
export const RoleForm = strict({ role });
export const AccountForm = strict({ account_id: text(40) });
export const IdParams = Type.Object({ id: text(60) });

export const Done = named('Done', { object: oneOf(['done']) });

export const SessionState = named('Session', {
  object: oneOf(['session']),
  user: Type.Object({
    id: text(40),
    email,
    name: text(100),
    has_password: Type.Boolean(),
    has_two_factor: Type.Boolean(),
    is_operator: Type.Boolean(),
  }),
  account: Type.Object({
    id: text(40),
    name: text(200),
    plan: text(20),
    status: text(20),
    needs_card: Type.Boolean(),
    trial_ends_at: nullable(instant()),
  }),
  role,
  method,
  accounts: list(Type.Object({ id: text(40), name: text(200), role })),
  keys: Type.Optional(
    list(Type.Object({ id: text(40), mode: oneOf(['live', 'test']), secret: text(60) }), {
      description: 'Only in the response that creates them.',
    }),
  ),
});

export const SignIn = Type.Object({
  object: oneOf(['sign_in']),
  id: text(40),
  created_at: instant(),
  last_seen_at: instant(),
  ip: text(60),
  user_agent: text(300),
  method,
  is_current: Type.Boolean(),
});
export const SessionPage = page('SessionPage', SignIn);

export const TwoFactorSecret = Type.Object({
  object: oneOf(['two_factor_secret']),
  secret: text(64),
  otpauth_url: text(500),
});
export const RecoveryCodes = Type.Object({ object: oneOf(['recovery_codes']), codes: list(text(20)) });

const passkeyName = text(60, { minLength: 1 });
/** What the browser's WebAuthn API returns; the library checks its insides. */
const credential = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true });
export const PasskeyOptions = Type.Object({ object: oneOf(['passkey_options']), options: credential });
export const NewPasskeyForm = strict({ name: passkeyName, response: credential });
export const PasskeyNameForm = strict({ name: passkeyName });
export const PasskeySignInForm = strict({ response: credential });
export const Passkey = Type.Object({
  object: oneOf(['passkey']),
  id: text(40),
  name: passkeyName,
  is_backed_up: Type.Boolean(),
  created_at: instant(),
  last_used_at: nullable(instant()),
});
export const PasskeyPage = page('PasskeyPage', Passkey);

export const Member = Type.Object({
  object: oneOf(['member']),
  id: text(40),
  email,
  name: text(100),
  role,
  has_two_factor: Type.Boolean(),
  created_at: instant(),
});
export const MemberPage = page('MemberPage', Member);
export const InvitationShape = Type.Object({
  object: oneOf(['invitation']),
  id: text(40),
  email,
  role: assignableRole,
  created_at: instant(),
  expires_at: instant(),
});
export const InvitationPage = page('InvitationPage', InvitationShape);
