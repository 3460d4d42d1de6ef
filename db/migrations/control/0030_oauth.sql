-- Apps that a person lets act for an account, and the rows of the authorization server.

create table oauth_grants (
  id text primary key,
  account_id text not null references accounts (id),
  user_id text not null references users (id),
  -- The key that tokens of the grant act as; no secret opens it.
  key_id text not null references api_keys (id),
  client_id text not null,
  client_name text not null,
  -- Where the person was sent back to with the code.
  redirect_uri text not null,
  created_at timestamptz not null,
  ended_at timestamptz
);
create index oauth_grants_account on oauth_grants (account_id, created_at, id);

-- Codes, tokens, sign-ins in progress and registered clients. The id of a row is a secret of its holder, so only its
-- digest is stored, and the payload is encrypted.
create table oauth_records (
  model text not null,
  digest bytea not null,
  grant_id text,
  uid text,
  payload bytea not null,
  created_at timestamptz not null,
  consumed_at timestamptz,
  expires_at timestamptz not null,
  primary key (model, digest)
);
create index oauth_records_grant on oauth_records (grant_id) where grant_id is not null;
create index oauth_records_uid on oauth_records (uid) where uid is not null;
create index oauth_records_expiry on oauth_records (model, expires_at);

-- Set for the key of a grant, which lists of keys leave out.
alter table api_keys add column grant_id text;
