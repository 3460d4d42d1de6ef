alter table area_rankings add column tax_rate json;
