-- What the catalogue of the managed database said when the configuration was saved, so that a question is answered
-- with names and types from there and never from a request. Null while nothing can be searched.
alter table data_sources.sources add column search jsonb;
