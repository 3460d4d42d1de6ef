-- Where the change feed begins for a reader without a cursor: the oldest change of the last 30 days.
create index changes_occurred on changes (occurred_at);
