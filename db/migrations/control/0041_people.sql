-- People: users, their sessions (tokens kept as HMAC only), mails that confirm something, membership, and the audit log.

create table users (
  id text primary key,
  email text not null,
  -- One person's spellings of one mailbox: lower case, no tag, no dots where the provider ignores them.
  email_normalized text not null unique,
  name text not null,
  company text,
  password_hash text not null,
  verified_at timestamptz,
  totp_secret bytea,
  totp_enabled_at timestamptz,
  totp_last_step bigint not null default 0,
  failed_attempts integer not null default 0,
  locked_until timestamptz,
  created_at timestamptz not null
);

create table members (
  account_id text not null references accounts (id),
  user_id text not null references users (id),
  role text not null check (role in ('owner', 'admin', 'developer', 'billing', 'viewer')),
  created_at timestamptz not null,
  primary key (account_id, user_id)
);
create index members_user on members (user_id);

create table sessions (
  id text primary key,
  digest bytea not null unique,
  user_id text not null references users (id),
  account_id text not null references accounts (id),
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  ip text not null,
  user_agent text not null
);
create index sessions_user on sessions (user_id);

create table mail_tokens (
  digest bytea primary key,
  user_id text not null references users (id),
  purpose text not null check (purpose in ('verify', 'reset')),
  expires_at timestamptz not null,
  used_at timestamptz
);

create table recovery_codes (
  user_id text not null references users (id),
  digest bytea not null,
  used_at timestamptz,
  primary key (user_id, digest)
);

create table invitations (
  id text primary key,
  account_id text not null references accounts (id),
  email text not null,
  role text not null check (role in ('admin', 'developer', 'billing', 'viewer')),
  digest bytea not null unique,
  invited_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz
);
create index invitations_account on invitations (account_id);

-- Who did what. Each entry carries the hash of the one before it, and none can be changed or removed.
create table audit_log (
  account_id text not null references accounts (id),
  sequence bigint not null,
  at timestamptz not null,
  actor text not null,
  action text not null,
  target text,
  details jsonb not null,
  ip text,
  previous_hash bytea,
  hash bytea not null,
  primary key (account_id, sequence)
);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;
create trigger audit_log_append_only before update or delete on audit_log for each row execute function refuse_change();
