-- The sandbox's calendar stands still; the date it stands at is a fact of the market.
alter table markets add column frozen_on date;
update markets set frozen_on = '2026-06-30' where sandbox;
