-- People who run the service may bring in places on the dashboard: who they are, what they have begun, and each step of it.
alter table users add column operator_since timestamptz;

create table county_drafts (
  id text primary key,
  place jsonb not null,
  -- The name of the file in the draft's folder, and where it came from if it was not uploaded.
  file_name text not null,
  file_bytes bigint,
  received_bytes bigint not null default 0,
  url text,
  -- What the file does not state about itself, and what a person said of its columns.
  reading jsonb not null default '{}',
  meanings jsonb not null default '{}',
  summary jsonb,
  recipe text,
  recipe_version integer not null default 0,
  is_recipe_edited boolean not null default false,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index county_drafts_age on county_drafts (created_at);

create table county_steps (
  id text primary key,
  draft_id text not null references county_drafts (id) on delete cascade,
  kind text not null check (kind in ('read', 'preview', 'load', 'train')),
  options jsonb not null default '{}',
  recipe_version integer not null,
  state text not null check (state in ('queued', 'running', 'done', 'failed', 'canceled')),
  locked_until timestamptz,
  is_cancel_requested boolean not null default false,
  progress jsonb,
  result jsonb,
  error text,
  requested_by text not null,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz
);
-- One step of a draft at a time, whoever asks for it.
create unique index county_steps_active on county_steps (draft_id) where state in ('queued', 'running');
create index county_steps_of_draft on county_steps (draft_id, created_at);
