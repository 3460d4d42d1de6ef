-- What a change of a market leaves for a schedule to do. Whoever makes the change marks the market in its own transaction,
-- an older process that serves beside this version included, so a schedule reads what changed and no other market.
create table due_markets (
  work text not null,
  market text not null,
  -- The newest change: a market that changes while the work is done stays marked.
  mark xid8 not null default pg_current_xact_id(),
  primary key (work, market)
);
comment on table due_markets is 'reference: markets that changed since some work was last done for them';

-- Work whose rules have changed is due for every market.
create table due_rules (
  work text primary key,
  rules text not null
);
comment on table due_rules is 'reference: by which rules each kind of work was last done';

-- Its arguments are the kinds of work. A load of the nation concerns every market.
create function mark_market() returns trigger language plpgsql as $$
begin
  insert into data.due_markets (work, market)
  select work, market
  from unnest(tg_argv) as work,
    (select new.market where new.market is not null
     union select market from data.property_counts where new.market is null) as changed
  order by work, market
  on conflict (work, market) do update set mark = excluded.mark; return null;
end $$;
create trigger mark_market after insert or update of state on loads for each row
  when (new.state = 'completed') execute function mark_market('figures', 'names', 'quality');
create trigger mark_market after insert or update on market_changes for each row
  execute function mark_market('figures', 'quality');

create index map_rollups_due on map_rollups (fips, market) where is_due;
create index map_rollups_age on map_rollups (rolled_up_on);

-- When each source was last known to be current: by a load, or by a look that found nothing new.
alter table sources add column current_at timestamptz;
create index sources_current on sources (cadence, current_at);

create function note_look() returns trigger language plpgsql as $$
begin
  update data.sources set current_at = greatest(current_at, new.finished_at) where id = new.source_id; return null;
end $$;
create trigger note_look after insert or update of state on loads for each row
  when (new.state = 'completed') execute function note_look();
create trigger note_look after insert on refreshes for each row
  when (new.outcome <> 'failed') execute function note_look();

update sources s set current_at = greatest(
  (select max(finished_at) from loads where source_id = s.id and state = 'completed'),
  (select max(finished_at) from refreshes where source_id = s.id and outcome <> 'failed')
);
