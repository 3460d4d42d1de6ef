-- Whether a digest has the signed roots of receipts.
alter table digest_subscriptions add column receipts boolean not null default false;
