-- Whether a sale's price is a market price, where somebody other than its source has decided: an operator, whose word
-- loads and models leave alone, or the market's model. Sales without a row go by what their load made of them.
create table sale_verdicts (
  fips integer not null,
  property_id text collate "C" not null,
  transaction_id text collate "C" not null,
  market text not null,
  market_price boolean not null,
  reason text,
  note text,
  decided_by text not null check (decided_by in ('operator', 'model')),
  decided_at timestamptz not null,
  primary key (fips, property_id, transaction_id)
);
create index sale_verdicts_market on sale_verdicts (market, decided_by);
