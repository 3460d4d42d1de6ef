-- Which life of the data plane a stored position belongs to (`feed_epochs` there); null: the first one.
alter table relay_positions add column epoch text;
alter table export_runs add column to_epoch text;
