-- Models are announced every few minutes: of thousands, those of the last days.
create index models_created on models (created_at) where state = 'current';
