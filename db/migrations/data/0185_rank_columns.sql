-- The figures of areas side by side, one column per figure in the order of `names`, so that a ranking reads one figure
-- and not all of them. As text: nothing looks into them, and the binary form takes three times as long to read.
-- `areas` is what the version before reads.
alter table area_rankings
  alter column areas set default '[]',
  add column names json,
  add column places json,
  add column sales json,
  add column median_price json,
  add column median_price_per_sqft json,
  add column price_growth_1y json,
  add column price_growth_3y json,
  add column price_growth_5y json,
  add column price_per_sqft_growth_1y json,
  add column price_per_sqft_growth_3y json,
  add column price_per_sqft_growth_5y json,
  add column dispersion json,
  add column turnover json,
  add column price_to_assessment json,
  add column price_to_assessment_dispersion json,
  add column resale_share json,
  add column homes json,
  add column median_value json,
  add column median_year_built json,
  add column median_sqft json,
  add column owner_occupied_share json,
  add column permit_share json,
  add column open_violation_share json,
  add column open_lien_share json;
