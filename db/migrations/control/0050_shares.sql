-- Read-only links to a property, an area, a portfolio or a lender's file.

create table shares (
  id text primary key,
  account_id text not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  kind text not null check (kind in ('property', 'area', 'portfolio', 'report')),
  -- The id of the property, watchlist or report, or the name of the area.
  subject text not null,
  title text not null,
  include_owners boolean not null,
  -- HMAC of the token in the link, which is stored nowhere.
  digest bytea not null unique,
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  last_opened_at timestamptz,
  opened_count bigint not null default 0
);
create index shares_by_account on shares (account_id, mode, created_at, id);
create index shares_by_end on shares (expires_at);

-- What the page showed when the link was made. A report has none: it is stored as it was made.
create table share_pages (
  share_id text primary key references shares (id) on delete cascade,
  -- Compressed JSON.
  page bytea not null,
  -- The same without names, for an owner who has asked not to be shown since.
  page_without_owners bytea
);
