-- What the scores of an entry mean, as the worker measured it. Such a row has a target of its own, beside the one of the
-- index, and no choice.
-- former release: runs, it makes rows with a target that it does not know wait for the next question
alter table data_sources.search_measurements add column calibration jsonb;
