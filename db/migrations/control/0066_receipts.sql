-- A receipt's request, inputs and result are one document, JSON that comes compressed: PostgreSQL neither parses it nor compresses
-- it again, which took longer than the valuation itself. Receipts of before are plain JSON; both are read by valuations/receipts.ts.
alter table valuations add column document bytea;
update valuations
set document = convert_to(jsonb_build_object('request', request, 'inputs', inputs, 'result', result)::text, 'UTF8');
alter table valuations alter column document set not null, alter column document set storage external,
  drop column request, drop column inputs, drop column result;
