-- A watchlist may report when its properties together are worth more or less than when it last did.
alter table watchlists
  add column total_change_percent real,
  add column told_total bigint,
  add column total_checked_at timestamptz;
