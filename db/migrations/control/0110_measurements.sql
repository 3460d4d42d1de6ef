-- What an operator watches and only a query can tell: the worker measures once a minute, every process shows the result.
create table measurements (
  name text not null,
  labels jsonb not null default '{}',
  value double precision not null,
  measured_at timestamptz not null,
  primary key (name, labels)
);
