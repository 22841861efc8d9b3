-- Until when a run may be held back because svc restarts the app, so that restarts one after another cannot hold it back
-- for ever. Null means that it was not held back yet.
-- former release: runs, and holds runs back for two minutes after each restart
alter table checks.runs add column held_until timestamptz;
