-- Until when a worker that runs a pipeline may stay away because svc was restarted, so that restarts one after another
-- cannot keep its run for ever. Null means that it is not away for that.
-- former release: runs, and waits for a worker for two minutes after each restart
alter table pipelines.workers add column held_until timestamptz;
