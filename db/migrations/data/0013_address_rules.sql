-- The rules by which a county's addresses are filed; under other rules it is filed anew.
alter table address_loads add column rules text not null default '';
