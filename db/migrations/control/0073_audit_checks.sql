-- What the last check of an account's audit log saw, signed with our secret: a log that was cut off or rewritten from
-- its start no longer leads to it.
create table audit_checks (
  account_id text primary key references accounts (id),
  checked_at timestamptz not null,
  sequence bigint not null,
  signature bytea not null,
  broken_sequence bigint
);

create trigger audit_log_no_truncate before truncate on audit_log for each statement execute function refuse_change();
