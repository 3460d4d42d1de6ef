-- What a customer wants back with each item: the further columns of a spreadsheet, or `metadata` of a JSON item. The
-- batch knows the names in their order, for the header of a CSV of results.
alter table batch_items add column metadata jsonb;
alter table batches add column metadata_names text[] not null default '{}';
