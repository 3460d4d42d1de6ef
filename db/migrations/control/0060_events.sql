-- The outbox: what happened in an account, written in the same transaction as the fact itself. Webhooks are fanned out
-- from here; `source_key` names what an event was made from, so that making it twice makes it once.

create table events (
  id text primary key,
  sequence bigint generated always as identity,
  account_id text not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  type text not null,
  data jsonb not null,
  source_key text,
  occurred_at timestamptz not null,
  fanned_out_at timestamptz
);
create unique index events_source on events (account_id, source_key);
create index events_list on events (account_id, mode, sequence);
create index events_waiting on events (sequence) where fanned_out_at is null;
