-- Passkeys (WebAuthn credentials) of a user, and the challenges that wait to be signed, each good for one try.
create table passkeys (
  id text primary key,
  user_id text not null references users (id),
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  is_backed_up boolean not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_user on passkeys (user_id);

create table passkey_challenges (
  challenge text primary key,
  -- Null for sign-in: the passkey says whose it is.
  user_id text references users (id),
  expires_at timestamptz not null
);
create index passkey_challenges_expiry on passkey_challenges (expires_at);
