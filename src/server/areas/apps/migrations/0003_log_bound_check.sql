-- Reads the table once, while others read and write it, so that the next file can make it a partition without reading it.
-- The index sums up the lines that were dropped without reading an app's whole log for each search.
-- former release: runs
-- outside transaction
alter table apps.logs validate constraint logs_before_partitions;
create index concurrently if not exists logs_dropped on apps.logs (app_id, at) where dropped > 0;
