-- The instruments that a recorded document names: the mortgage that a release discharges, the deed that another corrects.
alter table transactions add column refers_to text[] not null default '{}';
