-- Up to which load a county's addresses are filed: tells a start after a crash what is left to do.
alter table address_loads add column load_id bigint not null default 0;
