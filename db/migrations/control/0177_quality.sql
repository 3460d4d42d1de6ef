-- The latest evidence of quality of each market, and the seals of its standing random sample. Each seal covers the one
-- before it, so that none can be changed or left out later without the rest showing it.
create table quality_reports (
  market text primary key,
  model_version text not null,
  -- What the report was computed from; another token means that it is due again.
  token text not null,
  report jsonb not null,
  measured_at timestamptz not null
);

create table sample_seals (
  sequence bigint primary key,
  market text not null,
  sampled_on date not null,
  model text not null,
  homes integer not null,
  root bytea not null,
  previous_hash bytea,
  hash bytea not null,
  sealed_at timestamptz not null,
  unique (market, sampled_on, model)
);
create trigger sample_seals_append_only before update or delete on sample_seals for each row execute function refuse_change();
create trigger sample_seals_no_truncate before truncate on sample_seals for each statement execute function refuse_change();
