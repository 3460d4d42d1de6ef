-- Nothing set before a mailbox is proved survives the proof: a sign-up waits in a table of its own and becomes a user
-- only when its link is opened. One row per mailbox, so a newer sign-up ends the older link.
create table sign_ups (
  email_normalized text primary key,
  email text not null,
  name text not null,
  company text,
  password_hash text not null,
  -- HMAC of the link's token, and of a cookie in the browser that signed up.
  digest bytea not null unique,
  browser_digest bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);

-- One live reset link per user: a newer one replaces it, and every change of the password deletes it.
create table reset_links (
  user_id text primary key references users (id),
  digest bytea not null unique,
  expires_at timestamptz not null
);
drop table mail_tokens;

-- Users who never proved their mailbox could not sign in or join anything; they sign up again.
delete from recovery_codes where user_id in (select id from users where verified_at is null);
delete from sessions where user_id in (select id from users where verified_at is null);
delete from users where verified_at is null;
alter table users alter column verified_at set not null;
-- People who only ever sign in through single sign-on have no password.
alter table users alter column password_hash drop not null;

-- Tries at a password or code, counted before they are judged. The subject is the HMAC of an email, whether or not
-- somebody has it.
create table sign_in_attempts (
  subject bytea primary key,
  attempts integer not null,
  locked_until timestamptz,
  last_at timestamptz not null
);
create index sign_in_attempts_last on sign_in_attempts (last_at);
alter table users drop column failed_attempts, drop column locked_until;

-- How often something was done in a window of time: sign-ups per IP, mail per recipient.
create table action_counts (
  subject bytea not null,
  window_start timestamptz not null,
  count integer not null,
  primary key (subject, window_start)
);
create index action_counts_window on action_counts (window_start);

-- How a session was opened. Single sign-on opens the account of its connection only.
alter table sessions add column method text not null default 'password'
  check (method in ('password', 'passkey', 'sso'));

alter table invitations add column email_normalized text;
update invitations set email_normalized = lower(email);
alter table invitations alter column email_normalized set not null;
create index invitations_recipient on invitations (email_normalized, created_at);
