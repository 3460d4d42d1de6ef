-- What was asked and answered, for whoever looks at one request on the dashboard: sealed, and forgotten after a day.
create table request_details (
  account_id text not null references accounts (id),
  request_id text not null,
  mode text not null check (mode in ('live', 'test')),
  at timestamptz not null,
  sealed bytea not null,
  primary key (account_id, request_id)
);
create index request_details_at on request_details (at);
create index request_details_of_account on request_details (account_id, mode, at desc);
