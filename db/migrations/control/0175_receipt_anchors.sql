-- Receipts are anchored: the root of the tree over their hashes is an entry of the account's audit log. The hashes stay
-- when a receipt is past its time, so that the others can still be proven.
create table receipt_anchors (
  id bigint generated always as identity primary key,
  account_id text not null references accounts (id),
  root bytea not null,
  receipts integer not null,
  hashes bytea not null,
  audit_sequence bigint not null,
  anchored_at timestamptz not null
);
create index receipt_anchors_account on receipt_anchors (account_id, id);
alter table receipt_anchors alter column hashes set storage external;
alter table valuations add column anchor_id bigint;
