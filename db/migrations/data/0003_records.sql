-- Facts about a property over time. `known_on` is the day a fact became public (recorded, published), so that a
-- valuation as of a past day can use only what was known then; `loaded_at` is when it reached us.

create table owners (
  fips integer not null,
  property_id text collate "C" not null,
  known_on date not null,
  names text[] not null,
  type text not null,
  owner_occupied boolean,
  mailing_address text,
  owned_since date,
  ended_on date,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamptz not null,
  primary key (fips, property_id, known_on)
);

create table assessments (
  fips integer not null,
  property_id text collate "C" not null,
  year smallint not null,
  land bigint,
  improvements bigint,
  total bigint,
  market_total bigint,
  known_on date not null,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamptz not null,
  primary key (fips, property_id, year)
);

create table taxes (
  fips integer not null,
  property_id text collate "C" not null,
  year smallint not null,
  amount_cents bigint,
  exemptions text[] not null default '{}',
  status text,
  known_on date not null,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamptz not null,
  primary key (fips, property_id, year)
);

-- Deeds, mortgages, releases and foreclosures in one typed list.
create table transactions (
  fips integer not null,
  property_id text collate "C" not null,
  id text collate "C" not null,
  market text not null,
  type text not null check (type in ('deed', 'mortgage', 'release', 'foreclosure', 'other')),
  document_type text,
  document_number text,
  book text,
  page text,
  recording_date date,
  sale_date date,
  date_precision text not null default 'day' check (date_precision in ('day', 'month', 'year')),
  price bigint,
  arms_length boolean,
  arms_length_reason text,
  buyers text[] not null default '{}',
  sellers text[] not null default '{}',
  lender text,
  loan_amount bigint,
  -- Attributes as they stood at the sale, where the source states them: what a model may train on.
  attributes jsonb,
  known_on date not null,
  source_id text not null,
  load_id bigint not null,
  loaded_at timestamptz not null,
  retired_at timestamptz,
  primary key (fips, property_id, id)
);
create index transactions_market_sales on transactions (fips, market, sale_date) where type = 'deed' and price is not null;
