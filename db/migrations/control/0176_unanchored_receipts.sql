-- no transaction
-- Finds the receipts that wait for their anchor.
create index concurrently if not exists valuations_unanchored on valuations (account_id, created_at, id)
  where anchor_id is null;
