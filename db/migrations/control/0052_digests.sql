-- Digests by email: what each person asked for, and which were sent.

create table digest_subscriptions (
  user_id text not null references users (id),
  account_id text not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  watchlists boolean not null,
  loans boolean not null,
  -- The areas to tell of, and what was last told of each.
  areas jsonb not null,
  told jsonb not null default '{}',
  created_at timestamptz not null,
  primary key (user_id, account_id, mode)
);

-- One row per person and period, claimed before the email is composed. `settled_at` is set just before it is handed over,
-- and from then on no process sends it again.
create table digests (
  user_id text not null references users (id),
  account_id text not null references accounts (id),
  mode text not null,
  period text not null,
  claimed_at timestamptz not null,
  settled_at timestamptz,
  sent_at timestamptz,
  primary key (user_id, account_id, mode, period)
);
create index digests_by_age on digests (claimed_at);
