-- The lives of the data plane. Positions in the change feed name a transaction, and a restored database counts its
-- transactions from elsewhere: every restore, failover or move begins an epoch, and a position says which one it is from.
create table feed_epochs (
  number integer primary key,
  -- Random, because a database that is restored twice from one backup has two different second epochs.
  id text not null unique,
  -- The server, its timeline and the database; null until the first process has looked.
  server text,
  -- Added to the server's transaction ids, so that those of this epoch come after all earlier ones.
  xid_offset bigint not null,
  -- The feed's transaction id when the epoch began.
  began_at_xid xid8 not null,
  -- Every transaction below it had ended when this was written, so any copy of the database that holds the mark holds
  -- them all.
  complete_below xid8 not null default '0',
  began_at timestamptz not null
);
comment on table feed_epochs is 'reference: the lives of the data plane, for positions in the change feed';
insert into feed_epochs (number, id, xid_offset, began_at_xid, began_at) values (1, 'first', 0, '0', now());
