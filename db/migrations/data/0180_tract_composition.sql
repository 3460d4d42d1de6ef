-- Who lives in a tract, by the survey: shares of the population, and the national rank (0 to 1) of its minority and
-- language theme in the Social Vulnerability Index. Read only by the measurement of nondiscrimination, never by a model.
alter table census_tracts
  add column white_share real,
  add column black_share real,
  add column asian_share real,
  add column hispanic_share real,
  add column minority_rank real;
