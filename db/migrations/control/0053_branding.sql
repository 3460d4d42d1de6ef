-- The name and logo of an account on what it hands out: PDFs and shared pages.

create table branding (
  account_id text primary key references accounts (id),
  name text,
  -- PNG or JPEG, checked when it was set.
  logo bytea,
  logo_type text check (logo_type in ('image/png', 'image/jpeg')),
  updated_at timestamptz not null
);
