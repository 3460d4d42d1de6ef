-- What a process reads to serve a model: the model and its market's sales as it sees them. It can be made again from
-- both, so nothing is lost with it.
create table model_books (
  hash text primary key,
  -- The loads that the sales come from.
  snapshot text not null,
  -- Made by this version of the code.
  format integer not null,
  size bigint not null,
  created_at timestamptz not null
);
create table model_book_chunks (
  hash text not null references model_books (hash) on delete cascade,
  number integer not null,
  -- Compressed, with a checksum.
  bytes bytea not null,
  primary key (hash, number)
);
alter table model_book_chunks alter column bytes set storage external;
