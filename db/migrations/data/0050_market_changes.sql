-- What the figures of a market depend on besides its loads: they are computed anew where a count has changed.
create table market_changes (
  market text primary key,
  -- How often its homes were given values, and its sales were judged by an operator or a model.
  valued bigint not null default 0,
  judged bigint not null default 0
);
comment on table market_changes is 'reference: how often the homes of a market were valued and its sales judged';

create index coverage_market on coverage (market, fips);
