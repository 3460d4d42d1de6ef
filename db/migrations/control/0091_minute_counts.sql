-- Calls per minute of an IP or an account, counted by all processes together. Not worth a crash's recovery, so not logged.
create unlogged table minute_counts (
  subject text not null,
  -- Minutes since 1970.
  minute bigint not null,
  calls integer not null,
  primary key (subject, minute)
);
create index minute_counts_minute on minute_counts (minute);
