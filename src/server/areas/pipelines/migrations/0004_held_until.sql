-- Until when a slot without a worker may wait because svc was restarted, so that restarts one after another cannot let it
-- wait for ever. Null means that it does not wait for that.
-- former release: runs, and lets a slot wait for two minutes after each restart
alter table pipelines.pipelines add column held_until timestamptz;
