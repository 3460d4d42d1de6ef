-- Admission in half the statements: a window remembers its oldest second, and calls that come together are counted together,
-- so that a call usually touches two rows, its window and its second.
alter table rate_windows add column oldest_second bigint;
update rate_windows w set oldest_second = (select min(second) from rate_cells c where c.subject = w.subject);

-- Locks a window and forgets the calls that have left it.
create function open_window(p_subject text, p_second bigint, out used integer, out oldest_second bigint) language plpgsql as $$
begin
  select w.used, w.oldest_second into used, oldest_second from rate_windows w where w.subject = p_subject for update;
  if not found then
    insert into rate_windows (subject) values (p_subject) on conflict do nothing;
    select w.used, w.oldest_second into used, oldest_second from rate_windows w where w.subject = p_subject for update;
  end if;
  if oldest_second <= p_second - 3600 then
    with gone as (delete from rate_cells c where c.subject = p_subject and c.second <= p_second - 3600 returning c.calls)
    select open_window.used - coalesce(sum(gone.calls), 0) into used from gone;
    select min(c.second) into oldest_second from rate_cells c where c.subject = p_subject;
    update rate_windows w set used = open_window.used, oldest_second = open_window.oldest_second where w.subject = p_subject;
  end if;
end $$;

create function count_calls(p_subject text, p_second bigint, p_calls integer) returns void language plpgsql as $$
begin
  if p_calls = 0 then return; end if;
  insert into rate_cells as c (subject, second, calls) values (p_subject, p_second, p_calls)
    on conflict (subject, second) do update set calls = c.calls + p_calls;
  update rate_windows w set used = w.used + p_calls, oldest_second = least(w.oldest_second, p_second) where w.subject = p_subject;
end $$;

-- Many requests in one round trip: each is admitted, or refused without leaving a trace. Rows are locked in one order
-- everywhere (counters, then each account's window and those of its keys), so that two processes never wait for each other
-- in a circle.
create or replace function admit(p_now timestamptz, p_second bigint, p_requests jsonb)
returns table (n integer, verdict text, used integer, reset_second bigint, key_used integer, key_reset_second bigint)
language plpgsql as $$
declare
  r record;
  v_subject text;
  v_oldest bigint;
  v_calls integer := 0;
  v_key text;
  v_key_oldest bigint;
  v_key_calls integer := 0;
begin
  if jsonb_path_exists(p_requests, '$[*].hold.id') then
    perform 1 from usage_counters c where (c.account_id, c.meter, c.period_start) in (
      select q.request -> 'hold' ->> 'account', q.request -> 'hold' ->> 'meter', (q.request -> 'hold' ->> 'period')::timestamptz
      from jsonb_array_elements(p_requests) as q (request))
      order by c.account_id, c.meter, c.period_start for update;
  else
    -- A window that forgets 200 ms in a crash of the server is worth not waiting for its disk on every call.
    perform set_config('synchronous_commit', 'off', true);
  end if;

  for r in select x.n, x.subject, x.lim, x.key_subject, x.key_lim, x.hold
           from jsonb_to_recordset(p_requests) as x (n integer, subject text, lim integer, key_subject text, key_lim integer, hold jsonb)
           order by x.subject, x.key_subject, x.n
  loop
    if r.key_subject is distinct from v_key then
      if v_key is not null then perform count_calls(v_key, p_second, v_key_calls); end if;
      v_key_calls := 0;
    end if;
    if r.subject is distinct from v_subject then
      if v_subject is not null then perform count_calls(v_subject, p_second, v_calls); end if;
      v_calls := 0;
      v_subject := r.subject;
      select w.used, w.oldest_second into used, v_oldest from open_window(v_subject, p_second) w;
    end if;
    if r.key_subject is distinct from v_key then
      v_key := r.key_subject;
      key_used := null;
      key_reset_second := null;
      if v_key is not null then
        select w.used, w.oldest_second into key_used, v_key_oldest from open_window(v_key, p_second) w;
      end if;
    end if;

    n := r.n;
    verdict := case when used >= r.lim then 'rate_limited'
      when key_used >= r.key_lim then 'key_limited'
      when jsonb_typeof(r.hold) = 'object' then coalesce(hold_units(r.hold, p_now), 'admitted')
      else 'admitted' end;
    if verdict = 'admitted' then
      used := used + 1;
      v_calls := v_calls + 1;
      v_oldest := least(v_oldest, p_second);
      if v_key is not null then
        key_used := key_used + 1;
        v_key_calls := v_key_calls + 1;
        v_key_oldest := least(v_key_oldest, p_second);
      end if;
    elsif verdict in ('rate_limited', 'key_limited') then
      -- when it opens depends on the calls of this very moment too
      perform count_calls(v_subject, p_second, v_calls);
      v_calls := 0;
      if v_key is not null then perform count_calls(v_key, p_second, v_key_calls); end if;
      v_key_calls := 0;
    end if;
    reset_second := case when verdict = 'rate_limited' then next_free_second(v_subject, used - r.lim) else v_oldest + 3600 end;
    if v_key is not null then
      key_reset_second := case when verdict = 'key_limited' then next_free_second(v_key, key_used - r.key_lim)
        else v_key_oldest + 3600 end;
    end if;
    return next;
  end loop;
  if v_subject is not null then perform count_calls(v_subject, p_second, v_calls); end if;
  if v_key is not null then perform count_calls(v_key, p_second, v_key_calls); end if;
end $$;
