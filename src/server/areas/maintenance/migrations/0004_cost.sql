-- What a run has cost, where the price of its model is configured. Null where it is not.
-- former release: runs
alter table maintenance.runs add column cost_usd numeric;
