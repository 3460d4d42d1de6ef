-- Single sign-on by OpenID Connect: one connection per account, the email domains it may speak for, sign-ins that are
-- under way, and which user an identity of the provider is.
create table sso_connections (
  account_id text primary key references accounts (id),
  issuer text not null,
  client_id text not null,
  client_secret bytea not null,
  default_role text not null check (default_role in ('admin', 'developer', 'billing', 'viewer')),
  is_enforced boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- Written by an operator once the account has shown that the domain is its own.
create table sso_domains (
  domain text primary key,
  account_id text not null references accounts (id),
  verified_at timestamptz not null
);
create index sso_domains_account on sso_domains (account_id);

create table sso_sign_ins (
  state_digest bytea primary key,
  account_id text not null references accounts (id),
  browser_digest bytea not null,
  nonce text not null,
  code_verifier bytea not null,
  expires_at timestamptz not null
);

create table sso_identities (
  account_id text not null references accounts (id),
  issuer text not null,
  subject text not null,
  user_id text not null references users (id),
  created_at timestamptz not null,
  primary key (account_id, issuer, subject)
);
