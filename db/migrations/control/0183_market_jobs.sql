-- Loads and trainings that any worker may take, one job per market or source.
create table market_jobs (
  id text primary key,
  kind text not null check (kind in ('ingest', 'train')),
  -- The market to train or the source to load.
  subject text not null,
  options jsonb not null default '{}',
  state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed')),
  -- Whoever works on it renews this; past it, another may take the job.
  leased_until timestamptz,
  attempts integer not null default 0,
  result text,
  created_at timestamptz not null,
  finished_at timestamptz
);
-- A market is not trained twice at once.
create unique index market_jobs_open on market_jobs (kind, subject) where state in ('waiting', 'running');
create index market_jobs_finished on market_jobs (finished_at) where finished_at is not null;
